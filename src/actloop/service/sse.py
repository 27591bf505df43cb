"""Server-sent events as bytes, and which offset a reader that comes back means (pure).

The format is the HTML standard's (html.spec.whatwg.org/multipage/server-sent-events.html); data is always one line,
since it is JSON from `actloop.service.wire_json`.
"""

from __future__ import annotations

import re

__all__ = ["HEADERS", "PING", "RESET", "frame", "offset_of"]

HEADERS = {"Cache-Control": "no-store, no-transform", "X-Accel-Buffering": "no"}
"""For everything between us and the reader: keep nothing, change nothing (no compression), hold nothing back."""

RESET = b"event: reset\ndata: {}\n\n"
"""The offset is not one of this run. It has no id, so that a reader's own offset is not changed by it."""

PING = b": ping\n\n"
"""A comment: keeps an idle connection open, and no reader sees it."""

_NUMBER = re.compile(r"0|[1-9][0-9]{0,17}")


def frame(id: int, name: str, data: str) -> bytes:
    """Return one event; ``data`` is one line."""
    return f"id: {id}\nevent: {name}\ndata: {data}\n\n".encode()


def offset_of(last_event_id: str | None, after: str | None) -> int | None:
    """Return the number of the last event a reader has: 0 for none yet, None when what it says is no number.

    The header ``Last-Event-ID`` counts more than the query: a browser that reconnects repeats the query of its first
    request. An empty header is none, as a browser sends none for an empty id.
    """
    said = last_event_id or after
    if not said:
        return 0
    return int(said) if _NUMBER.fullmatch(said) else None
