"""Server-sent events from the bytes of a response (pure).

Follows the HTML standard's "Parsing an event stream" (html.spec.whatwg.org/multipage/server-sent-events.html), with two
leniencies: an event at the very end needs no blank line after it, and a field named ``error`` counts as data, because
servers of the llama.cpp family report errors in one.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["LineTooLong", "SseDecoder", "SseEvent"]

_MAX_LINE_BYTES = 16 << 20
_BOM = b"\xef\xbb\xbf"


class LineTooLong(ValueError):
    """A single line of the stream is longer than any real event."""


@dataclass(frozen=True, slots=True)
class SseEvent:
    """One event: its name (``message`` unless the server said otherwise) and its data lines, joined by newlines.

    id: the last id that the server gave, with this event or before it.
    """

    name: str
    data: str
    id: str = ""


class SseDecoder:
    """Turns chunks, cut anywhere, into events. Comments and events without data yield nothing."""

    def __init__(self) -> None:
        self._line: list[bytes] = []
        self._line_bytes = 0
        self._after_cr = False
        self._at_start = True
        self._name = ""
        self._data: list[bytes] = []
        self._id = ""

    def feed(self, chunk: bytes) -> list[SseEvent]:
        """Take the next bytes; return the events they complete. Raises `LineTooLong`."""
        if self._after_cr and chunk.startswith(b"\n"):
            chunk = chunk[1:]
            self._after_cr = False
        if not chunk:
            return []
        self._after_cr = chunk.endswith(b"\r")
        if b"\r" in chunk:
            chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        first, *rest = chunk.split(b"\n")
        self._line.append(first)
        self._line_bytes += len(first)
        if self._line_bytes > _MAX_LINE_BYTES:
            raise LineTooLong(f"a line of the stream is longer than {_MAX_LINE_BYTES >> 20} MiB")
        if not rest:
            return []
        events: list[SseEvent] = []
        self._take(b"".join(self._line), events)
        for line in rest[:-1]:
            self._take(line, events)
        self._line = [rest[-1]]
        self._line_bytes = len(rest[-1])
        return events

    @property
    def within_event(self) -> bool:
        """Whether a part of the next event has arrived; comments are none."""
        return bool(self._data) or next((piece for piece in self._line if piece), b":")[:1] != b":"

    def close(self) -> list[SseEvent]:
        """The event that was still open when the stream ended, if any. It may be cut off."""
        events: list[SseEvent] = []
        self._take(b"".join(self._line), events)
        self._take(b"", events)
        self._line = []
        self._line_bytes = 0
        return events

    def _take(self, line: bytes, events: list[SseEvent]) -> None:
        if self._at_start:
            line = line.removeprefix(_BOM)
            self._at_start = False
        if not line:
            if self._data:
                data = b"\n".join(self._data).decode("utf-8", "replace")
                events.append(SseEvent(self._name or "message", data, self._id))
                self._data = []
            self._name = ""
            return
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            self._data.append(value)
        elif field == b"event":
            self._name = value.decode("utf-8", "replace")
        elif field == b"id" and b"\0" not in value:
            self._id = value.decode("utf-8", "replace")
        elif field == b"error":
            self._name = "error"
            self._data.append(value)
