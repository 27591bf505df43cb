"""Read the data that a model was asked for out of its reply: find it, take wrappers off, bend it gently, check it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from actloop.llm.arguments import UnreadableArguments, parse_arguments
from actloop.llm.base import Reply
from actloop.llm.coerce import coerce, without_unknown_keys
from actloop.llm.extract import Found, RanOut, extract_json_value
from actloop.llm.json_schema import check, fits
from actloop.llm.provider_schema import VALUE_KEY
from actloop.llm.schema_node import SchemaNode
from actloop.llm.structured_target import Target
from actloop.messages import ToolCall, shorten

__all__ = ["Accepted", "Rejected", "read_reply"]

Fault = Literal["no data", "cut off", "unfit"]

_MOST_WRAPPERS = 3
_MOST_PROBLEMS = 8
_WRAPPERS = ("arguments", "parameters", "function", "properties")
_BESIDE_ARGUMENTS = frozenset(("name", "type", "id", "arguments", "parameters", "function"))


@dataclass(frozen=True, slots=True)
class Accepted:
    """The data, and the value made of it. ``called`` says whether it came as a call of the tool that was forced."""

    data: Any
    value: Any
    called: bool


@dataclass(frozen=True, slots=True)
class Rejected:
    """Why a reply holds no value, in words for the model; ``text`` is what the model wrote.

    fault: it held no data at all, was cut off, or held data that does not fit.
    """

    problem: str
    text: str
    fault: Fault


def read_reply(
    reply: Reply, target: Target, *, wrapped: bool, regex_fallback: Callable[[str], Any] | None = None
) -> Accepted | Rejected:
    """The value in ``reply``, wherever the model put it: in a tool call or in its text.

    wrapped: whether the data was asked for under `VALUE_KEY`. regex_fallback: finds data in a text that holds no JSON
    that fits; returns None when it finds nothing.
    """
    outcomes: list[Accepted | Rejected] = [_read_call(call, target, wrapped) for call in reply.message.tool_calls]
    text = reply.message.content
    if text.strip() or not outcomes:
        outcomes.append(_read_text(text, target, wrapped))
    if regex_fallback is not None and not any(isinstance(outcome, Accepted) for outcome in outcomes):
        outcomes.append(_by_fallback(text, target, wrapped, regex_fallback))
    accepted = next((outcome for outcome in outcomes if isinstance(outcome, Accepted)), None)
    return accepted or _telling(outcomes, cut_off=reply.finish_reason == "length")


def _telling(outcomes: list[Accepted | Rejected], *, cut_off: bool) -> Rejected:
    """The rejection that helps most: one that speaks of data rather than of none."""
    rejected = [outcome for outcome in outcomes if isinstance(outcome, Rejected)]
    best = min(rejected, key=lambda one: ("unfit", "cut off", "no data").index(one.fault))
    return replace(best, problem=_CUT_OFF, fault="cut off") if cut_off and best.fault == "no data" else best


_CUT_OFF = "it was cut off before the JSON was complete; write less"
_NO_JSON = "it holds no JSON that fits"
_EMPTY = "it was empty"
_ECHO = "it is the JSON Schema itself, not data that fits it"


def _read_call(call: ToolCall, target: Target, wrapped: bool) -> Accepted | Rejected:
    if call.unreadable is None:
        written = json.dumps(call.arguments, ensure_ascii=False)
        return _judged(call.arguments, target, wrapped, written, called=True)
    try:
        parse_arguments(call.unreadable)
    except UnreadableArguments as error:
        return Rejected(str(error).rstrip("."), call.unreadable, "cut off" if error.ran_out else "no data")
    return Rejected(_NO_JSON, call.unreadable, "no data")


def _read_text(text: str, target: Target, wrapped: bool) -> Accepted | Rejected:
    if not text.strip():
        return Rejected(_EMPTY, text, "no data")
    if wrapped:
        found = extract_json_value(text, schema=target.wrapped_schema)
        if isinstance(found, Found):
            return _judged(found.value, target, wrapped, text)
    found = extract_json_value(text, schema=target.schema)
    if not isinstance(found, Found):
        word = _single_word(text, target)
        found = found if word is None else Found(word)
    if not isinstance(found, Found):
        found = extract_json_value(text)
    if isinstance(found, Found):
        return _judged(found.value, target, wrapped, text)
    if isinstance(found, RanOut):
        return Rejected(_CUT_OFF, text, "cut off")
    return Rejected(_NO_JSON, text, "no data")


def _single_word(text: str, target: Target) -> str | None:
    """The text itself where the schema asks for one of a few texts, and it is one of those."""
    node = SchemaNode.of(target.schema).resolved()
    word = text.strip()
    if not {"enum", "const"} & node.schema.keys() or len(word) > 1_000:
        return None
    return word if fits(coerce(word, target.schema), target.schema) else None


def _by_fallback(text: str, target: Target, wrapped: bool, regex_fallback: Callable[[str], Any]) -> Accepted | Rejected:
    try:
        data = json.loads(json.dumps(regex_fallback(text), allow_nan=False))
    except Exception as error:  # noqa: BLE001 - the caller's function on a model's text: a failure like any other
        return Rejected(f"regex_fallback raised {type(error).__name__}: {error}", text, "no data")
    return Rejected(_NO_JSON, text, "no data") if data is None else _judged(data, target, wrapped, text)


def _judged(found: Any, target: Target, wrapped: bool, text: str, *, called: bool = False) -> Accepted | Rejected:
    """What ``found`` comes to: the first of its forms that fits and that becomes a value."""
    forms = list(_forms(found, target, wrapped))
    if not forms:
        return Rejected(_ECHO, text, "unfit")
    problem = ""
    for bend in (coerce, _trimmed):
        for form in forms:
            data = bend(form, target.schema)
            if not fits(data, target.schema):
                continue
            try:
                return Accepted(data, target.value_of(data), called)
            except ValueError as error:
                problem = problem or str(error)
    if not problem:
        wrong = check(coerce(forms[0], target.schema), target.schema)
        problem = "; ".join(str(one) for one in wrong[:_MOST_PROBLEMS])
    return Rejected(shorten(problem, 2_000, marker=" … "), text, "unfit")


def _trimmed(value: Any, schema: dict[str, Any]) -> Any:
    return coerce(without_unknown_keys(value, schema), schema)


def _forms(value: Any, target: Target, wrapped: bool, depth: int = 0) -> Iterator[Any]:
    """``value`` and what is left of it without a wrapper, the likeliest first; nothing for an echo of the schema.

    Models wrap data as ``{"name": …, "arguments": …}``, as ``{"result": …}``, as the schema with values in it, or as a
    list of one. What has a key that the schema knows, and is no call as a whole, is taken as it is first.
    """
    inner = [] if depth == _MOST_WRAPPERS else list(_unwrapped(value, target, wrapped))
    known = isinstance(value, dict) and not target.names.isdisjoint(value)
    own = known and not (inner and value.keys() <= _BESIDE_ARGUMENTS)
    echo = isinstance(value, dict) and not own and _is_schema(value)
    if own or (not inner and not echo):
        yield value
    for form in inner:
        yield from _forms(form, target, wrapped, depth + 1)
    if inner and not own and not echo:
        yield value


def _unwrapped(value: Any, target: Target, wrapped: bool) -> Iterator[Any]:
    if isinstance(value, list) and len(value) == 1:
        yield value[0]
    if not isinstance(value, dict):
        return
    if wrapped and VALUE_KEY in value:
        yield value[VALUE_KEY]
    for key in _WRAPPERS:
        if key in value and key not in target.names and not _is_part_of_schema(value[key], target):
            yield _decoded(value[key])
    if len(value) == 1:
        (key, only), *_ = value.items()
        if key not in (VALUE_KEY, *_WRAPPERS, *target.names) and (wrapped or isinstance(only, dict | list)):
            yield only


def _decoded(value: Any) -> Any:
    """The arguments of a call, which some servers and models write as JSON text."""
    if not isinstance(value, str):
        return value
    found = extract_json_value(value)
    return found.value if isinstance(found, Found) else value


def _is_schema(value: Mapping[str, Any]) -> bool:
    return "$schema" in value or (isinstance(value.get("type"), str) and isinstance(value.get("properties"), dict))


def _is_part_of_schema(value: Any, target: Target) -> bool:
    return isinstance(value, dict) and value == target.schema.get("properties")
