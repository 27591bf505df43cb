"""Small things that the agent's tests share."""

from __future__ import annotations

import json
from typing import Any

from actloop.messages import AssistantMessage, ToolCall

__all__ = ["NATIVE", "TEXT_ONLY", "action", "answer", "call", "calls"]

NATIVE = {"tool_call": True}
TEXT_ONLY: dict[str, bool] = {}


def call(name: str, id: str = "c1", **arguments: Any) -> AssistantMessage:
    """A native turn with one call."""
    return AssistantMessage("", [ToolCall(id, name, arguments)])


def calls(*named: tuple[str, dict[str, Any]]) -> AssistantMessage:
    """A native turn with several calls, ids c1, c2 …"""
    return AssistantMessage("", [ToolCall(f"c{n}", name, args) for n, (name, args) in enumerate(named, start=1)])


def action(name: str, **arguments: Any) -> str:
    """A JSON-mode turn that calls a tool."""
    return json.dumps({"type": "tool_call", "reasoning": "r", "tool_name": name, "tool_args": arguments})


def answer(text: str) -> str:
    """A JSON-mode turn that answers."""
    return json.dumps({"type": "final_answer", "reasoning": "known", "answer": text})
