"""The tasks that were looked at while the engine was built."""

from __future__ import annotations

from functools import partial

from bench.small_models.office import Office
from bench.small_models.task import Task, task_of

__all__ = ["ALL"]

_MANY = [
    "set_alarm", "send_email", "book_room", "translate", "play_music", "get_phone", "get_manager", "get_email",
    "get_capital", "get_tracking_number", "get_parcel_status", "get_population", "get_distance", "km_to_miles",
    "convert_currency", "days_between", "read_file", "get_departures", "multiply", "add", "get_salary",
]  # fmt: skip
_MANY_TEXT = " ".join(_MANY)

_task = partial(task_of, Office)

ALL: list[Task] = [
    _task("single", "What is 417 times 238?", "multiply add", r"\b99246\b", "multiply"),
    _task("single", "How many degrees is it in Oslo right now?", "get_weather get_stock", r"\b4\b", "get_weather"),
    _task("single", "How many cups do we have in the warehouse?", "get_stock get_price", r"\b12\b", "get_stock"),
    _task("single", "What is Ada's phone number?", "get_phone get_email", "555-0142", "get_phone"),
    _task("single", "Convert 250 USD to EUR.", "convert_currency multiply", r"\b230\b", "convert_currency"),
    _task(
        "single", "How many days lie between 2024-03-01 and 2024-04-15?", "days_between add", r"\b45\b", "days_between"
    ),
    _task("single", "What does a desk cost?", "get_price get_stock", r"\b140\b", "get_price"),
    _task(
        "chain",
        "What is Mara's yearly salary?",
        "get_employee_id get_salary",
        r"\b52300\b",
        "get_employee_id get_salary",
    ),
    _task(
        "chain",
        "How is the weather in the capital of Italy?",
        "get_capital get_weather",
        "21|sunny",
        "get_weather",
    ),
    _task(
        "chain",
        "Where is the parcel of order A17?",
        "get_tracking_number get_parcel_status",
        "customs",
        "get_tracking_number get_parcel_status",
    ),
    _task(
        "chain",
        "What do 16 lamps cost together? Look the price up first.",
        "get_price multiply",
        r"\b304\b",
        "get_price",
    ),
    _task(
        "chain",
        "What is the email address of Joel's manager?",
        "get_manager get_email",
        "ines@north.example",
        "get_manager get_email",
    ),
    _task(
        "chain",
        "Read index.txt, find out which file holds the launch code, and tell me the code.",
        "read_file",
        r"\b9361\b",
        "read_file read_file",
    ),
    _task(
        "chain",
        "How far is it from Oslo to Bergen, in miles?",
        "get_distance km_to_miles",
        r"287\.7|\b288\b",
        "get_distance km_to_miles",
    ),
    _task("parallel", "How is the weather in Oslo and in Rome?", "get_weather", "4&21", "get_weather get_weather"),
    _task(
        "parallel",
        "Which is cheaper, a lamp or a desk? Say both prices.",
        "get_price",
        r"\b19\b&\b140\b&lamp",
        "get_price get_price",
    ),
    _task(
        "parallel",
        "How many cups and how many lamps are in the warehouse?",
        "get_stock",
        r"\b12\b&\b31\b",
        "get_stock get_stock",
    ),
    _task(
        "parallel",
        "How many people live in Lagos, and how many in Lima?",
        "get_population",
        "15900000|15.9 million&10100000|10.1 million",
        "get_population get_population",
    ),
    _task(
        "parallel", "Give me the phone numbers of Ada and Ben.", "get_phone", "555-0142&555-0177", "get_phone get_phone"
    ),
    _task(
        "none",
        "Which colour do you get when you mix blue and yellow paint?",
        "get_weather get_stock",
        "green",
        quiet=True,
    ),
    _task("none", "How do you say 'thank you' in French?", "get_stock multiply", "merci", quiet=True),
    _task("none", "Write the word 'hello' in capital letters.", "get_price get_phone", "HELLO", quiet=True),
    _task("none", "What is the opposite of hot?", "get_weather add", "cold", quiet=True),
    _task(
        "error first",
        "When does the next train leave from Oslo? Ask for station 'Oslo'.",
        "get_departures",
        "14:35",
        "get_departures get_departures",
    ),
    _task("error first", "On which shelf is the tea?", "get_shelf", r"\b14\b", "get_shelf"),
    _task("error first", "What is the exchange fee on 5 March 2024?", "get_exchange_fee", r"3\.75", "get_exchange_fee"),
    _task(
        "error first", "What is the battery level of the tablet?", "get_battery", r"\b83\b", "get_battery get_battery"
    ),
    _task(
        "many tools",
        "How many tea packets are in the warehouse?",
        _MANY_TEXT + " get_stock get_price get_weather",
        r"\b7\b",
        "get_stock",
    ),
    _task(
        "many tools",
        "What is the weather like in Cairo?",
        _MANY_TEXT + " get_stock get_price get_weather",
        "33|dry",
        "get_weather",
    ),
    _task("many tools", "Who manages Ada?", _MANY_TEXT + " get_stock get_price get_weather", "Mara", "get_manager"),
    _task(
        "many tools", "What does a chair cost?", _MANY_TEXT + " get_stock get_price get_weather", r"\b65\b", "get_price"
    ),
    _task("cjk", "北京现在多少度？", "get_weather get_stock", "8", "get_weather"),
    _task("cjk", "仓库里有多少个茶杯？", "get_stock get_price", r"26", "get_stock"),
    _task("cjk", "倉庫にりんごはいくつありますか？", "get_stock get_price", r"48", "get_stock"),
    _task("cjk", "東京の天気を教えてください。", "get_weather get_price", "15|曇|くもり|cloud", "get_weather"),
    _task("cjk", "3本书一共多少钱？先查一本书的价格。", "get_price multiply", r"105", "get_price"),
]
