"""Tasks that nobody looked at while prompts and rules were chosen: they are run when all else is settled."""

from __future__ import annotations

import re
from functools import partial

from actloop import ToolError
from bench.small_models.task import Task, task_of
from bench.small_models.world import World, found

__all__ = ["HELD_OUT", "Town"]

_RATE = {"single": 80, "double": 120, "suite": 310, "套房": 310}
_FREE = {"single": 9, "double": 4, "suite": 2}
_HEIGHT = {"mount varn": 2_871, "mount sella": 3_104, "varn": 2_871, "sella": 3_104}
_CALORIES = {"pear": 96, "banana": 105, "walnut": 26, "梨": 96, "バナナ": 105}
_AUTHOR = {"the glass orchard": "Tilda Brehm", "salt roads": "Imre Koss"}
_BORN = {"tilda brehm": 1957, "imre koss": 1971}
_OPENING = {"bakery": "6:30", "pharmacy": "8:15", "薬局": "8:15", "museum": "10:00"}
_MEMBER = {"nora": 7713, "emil": 7802}
_LOANS = {7713: 6, 7802: 1}
_FLIGHT = {"pavel": "LX204", "rita": "QF9"}
_GATE = {"LX204": "A3", "QF9": "B17"}
_POOL = {"lido": 24, "harbour": 19}
_TEACHER = {"4b": "Mr Okoro", "2a": "Ms Lund"}


class Town(World):
    """Tools of a small town."""

    def __init__(self) -> None:
        super().__init__()
        self._asked = 0

    def room_rate(self, room_type: str) -> int:
        """What a hotel room of a type costs per night, in euros."""
        return found(_RATE, _plain(room_type, "room"), "room type")

    def free_rooms(self, room_type: str) -> int:
        """How many hotel rooms of a type are free."""
        return found(_FREE, _plain(room_type, "room"), "room type")

    def subtract(self, a: float, b: float) -> float:
        """Take the second number from the first."""
        return _whole(a - b)

    def divide(self, a: float, b: float) -> float:
        """Divide the first number by the second."""
        return _whole(a / b)

    def times(self, a: float, b: float) -> float:
        """The product of two numbers."""
        return _whole(a * b)

    def mountain_height(self, mountain: str) -> str:
        """The height of a mountain."""
        return f"{found(_HEIGHT, mountain.lower(), 'mountain')} metres"

    def calories(self, food: str) -> int:
        """The calories of one piece of a food."""
        return found(_CALORIES, _plain(food, ""), "food")

    def book_author(self, title: str) -> str:
        """Who wrote a book."""
        return found(_AUTHOR, title.lower(), "title")

    def birth_year(self, person: str) -> int:
        """The year in which a person was born."""
        return found(_BORN, person.lower(), "person")

    def opening_time(self, shop: str) -> str:
        """When a shop opens."""
        return f"opens at {found(_OPENING, _plain(shop, ''), 'shop')}"

    def member_number(self, name: str) -> int:
        """The library's member number of a person."""
        return found(_MEMBER, name.lower(), "person")

    def borrowed_books(self, member_number: int) -> int:
        """How many books a library member has borrowed, by the member number."""
        return found(_LOANS, member_number, "member number")

    def flight_of(self, passenger: str) -> str:
        """The flight that a passenger takes."""
        return found(_FLIGHT, passenger.lower(), "passenger")

    def gate_of(self, flight: str) -> str:
        """The gate of a flight, by the flight's number."""
        return f"gate {found(_GATE, flight.upper(), 'flight')}"

    def pool_temperature(self, pool: str) -> str:
        """How warm the water of a pool is, in degrees Celsius."""
        return f"{found(_POOL, _plain(pool, 'pool'), 'pool')} °C"

    def to_fahrenheit(self, celsius: float) -> float:
        """Convert a temperature from Celsius to Fahrenheit."""
        return round(celsius * 9 / 5 + 32, 1)

    def teacher_of(self, class_name: str) -> str:
        """Who teaches a school class."""
        return found(_TEACHER, _plain(class_name, "class"), "class")

    def high_tide(self, harbour: str) -> str:
        """The next high tide in a harbour."""
        tides = {"TRN": "high tide in Tarn is at 11:48", "OLV": "high tide in Olvik is at 13:02"}
        if harbour not in tides:
            raise ToolError(f"{harbour!r} is no harbour code; the codes are TRN for Tarn and OLV for Olvik")
        return tides[harbour]

    def cooking_time(self, dish: str) -> str:
        """How long a dish takes to cook."""
        dishes = {"SOUP": "35 minutes", "STEW": "140 minutes"}
        if dish not in dishes:
            raise ToolError(f"unknown dish {dish!r}; dishes are written in capital letters, for example STEW")
        return dishes[dish]

    def printed_pages(self, printer: str) -> str:
        """How many pages a printer has printed."""
        self._asked += 1
        if self._asked == 1:
            raise ToolError("the printer is busy; ask again")
        return f"{printer} has printed 412 pages"

    def ferry_fare(self, day: str) -> str:
        """The ferry fare on a day of this year."""
        if not re.fullmatch(r"\d\d-\d\d", day):
            raise ToolError(f"{day!r} is not of the form MM-DD; write 2 May as 05-02")
        return "18.40 euros"

    def water_plants(self, room: str) -> str:
        """Water the plants in a room."""
        return "watered"

    def order_taxi(self, address: str) -> str:
        """Order a taxi."""
        return "ordered"

    def lock_door(self, door: str) -> str:
        """Lock a door."""
        return "locked"

    def print_text(self, text: str) -> str:
        """Print a text on paper."""
        return "printed"

    def post_notice(self, text: str) -> str:
        """Put a notice on the town's board."""
        return "posted"


