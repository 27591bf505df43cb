"""Models that do not do what they advertise go on in JSON mode."""

from __future__ import annotations

import pytest

from actloop.agent import PhaseStarted, ReActAgent, RepeatRule
from actloop.errors import LLMError, UnsupportedParameter
from actloop.llm import observed
from actloop.messages import AssistantMessage, ToolMessage, broken_rule
from actloop.testing import EventRecorder, ScriptedLLM
from actloop.tools import tool
from tests.agent.helpers import action, answer, call

_ABLE = {"tool_call": True, "json_mode": True, "json_schema": True}


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


_LEAK = '<tool_call>\n{"name": "add", "arguments": {"a": 1, "b": 2}}\n</tool_call>'


@pytest.mark.asyncio
async def test_a_leaked_call_runs_and_the_run_goes_on_in_json_mode() -> None:
    recorder = EventRecorder()
    llm = ScriptedLLM([_LEAK, answer("3")], abilities=_ABLE)
    result = await ReActAgent(llm, [add]).run("1 + 2?", on_event=recorder)
    assert result.answer == "3"
    assert result.steps[0].observation == "3"
    assert recorder.of(PhaseStarted)[0].phase == "demoted"
    first, second = llm.requests
    assert first.tools
    assert second.tools is None
    assert (second.response_format or {})["type"] == "json_schema"
    assert [message.role for message in second.messages] == ["system", "user", "assistant", "user"]


@pytest.mark.asyncio
async def test_the_stored_history_stays_native_after_a_leak() -> None:
    llm = ScriptedLLM([_LEAK, answer("3")], abilities=_ABLE)
    result = await ReActAgent(llm, [add]).run("q")
    assistant, observation = result.messages[2:4]
    assert isinstance(assistant, AssistantMessage)
    assert assistant.tool_calls[0].name == "add"
    assert isinstance(observation, ToolMessage)
    assert broken_rule(result.messages) is None


@pytest.mark.asyncio
async def test_after_leaks_in_two_runs_the_model_stays_in_json_mode() -> None:
    llm = ScriptedLLM([_LEAK, answer("3"), _LEAK, answer("3"), answer("hi")], abilities=_ABLE)
    agent = ReActAgent(llm, [add])
    for _ in range(2):
        assert agent._native_mode_active
        await agent.run("q")
    assert not agent._native_mode_active
    await agent.run("q")
    assert llm.requests[-1].tools is None
    observed(llm).reset()
    assert agent._native_mode_active


@pytest.mark.asyncio
async def test_a_provider_that_refuses_tools_is_never_offered_them_again() -> None:
    recorder = EventRecorder()
    refused = UnsupportedParameter("this model does not support tools", parameter="tools", status=400)
    llm = ScriptedLLM([refused, action("add", a=1, b=2), answer("3"), answer("hi")], abilities=_ABLE)
    agent = ReActAgent(llm, [add])
    result = await agent.run("q", on_event=recorder)
    assert (result.answer, result.iterations) == ("3", 2)
    assert [event.phase for event in recorder.of(PhaseStarted)] == ["demoted"]
    assert not agent._native_mode_active
    await agent.run("q")
    assert [bool(request.tools) for request in llm.requests] == [True, False, False, False]


@pytest.mark.asyncio
async def test_a_refused_response_format_is_loosened_step_by_step() -> None:
    refused = UnsupportedParameter("no response_format here", parameter="response_format", status=400)
    llm = ScriptedLLM([refused, refused, answer("3")], abilities={"json_mode": True, "json_schema": True})
    result = await ReActAgent(llm, [add]).run("q")
    assert result.answer == "3"
    formats = [(request.response_format or {}).get("type") for request in llm.requests]
    assert formats == ["json_schema", "json_object", None]


@pytest.mark.asyncio
async def test_any_other_refusal_ends_the_run_with_its_message() -> None:
    refused = UnsupportedParameter("unknown field", parameter="seed", status=400)
    result = await ReActAgent(ScriptedLLM([refused]), [add]).run("q")
    assert (result.stop_reason, result.error) == ("error", "unknown field")


@pytest.mark.asyncio
async def test_json_mode_can_be_asked_for_and_is_taken_without_native_calls() -> None:
    llm = ScriptedLLM([answer("hi"), answer("hi")], abilities=_ABLE)
    assert not ReActAgent(llm, [add], use_native_tools=False)._native_mode_active
    text_only = ScriptedLLM([LLMError("unused")], abilities={})
    assert not ReActAgent(text_only, [add])._native_mode_active


@pytest.mark.asyncio
async def test_a_call_written_as_text_where_no_tools_were_offered_is_no_reason_to_demote() -> None:
    @tool
    def look() -> str:
        """Always the same."""
        return "nothing new"

    leak = '<tool_call>\n{"name": "look", "arguments": {}}\n</tool_call>'
    llm = ScriptedLLM([call("look")] * 3 + [leak, "nothing"], abilities=_ABLE)
    assert (await ReActAgent(llm, [look], rules=[RepeatRule]).run("q")).answer == "nothing"
    assert [bool(request.tools) for request in llm.requests] == [True, True, True, False, True]
    assert observed(llm).leaked_runs == 0
