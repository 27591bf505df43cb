"""Jobs about server-sent events: how ours are written, and how anybody's are read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from actloop.llm.adapters.sse import SseDecoder
from actloop.service.sse import frame
from actloop.service.wire_json import clean_object, encode_data
from tests.cases.outcome import Outcome

__all__ = ["sse_decode", "sse_roundtrip"]


def sse_roundtrip(given: Mapping[str, Any]) -> Outcome:
    """Write an event as the service does, and read it."""
    event = given["event"]
    sent = frame(1, event["event"], encode_data(clean_object(event["data"])))
    read = SseDecoder().feed(sent)
    return Outcome({"decoded": [{"event": item.name, "data": json.loads(item.data)} for item in read]})


def sse_decode(given: Mapping[str, Any]) -> Outcome:
    """Read a stream; what is unfinished at its end is no event."""
    events = SseDecoder().feed(given["text"].encode())
    return Outcome({"events": [{"event": event.name, "data": event.data, "id": event.id} for event in events]})
