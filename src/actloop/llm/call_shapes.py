"""The shapes of JSON in which models write a tool call into their text."""

from __future__ import annotations

from typing import Any

__all__ = ["WrittenCall", "calls_in"]

WrittenCall = tuple[str, Any]
"""A name and its arguments, both as written: the arguments are an object, JSON text, or None when there are none."""

_NAME_KEYS = ("name", "tool_name", "tool", "function_name", "function", "action")
_ARGUMENT_KEYS = (
    "arguments",
    "parameters",
    "args",
    "tool_args",
    "tool_arguments",
    "tool_input",
    "action_input",
    "input",
)
_WRAPPERS = ("function", "function_call", "tool_call")


def calls_in(value: Any) -> list[WrittenCall]:
    """The calls that ``value`` spells out, or an empty list if it, or any part of a list of calls, is something else.

    Known are ``{"name": …, "arguments": {…}}`` under the names that models use for both keys, the forms of the OpenAI
    API (``{"function": {"name": …}}``, ``{"tool_calls": […]}``), and arrays of these.
    """
    if isinstance(value, list):
        found = [calls_in(item) if isinstance(item, dict) else [] for item in value]
        return [call for calls in found for call in calls] if all(found) else []
    if not isinstance(value, dict):
        return []
    if isinstance(value.get("tool_calls"), list):
        return calls_in(value["tool_calls"])
    for key in _WRAPPERS:
        if isinstance(value.get(key), dict):
            return calls_in(value[key])
    name = next((value[key] for key in _NAME_KEYS if isinstance(value.get(key), str)), None)
    if name is None:
        return []
    arguments = next((value[key] or {} for key in _ARGUMENT_KEYS if key in value), None)
    return [(name, arguments)] if arguments is None or isinstance(arguments, dict | str) else []
