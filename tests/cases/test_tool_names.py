"""A name is cleaned but never guessed, and every provider takes the names we send."""

from __future__ import annotations

import re

import pytest

from actloop.agent import ReActAgent
from actloop.llm import provider_tool_names
from actloop.messages import AssistantMessage, ToolCall, ToolMessage
from actloop.testing import ScriptedLLM
from tests.cases.keeping import keeps


@keeps("C056", "the error result names the available tools", "no tool ran")
@pytest.mark.parametrize("name", ["delete_events", "list_event", "remove_event"])
@pytest.mark.asyncio
async def test_a_name_that_is_nearly_right_runs_nothing(name: str) -> None:
    ran: list[str] = []

    def delete_event() -> None:
        ran.append("delete_event")

    def list_events() -> None:
        ran.append("list_events")

    llm = ScriptedLLM([AssistantMessage(tool_calls=(ToolCall("c1", name),)), "sorry"])
    result = await ReActAgent(llm, [delete_event, list_events]).run("go")

    told = next(message for message in result.messages if isinstance(message, ToolMessage))
    assert told.is_error
    assert "delete_event" in told.content
    assert "list_events" in told.content
    assert ran == []


@keeps(
    "C057",
    "every name matches ^[a-zA-Z0-9_-]{1,64}$",
    "all names are distinct",
    "the same names come out when the list is reversed",
    "each name maps back to its server and tool",
)
def test_names_for_providers_are_short_distinct_and_stable() -> None:
    server = "customer-relations onprem.production-eu-central"
    pairs = [
        (server, "list_open_opportunities_by_account_owner"),
        (server, "list_open_opportunities_by_account_region"),
        ("a", "list"),
    ]
    names = provider_tool_names(pairs)

    assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name) for name in names.values())
    assert len(set(names.values())) == 3
    assert provider_tool_names(pairs[::-1]) == names
    assert {name: pair for pair, name in names.items()} == dict(zip(map(names.__getitem__, pairs), pairs, strict=True))
