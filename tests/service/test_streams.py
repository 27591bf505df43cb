"""The event stream: cut anywhere and picked up again, it is the same stream."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from actloop.service.sse import offset_of
from tests.service.test_runs import data_of, joined
from tests.support.paced_llm import PacedLLM
from tests.support.service import TestedService, serving, settings_in
from tests.support.sse_client import SentEvent, open_stream

ANSWER = "Zwölf Dateien 📁 sind älter als ein Jahr.\u2028Zeile\u0085Ende " * 3


async def resumed(service: TestedService, run: str, cuts: Sequence[int | None]) -> list[SentEvent]:
    """The events of a run, read over connections that break off after so many bytes."""
    events: list[SentEvent] = []
    for cut in [*cuts, None]:
        last = events[-1].id if events else None
        events += await service.events(run, last_event_id=last, cut_after=cut)
    return events


def assert_whole(events: Sequence[SentEvent], answer: str) -> None:
    assert [event.id for event in events] == [str(number) for number in range(1, len(events) + 1)]
    assert joined(events) == answer
    assert [event.name for event in events].count("done") == 1
    assert events[-1].name == "done"


@pytest.mark.asyncio
async def test_a_stream_cut_at_every_event_and_at_random_bytes_goes_on_where_it_was(tmp_path: Path) -> None:
    llm = PacedLLM(ANSWER)
    async with serving(settings_in(tmp_path), llm) as service:
        run = await service.run()
        chance = random.Random(7)
        cuts = [chance.randrange(1, 900) for _ in range(8)]
        cut_at_random = asyncio.ensure_future(resumed(service, run, cuts))
        events: list[SentEvent] = []
        while not events or events[-1].name != "done":  # one event a connection
            headers = {"Last-Event-ID": events[-1].id} if events else {}
            async with open_stream(service.port, f"/api/runs/{run}/events", headers=headers) as stream:
                async for event in stream.events():
                    events.append(event)
                    break
            llm.go_on()
        assert_whole(events, ANSWER)
        assert await cut_at_random == events
        assert await resumed(service, run, [100, 333, 7]) == events, "also after the end"
    async with serving(settings_in(tmp_path), []) as service:
        assert await resumed(service, run, [250, 1_000]) == events, "also after a restart"


@pytest.mark.asyncio
async def test_an_offset_of_another_run_or_of_none_gives_one_reset_and_everything(tmp_path: Path) -> None:
    async with serving(settings_in(tmp_path), ["brief", "Whole."]) as service:
        run = await service.run()
        plain = await service.events(run)
        for said in ("abc", "999", "-1", "1.0", "٣", "1e3", "0x1", "+2", "99999999999999999999", "'; --"):
            events = await service.events(run, last_event_id=said.encode().decode("latin-1"))
            assert events == [SentEvent("reset", "{}", ""), *plain], said


@pytest.mark.asyncio
async def test_the_query_says_where_to_begin_and_the_header_counts_more(tmp_path: Path) -> None:
    async with serving(settings_in(tmp_path), ["brief", "Whole."]) as service:
        run = await service.run()
        plain = await service.events(run)
        assert await service.events(run, query="?after=3") == plain[3:]
        assert await service.events(run, query="?after=0") == plain
        assert await service.events(run, query="?after=1", last_event_id="4") == plain[4:]
        assert await service.events(run, query=f"?after={len(plain)}") == []


@pytest.mark.parametrize(
    ("header", "query", "offset"), [(None, None, 0), ("", "5", 5), ("3", "5", 3), (None, "07", None)]
)
def test_which_offset_a_reader_means(header: str | None, query: str | None, offset: int | None) -> None:
    assert offset_of(header, query) == offset


@pytest.mark.asyncio
async def test_the_headers_keep_proxies_from_holding_it_back_and_a_silent_stream_shows_life(tmp_path: Path) -> None:
    llm = PacedLLM("Done.")
    async with serving(settings_in(tmp_path, heartbeat=0.05), llm) as service:
        run = await service.run()
        async with open_stream(service.port, f"/api/runs/{run}/events") as stream:
            assert stream.headers["content-type"].startswith("text/event-stream")
            assert stream.headers["cache-control"] == "no-store, no-transform"
            assert stream.headers["x-accel-buffering"] == "no"
            async for chunk in stream.chunks():
                if chunk == b": ping\n\n":
                    break
        llm.finish()


@pytest.mark.asyncio
async def test_a_reader_that_stops_reading_disturbs_nobody(tmp_path: Path) -> None:
    answer = ("word " * 40 + "\n") * 2_500
    async with serving(settings_in(tmp_path), ["brief", answer]) as service:
        run = await service.run()
        async with open_stream(service.port, f"/api/runs/{run}/events") as stuck:
            events = await service.events(run)
            assert_whole(events, answer)
            assert stuck.status == 200
            assert [event async for event in stuck.events()] == events


@pytest.mark.asyncio
async def test_pieces_of_text_that_come_at_once_are_one_event(tmp_path: Path) -> None:
    llm = PacedLLM("a" * 500, pieces=500)
    llm.finish()
    async with serving(settings_in(tmp_path), llm) as service:
        events = await service.events(await service.run())
    deltas = [data for data in data_of(events, "answer") if data["status"] == "delta"]
    assert joined(events) == "a" * 500
    assert len(deltas) < 100
    assert json.loads(events[-1].data)["answer"] == "a" * 500
