"""What a person writes while the agent works reaches the model, but never between a call and its result."""

from __future__ import annotations

import asyncio

import pytest

from actloop.agent import AgentEvent, AnswerDelta, InterruptChanged, InterruptQueue, ReActAgent, RunFinished
from actloop.context import ConversationMemory
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


@keeps(
    "C093",
    "the first answer is completed and stored unchanged",
    "the first message is either handled in this run after the answer or handed back as not consumed; "
    "never both, never neither",
    "the second gets a clear reply that it will be the next turn; it is not lost",
)
@pytest.mark.asyncio
async def test_what_comes_while_the_answer_streams_or_later_is_the_next_turn() -> None:
    queue, memory = InterruptQueue(), ConversationMemory()
    llm = ScriptedLLM(["42", "The answer is 42, as far as is known."])
    agent = ReActAgent(llm, memory=memory, interrupt_queue=queue)
    events: list[AgentEvent] = []
    async for event in agent.stream("what is the answer?"):
        events.append(event)
        if isinstance(event, AnswerDelta) and not queue.waiting():
            queue.put("in hexadecimal")
            assert queue.open is False
        if isinstance(event, RunFinished):
            queue.put("and in roman numerals")
            assert queue.open is False

    text = "".join(event.content for event in events if isinstance(event, AnswerDelta))
    assert text == "The answer is 42, as far as is known."
    assert memory.messages[-1] == AssistantMessage(text)
    receipts = [(event.content, event.status) for event in events if isinstance(event, InterruptChanged)]
    assert receipts == [("in hexadecimal", "queued"), ("in hexadecimal", "returned")]
    assert [left.content for left in queue.drain()] == ["in hexadecimal", "and in roman numerals"]
