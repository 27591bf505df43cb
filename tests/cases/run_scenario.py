"""`scenario: run`: one agent run with tools told in words and replies told as API messages."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from actloop.agent import InterruptQueue, ReActAgent
from actloop.llm import Reply
from actloop.messages import AssistantMessage, ToolMessage
from actloop.testing import ScriptedLLM
from tests.cases.openai_form import messages_to, reply_from
from tests.cases.outcome import CannotRun, Outcome
from tests.cases.told_tools import told_tool

__all__ = ["run_scenario"]

_QUERY = "Do what is asked."
_CALL = re.compile(r"(?:call|calls) (?P<names>[\w, ]+?)(?: in one turn)?")
_ANSWER = re.compile(r"answers? '(?P<text>.*)'", re.DOTALL)


async def run_scenario(given: Mapping[str, Any]) -> Outcome:
    """Run the agent. Raises `CannotRun` when tools or turns are told in a way that only a person understands."""
    if "script" in given:
        raise CannotRun("the scenario is told in prose; only its statements can be checked, by hand")
    runs: Counter[str] = Counter()
    tools = [told_tool(name, words, runs) for name, words in given.get("tools", {}).items()]
    llm = ScriptedLLM(_replies(given.get("model_turns")), abilities=given.get("abilities"))
    queue = InterruptQueue()
    # without the rules about the loop: they ask for more turns than the case tells
    agent = ReActAgent(llm, tools, max_iterations=given.get("max_iterations", 50), interrupt_queue=queue, rules=())
    async with asyncio.TaskGroup() as group:
        for interrupt in given.get("interrupts", ()):
            group.create_task(_interrupt(queue, interrupt))
        result = await agent.run(given.get("query", _QUERY))
    calls = [call for m in result.messages if isinstance(m, AssistantMessage) for call in m.tool_calls]
    return Outcome(
        {
            "answer": result.answer,
            "stop_reason": result.stop_reason,
            "iterations": result.iterations,
            "requests": len(llm.requests),
            "calls": [{"name": step.tool_name, "arguments": step.tool_args} for step in result.steps],
            "tool_calls": [{"id": call.id, "name": call.name, "arguments": call.arguments} for call in calls],
            "observations": [m.content for m in result.messages if isinstance(m, ToolMessage)],
            "runs": {tool.name: runs[tool.name] for tool in tools},
            "messages": messages_to(result.messages),
        },
        error=result.error,
        text=result.answer,
    )


async def _interrupt(queue: InterruptQueue, interrupt: Mapping[str, Any]) -> None:
    await asyncio.sleep(interrupt["at_ms"] / 1000)
    queue.put(interrupt["text"])


def _replies(turns: object) -> list[Reply | str]:
    if not isinstance(turns, Sequence) or isinstance(turns, str):
        raise CannotRun("the turns of the model are told in prose; only the statements can be checked, by hand")
    return [_reply(number, turn) for number, turn in enumerate(turns, start=1)]


def _reply(number: int, turn: object) -> Reply | str:
    """A message of the API, `call NAME`, `answer 'TEXT'`, or the text that the model writes."""
    if isinstance(turn, Mapping):
        return reply_from(turn)
    text = str(turn)
    if answer := _ANSWER.fullmatch(text):
        return answer["text"]
    if call := _CALL.fullmatch(text):
        names = re.split(r",\s*|\s+and\s+", call["names"])
        functions = [{"name": name.strip(), "arguments": "{}"} for name in names]
        return reply_from(
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {"id": f"c{number}_{place}", "type": "function", "function": function}
                    for place, function in enumerate(functions, start=1)
                ],
            }
        )
    return text
