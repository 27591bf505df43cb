"""The conversation between runs: kept as it was read, never lost to a store that fails, one run at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from actloop.agent import ErrorOccurred, ReActAgent, RunFinished
from actloop.context import ConversationMemory
from actloop.errors import ConfigError
from actloop.messages import AssistantMessage, Message, UserMessage
from actloop.testing import EventRecorder, ScriptedLLM
from tests.agent.helpers import TEXT_ONLY, answer


class BrokenStore:
    """A memory whose disk is full, or gone."""

    def __init__(self, *, loads: bool) -> None:
        self._loads = loads
        self.saved: list[Sequence[Message]] = []

    async def load(self) -> Sequence[Message]:
        if not self._loads:
            raise OSError("the disk is gone")
        return [UserMessage("before"), AssistantMessage("then")]

    async def save(self, messages: Sequence[Message]) -> None:
        self.saved.append(messages)
        raise OSError("the disk is full")


@pytest.mark.asyncio
async def test_a_store_that_cannot_save_costs_no_answer() -> None:
    recorder = EventRecorder()
    result = await ReActAgent(ScriptedLLM(["hi"]), memory=BrokenStore(loads=True)).run("q", on_event=recorder)
    assert (result.answer, result.stop_reason) == ("hi", "answer")
    assert "the disk is full" in recorder.of(ErrorOccurred)[0].message
    assert recorder.of(ErrorOccurred)[0].recoverable
    assert len(recorder.of(RunFinished)) == 1


@pytest.mark.asyncio
async def test_a_conversation_that_cannot_be_loaded_ends_the_run_and_is_not_overwritten() -> None:
    store = BrokenStore(loads=False)
    llm = ScriptedLLM(["hi"])
    result = await ReActAgent(llm, memory=store).run("q")
    assert result.stop_reason == "error"
    assert "the disk is gone" in str(result.error)
    assert store.saved == []
    assert llm.requests == []


@pytest.mark.asyncio
async def test_json_mode_stores_the_answer_and_not_its_json() -> None:
    memory = ConversationMemory()
    await ReActAgent(ScriptedLLM([answer("hi")], abilities=TEXT_ONLY), memory=memory).run("q")
    assert [message.content for message in memory.messages] == ["q", "hi"]


@pytest.mark.asyncio
async def test_two_runs_of_one_conversation_cannot_be_at_the_same_time() -> None:
    release = asyncio.Event()

    async def wait(messages: Sequence[Message]) -> str:
        await release.wait()
        return "hi"

    agent = ReActAgent(ScriptedLLM(wait), memory=ConversationMemory())
    first = asyncio.create_task(agent.run("one"))
    await asyncio.sleep(0)
    with pytest.raises(ConfigError, match="one conversation"):
        await agent.run("two")
    release.set()
    assert (await first).answer == "hi"
    assert (await agent.run("two")).answer == "hi"
