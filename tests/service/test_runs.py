"""A run over HTTP, from the question to its last event, and how it is spoken to and ended."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from actloop.testing import ScriptedLLM
from tests.support.service import serving, settings_in
from tests.support.sse_client import SentEvent


def data_of(events: Sequence[SentEvent], name: str) -> list[dict[str, Any]]:
    return [json.loads(event.data) for event in events if event.name == name]


def joined(events: Sequence[SentEvent]) -> str:
    return "".join(data["content"] for data in data_of(events, "answer") if data["status"] == "delta")


@pytest.mark.asyncio
async def test_a_run_streams_its_events_and_ends_with_done(tmp_path: Path) -> None:
    async with serving(settings_in(tmp_path), ["12 files.", "There are 12 files."]) as service:
        run = await service.run("How many files?")
        events = await service.events(run)
        assert [int(event.id) for event in events] == list(range(1, len(events) + 1))
        assert joined(events) == "There are 12 files."
        assert events[-1].name == "done"
        assert data_of(events, "done")[0]["answer"] == "There are 12 files."
        state = await service.state(run)
        assert (state["status"], state["query"]) == ("finished", "How many files?")


@pytest.mark.asyncio
async def test_the_conversation_remembers_and_takes_its_first_question_as_title(tmp_path: Path) -> None:
    llm = ScriptedLLM(["one", "One.", "two", "Two."])
    async with serving(settings_in(tmp_path), llm) as service:
        conversation = await service.conversation()
        await service.events(await service.start(conversation, "first?"))
        await service.events(await service.start(conversation, "second?"))
        whole = (await service.ask("GET", f"/api/conversations/{conversation}")).data
    assert whole["title"] == "first?"
    assert [message["content"] for message in whole["messages"]] == ["first?", "One.", "second?", "Two."]
    assert [run["query"] for run in whole["runs"]] == ["first?", "second?"]
    assert [message.content for message in llm.requests[2].messages[1:]] == ["first?", "One.", "second?"]