def _plain(text: str, noun: str) -> str:
    """Lower case, without the noun that says what it is, and without a plural's s."""
    text = text.lower().replace(noun, "").strip() if noun else text.lower().strip()
    return text.removesuffix("s")


def _whole(number: float) -> float:
    return int(number) if number == int(number) else number


_task = partial(task_of, Town)
_MANY = (
    "water_plants order_taxi lock_door print_text post_notice ferry_fare printed_pages cooking_time high_tide "
    "teacher_of to_fahrenheit pool_temperature gate_of flight_of borrowed_books member_number opening_time birth_year "
    "book_author calories mountain_height times divide subtract free_rooms room_rate"
)

HELD_OUT: list[Task] = [
    _task("single", "What does the suite cost per night?", "room_rate free_rooms", r"\b310\b", "room_rate"),
    _task("single", "What is 9135 minus 2748?", "subtract divide", r"\b6387\b", "subtract"),
    _task("single", "How high is Mount Varn?", "mountain_height calories", r"\b2871\b", "mountain_height"),
    _task(
        "single",
        "Who wrote the book 'The Glass Orchard'?",
        "book_author opening_time",
        "Tilda Brehm",
        "book_author",
    ),
    _task("single", "When does the bakery open?", "opening_time teacher_of", r"\b6:30", "opening_time"),
    _task(
        "chain",
        "How many books has Nora borrowed from the library?",
        "member_number borrowed_books",
        r"\b6\b|\bsix\b",
        "member_number borrowed_books",
    ),
    _task("chain", "From which gate does Rita's flight leave?", "flight_of gate_of", "B17", "flight_of gate_of"),
    _task(
        "chain",
        "How warm is the pool Lido, in Fahrenheit?",
        "pool_temperature to_fahrenheit",
        r"\b75\.2|\b75\b",
        "pool_temperature to_fahrenheit",
    ),
    _task(
        "chain",
        "In which year was the author of 'Salt Roads' born?",
        "book_author birth_year",
        r"\b1971\b",
        "book_author birth_year",
    ),
    _task("chain", "What do 7 nights in a double room cost?", "room_rate times", r"\b840\b", "room_rate"),
    _task(
        "parallel",
        "How many calories does a banana have, and how many a pear?",
        "calories",
        r"\b105\b&\b96\b",
        "calories calories",
    ),
    _task(
        "parallel",
        "Which is higher, Mount Varn or Mount Sella? Give both heights.",
        "mountain_height",
        r"\b2871\b&\b3104\b&sella",
        "mountain_height mountain_height",
    ),
    _task(
        "parallel",
        "When do the bakery and the pharmacy open?",
        "opening_time",
        "6:30&8:15",
        "opening_time opening_time",
    ),
    _task(
        "parallel",
        "How many single rooms and how many suites are free?",
        "free_rooms room_rate",
        r"\b9\b|\bnine\b&\b2\b|\btwo\b",
        "free_rooms free_rooms",
    ),
    _task("none", "What is the plural of 'mouse'?", "calories free_rooms", r"\bmice\b", quiet=True),
    _task("none", "Which day comes after Tuesday?", "gate_of opening_time", "wednesday", quiet=True),
    _task("none", "How do you say 'good morning' in Spanish?", "room_rate times", "buenos d[ií]as", quiet=True),
    _task("none", "How many legs does a spider have?", "flight_of subtract", r"\b8\b|eight", quiet=True),
    _task(
        "error first",
        "When is high tide in Tarn? Ask for the harbour 'Tarn'.",
        "high_tide",
        "11:48",
        "high_tide high_tide",
    ),
    _task("error first", "How long does the soup take to cook?", "cooking_time", r"\b35\b", "cooking_time"),
    _task(
        "error first",
        "How many pages has the printer in the hall printed?",
        "printed_pages",
        r"\b412\b",
        "printed_pages printed_pages",
    ),
    _task("error first", "What is the ferry fare on 24 December?", "ferry_fare", r"18\.40?\b", "ferry_fare"),
    _task("many tools", "How many calories does a walnut have?", _MANY, r"\b26\b", "calories"),
    _task("many tools", "From which gate does flight LX204 leave?", _MANY, r"\bA3\b", "gate_of"),
    _task("many tools", "Who teaches class 4b?", _MANY, "Okoro", "teacher_of"),
    _task("many tools", "What does a single room cost per night?", _MANY, r"\b80\b", "room_rate"),
    _task("cjk", "套房一晚多少钱？", "room_rate free_rooms", r"310", "room_rate"),
    _task("cjk", "一个梨有多少卡路里？", "calories gate_of", r"96", "calories"),
    _task("cjk", "薬局は何時に開きますか？", "opening_time calories", "8:15|8時15分", "opening_time"),
    _task("cjk", "バナナのカロリーはいくつですか？", "calories room_rate", "105", "calories"),
]
