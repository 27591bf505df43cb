"""Read the arguments of a tool call: whatever a provider sent becomes one object, or an error the model can act on."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from actloop.llm.json_schema import Problem, check, fits
from actloop.llm.strict_json import strict_value

__all__ = ["FittedArguments", "UnreadableArguments", "fit_arguments", "parse_arguments"]

_FENCED = re.compile(r"\s*```\w*\s*\n(.*)\n\s*```\s*", re.DOTALL)


class UnreadableArguments(ValueError):
    """The arguments are no JSON object that can be trusted; the message says what was wrong, for the model to mend.

    ran_out: whether the text ended before the object did (the reply was cut off).
    """

    def __init__(self, message: str, *, ran_out: bool = False) -> None:
        super().__init__(message)
        self.ran_out = ran_out


def parse_arguments(raw: Any, schema: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the arguments of a call as an object.

    raw: JSON text, an object, or None. Nothing, white space and ``null`` are no arguments. An object that was encoded
        twice is decoded twice. Text is read as `lenient_json` reads it: one value, no prose around it.
    schema: the JSON Schema of the arguments; given, values are gently coerced and must fit.

    Raises `UnreadableArguments` when that gives no object, when an object holds a key twice (two calls merged into one,
    as small models do), or when the arguments do not fit the schema.
    """
    arguments = _decoded(raw)
    if schema is None:
        return arguments
    fitted = fit_arguments(arguments, schema, trim=False)
    if fitted.problems:
        raise UnreadableArguments(
            "The arguments do not fit the tool: " + "; ".join(str(problem) for problem in fitted.problems) + "."
        )
    return fitted.value


class FittedArguments(NamedTuple):
    """Arguments bent towards their schema, and what is still wrong with them: nothing, if the tool may run."""

    value: dict[str, Any]
    problems: tuple[Problem, ...] = ()


def fit_arguments(arguments: dict[str, Any], schema: dict[str, Any], *, trim: bool) -> FittedArguments:
    """Coerce ``arguments`` towards ``schema`` and check them.

    trim: whether keys that the schema does not know are dropped, in every object where no alternatives depend on them.

    Raises `ConfigError` if ``schema`` is no valid JSON Schema.
    """
    if not trim and _is_plain(arguments) and fits(arguments, schema):
        return FittedArguments(arguments)  # most calls end here, without the cost of looking for what to bend
    from actloop.llm.coerce import coerce, without_unknown_keys

    value = without_unknown_keys(arguments, schema) if trim else arguments
    if trim and _is_plain(value) and fits(value, schema):
        return FittedArguments(value)
    value = coerce(value, schema)
    return FittedArguments(value, check(value, schema))


def _is_plain(value: Any) -> bool:
    """Whether nothing in ``value`` is a float: 3.0 fits where an integer is wanted, and is to become 3 all the same."""
    if isinstance(value, dict):
        return all(map(_is_plain, value.values()))
    return not isinstance(value, (float, list))


def _decoded(raw: Any) -> dict[str, Any]:
    if raw is None:
        return {}
    if isinstance(raw, str):
        if not raw.strip().lstrip("\ufeff"):
            return {}
        raw = _value(raw)
        if isinstance(raw, str):
            raw = _object_in(raw)
        if raw in (None, ""):
            return {}
    if isinstance(raw, dict):
        return raw
    raise UnreadableArguments(f"The arguments must be one JSON object, not {_kind(raw)}.")


def _object_in(text: str) -> Any:
    """The object that ``text`` encodes, or ``text`` itself: only a whole object is decoded a second time."""
    try:
        inner = _value(text)
    except UnreadableArguments:
        return text
    return inner if isinstance(inner, dict) else text


def _value(text: str) -> Any:
    reading = strict_value(text)
    if reading is not None:
        return reading[0]
    from actloop.llm.lenient_json import Broken, Complete, Short, read_value  # its patterns take a while to compile

    fenced = _FENCED.fullmatch(text)
    if fenced is not None:
        text = fenced[1]
    match read_value(text):
        case Short():
            raise UnreadableArguments(
                "The arguments are cut off: the text ends before the JSON object does.", ran_out=True
            )
        case Broken(at, expected):
            raise UnreadableArguments(
                f"The arguments are not valid JSON: expected {expected} at character {at + 1}, "
                f"found {_excerpt(text, at)}."
            )
        case Complete(value, end, duplicate_key):
            rest = text[end:].strip()
            if rest:
                raise UnreadableArguments(
                    f"The arguments must be one JSON object and nothing else, but after it comes {_excerpt(rest, 0)}."
                )
            if duplicate_key is not None:
                raise UnreadableArguments(
                    f"The arguments hold the key {duplicate_key!r} twice. Two calls need an object each."
                )
            return value


def _excerpt(text: str, start: int) -> str:
    piece = text[start : start + 40]
    return repr(piece + "…" if start + 40 < len(text) else piece)


def _kind(value: Any) -> str:
    match value:
        case bool():
            return "true or false"
        case str():
            return "a string"
        case int() | float():
            return "a number"
        case list():
            return "an array"
        case _:
            return f"a {type(value).__name__}"
