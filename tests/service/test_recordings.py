"""Runs through the real service, as the page's tests read them: `tests/recordings/*.sse`, one stream each.

``ACTLOOP_RECORD=1 pytest tests/service/test_recordings.py`` renews them. Times and random ids are the same each time;
where the pieces of an answer are cut is chance, and not compared.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from actloop.service.sse import RESET, frame
from tests.support.service import serving, settings_in
from tests.support.sse_client import EventParser, SentEvent, open_stream
from tests.support.stories import STORIES, Story

FOLDER = Path(__file__).parent.parent / "recordings"
RECORDING = bool(os.environ.get("ACTLOOP_RECORD"))


def normal(events: Sequence[SentEvent]) -> str:
    """The stream without what differs from run to run."""
    text = "".join(
        RESET.decode() if event.name == "reset" else frame(int(event.id), event.name, event.data).decode()
        for event in events
    )
    text = re.sub(r'"(elapsed|iter_elapsed)":[0-9.e-]+', r'"\1":0.25', text)
    text = re.sub(r'"started_at":[0-9.e-]+', '"started_at":1800000000.5', text)
    text = re.sub(r'"prompt_tokens":[0-9]+', '"prompt_tokens":400', text)  # how long our prompts are is no matter here
    for number, id in enumerate(dict.fromkeys(re.findall(r"art_[0-9a-f]{32}", text)), start=1):
        text = text.replace(id, f"art_{number:032}")
    return text


def parsed(text: str) -> list[tuple[str, dict[str, Any]]]:
    """The events of a stream; pieces of the answer that follow each other are one."""
    told: list[tuple[str, dict[str, Any]]] = []
    for event in EventParser().feed(text):
        data = json.loads(event.data)
        piece = event.name == "answer" and data["status"] == "delta"
        if piece and told and told[-1][0] == "delta":
            told[-1][1]["content"] += data["content"]
        else:
            told.append(("delta" if piece else event.name, data))
    return told


async def played(story: Story, directory: Path) -> list[SentEvent]:
    """The events of a run, while the person does what the story says."""
    async with serving(settings_in(directory), story.agents) as service:
        run = await service.run(story.query)
        following = asyncio.ensure_future(service.events(run))
        await story.play(service, run)
        if not story.ends_the_service:
            return await following
    return await following


@pytest.mark.asyncio
@pytest.mark.parametrize("name", STORIES)
async def test_a_run_is_as_it_was_recorded(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("actloop.service.runs.run_log._MERGE_SECONDS", 0.0)  # many small pieces
    events = await played(STORIES[name](), tmp_path)
    assert [int(event.id) for event in events] == list(range(1, len(events) + 1))
    text = normal(events)
    file = FOLDER / f"{name}.sse"
    if RECORDING:
        file.write_text(text, encoding="utf-8")
    assert parsed(file.read_text(encoding="utf-8")) == parsed(text)


@pytest.mark.asyncio
async def test_an_offset_that_is_none_of_the_run_is_as_it_was_recorded(tmp_path: Path) -> None:
    story = STORIES["tool-then-answer"]()
    async with serving(settings_in(tmp_path), story.agents) as service:
        run = await service.run(story.query)
        await service.events(run)
        async with open_stream(service.port, f"/api/runs/{run}/events?after=999") as stream:
            text = normal([event async for event in stream.events()])
    file = FOLDER / "reset.sse"
    if RECORDING:
        file.write_text(text, encoding="utf-8")
    assert parsed(file.read_text(encoding="utf-8")) == parsed(text)


def test_there_is_no_recording_without_its_story() -> None:
    assert {path.stem for path in FOLDER.glob("*.sse")} == {*STORIES, "reset"}
