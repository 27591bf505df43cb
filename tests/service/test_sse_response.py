"""The response that carries events: how it begins, shows life, and ends, whoever ends it."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from starlette.exceptions import HTTPException
from starlette.types import Message

from actloop.service import sse
from actloop.service.sse_response import OpenStreams, SseResponse


class Reader:
    """The server's side of one request. ``takes``: whether what is sent goes out; a stuck reader's does not."""

    def __init__(self) -> None:
        self.sent: list[Message] = []
        self.takes = asyncio.Event()
        self.takes.set()
        self.gone = asyncio.Event()
        self.refused = False

    @property
    def body(self) -> bytes:
        return b"".join(message.get("body", b"") for message in self.sent)

    def complete(self) -> bool:
        return bool(self.sent) and self.sent[-1].get("more_body") is False

    async def receive(self) -> Message:
        await self.gone.wait()
        if self.refused:
            raise HTTPException(413)
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        await self.takes.wait()
        assert not self.complete(), "nothing is sent after the end"
        self.sent.append(message)


class Events:
    """Chunks that come when the test says so, and whether their source was closed."""

    def __init__(self) -> None:
        self.next: asyncio.Queue[bytes | Exception | None] = asyncio.Queue()
        self.closed = False

    async def chunks(self) -> AsyncGenerator[bytes]:
        try:
            while (chunk := await self.next.get()) is not None:
                if isinstance(chunk, Exception):
                    raise chunk
                yield chunk
        finally:
            self.closed = True


class Stream:
    """A response at work."""

    def __init__(self, **settings: Any) -> None:
        self.reader = Reader()
        self.events = Events()
        self.open = OpenStreams()
        self.response = SseResponse(
            self.events.chunks(), streams=self.open, headers={}, **{"heartbeat": 60.0, **settings}
        )
        self.task = asyncio.ensure_future(self.response({"type": "http"}, self.reader.receive, self.reader.send))

    async def until_sent(self, part: bytes) -> None:
        while part not in self.reader.body:  # noqa: ASYNC110 - what is sent has no event of its own
            await asyncio.sleep(0)

    async def assert_over(self) -> None:
        await asyncio.sleep(0)
        assert self.events.closed
        assert len(self.open) == 0
        assert asyncio.all_tasks() == {asyncio.current_task()}, "no task is left behind"


@pytest.mark.asyncio
async def test_each_chunk_goes_out_as_it_comes_and_the_last_one_ends_the_response() -> None:
    stream = Stream()
    for number in range(3):
        stream.events.next.put_nowait(b"%d" % number)
        await stream.until_sent(b"012"[: number + 1])
    assert not stream.reader.complete()
    assert len(stream.open) == 1
    stream.events.next.put_nowait(None)
    await stream.task
    assert stream.reader.complete()
    assert stream.reader.sent[0]["status"] == 200
    await stream.assert_over()


@pytest.mark.asyncio
async def test_a_reader_that_goes_ends_it_and_its_source() -> None:
    stream = Stream()
    stream.events.next.put_nowait(b"a")
    await stream.until_sent(b"a")
    stream.reader.gone.set()
    await stream.task
    assert not stream.reader.complete()
    await stream.assert_over()


@pytest.mark.asyncio
async def test_a_reader_that_goes_while_it_takes_nothing_ends_it_too() -> None:
    stream = Stream()
    stream.reader.takes.clear()
    await asyncio.sleep(0)
    stream.reader.gone.set()
    await stream.task
    stream.events.next.put_nowait(b"never asked for")
    assert len(stream.open) == 0


@pytest.mark.asyncio
async def test_a_reader_that_sends_what_it_may_not_ends_it_quietly(caplog: pytest.LogCaptureFixture) -> None:
    stream = Stream()
    await asyncio.sleep(0)
    stream.reader.refused = True
    stream.reader.gone.set()
    await stream.task
    await stream.assert_over()
    del stream
    gc.collect()
    assert not caplog.records


@pytest.mark.asyncio
async def test_a_silent_stream_shows_life_and_one_that_speaks_loses_nothing_by_it() -> None:
    stream = Stream(heartbeat=0.001)
    await stream.until_sent(sse.PING * 3)
    stream.events.next.put_nowait(b"data: a\n\n")
    await stream.until_sent(b"data: a\n\n")
    stream.events.next.put_nowait(None)
    await stream.task
    assert stream.reader.body.replace(sse.PING, b"") == b"data: a\n\n"
    await stream.assert_over()


@pytest.mark.asyncio
async def test_a_reader_that_takes_nothing_for_too_long_is_let_go() -> None:
    stream = Stream(heartbeat=0.001, send_seconds=0.003)
    stream.events.next.put_nowait(b"a")
    await stream.until_sent(b"a")
    stream.reader.takes.clear()
    await stream.task
    assert not stream.reader.complete()
    await stream.assert_over()


@pytest.mark.asyncio
async def test_a_slow_reader_is_not_let_go() -> None:
    stream = Stream(heartbeat=0.001, send_seconds=0.02)
    began = asyncio.get_running_loop().time()
    while asyncio.get_running_loop().time() < began + 0.06:
        stream.reader.takes.clear()
        stream.events.next.put_nowait(b"a")
        await asyncio.sleep(0.005)
        stream.reader.takes.set()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    assert not stream.task.done()
    stream.events.next.put_nowait(None)
    await stream.task
    assert stream.reader.complete()


@pytest.mark.asyncio
async def test_a_shutdown_ends_what_does_not_end_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("actloop.service.sse_response._GRACE_SECONDS", 0.005)
    stream = Stream()
    await asyncio.sleep(0)
    stream.open.end_soon()
    stream.events.next.put_nowait(b"there is time for a last word")
    await stream.until_sent(b"there is time for a last word")
    await stream.task
    assert not stream.reader.complete()
    await stream.assert_over()


@pytest.mark.asyncio
async def test_a_shutdown_leaves_alone_what_ended_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("actloop.service.sse_response._GRACE_SECONDS", 0.0)
    stream = Stream()
    await asyncio.sleep(0)
    stream.events.next.put_nowait(None)
    await asyncio.sleep(0)
    stream.open.end_soon()
    await stream.task
    stream.response.end()
    assert stream.reader.complete()
    await stream.assert_over()


@pytest.mark.parametrize("error", [ValueError("broken"), TimeoutError("the source's own")])
@pytest.mark.asyncio
async def test_an_error_of_the_source_comes_through(error: Exception) -> None:
    stream = Stream()
    stream.events.next.put_nowait(error)
    with pytest.raises(type(error), match=str(error)):
        await stream.task
    assert not stream.reader.complete()
    await stream.assert_over()


@pytest.mark.asyncio
async def test_cancelling_the_request_cancels_it() -> None:
    stream = Stream()
    stream.events.next.put_nowait(b"a")
    await stream.until_sent(b"a")
    stream.task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await stream.task
    await stream.assert_over()
