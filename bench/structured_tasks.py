"""Tasks for `bench.structured`: a text, a schema, and what a right value must say."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["TASKS", "Task"]


@dataclass(frozen=True)
class Task:
    """One value to get out of a model. ``right`` judges data that fits the schema."""

    name: str
    question: str
    schema: dict[str, Any]
    right: Callable[[Any], bool]


def _object(properties: dict[str, Any], optional: tuple[str, ...] = (), **more: Any) -> dict[str, Any]:
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False, **more}


def _same(wanted: Any) -> Callable[[Any], bool]:
    return lambda data: bool(_plain(data) == _plain(wanted))


def _plain(value: Any) -> Any:
    """Case, outer spaces and the full stop at the end do not count; 3 is 3.0."""
    if isinstance(value, str):
        return re.sub(r"[\s.。]+$", "", value.strip()).casefold()
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list) else value


def _plan_is_sound(data: Any) -> bool:
    steps = data["steps"]
    ids = [step["id"] for step in steps]
    earlier_only = all(set(step["dependencies"]) <= set(ids[:place]) for place, step in enumerate(steps))
    text = " ".join(step["task"] for step in steps).casefold()
    return len(set(ids)) == len(ids) and earlier_only and all(word in text for word in ("paris", "rome"))


_TEXT = {"type": "string"}
_WHOLE = {"type": "integer"}
_NUMBER = {"type": "number"}
_NULLABLE_TEXT = {"type": ["string", "null"]}

_PLAN = _object(
    {
        "steps": {
            "type": "array",
            "minItems": 2,
            "maxItems": 6,
            "items": _object(
                {
                    "id": {"type": "string", "description": "short and unique, for example s1"},
                    "task": {"type": "string", "description": "what this step does, complete in itself"},
                    "dependencies": {
                        "type": "array",
                        "items": _TEXT,
                        "maxItems": 5,
                        "description": "ids of the earlier steps whose results it needs; empty if none",
                    },
                    "tool_hint": _NULLABLE_TEXT,
                    "model_hint": {"enum": ["fast", "smart", None]},
                }
            ),
        }
    }
)

_SHAPE = {
    "anyOf": [
        _object({"kind": {"const": "circle"}, "radius": _NUMBER}),
        _object({"kind": {"const": "rectangle"}, "width": _NUMBER, "height": _NUMBER}),
    ]
}

_TREE = {
    "$ref": "#/$defs/Category",
    "$defs": {
        "Category": _object({"name": _TEXT, "children": {"type": "array", "items": {"$ref": "#/$defs/Category"}}})
    },
}

_LONG = """\
Minutes of the meeting of the garden club, held in the town hall. Present were eleven members; the chair, Ruth Berger,
opened the meeting at seven. The minutes of the last meeting were approved. The treasurer, Paul Stein, reported that the
club has 1,240 euros, of which 300 are set aside for the new greenhouse. There was a discussion about the greenhouse:
some members wanted it near the pond, others near the gate. It was decided, with eight votes to three, to build it near
the gate. The chair thanked everybody who had helped at the spring sale, which brought in 415 euros. A letter from the
school was read, asking whether a class may visit in June; the club agreed. The next meeting is on the second Tuesday
of May. The meeting was closed at half past eight."""

TASKS = [
    Task(
        "person",
        "Extract the person: Maria Lopez is 34 years old and lives in Madrid.",
        _object({"name": _TEXT, "age": _WHOLE, "city": _TEXT}),
        _same({"name": "Maria Lopez", "age": 34, "city": "Madrid"}),
    ),
    Task(
        "sentiment",
        "What is the sentiment of this review? 'The soup was cold and the waiter was rude. I will never come back.'",
        _object({"sentiment": {"enum": ["positive", "negative", "neutral"]}}),
        _same({"sentiment": "negative"}),
    ),
    Task(
        "spam",
        "Is this message spam? 'You have WON $1,000,000!!! Send your bank details now to claim your prize!'",
        _object({"spam": {"type": "boolean"}}),
        _same({"spam": True}),
    ),
    Task(
        "invoice",
        "Extract the invoice. Invoice number INV-2041, issued by Nordwind GmbH. Total amount: 249.50 EUR.",
        _object(
            {"invoice_number": _TEXT, "issuer": _TEXT, "total": _NUMBER, "currency": {"enum": ["EUR", "USD", "GBP"]}}
        ),
        _same({"invoice_number": "INV-2041", "issuer": "Nordwind GmbH", "total": 249.5, "currency": "EUR"}),
    ),
    Task(
        "cities (array)",
        "Which cities does this sentence name? 'We flew from Oslo to Bergen and then took a train to Paris.'",
        {"type": "array", "items": _TEXT},
        _same(["Oslo", "Bergen", "Paris"]),
    ),
    Task(
        "order lines",
        "Extract what was ordered: 'Please send 3 notebooks and 12 pencils.'",
        _object({"lines": {"type": "array", "items": _object({"product": _TEXT, "quantity": _WHOLE})}}),
        lambda data: (
            [line["quantity"] for line in data["lines"]] == [3, 12]
            and "notebook" in _plain(data["lines"][0]["product"])
            and "pencil" in _plain(data["lines"][1]["product"])
        ),
    ),
    Task(
        "plan",
        "Make a plan with steps for this goal: compare the weather in Paris with the weather in Rome. First get the "
        "weather in Paris, also get the weather in Rome, then compare both.",
        _PLAN,
        _plan_is_sound,
    ),
    Task(
        "tool list",
        "Question: What is the weather in Oslo tomorrow?\nWhich of these tools are needed?\n"
        "- calculator: evaluates an expression\n- weather_forecast: the weather of a city on a day\n"
        "- send_email: sends an email\n- translate: translates a text",
        _object({"tools": {"type": "array", "items": _TEXT, "maxItems": 6}}),
        _same({"tools": ["weather_forecast"]}),
    ),
    Task(
        "person (Chinese)",
        "提取这个人的信息：张伟今年28岁，住在北京，是一名软件工程师。",
        _object({"name": _TEXT, "age": _WHOLE, "city": _TEXT, "occupation": _TEXT}),
        _same({"name": "张伟", "age": 28, "city": "北京", "occupation": "软件工程师"}),
    ),
    Task(
        "event (Japanese)",
        "次の文からイベントの情報を抽出してください。「音楽祭は大阪で開催されます。入場料は1500円です。」",
        _object({"event": _TEXT, "place": _TEXT, "price": _WHOLE}),
        _same({"event": "音楽祭", "place": "大阪", "price": 1500}),
    ),
    Task(
        "nested union",
        "Describe this drawing: one rectangle with a width of 3 and a height of 5. Its title is 'Door'.",
        _object({"title": _TEXT, "shape": _SHAPE}),
        _same({"title": "Door", "shape": {"kind": "rectangle", "width": 3, "height": 5}}),
    ),
    Task(
        "union at the root",
        "Which shape is it? A circle with a radius of 7.",
        _SHAPE,
        _same({"kind": "circle", "radius": 7}),
    ),
    Task(
        "deep",
        "Extract the company: Helio Ltd is based at 12 Mill Road in Leeds, United Kingdom. "
        "Its director is Jane Park, reachable at jane@helio.example.",
        _object(
            {
                "company": _object(
                    {
                        "name": _TEXT,
                        "address": _object({"street": _TEXT, "city": _TEXT, "country": _TEXT}),
                        "director": _object({"name": _TEXT, "contact": _object({"email": _TEXT})}),
                    }
                )
            }
        ),
        _same(
            {
                "company": {
                    "name": "Helio Ltd",
                    "address": {"street": "12 Mill Road", "city": "Leeds", "country": "United Kingdom"},
                    "director": {"name": "Jane Park", "contact": {"email": "jane@helio.example"}},
                }
            }
        ),
    ),
    Task(
        "date",
        "When does the course begin? 'The course begins on 2024-03-05 in room 12.'",
        _object({"begins": {"type": "string", "format": "date"}}),
        _same({"begins": "2024-03-05"}),
    ),
    Task(
        "rating (range)",
        "How many stars does this reviewer give? 'A fine book. I give it 4 of 5 stars.'",
        _object({"stars": {"type": "integer", "minimum": 1, "maximum": 5}}),
        _same({"stars": 4}),
    ),
    Task(
        "optional field",
        "Extract the contact: Tom Reed, email tom@reed.example.",
        _object({"name": _TEXT, "email": _TEXT, "phone": _TEXT}, optional=("phone",)),
        lambda data: (
            _plain(data["name"]) == "tom reed" and data["email"] == "tom@reed.example" and not data.get("phone")
        ),
    ),
    Task(
        "nullable",
        "Extract the book: 'Winter Roads' by Ida Holm. The year of publication is unknown.",
        _object({"title": _TEXT, "author": _TEXT, "year": {"type": ["integer", "null"]}}),
        _same({"title": "Winter Roads", "author": "Ida Holm", "year": None}),
    ),
    Task(
        "map",
        "Extract the score of each player: Anna has 5 points and Ben has 7 points.",
        _object({"scores": {"type": "object", "additionalProperties": _WHOLE}}),
        _same({"scores": {"Anna": 5, "Ben": 7}}),
    ),
    Task(
        "number (scalar)",
        "There are 7 apples in the basket and nothing else. How many apples are in the basket?",
        _WHOLE,
        _same(7),
    ),
    Task(
        "tree (recursive)",
        "Write this as a tree: the category Animals has two children, Birds and Fish. They have no children.",
        _TREE,
        _same({"name": "Animals", "children": [{"name": "Birds", "children": []}, {"name": "Fish", "children": []}]}),
    ),
    Task(
        "labels",
        "Which topics does this headline have? 'Football: Spain wins the final'",
        _object({"topics": {"type": "array", "minItems": 1, "items": {"enum": ["politics", "sports", "cooking"]}}}),
        _same({"topics": ["sports"]}),
    ),
    Task(
        "coordinates (tuple)",
        "Give the position of the ship as [latitude, longitude]. Its latitude is 54.5 and its longitude is 7.25.",
        {"type": "array", "prefixItems": [_NUMBER, _NUMBER], "minItems": 2, "maxItems": 2, "items": False},
        _same([54.5, 7.25]),
    ),
    Task(
        "pattern",
        "Which order is this about? 'Hello, my order ORD-48213 has not arrived yet.'",
        _object({"order": {"type": "string", "pattern": "^ORD-[0-9]{5}$"}}),
        _same({"order": "ORD-48213"}),
    ),
    Task(
        "verdict",
        "Goal: find the height of Mont Blanc. Result of the work: 'Mont Blanc is 4,806 metres high.' "
        "Was the goal achieved? Give your confidence, the reasoning and the final answer.",
        _object(
            {
                "achieved": {"type": "boolean"},
                "confidence": {"type": "number", "minimum": 0, "maximum": 1},
                "reasoning": _TEXT,
                "final_answer": _TEXT,
            }
        ),
        lambda data: data["achieved"] is True and "806" in data["final_answer"],
    ),
    Task(
        "action",
        "You can call the tool get_weather, which takes a city. Call it to answer: What is the weather in Lima?",
        _object(
            {
                "type": {"const": "tool_call"},
                "tool_name": {"enum": ["get_weather"]},
                "tool_args": _object({"city": _TEXT}),
            }
        ),
        _same({"type": "tool_call", "tool_name": "get_weather", "tool_args": {"city": "Lima"}}),
    ),
    Task(
        "minutes (long text)",
        f"{_LONG}\n\nExtract who is the chair, who is the treasurer, and where the greenhouse will be built.",
        _object({"chair": _TEXT, "treasurer": _TEXT, "greenhouse_place": _TEXT}),
        lambda data: (
            "ruth berger" in _plain(data["chair"])
            and "paul stein" in _plain(data["treasurer"])
            and "gate" in _plain(data["greenhouse_place"])
        ),
    ),
]
