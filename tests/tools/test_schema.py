"""The schema of a function's arguments, and the Python values they become."""

from __future__ import annotations

import dataclasses
import datetime as dt
import enum
import functools
import json
import math
import typing
from collections.abc import Callable
from typing import Annotated, Any, Literal

import jsonschema_rs
import pydantic
import pytest

from actloop.errors import ConfigError, ToolError
from actloop.tools.schema import Arguments


class Tone(enum.Enum):
    WARM = "warm"
    COOL = "cool"


@dataclasses.dataclass
class Point:
    """A place on the map."""

    x: int
    title: str = ""


class Stop(pydantic.BaseModel):
    name: str
    at: dt.datetime


class Trip(typing.TypedDict):
    start: typing.Required[str]
    stops: typing.NotRequired[list[Stop]]


@dataclasses.dataclass
class Tree:
    value: int
    children: list[Tree] = dataclasses.field(default_factory=list)


def arguments(function: Callable[..., Any]) -> Arguments:
    return Arguments(function, tool_name="sample")


def accepts(function: Callable[..., Any], instance: dict[str, Any]) -> bool:
    return jsonschema_rs.validator_for(arguments(function).schema).is_valid(instance)


def called(function: Callable[..., Any], given: dict[str, Any]) -> Any:
    positional, keywords = arguments(function).bind(given)
    return function(*positional, **keywords)


def test_types_defaults_and_requirements_are_all_there() -> None:
    def find_trains(origin: str, stops: int | None = None, tone: Tone = Tone.WARM, limit: int = 5) -> None: ...

    assert arguments(find_trains).schema == {
        "type": "object",
        "additionalProperties": False,
        "required": ["origin"],
        "properties": {
            "origin": {"type": "string"},
            "stops": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
            "tone": {"type": "string", "enum": ["warm", "cool"], "default": "warm"},
            "limit": {"type": "integer", "default": 5},
        },
    }


def test_values_arrive_as_the_types_the_function_asks_for() -> None:
    def take(tone: Tone, point: Point, stop: Stop, trip: Trip, day: dt.date, pair: tuple[int, str]) -> list[Any]:
        return [tone, point, stop, trip, day, pair]

    given = {
        "tone": "cool",
        "point": {"x": 1, "title": "t"},
        "stop": {"name": "Riga", "at": "2024-05-01T12:00:00Z"},
        "trip": {"start": "here"},
        "day": "2024-05-01",
        "pair": [1, "a"],
    }
    json.dumps(given)
    noon = dt.datetime(2024, 5, 1, 12, tzinfo=dt.UTC)
    assert called(take, given) == [
        Tone.COOL,
        Point(1, "t"),
        Stop(name="Riga", at=noon),
        {"start": "here"},
        dt.date(2024, 5, 1),
        (1, "a"),
    ]


def test_types_defined_in_a_function_are_found_though_annotations_are_strings() -> None:
    class Size(enum.Enum):
        S = "s"

    @dataclasses.dataclass
    class Shirt:
        size: Size

    def order(shirt: Shirt, sizes: list[Size]) -> list[Any]:
        return [shirt, sizes]

    assert called(order, {"shirt": {"size": "s"}, "sizes": ["s"]}) == [Shirt(Size.S), [Size.S]]


def test_a_local_typed_dict_of_the_standard_library_works() -> None:
    class Inner(typing.TypedDict, total=False):
        when: dt.date

    class Outer(typing.TypedDict):
        inner: Inner
        more: typing.NotRequired[list[Inner]]

    def take(outer: Outer | None) -> Any:
        return outer

    assert called(take, {"outer": {"inner": {"when": "2024-05-01"}, "more": [{}]}}) == {
        "inner": {"when": dt.date(2024, 5, 1)},
        "more": [{}],
    }
    assert not accepts(take, {"outer": {}})


def test_a_return_type_that_does_not_exist_is_no_obstacle() -> None:
    def fetch(key: str) -> Nowhere: ...  # type: ignore[name-defined]  # noqa: F821

    assert list(arguments(fetch).schema["properties"]) == ["key"]


