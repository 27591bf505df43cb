"""The order law and its repair."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from actloop.messages import (
    INTERRUPTED,
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
    broken_rule,
    unique_call_ids,
    valid_history,
)

_IDS = st.sampled_from(["", "a", "b", "c"])
_MESSAGES: st.SearchStrategy[Message] = st.one_of(
    st.builds(SystemMessage, st.text(max_size=3)),
    st.builds(UserMessage, st.text(max_size=3)),
    st.builds(
        AssistantMessage,
        st.text(max_size=3),
        st.lists(st.builds(ToolCall, _IDS, st.just("t")), max_size=3).map(tuple),
    ),
    st.builds(ToolMessage, st.text(max_size=3), _IDS),
)


def test_a_valid_history_comes_back_with_the_same_messages() -> None:
    messages: list[Message] = [
        SystemMessage("s"),
        UserMessage("q"),
        AssistantMessage("", [ToolCall("a", "t"), ToolCall("b", "t")]),
        ToolMessage("1", "a"),
        ToolMessage("2", "b"),
        AssistantMessage("done"),
    ]
    assert all(kept is given for kept, given in zip(valid_history(messages), messages, strict=True))


def test_a_missing_result_is_filled_in_as_interrupted() -> None:
    call = AssistantMessage("", [ToolCall("a", "t"), ToolCall("b", "t")])
    repaired = valid_history([UserMessage("q"), call, ToolMessage("1", "a"), UserMessage("hello?")])
    assert repaired == [
        UserMessage("q"),
        call,
        ToolMessage("1", "a"),
        ToolMessage(INTERRUPTED, "b", "t", is_error=True),
        UserMessage("hello?"),
    ]


def test_a_result_that_came_late_moves_up_to_its_call() -> None:
    call = AssistantMessage("", [ToolCall("a", "t")])
    assert valid_history([call, UserMessage("hurry"), ToolMessage("1", "a")]) == [
        call,
        ToolMessage("1", "a"),
        UserMessage("hurry"),
    ]


def test_results_without_a_call_and_second_results_are_dropped() -> None:
    call = AssistantMessage("", [ToolCall("a", "t")])
    messages: list[Message] = [ToolMessage("x", "gone"), call, ToolMessage("1", "a"), ToolMessage("2", "a")]
    assert valid_history(messages) == [call, ToolMessage("1", "a")]


def test_system_messages_move_to_the_front() -> None:
    assert valid_history([UserMessage("q"), SystemMessage("s")]) == [SystemMessage("s"), UserMessage("q")]


def test_doubled_ids_get_their_results_in_order() -> None:
    call = AssistantMessage("", [ToolCall("a", "t"), ToolCall("a", "u")])
    repaired = valid_history([call, ToolMessage("1", "a"), ToolMessage("2", "a")])
    assert [m.content for m in repaired[1:]] == ["1", "2"]
    assert broken_rule(repaired) is None


@given(st.lists(_MESSAGES, max_size=8))
def test_any_history_can_be_repaired_and_repairing_twice_changes_nothing(messages: list[Message]) -> None:
    before = list(messages)
    repaired = valid_history(messages)
    assert broken_rule(repaired) is None
    assert valid_history(repaired) == repaired
    assert messages == before
    said = [m for m in messages if m.role == "user"]
    assert [m for m in repaired if m.role == "user"] == said


@given(st.lists(st.builds(ToolCall, _IDS, st.just("t")), max_size=6))
def test_call_ids_become_unique_and_stay_when_they_were(calls: list[ToolCall]) -> None:
    ids = [call.id for call in unique_call_ids(calls)]
    assert len(set(ids)) == len(ids)
    assert all(ids)
    assert unique_call_ids(unique_call_ids(calls)) == unique_call_ids(calls)


def test_a_result_belongs_to_the_latest_call_of_its_id_and_never_to_an_earlier_one() -> None:
    asking = AssistantMessage("", (ToolCall("call_1", "look"),))
    result = ToolMessage("29", "call_1", "look")
    repaired = valid_history([UserMessage("q"), asking, asking, result])
    assert [message.content for message in repaired if isinstance(message, ToolMessage)] == [INTERRUPTED, "29"]
