"""What the conversation keeps of a run that was killed, from the events it had stored."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from actloop.messages import AssistantMessage, ToolCall, ToolMessage, UserMessage, broken_rule
from actloop.messages.history import INTERRUPTED
from actloop.service.runs.ending import Trace
from actloop.service.store.events import StoredEvent
from actloop.service.wire_json import encode_data


def trace_of(*events: tuple[str, dict[str, Any]]) -> Trace:
    trace = Trace("find it")
    trace.see(StoredEvent(number, name, encode_data(data)) for number, (name, data) in enumerate(events, start=1))
    return trace


def call(id: str, status: str, iteration: int = 1) -> tuple[str, dict[str, Any]]:
    data = {"type": "iteration", "status": status, "iteration": iteration, "call_id": id, "tool_name": "look"}
    end = {"observation": f"seen by {id}", "error": None}
    return "step", {**data, **({"tool_args": {"at": id}} if status == "start" else end)}


def said(id: str, content: str, status: str, iteration: int | None = None) -> tuple[str, dict[str, Any]]:
    return "inject", {"type": "inject", "id": id, "content": content, "status": status, "iteration": iteration}


def test_calls_keep_their_results_and_the_one_at_work_is_marked() -> None:
    trace = trace_of(call("a", "start"), call("b", "start"), call("a", "done"))
    assert trace.messages() == [
        UserMessage("find it"),
        AssistantMessage("", (ToolCall("a", "look", {"at": "a"}), ToolCall("b", "look", {"at": "b"}))),
        ToolMessage("seen by a", "a", "look"),
        ToolMessage(INTERRUPTED, "b", "look", is_error=True),
    ]


def test_an_id_that_a_model_gives_again_in_another_turn_is_another_call() -> None:
    trace = trace_of(call("a", "start", 1), call("a", "done", 1), call("a", "start", 2))
    assert [message.content for message in trace.messages() if isinstance(message, ToolMessage)] == [
        "seen by a",
        INTERRUPTED,
    ]


def test_what_a_person_said_is_kept_where_it_was_read_or_else_for_the_next_run() -> None:
    trace = trace_of(
        said("1", "in red", "queued"),
        said("2", "hurry", "queued"),
        said("3", "forget it", "queued"),
        said("3", "forget it", "returned"),
        call("a", "start"),
        call("a", "done"),
        said("1", "in red", "delivered", 1),
    )
    assert trace.messages()[-1] == UserMessage("in red")
    assert trace.undelivered() == [UserMessage("hurry")]


def test_the_text_after_the_last_restart_is_the_answer_so_far() -> None:
    trace = trace_of(
        ("answer", {"status": "delta", "content": "wrong"}),
        ("answer", {"status": "restart", "attempt": 2}),
        ("answer", {"status": "delta", "content": "ri"}),
        ("answer", {"status": "delta", "content": "ght"}),
    )
    assert trace.messages() == [UserMessage("find it"), AssistantMessage("right")]


_STATUSES = st.sampled_from(["queued", "delivered"])


@given(
    st.lists(
        st.one_of(
            st.builds(call, st.sampled_from("abc"), st.sampled_from(["start", "done"]), st.integers(1, 3)),
            st.builds(said, st.sampled_from("12"), st.text(), _STATUSES, st.integers(1, 3)),
        )
    )
)
def test_whatever_was_stored_the_history_is_valid(events: list[tuple[str, dict[str, Any]]]) -> None:
    assert broken_rule(trace_of(*events).messages()) is None