def test_a_parameter_may_be_called_like_an_attribute_of_pydantic_models() -> None:
    def odd(schema: int, copy: str, model_config: str, _hidden: int = 1, title: str = "t") -> list[Any]:
        return [schema, copy, model_config, _hidden, title]

    assert list(arguments(odd).schema["properties"]) == ["schema", "copy", "model_config", "_hidden", "title"]
    assert called(odd, {"schema": 1, "copy": "c", "model_config": "m", "_hidden": 2}) == [1, "c", "m", 2, "t"]


def test_titles_go_but_a_property_called_title_stays() -> None:
    def place(point: Point) -> None: ...

    point = arguments(place).schema["properties"]["point"]
    assert point == {
        "description": "A place on the map.",
        "type": "object",
        "additionalProperties": False,
        "required": ["x"],
        "properties": {"x": {"type": "integer"}, "title": {"type": "string", "default": ""}},
    }


def test_a_type_that_contains_itself_keeps_its_reference() -> None:
    def grow(tree: Tree) -> Any:
        return tree

    assert accepts(grow, {"tree": {"value": 1, "children": [{"value": 2, "children": []}]}})
    assert not accepts(grow, {"tree": {"value": 1, "children": [{"value": "two"}]}})
    assert called(grow, {"tree": {"value": 1, "children": [{"value": 2}]}}) == Tree(1, [Tree(2)])


def test_texts_come_from_the_docstring_and_annotations_come_first() -> None:
    def look(city: str, mode: str = "fast", days: Annotated[int, "How many days.", pydantic.Field(ge=1)] = 3) -> None:
        """Get a forecast.

        It is a guess.

        Args:
            city: The city to look in.
            mode (str): One of:
                fast: rough numbers
                deep: full model run
            days: Never shown.
        """

    shown = arguments(look)
    assert shown.description == "Get a forecast.\n\nIt is a guess."
    assert shown.schema["properties"] == {
        "city": {"type": "string", "description": "The city to look in."},
        "mode": {
            "type": "string",
            "default": "fast",
            "description": "One of:\nfast: rough numbers\ndeep: full model run",
        },
        "days": {"type": "integer", "default": 3, "description": "How many days.", "minimum": 1},
    }


def test_a_pydantic_field_as_default_gives_its_default_to_the_function() -> None:
    def page(size: int = pydantic.Field(20, le=100), word: Annotated[str, pydantic.Field(default="x")] = "y") -> Any:
        return size, word

    assert called(page, {}) == (20, "y")
    assert arguments(page).schema["properties"]["size"] == {"type": "integer", "default": 20, "maximum": 100}


def test_none_as_default_makes_null_acceptable() -> None:
    def find(limit: int = None) -> None: ...  # type: ignore[assignment]  # noqa: RUF013

    assert accepts(find, {"limit": None})


@pytest.mark.parametrize("default", [object(), math.nan, {1, object()}, lambda: 1])
def test_a_default_that_json_cannot_hold_is_not_shown_and_arrives_untouched(default: object) -> None:
    def keep(value: Any = default) -> Any:
        return value

    json.dumps(arguments(keep).schema, allow_nan=False)
    assert "default" not in arguments(keep).schema["properties"]["value"]
    assert called(keep, {}) is default


def test_positional_only_and_variable_arguments_are_passed_as_the_function_takes_them() -> None:
    def mix(a: int, b: int = 2, /, c: int = 3, *rest: int, d: int = 4, **more: int) -> Any:
        return a, b, c, rest, d, more

    schema = arguments(mix).schema
    assert schema["properties"]["rest"] == {"type": "array", "items": {"type": "integer"}, "default": []}
    assert schema["additionalProperties"] == {"type": "integer"}
    assert called(mix, {"a": 1}) == (1, 2, 3, (), 4, {})
    assert called(mix, {"a": 1, "rest": [7, 8], "d": 5, "extra": 9}) == (1, 2, 3, (7, 8), 5, {"extra": 9})
    assert called(mix, {"a": 1, "c": 0}) == (1, 2, 0, (), 4, {})


def test_a_partial_shows_only_what_is_left_with_the_texts_of_its_function() -> None:
    def transfer(source: str, target: str, qty: int = 1) -> str:
        """Move units.

        Args:
            source: From where.
            target: To where.
        """
        return f"{source}>{target} {qty}"

    left = functools.partial(transfer, "main", qty=3)
    assert arguments(left).description == "Move units."
    assert arguments(left).schema["properties"] == {"target": {"type": "string", "description": "To where."}}
    assert called(left, {"target": "b"}) == "main>b 3"


