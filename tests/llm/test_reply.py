"""Replies of models that somebody else wrote."""

from __future__ import annotations

from typing import Any

import pytest

from actloop.errors import LLMError
from actloop.llm import Reply, sound_reply
from actloop.messages import AssistantMessage, ToolCall, Usage


def test_a_sound_reply_comes_back_as_it_is() -> None:
    reply = Reply(AssistantMessage("", (ToolCall("a", "add"), ToolCall("b", "add"))))
    assert sound_reply(reply) is reply


def test_empty_and_doubled_call_ids_are_replaced() -> None:
    calls = (ToolCall("a", "add"), ToolCall("a", "add"), ToolCall("", "add"))
    ids = [call.id for call in sound_reply(Reply(AssistantMessage("", calls))).message.tool_calls]
    assert ids[0] == "a"
    assert len(set(ids)) == 3
    assert all(ids)


@pytest.mark.parametrize(
    ("returned", "told"),
    [
        (None, "returned None"),
        ("hello", "returned a str"),
        (AssistantMessage("hello"), "returned a AssistantMessage"),
        (Reply("hello"), "returned a Reply"),  # type: ignore[arg-type]
        (Reply(AssistantMessage(None)), "None in their place"),  # type: ignore[arg-type]
        (Reply(AssistantMessage("x"), usage={}), "a dict in their place"),  # type: ignore[arg-type]
        (Reply(AssistantMessage("", ({"name": "add"},))), "ToolCalls"),  # type: ignore[arg-type]
        (Reply(AssistantMessage("", (ToolCall("a", None),))), "ToolCalls"),  # type: ignore[arg-type]
    ],
)
def test_anything_else_is_an_error_that_says_what_came(returned: Any, told: str) -> None:
    with pytest.raises(LLMError, match=told):
        sound_reply(returned)


def test_usage_is_what_counts_and_not_its_figures() -> None:
    assert sound_reply(Reply(AssistantMessage("x"), Usage())).usage == Usage()
