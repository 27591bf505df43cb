"""A client of event streams on a raw socket, which can be cut anywhere; written from the standard, not from our code.

html.spec.whatwg.org/multipage/server-sent-events.html, "Parsing an event stream".
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

__all__ = ["EventParser", "RawStream", "SentEvent", "open_stream"]


@dataclass(frozen=True, slots=True)
class SentEvent:
    """An event as a browser would dispatch it; ``id`` is the last id seen at that time."""

    name: str
    data: str
    id: str


class EventParser:
    """Turns text, cut anywhere, into events; an unfinished one at the end is dropped."""

    def __init__(self) -> None:
        self._rest = ""
        self._name = ""
        self._data: list[str] = []
        self.last_id = ""

    def feed(self, text: str, *, last: bool = False) -> list[SentEvent]:
        """Take the next text; a CR at its end waits for what follows, unless it is the last."""
        text = self._rest + text
        if text.endswith("\r") and not last:
            text, self._rest = text[:-1], "\r"
        else:
            self._rest = ""
        *lines, rest = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self._rest = rest + self._rest
        return [event for line in lines if (event := self._line(line)) is not None]

    def _line(self, line: str) -> SentEvent | None:
        if not line:
            data, name = self._data, self._name
            self._data, self._name = [], ""
            return SentEvent(name or "message", "\n".join(data), self.last_id) if data else None
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "data":
            self._data.append(value)
        elif field == "event":
            self._name = value
        elif field == "id" and "\0" not in value:
            self.last_id = value
        return None


class RawStream:
    """One response on one connection. bytes_left: cut after so many bytes of the body, None for no cut."""

    def __init__(self, reader: asyncio.StreamReader, bytes_left: int | None) -> None:
        self._reader = reader
        self._bytes_left = bytes_left
        self.status = 0
        self.headers: dict[str, str] = {}
        self.ended = False

    async def begin(self) -> None:
        """Read status and headers."""
        self.status = int((await self._reader.readline()).split()[1])
        while line := (await self._reader.readline()).strip():
            name, _, value = line.decode("latin-1").partition(":")
            self.headers[name.lower()] = value.strip()

    async def chunks(self) -> AsyncIterator[bytes]:
        """The body without its transfer coding, up to the cut; ``ended`` tells a whole body from one that broke off."""
        while self._bytes_left is None or self._bytes_left > 0:
            try:
                size = int((await self._reader.readline()).split(b";")[0] or b"-1", 16)
                chunk = await self._reader.readexactly(size + 2) if size > 0 else b""
            except (asyncio.IncompleteReadError, ConnectionError):
                return
            if size <= 0:
                self.ended = size == 0
                return
            chunk = chunk[:-2] if self._bytes_left is None else chunk[:-2][: self._bytes_left]
            if self._bytes_left is not None:
                self._bytes_left -= len(chunk)
            yield chunk

    async def text(self) -> str:
        """The whole body."""
        return b"".join([chunk async for chunk in self.chunks()]).decode()

    async def events(self) -> AsyncIterator[SentEvent]:
        """The body's events; a character that the cut goes through is lost with its event."""
        parser, rest = EventParser(), b""
        async for chunk in self.chunks():
            rest += chunk
            whole = rest.rfind(b"\n") + 1
            for event in parser.feed(rest[:whole].decode()):
                yield event
            rest = rest[whole:]


@asynccontextmanager
async def open_stream(
    port: int,
    path: str,
    *,
    method: str = "GET",
    headers: Mapping[str, str] | None = None,
    body: bytes = b"",
    cut_after: int | None = None,
) -> AsyncIterator[RawStream]:
    """Send a request and read the answer's head; leaving the block closes the connection, whatever is on the way."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 24)
    try:
        head = {"Host": f"127.0.0.1:{port}", "Content-Length": str(len(body)), **(headers or {})}
        if body:
            head.setdefault("Content-Type", "application/json")
        lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in head.items()), "", ""]
        writer.write("\r\n".join(lines).encode("latin-1") + body)
        await writer.drain()
        stream = RawStream(reader, cut_after)
        await stream.begin()
        yield stream
    finally:
        writer.close()
