"""What a model is offered and what it asks for: tool specs and tool calls."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["ToolCall", "ToolSpec"]


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as a model sees it: its name, what it is for, and the JSON Schema (draft 2020-12) of its arguments."""

    name: str
    description: str
    parameters: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model's wish to run a tool.

    id: unique within its message; the result carries the same id.
    name: the tool's name as the model wrote it.
    arguments: always an object. When the model's text was none, this is empty and ``unreadable`` holds that text:
        such a call is answered with an error and never runs.
    """

    id: str
    name: str
    arguments: dict[str, Any] = field(default_factory=dict)
    unreadable: str | None = None
