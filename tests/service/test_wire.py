"""What events look like outside of Python, each kind once, and that hostile text cannot break a line."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actloop.agent.events import (
    AgentEvent,
    AnswerDelta,
    AnswerFinished,
    AnswerReady,
    AnswerRestarted,
    AnswerStarted,
    ContextCompacted,
    ErrorOccurred,
    InterruptChanged,
    PhaseStarted,
    RunFinished,
    ThinkingFinished,
    ThinkingStarted,
    ToolCallFinished,
    ToolCallStarted,
)
from actloop.messages import Usage, clean_text
from actloop.service.wire import encode_line, wire_event
from actloop.tools import Artifact

WIRE_FORM: list[tuple[AgentEvent, str, dict[str, Any]]] = [
    (PhaseStarted("selecting_tools", total_tools=20), "phase", {"phase": "selecting_tools", "total_tools": 20}),
    (
        PhaseStarted("demoted", reason="the provider refuses `tools`"),
        "phase",
        {"phase": "demoted", "reason": "the provider refuses `tools`"},
    ),
    (PhaseStarted("planning"), "phase", {"phase": "planning"}),
    (ThinkingStarted(1), "step", {"type": "thinking", "status": "start", "iteration": 1}),
    (
        ThinkingFinished(1, "look it up"),
        "step",
        {"type": "thinking", "status": "done", "iteration": 1, "reasoning": "look it up"},
    ),
    (
        ToolCallStarted(2, "call_1", "read_file", {"path": "a.txt", "limit": 3}),
        "step",
        {
            "type": "iteration",
            "status": "start",
            "iteration": 2,
            "call_id": "call_1",
            "tool_name": "read_file",
            "tool_args": {"path": "a.txt", "limit": 3},
        },
    ),
    (
        ToolCallFinished(2, "call_1", "chart", "made", None, 0.51239, (Artifact("é.html", "text/html", "<b>é</b>"),)),
        "step",
        {
            "type": "iteration",
            "status": "done",
            "iteration": 2,
            "call_id": "call_1",
            "tool_name": "chart",
            "observation": "made",
            "error": None,
            "iter_elapsed": 0.512,
            "artifacts": [{"name": "é.html", "media_type": "text/html", "size": 9}],
        },
    ),
    (
        ToolCallFinished(3, "call_2", "read_file", "no such file", "no such file", 0.0),
        "step",
        {
            "type": "iteration",
            "status": "done",
            "iteration": 3,
            "call_id": "call_2",
            "tool_name": "read_file",
            "observation": "no such file",
            "error": "no such file",
            "iter_elapsed": 0.0,
            "artifacts": [],
        },
    ),
    (AnswerReady(), "step", {"type": "answer", "status": "start"}),
    (AnswerStarted(), "answer", {"status": "start"}),
    (AnswerDelta("four"), "answer", {"status": "delta", "content": "four"}),
    (AnswerRestarted(2), "answer", {"status": "restart", "attempt": 2}),
    (AnswerFinished(), "answer", {"status": "done"}),
    (ContextCompacted(40, 12), "compact", {"original_messages": 40, "kept_messages": 12}),
    (
        InterruptChanged("i1", "in euros", "queued"),
        "inject",
        {"type": "inject", "id": "i1", "content": "in euros", "status": "queued", "iteration": None},
    ),
    (ErrorOccurred("rate limited", recoverable=True), "error", {"message": "rate limited", "recoverable": True}),
    (
        RunFinished(
            "four", 2, Usage(prompt_tokens=31, completion_tokens=7, calls=3, unreported=1), 1.25, "answer", 0.5
        ),
        "done",
        {
            "answer": "four",
            "iterations": 2,
            "usage": {
                "prompt_tokens": 31,
                "completion_tokens": 7,
                "cached_tokens": None,
                "reasoning_tokens": None,
                "calls": 3,
                "unreported": 1,
            },
            "elapsed": 1.25,
            "cost": 0.5,
            "stop_reason": "answer",
        },
    ),
]


WIRE_IDS = [f"{number}-{type(event).__name__}" for number, (event, _, _) in enumerate(WIRE_FORM)]


@pytest.mark.parametrize(("event", "name", "data"), WIRE_FORM, ids=WIRE_IDS)
def test_an_event_has_its_name_and_data_on_the_wire(event: AgentEvent, name: str, data: dict[str, Any]) -> None:
    assert wire_event(event) == (name, data)
    assert json.loads(encode_line(event)) == {"event": name, "data": data}


def test_every_kind_of_event_is_shown_above() -> None:
    assert {type(event) for event, _, _ in WIRE_FORM} == set(get_args(AgentEvent))


def test_what_json_cannot_say_becomes_null_or_text() -> None:
    nested: list[Any] = []
    for _ in range(5000):
        nested = [nested]
    arguments = {
        "nan": float("nan"),
        "inf": [float("-inf")],
        "set": {1},
        "bad": "\udc97",
        "big": 1 << 20_000,
        "deep": nested,
    }
    data = json.loads(encode_line(ToolCallStarted(1, "c", "t", arguments)))["data"]["tool_args"]
    assert (data["nan"], data["inf"], data["set"], data["bad"]) == (None, [None], "{1}", "\ufffd")
    assert data["big"].startswith("0x1000")


@given(
    st.text(st.characters(codec=None))
    | st.sampled_from(["a\u2028b\u2029c\u0085d\x0be\x1cf\r\ng", "\ud83d\ude00", "\udc97"])
)
def test_any_text_makes_one_line_of_utf8(text: str) -> None:
    line = encode_line(ToolCallFinished(1, text, text, text, text, 0.1, (Artifact(text, text, text),)))
    assert line.splitlines() == [line]
    assert json.loads(line.encode())["data"]["observation"] == clean_text(text)
