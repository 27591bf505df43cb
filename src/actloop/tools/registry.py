"""`ToolRegistry`: the tools an agent has, by name."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from actloop.errors import ConfigError
from actloop.llm import fit_arguments
from actloop.messages import ToolSpec
from actloop.tools.base import Tool, spec_of
from actloop.tools.decorator import FunctionTool, tool
from actloop.tools.names import checked_name

__all__ = ["ToolRegistry"]


class ToolRegistry:
    """Tools in the order they were registered. Plain functions are accepted and become tools.

    Registering while others read is safe: they see the tools from before or from after. A run that must not see later
    changes works on a copy: `select` returns one.
    """

    def __init__(self, tools: Iterable[Tool | Callable[..., Any]] = ()) -> None:
        self._lock = threading.Lock()
        self._tools: dict[str, Tool] = {}
        self._specs: tuple[ToolSpec, ...] | None = None
        for item in tools:
            self.register(item)

    def register(self, item: Tool | Callable[..., Any]) -> None:
        """Add a tool, or a function to make one of.

        Raises `ConfigError` for what is neither, for a name that providers refuse, and for a name that is taken.
        """
        added = _as_tool(item)
        with self._lock:
            if added.name in self._tools:
                raise ConfigError(
                    f"there is a tool called {added.name!r} already: give one of them another name, "
                    "for example tool(function, name='…')"
                )
            self._tools = {**self._tools, added.name: added}
            if self._specs is not None:
                self._specs = (*self._specs, spec_of(added))

    def get(self, name: str) -> Tool | None:
        """The tool of that name, or None."""
        return self._tools.get(name)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all tools, in the order they were registered."""
        return tuple(self._tools)

    def select(self, names: Iterable[str]) -> ToolRegistry:
        """A new registry with the named tools, in this one's order; `ConfigError` for a name it does not have."""
        wanted = set(names)
        tools = self._tools
        if unknown := wanted - tools.keys():
            raise ConfigError(
                f"no tool is called {', '.join(map(repr, sorted(unknown)))}; there are: {', '.join(tools)}"
            )
        selected = ToolRegistry(item for name, item in tools.items() if name in wanted)
        selected._specs = tuple(spec for spec in self.specs() if spec.name in wanted)
        return selected

    def specs(self) -> Sequence[ToolSpec]:
        """What a model is shown of each tool, in order.

        The same objects each time, also after a tool was registered and in what `select` returns, so that encodings of
        them can be kept.
        """
        specs = self._specs
        if specs is None:
            with self._lock:
                specs = self._specs = tuple(spec_of(item) for item in self._tools.values())
        return specs

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools.values())

    def __len__(self) -> int:
        return len(self._tools)

    def __contains__(self, name: object) -> bool:
        return name in self._tools

    def __repr__(self) -> str:
        return f"ToolRegistry({', '.join(self._tools)})"


def _check_schema(item: Tool) -> None:
    if not isinstance(item.parameters, dict):
        raise ConfigError(f"the parameters of tool {item.name!r} must be a JSON Schema object, not {item.parameters!r}")
    try:
        fit_arguments({}, item.parameters, trim=False)
    except ConfigError as error:
        raise ConfigError(f"the parameters of tool {item.name!r} are no valid JSON Schema: {error}") from error


def _as_tool(item: object) -> Tool:
    if isinstance(item, FunctionTool) and item.unbound:
        raise ConfigError(
            f"{item!r} belongs to a class: register the method of an instance, like `instance.{item.name}`"
        )
    # asked first, because a protocol's isinstance looks at every attribute
    if isinstance(item, FunctionTool) or (isinstance(item, Tool) and not isinstance(item, type)):
        checked_name(item.name)
        if not isinstance(item, FunctionTool):
            _check_schema(item)
        return item
    if callable(item):
        return tool(item)
    raise ConfigError(f"{item!r} is not a tool: register a function, or an object with the attributes of `Tool`")
