"""Streams that break off, and events that hold what a line must not."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from actloop.messages import broken_rule
from actloop.service.sse import frame
from actloop.service.wire_json import encode_data
from tests.cases.keeping import keeps
from tests.cases.loading import own_cases
from tests.support.paced_llm import PacedLLM
from tests.support.service import serving, settings_in
from tests.support.sse_client import SentEvent, open_stream


@keeps(
    "C080",
    "the bytes contain none of U+2028, U+2029, U+0085 in raw form",
    "str.splitlines() on the frame gives as many lines as split('\\n')",
)
def test_a_frame_has_the_same_lines_for_every_reader() -> None:
    event: dict[str, Any] = next(case for case in own_cases() if case.id == "C080").input["event"]
    text = frame(1, event["event"], encode_data(event["data"])).decode()
    assert not {"\u2028", "\u2029", "\u0085"} & set(text)
    assert len(text.splitlines()) == len(text.split("\n")) - 1, "the last line end ends the frame"
    assert text.splitlines() == text.split("\n")[:-1]


@keeps(
    "C082",
    "the second connection starts with id 6 and goes on without gap or repeat",
    "an id that is not a number of this run leads to one explicit reset event "
    "followed by everything from the first event",
)
@pytest.mark.asyncio
async def test_a_reader_that_comes_back_gets_the_rest_or_is_told_to_begin_anew(tmp_path: Path) -> None:
    llm = PacedLLM("a b c d e f", pieces=6)
    async with serving(settings_in(tmp_path), llm) as service:
        run = await service.run()
        first: list[SentEvent] = []
        async with open_stream(service.port, f"/api/runs/{run}/events") as stream:
            async for event in stream.events():
                first.append(event)
                if event.id == "5":
                    break
        llm.finish()
        rest = await service.events(run, last_event_id="5")
        assert [int(event.id) for event in rest] == list(range(6, 6 + len(rest)))
        whole = await service.events(run)
        assert first + rest == whole
        for said in ("abc", "999"):
            assert await service.events(run, last_event_id=said) == [SentEvent("reset", "{}", ""), *whole]


@keeps("C082", "one user's id never replays another user's events")
@pytest.mark.asyncio
async def test_an_offset_says_nothing_about_whose_run_it_is(tmp_path: Path) -> None:
    llm = PacedLLM("mine")
    llm.finish()
    async with serving(settings_in(tmp_path), llm) as service:
        one, other = await service.run(), await service.run()
        ones = await service.events(one)
        assert await service.events(other, last_event_id=ones[1].id) == (await service.events(other))[2:]
    async with serving(settings_in(tmp_path, server_key="a-long-server-key"), llm) as service:
        stranger = await service.parts.keys.add("stranger")
        answer = await service.ask("GET", f"/api/runs/{one}/events", headers={"Last-Event-ID": "1"}, key=stranger)
        assert answer.status == 404


@keeps(
    "C077",
    "within 2 s the model stream is closed and no further model request is made",
    "no task of the run is left in asyncio.all_tasks()",
    "the stored history is valid",
)
@pytest.mark.asyncio
async def test_a_reader_that_goes_away_ends_the_run_where_that_is_set(tmp_path: Path) -> None:
    llm = PacedLLM("word " * 60, pieces=60)
    async with serving(settings_in(tmp_path, on_disconnect="cancel"), llm) as service:
        run = await service.run()
        async with open_stream(service.port, f"/api/runs/{run}/events") as stream:
            events = stream.events()
            await anext(events)
            await anext(events)
            await service.until(lambda: llm.open == 1)
        await asyncio.wait_for(service.until(lambda: llm.open == 0), 2)
        requests = llm.requests
        assert json.loads((await service.events(run))[-1].data)["stop_reason"] == "cancelled"
        await service.until(lambda: service.parts.runner.active == 0)
        assert llm.requests == requests
        assert [task for task in asyncio.all_tasks() if task.get_name() == run] == []
        conversation = (await service.state(run))["conversation_id"]
        history = await service.parts.conversations.history(conversation)
        assert history
        assert broken_rule(history) is None


@keeps("C077", "with policy 'finish_in_background' the run completes and its answer can be fetched later")
@pytest.mark.asyncio
async def test_a_reader_that_goes_away_leaves_the_run_to_finish_otherwise(tmp_path: Path) -> None:
    llm = PacedLLM("the whole answer")
    async with serving(settings_in(tmp_path, on_disconnect="finish"), llm) as service:
        run = await service.run()
        async with open_stream(service.port, f"/api/runs/{run}/events") as stream:
            await anext(stream.events())
        llm.finish()
        await service.until(lambda: service.parts.runner.active == 0)
        assert json.loads((await service.events(run))[-1].data)["answer"] == "the whole answer"
