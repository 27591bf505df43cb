"""What a person writes while the agent works reaches the model, but never between a call and its result."""

from __future__ import annotations

import asyncio

import pytest

from actloop.agent import ReActAgent
from actloop.messages import AssistantMessage, ToolMessage, UserMessage, text_of
from actloop.testing import ScriptedLLM
from tests.cases.keeping import keeps, turns


@keeps(
    "C092",
    "the second request ends with: assistant(c1,c2), tool c1, tool c2, user 'use euros', user 'and be short' "
    "(or both joined in one user message, in this order)",
    "both tools finished",
    "each text appears exactly once in the stored history",
)
@pytest.mark.asyncio
async def test_interrupts_wait_for_the_results_of_the_calls() -> None:
    async def slow() -> str:
        await asyncio.sleep(0)
        agent.interrupts.put(texts.pop(0))
        return "S"

    texts = ["use euros", "and be short"]
    llm = ScriptedLLM(turns("C092"))
    agent = ReActAgent(llm, [slow])
    result = await agent.run("what does it cost?")

    asked, first, second, interrupt = llm.requests[1].messages[-4:]
    assert isinstance(asked, AssistantMessage)
    assert [call.id for call in asked.tool_calls] == ["c1", "c2"]
    assert isinstance(first, ToolMessage)
    assert isinstance(second, ToolMessage)
    assert [(m.tool_call_id, m.content) for m in (first, second)] == [("c1", "S"), ("c2", "S")]
    assert isinstance(interrupt, UserMessage)
    assert text_of(interrupt.content).split("\n")[-3:] == ["use euros", "", "and be short"]
    stored = "\n".join(text_of(message.content) for message in result.messages)
    assert [stored.count(text) for text in ("use euros", "and be short")] == [1, 1]
