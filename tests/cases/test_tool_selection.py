"""What the cases state about tool selection."""

from __future__ import annotations

import json

import pytest

from actloop import AgentSettings, ReActAgent, tool
from actloop.messages import AssistantMessage, ToolCall
from actloop.testing import ScriptedLLM
from tests.cases.keeping import keeps


@keeps("C101", "the order is stable, so that the request prefix can be cached")
@pytest.mark.parametrize("picked", [["t05", "t03"], ["t03", "t05"]])
@pytest.mark.asyncio
async def test_the_order_of_the_tools_is_that_of_the_registry_whatever_the_model_says(picked: list[str]) -> None:
    tools = [tool(lambda: "ok", name=f"t{number:02}", description="A tool.") for number in range(20)]
    llm = ScriptedLLM([AssistantMessage("", [ToolCall("c", "select_tools", {"tools": picked})]), "Done."])
    await ReActAgent(llm, tools, pinned_tools=["t01"]).run("go")

    assert [spec.name for spec in llm.requests[1].tools or ()] == ["t01", "t03", "t05", "request_tools"]


@keeps("C101", "the selection call is counted in the usage")
@pytest.mark.parametrize("reply", [json.dumps({"tools": ["t03"]}), "no idea"])
@pytest.mark.asyncio
async def test_the_selection_is_counted_also_when_it_fails(reply: str) -> None:
    tools = [tool(lambda: "ok", name=f"t{number:02}", description="A tool.") for number in range(20)]
    selection_calls = 1 if reply.startswith("{") else 2
    final = json.dumps({"type": "final_answer", "reasoning": "r", "answer": "Done."})
    llm = ScriptedLLM([*[reply] * selection_calls, final], abilities={})
    result = await ReActAgent(llm, tools, settings=AgentSettings()).run("go")

    assert result.answer == "Done."
    assert result.usage.calls == len(llm.requests) == selection_calls + 1
    spent = [sum(len(str(message.content)) // 4 + 4 for message in request.messages) for request in llm.requests]
    assert result.usage.prompt_tokens == sum(spent)
