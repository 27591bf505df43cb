"""What the worlds of the tasks share: deterministic tools whose every call is noted."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from actloop import Tool, ToolError, tool

__all__ = ["World", "found"]

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")
_NAMED_AT_MOST = 8


class World:
    """One task's tools, which subclasses have as methods, and what was called."""

    def __init__(self) -> None:
        self.log: list[tuple[str, dict[str, Any]]] = []

    def tools(self, names: list[str]) -> list[Tool]:
        """The named tools, their calls noted."""
        return [tool(self._noted(getattr(self, name)), name=name) for name in names]

    def called(self, name: str) -> int:
        """How often a tool ran."""
        return sum(called == name for called, _ in self.log)

    def _noted(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def noted(**arguments: Any) -> Any:
            self.log.append((function.__name__, arguments))
            return function(**arguments)

        return noted


def found(table: Mapping[_Key, _Value], key: _Key, what: str) -> _Value:
    """What ``table`` says of ``key``; a `ToolError` that names the known ones when there are few."""
    if key not in table:
        known = f"; known are {', '.join(sorted(map(str, table)))}" if len(table) <= _NAMED_AT_MOST else ""
        raise ToolError(f"unknown {what} {key!r}{known}")
    return table[key]
