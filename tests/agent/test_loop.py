"""The loop, told as stories: what the model says, what the tools do, and how it ends."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from actloop.agent import (
    AgentSettings,
    InterruptChanged,
    InterruptQueue,
    Limits,
    ReActAgent,
    ThinkingFinished,
    ToolCallFinished,
)
from actloop.errors import LLMError, ToolError
from actloop.llm import Reply
from actloop.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
    broken_rule,
)
from actloop.testing import EventRecorder, ScriptedLLM, ScriptedReply, ScriptedRequest
from actloop.tools import tool
from tests.agent.helpers import TEXT_ONLY, action, answer, call, calls


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@tool
def fail(reason: str = "no such id") -> str:
    """Always fails."""
    raise ToolError(reason)


@pytest.mark.asyncio
async def test_native_mode_runs_the_tools_and_takes_the_text_as_the_answer() -> None:
    llm = ScriptedLLM([calls(("add", {"a": 1, "b": 2}), ("add", {"a": 3, "b": 4})), "3 and 7"])
    result = await ReActAgent(llm, [add]).run("Add twice")
    assert result.answer == "3 and 7"
    assert result.stop_reason == "answer"
    assert [step.observation for step in result.steps] == ["3", "7"]
    assert [message.role for message in result.messages] == ["system", "user", "assistant", "tool", "tool", "assistant"]
    assert [spec.name for spec in llm.requests[0].tools or ()] == ["add"]


@pytest.mark.asyncio
async def test_json_mode_describes_the_tools_in_the_system_prompt_and_observes_as_user() -> None:
    llm = ScriptedLLM([action("add", a=1, b=2), answer("It is 3.")], abilities=TEXT_ONLY)
    result = await ReActAgent(llm, [add]).run("1 + 2?")
    assert result.answer == "It is 3."
    assert [message.role for message in result.messages] == ["system", "user", "assistant", "user", "assistant"]
    assert result.messages[3].content == "Result of add:\n3"
    system = llm.requests[0].messages[0]
    assert isinstance(system, SystemMessage)
    assert "add" in system.content
    assert llm.requests[0].tools is None


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("abilities", "kind"),
    [({"json_schema": True, "json_mode": True}, "json_schema"), ({"json_mode": True}, "json_object"), ({}, None)],
)
async def test_json_mode_constrains_the_output_as_far_as_the_model_can(
    abilities: dict[str, bool], kind: str | None
) -> None:
    llm = ScriptedLLM([answer("ok")], abilities=abilities)
    await ReActAgent(llm, [add]).run("q")
    response_format = llm.requests[0].response_format
    assert (response_format or {}).get("type") == kind


@pytest.mark.asyncio
@pytest.mark.parametrize("abilities", [{"tool_call": True}, {}])
async def test_a_failing_tool_is_an_observation_and_the_run_goes_on(abilities: dict[str, bool]) -> None:
    native = bool(abilities)
    turns: list[ScriptedReply] = [call("fail"), "sorry"] if native else [action("fail"), answer("sorry")]
    result = await ReActAgent(ScriptedLLM(turns, abilities=abilities), [fail]).run("q")
    assert result.answer == "sorry"
    assert result.steps[0].error == "no such id"


@pytest.mark.asyncio
async def test_an_unreadable_json_turn_is_asked_for_again() -> None:
    llm = ScriptedLLM(["I think it is three", answer("3")], abilities=TEXT_ONLY)
    result = await ReActAgent(llm, [add]).run("1 + 2?")
    assert result.answer == "3"
    assert [message.role for message in llm.requests[1].messages] == ["system", "user", "assistant", "user"]
    assert llm.requests[1].messages[2].content == "I think it is three"
    assert result.iterations == 2


@pytest.mark.asyncio
async def test_a_second_unreadable_json_turn_is_the_answer() -> None:
    llm = ScriptedLLM(["I think it is three", "It really is three"], abilities=TEXT_ONLY)
    result = await ReActAgent(llm, [add]).run("1 + 2?")
    assert (result.answer, result.stop_reason) == ("It really is three", "answer")


@pytest.mark.asyncio
@pytest.mark.parametrize("abilities", [{"tool_call": True}, {}])
async def test_a_model_that_says_nothing_ends_the_run_with_an_error(abilities: dict[str, bool]) -> None:
    result = await ReActAgent(ScriptedLLM(["", " ", ""], abilities=abilities), [add]).run("q")
    assert result.stop_reason == "error"
    assert "empty reply" in str(result.error)
    assert broken_rule(result.messages) is None
    assert result.messages[-1].role == "assistant"


@pytest.mark.asyncio
async def test_a_model_that_cannot_be_reached_ends_the_run_with_what_was_found() -> None:
    llm = ScriptedLLM([call("add", a=1, b=2), LLMError("connection refused")])
    result = await ReActAgent(llm, [add]).run("q")
    assert (result.stop_reason, result.error) == ("error", "connection refused")
    assert "add succeeded: 3" in result.answer


@pytest.mark.asyncio
async def test_a_stranger_exception_of_somebody_elses_model_ends_the_run_too() -> None:
    result = await ReActAgent(ScriptedLLM([RuntimeError("boom")]), [add]).run("q")
    assert result.stop_reason == "error"
    assert "RuntimeError: boom" in str(result.error)


@pytest.mark.asyncio
@pytest.mark.parametrize("abilities", [{"tool_call": True}, {}])
async def test_past_the_last_iteration_the_model_gives_its_best_answer_without_tools(
    abilities: dict[str, bool],
) -> None:
    numbers = iter(range(100))

    def script(messages: Sequence[Message], request: ScriptedRequest) -> AssistantMessage | str:
        if "Stop here" in str(messages[-1].content) or "Stop here" in str(messages[-2].content):
            assert not request.tools
            return "best guess: 42" if abilities else answer("best guess: 42")
        number = next(numbers)
        return call("add", a=number, b=1) if abilities else action("add", a=number, b=1)

    agent = ReActAgent(ScriptedLLM(script, abilities=abilities), [add], max_iterations=3, rules=())
    result = await agent.run("q")
    assert (result.answer, result.stop_reason, result.iterations) == ("best guess: 42", "max_iterations", 3)
    assert len(result.steps) == 3
    assert broken_rule(result.messages) is None


@pytest.mark.asyncio
async def test_when_even_the_last_request_fails_the_steps_are_summed_up() -> None:
    llm = ScriptedLLM([call("add", a=1, b=2), LLMError("gone")])
    result = await ReActAgent(llm, [add], max_iterations=1).run("q")
    assert result.stop_reason == "max_iterations"
    assert "add succeeded: 3" in result.answer


@pytest.mark.asyncio
async def test_the_call_limit_bounds_a_single_turn_too() -> None:
    llm = ScriptedLLM([calls(*[("add", {"a": n, "b": 0}) for n in range(5)]), "done"])
    result = await ReActAgent(llm, [add], limits=Limits(max_calls=2)).run("q")
    assert [step.error is None for step in result.steps] == [True, True, False, False, False]
    assert (result.stop_reason, result.answer) == ("max_calls", "done")


@pytest.mark.asyncio
async def test_two_hundred_calls_in_one_turn_are_bounded_and_each_is_answered() -> None:
    llm = ScriptedLLM([calls(*[("add", {"a": n, "b": 0}) for n in range(200)]), "done"])
    result = await ReActAgent(llm, [add], settings=AgentSettings(max_calls_per_turn=10)).run("q")
    assert result.answer == "done"
    assert sum(step.error is None for step in result.steps) == 10
    assert len(result.steps) == 200
    assert broken_rule(result.messages) is None


@pytest.mark.asyncio
async def test_the_token_limit_leaves_room_for_an_answer() -> None:
    llm = ScriptedLLM(lambda messages: call("add", a=len(messages), b=1))
    result = await ReActAgent(llm, [add], limits=Limits(max_tokens=2_000), rules=()).run("q")
    assert result.stop_reason == "max_tokens"
    assert (result.usage.total_tokens or 0) <= 2_000


@pytest.mark.asyncio
async def test_the_time_limit_stops_a_slow_tool_and_still_answers() -> None:
    @tool
    async def slow() -> str:
        await asyncio.sleep(30)
        return "late"

    llm = ScriptedLLM([call("slow"), "out of time"])
    result = await ReActAgent(llm, [slow], limits=Limits(max_time=0.25)).run("q")
    assert (result.stop_reason, result.answer) == ("max_time", "out of time")
    assert "did not finish" in result.steps[0].observation
    assert result.elapsed < 5


@pytest.mark.asyncio
async def test_the_time_limit_stops_a_slow_model_too() -> None:
    async def script(messages: Sequence[Message]) -> str:
        if "Stop here" in str(messages[-1].content):
            return "this much"
        await asyncio.sleep(30)
        return "late"

    result = await ReActAgent(ScriptedLLM(script), [add], limits=Limits(max_time=0.25)).run("q")
    assert (result.stop_reason, result.answer) == ("max_time", "this much")


@pytest.mark.asyncio
async def test_calls_that_were_cut_off_never_run_and_end_the_run_after_three_turns() -> None:
    from actloop.llm import Reply

    ran: list[str] = []

    @tool
    def write(text: str) -> str:
        ran.append(text)
        return "ok"

    cut = Reply(AssistantMessage("", [ToolCall("c1", "write", {"text": "hel"})]), finish_reason="length")
    result = await ReActAgent(ScriptedLLM([cut, cut, cut, cut]), [write]).run("q")
    assert ran == []
    assert result.stop_reason == "error"
    assert result.iterations == 3
    results = [message for message in result.messages if isinstance(message, ToolMessage)]
    assert all("cut off" in message.content for message in results)


@pytest.mark.asyncio
async def test_an_interrupt_in_native_mode_waits_for_the_results_of_the_calls() -> None:
    queue = InterruptQueue()

    @tool
    def look() -> str:
        queue.put("use euros")
        queue.put("and be short")
        return "seen"

    recorder = EventRecorder()
    llm = ScriptedLLM([calls(("look", {}), ("add", {"a": 1, "b": 1})), "done"])
    await ReActAgent(llm, [look, add], interrupt_queue=queue).run("q", on_event=recorder)
    *_, assistant, first, second, user = llm.requests[1].messages
    assert [assistant.role, first.role, second.role, user.role] == ["assistant", "tool", "tool", "user"]
    assert user == UserMessage("[USER INTERRUPT]\nuse euros\n\nand be short", pinned=True)
    told = ["queued", "queued", "delivered", "delivered", "answered", "answered"]
    assert [event.status for event in recorder.of(InterruptChanged)] == told


@pytest.mark.asyncio
@pytest.mark.parametrize("abilities", [{"tool_call": True}, {}])
async def test_an_answer_is_withheld_when_a_message_arrived_meanwhile(abilities: dict[str, bool]) -> None:
    queue = InterruptQueue()

    def script(messages: Sequence[Message]) -> str:
        if len(messages) == 2:
            queue.put("in euros please")
            text = "10 dollars"
        else:
            assert messages[-1] == UserMessage("[USER INTERRUPT]\nin euros please", pinned=True)
            text = "9 euros"
        return text if abilities else answer(text)

    agent = ReActAgent(ScriptedLLM(script, abilities=abilities), [add], interrupt_queue=queue)
    assert (await agent.run("price?")).answer == "9 euros"


@pytest.mark.asyncio
async def test_json_mode_takes_the_answer_branch_away_after_an_error_at_most_twice() -> None:
    turns = [action("fail"), action("fail", reason="x"), action("fail", reason="y"), answer("no luck")]
    llm = ScriptedLLM(turns, abilities={"tool_call": True, "json_schema": True})
    await ReActAgent(llm, [fail], rules=(), use_native_tools=False).run("q")
    allowed = ["final_answer" in str(request.response_format) for request in llm.requests]
    assert allowed == [True, False, False, True]


@pytest.mark.asyncio
async def test_json_mode_trims_unknown_arguments_and_coerces_values() -> None:
    llm = ScriptedLLM([action("add", a="1", b=2, unit="cm"), answer("3")], abilities=TEXT_ONLY)
    result = await ReActAgent(llm, [add]).run("q")
    assert result.steps[0].observation == "3"


@pytest.mark.asyncio
async def test_events_tell_thoughts_before_their_tools_and_results_after() -> None:
    recorder = EventRecorder()
    llm = ScriptedLLM([AssistantMessage("Let me add.", [ToolCall("c1", "add", {"a": 1, "b": 2})]), "3"])
    await ReActAgent(llm, [add]).run("q", on_event=recorder)
    assert recorder.kinds == [
        "ThinkingStarted",
        "ThinkingFinished",
        "ToolCallStarted",
        "ToolCallFinished",
        "ThinkingStarted",
        "ThinkingFinished",
        "AnswerReady",
        "RunFinished",
    ]
    assert recorder.of(ThinkingFinished)[0].reasoning == "Let me add."
    assert recorder.of(ToolCallFinished)[0].observation == "3"


@pytest.mark.asyncio
async def test_a_model_that_returns_something_else_than_a_reply_ends_the_run_and_says_what() -> None:
    class Careless(ScriptedLLM):
        async def chat(self, messages: Sequence[Message], **options: Any) -> Any:
            return None

    result = await ReActAgent(Careless([]), [add]).run("q")
    assert result.stop_reason == "error"
    assert "returned None" in str(result.error)


@pytest.mark.asyncio
async def test_calls_that_come_with_the_same_id_are_told_apart() -> None:
    message = AssistantMessage("", [ToolCall("a", "add", {"a": 1, "b": n}) for n in (1, 2)])
    recorder = EventRecorder()
    result = await ReActAgent(ScriptedLLM(lambda m: Reply(message) if len(m) == 2 else "ok"), [add]).run(
        "q", on_event=recorder
    )
    assert {event.call_id for event in recorder.of(ToolCallFinished)} == {"a", "a_2"}
    assert [step.observation for step in result.steps] == ["2", "3"]
    assert broken_rule(result.messages) is None


@pytest.mark.asyncio
async def test_a_native_call_with_unreadable_arguments_never_runs_in_json_mode_either() -> None:
    @tool
    def wipe(path: str = "/") -> str:
        raise AssertionError("it ran")

    cut = AssistantMessage("", [ToolCall("a", "wipe", {}, unreadable='{"path": "/tm')])
    llm = ScriptedLLM([cut, answer("sorry")], abilities=TEXT_ONLY)
    result = await ReActAgent(llm, [wipe]).run("q")
    assert "not a JSON object" in str(result.steps[0].error)
