"""`select_tools`: the selection step with replies that are told, each for a run of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from actloop.agent.selection import ToolSelection
from actloop.testing import ScriptedLLM
from actloop.tools import Tool, ToolRegistry, tool
from tests.cases.outcome import Outcome

__all__ = ["select_tools"]


def select_tools(given: Mapping[str, Any]) -> Outcome:
    """`offered` holds, for each reply, the names of the tools that are left, or `all`."""
    replies = given["replies"] if "replies" in given else [given["reply"]]
    offered = [asyncio.run(_offered(given, reply)) for reply in replies]
    return Outcome({"offered": offered if "replies" in given else offered[0]})


async def _offered(given: Mapping[str, Any], reply: Any) -> list[str] | str:
    def say(messages: object) -> str:
        if reply == "<raises>":
            raise RuntimeError("the model is gone")
        return str(reply)

    everything, left = ToolRegistry(map(_tool, given["tools"])), ToolRegistry()
    options = {"most": given["max"]} if "max" in given else {}
    selection = ToolSelection(everything, left, pinned=given.get("pinned", ()), **options)
    await selection.choose(ScriptedLLM(say, abilities={"json_mode": True}), given.get("query", "Do what is asked."))
    names = [name for name in left.names if name in everything]
    return "all" if len(names) == len(everything) else names


def _tool(told: str | Mapping[str, str]) -> Tool:
    name, description = (told, told) if isinstance(told, str) else (told["name"], told.get("description", ""))
    return tool(lambda: name, name=name, description=description)
