"""The `Tool` protocol: anything an agent can call is a name, a description, a schema and a `run`."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from actloop.messages import ToolSpec
from actloop.tools.artifacts import Artifact

__all__ = ["Tool", "ToolResult", "spec_of"]


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool gives back: text for the model, artifacts for the person, and whether it is a failure."""

    content: str
    artifacts: tuple[Artifact, ...] = ()
    is_error: bool = False


@runtime_checkable
class Tool(Protocol):
    """Anything an agent can call.

    name: matches ``^[a-zA-Z0-9_-]{1,64}$``, as providers demand.
    description: one line that says what it is for, then whatever a model should know.
    parameters: the JSON Schema (draft 2020-12) of its arguments, an object.
    timeout: seconds one call may take; None for the agent's default.
    idempotent: whether running it twice does what running it once does.
    requires_approval: whether a person must allow each call.
    """

    @property
    def name(self) -> str: ...

    @property
    def description(self) -> str: ...

    @property
    def parameters(self) -> dict[str, Any]: ...

    @property
    def timeout(self) -> float | None: ...

    @property
    def idempotent(self) -> bool: ...

    @property
    def requires_approval(self) -> bool: ...

    async def run(self, arguments: Mapping[str, Any]) -> ToolResult:
        """Run once with validated arguments.

        Any exception is a failure that the model reads about, never the end of a run; `ToolError` chooses the words.
        """
        ...


_specs: weakref.WeakKeyDictionary[Tool, ToolSpec] = weakref.WeakKeyDictionary()


def spec_of(tool: Tool) -> ToolSpec:
    """What a model is shown of a tool; the same object each time, so that encodings of it can be kept."""
    spec = ToolSpec(tool.name, tool.description, tool.parameters)
    try:
        known = _specs.setdefault(tool, spec)
    except TypeError:  # it has no hash, or cannot be referred to weakly
        return spec
    if known.parameters is not spec.parameters or known != spec:
        known = _specs[tool] = spec
    return known