def test_what_a_partial_fills_in_by_name_is_neither_offered_nor_shown() -> None:
    def fetch(path: str, token: str, limit: int = 5) -> str:
        return f"{path} {token} {limit}"

    signed_in = functools.partial(functools.partial(fetch, token="a secret"))
    assert "token" not in arguments(signed_in).schema["properties"]
    assert "a secret" not in str(arguments(signed_in).schema)
    assert called(signed_in, {"path": "/x", "limit": 1}) == "/x a secret 1"
    with pytest.raises(ToolError, match="'token' is not known"):
        called(signed_in, {"path": "/x", "token": "another"})


def test_an_enum_of_values_that_are_no_json_is_refused_by_name() -> None:
    class Odd(enum.Enum):
        ONE = object()

    def pick(odd: Odd) -> None: ...

    with pytest.raises(ConfigError, match="parameter 'odd'"):
        arguments(pick)


def test_a_method_without_a_docstring_inherits_one() -> None:
    class Base:
        def level(self, sku: str) -> int:
            """Units on hand."""
            return 7

    class Derived(Base):
        def level(self, sku: str) -> int:
            return 8

    assert arguments(Derived().level).description == "Units on hand."


def test_a_wrapper_made_with_functools_wraps_shows_what_it_wraps() -> None:
    def add(a: int, b: int = 1) -> int:
        """Add."""
        return a + b

    @functools.wraps(add)
    def logged(*args: Any, **kwargs: Any) -> int:
        return add(*args, **kwargs)

    assert list(arguments(logged).schema["properties"]) == ["a", "b"]
    assert called(logged, {"a": 1, "b": 2}) == 3


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({}, "argument 'origin' is missing"),
        ({"origin": "RIX", "limit": "many"}, "argument 'limit': Input should be a valid integer"),
        ({"origin": "RIX", "size": "xl"}, "argument 'size': Input should be 's' or 'm', got 'xl'"),
        ({"origin": "RIX", "point": {"x": "left"}}, "argument 'point.x': "),
        ({"origin": "RIX", "goal": 1}, "argument 'goal' is not known (known: 'origin', 'limit', 'size', 'point')"),
    ],
)
def test_a_wrong_argument_is_told_with_its_field_and_the_reason(given: dict[str, Any], reason: str) -> None:
    def find(origin: str, limit: int = 5, size: Literal["s", "m"] = "s", point: Point | None = None) -> None: ...

    with pytest.raises(ToolError, match="wrong arguments for 'sample'") as raised:
        arguments(find).bind(given)
    assert reason in str(raised.value)


def test_a_huge_wrong_value_is_not_repeated_whole() -> None:
    def find(limit: int) -> None: ...

    with pytest.raises(ToolError) as raised:
        arguments(find).bind({"limit": "9x" * 100_000})
    assert len(str(raised.value)) < 400


def test_a_type_that_json_cannot_hold_is_refused_by_name() -> None:
    def watch(name: str, callback: Callable[[], int]) -> None: ...

    with pytest.raises(ConfigError, match="'sample': the type of parameter 'callback'"):
        arguments(watch)


def test_a_type_that_cannot_be_found_is_refused_by_name() -> None:
    def watch(name: Nowhere) -> None: ...  # type: ignore[name-defined]  # noqa: F821

    with pytest.raises(ConfigError, match="the type 'Nowhere' of parameter 'name' cannot be read"):
        arguments(watch)


def test_many_uses_of_one_type_keep_the_schema_small() -> None:
    def wide(a: list[Stop | Point], b: list[Stop | Point], c: list[Stop | Point], d: list[Stop | Point]) -> None: ...

    many = dataclasses.make_dataclass("Many", [(f"field{n}", Tree | Point | Stop) for n in range(30)])

    def heavy(many: Any) -> None: ...

    heavy.__annotations__ = {"many": many}
    assert "$defs" not in json.dumps(arguments(wide).schema)
    schema = arguments(heavy).schema
    assert len(json.dumps(schema)) < 8_000
    assert jsonschema_rs.validator_for(schema).is_valid({"many": {f"field{n}": {"x": n} for n in range(30)}})
