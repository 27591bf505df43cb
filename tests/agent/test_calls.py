"""Tool calls side by side: order, failures, time-outs, cancellation."""

from __future__ import annotations

import asyncio
import contextvars
import re
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from actloop.agent import (
    AgentEvent,
    AgentSettings,
    Block,
    Hook,
    PostToolUse,
    PreToolUse,
    ReActAgent,
    ToolCallFinished,
    ToolCallStarted,
)
from actloop.context import ConversationMemory
from actloop.errors import ConfigError
from actloop.messages import INTERRUPTED, AssistantMessage, ToolCall, ToolMessage, UserMessage, broken_rule
from actloop.testing import EventRecorder, ScriptedLLM
from actloop.tools import Artifact, ToolResult, tool
from tests.agent.helpers import action, answer, call, calls


def observations(llm: ScriptedLLM, request: int = 1) -> list[str]:
    """What the tools' results said in a request."""
    return [message.content for message in llm.requests[request].messages if isinstance(message, ToolMessage)]


@pytest.mark.asyncio
async def test_results_stand_in_call_order_whatever_order_they_came_in() -> None:
    finished: list[str] = []

    @tool
    async def wait(name: str, turns: int) -> str:
        for _ in range(turns):
            await asyncio.sleep(0)
        finished.append(name)
        return name

    llm = ScriptedLLM([calls(("wait", {"name": "slow", "turns": 50}), ("wait", {"name": "quick", "turns": 0})), "ok"])
    await ReActAgent(llm, [wait]).run("q")
    assert finished == ["quick", "slow"]
    assert observations(llm) == ["slow", "quick"]


@pytest.mark.asyncio
async def test_an_unknown_tool_is_answered_with_the_names_there_are() -> None:
    ran: list[str] = []

    @tool
    def list_files() -> str:
        ran.append("list_files")
        return "[]"

    llm = ScriptedLLM([call("ls_files"), call("list_files"), "empty"])
    result = await ReActAgent(llm, [list_files]).run("q")
    assert observations(llm) == ["Error: There is no tool named 'ls_files'. Available tools: list_files."]
    assert (ran, result.answer) == (["list_files"], "empty")


@pytest.mark.asyncio
async def test_wrong_arguments_are_answered_with_the_field_that_does_not_fit() -> None:
    @tool
    def book(room: str, nights: int) -> str:
        return "booked"

    llm = ScriptedLLM([call("book", room="1", nights="many"), call("book", room="1"), "sorry"])
    await ReActAgent(llm, [book]).run("q")
    first, second = observations(llm, 2)
    assert "nights" in first
    assert "many" in first
    assert "nights" in second
    assert "required" in second


@pytest.mark.asyncio
async def test_unreadable_arguments_are_answered_and_never_run() -> None:
    @tool
    def book(room: str = "") -> str:
        raise AssertionError("it ran")

    llm = ScriptedLLM([ToolCallMessage('{"room": 012'), "sorry"])
    result = await ReActAgent(llm, [book]).run("q")
    assert "not a JSON object" in observations(llm)[0]
    assert broken_rule(result.messages) is None


def ToolCallMessage(raw: str) -> Any:  # noqa: N802 - reads like the message it makes
    from actloop.messages import AssistantMessage

    return AssistantMessage("", [ToolCall("c1", "book", {}, unreadable=raw)])


@pytest.mark.asyncio
async def test_a_hanging_tool_is_stopped_and_its_sibling_counts() -> None:
    @tool(timeout=0.05)
    async def hang() -> str:
        await asyncio.sleep(60)
        return "late"

    @tool
    def quick() -> str:
        return "here"

    llm = ScriptedLLM([calls(("hang", {}), ("quick", {})), "ok"])
    await ReActAgent(llm, [hang, quick]).run("q")
    assert observations(llm) == ["Error: The tool did not finish within 0.05 seconds and was stopped.", "here"]


@pytest.mark.asyncio
async def test_a_hanging_sync_tool_does_not_hold_up_the_run() -> None:
    @tool(timeout=0.05)
    def hang() -> str:
        time.sleep(1)
        return "late"

    llm = ScriptedLLM([call("hang"), "ok"])
    began = time.monotonic()
    result = await ReActAgent(llm, [hang]).run("q")
    assert result.answer == "ok"
    assert time.monotonic() - began < 0.9


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("value", "expected"),
    [(None, "no result"), (b"\x00\x01", "2 bytes"), (float("nan"), "NaN"), ({1, 2}, "1"), (object, "object")],
)
async def test_odd_results_become_text(value: Any, expected: str) -> None:
    @tool
    def odd() -> Any:
        return value

    llm = ScriptedLLM([call("odd"), "ok"])
    result = await ReActAgent(llm, [odd]).run("q")
    assert result.answer == "ok"
    assert isinstance(observations(llm)[0], str)
    assert observations(llm)[0]


@pytest.mark.asyncio
async def test_a_huge_result_is_cut_with_a_marker() -> None:
    @tool
    def huge() -> str:
        return "x" * 200_000

    llm = ScriptedLLM([call("huge"), "ok"])
    await ReActAgent(llm, [huge], settings=AgentSettings(max_observation_chars=1_000)).run("q")
    assert len(observations(llm)[0]) < 1_100
    assert "199000 characters left out" in observations(llm)[0]


@pytest.mark.asyncio
async def test_cancelling_a_run_stops_its_tools_before_the_caller_gets_control_back() -> None:
    ticks: list[int] = []
    stopped = asyncio.Event()
    started = asyncio.Event()

    @tool
    async def ticker() -> str:
        try:
            while True:
                ticks.append(1)
                started.set()
                await asyncio.sleep(0.001)
        finally:
            stopped.set()

    @tool
    def quick() -> str:
        return "here"

    memory = ConversationMemory()
    agent = ReActAgent(ScriptedLLM([calls(("quick", {}), ("ticker", {}))]), [ticker, quick], memory=memory)
    run = asyncio.create_task(agent.run("q"))
    await started.wait()
    await asyncio.sleep(0.05)
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert stopped.is_set()
    assert asyncio.all_tasks() == {asyncio.current_task()}
    assert broken_rule(memory.messages) is None
    assert [m.content for m in memory.messages if isinstance(m, ToolMessage)] == ["here", INTERRUPTED]


@pytest.mark.asyncio
async def test_calls_that_wait_for_their_turn_never_begin_when_the_run_is_cancelled() -> None:
    started = asyncio.Event()
    names: list[str] = []

    @tool
    async def wait(name: str) -> None:
        names.append(name)
        started.set()
        await asyncio.Event().wait()

    llm = ScriptedLLM([calls(*[("wait", {"name": name}) for name in "abcd"]), "never asked for"])
    agent = ReActAgent(llm, [wait], settings=AgentSettings(max_parallel_calls=1))
    run = asyncio.create_task(agent.run("q"))
    await started.wait()
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert names == ["a"]


@pytest.mark.asyncio
async def test_a_tool_that_swallows_cancellation_cannot_keep_the_run_alive() -> None:
    started = asyncio.Event()

    @tool
    async def stubborn() -> str:
        started.set()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            return "stopped"
        return "late"

    llm = ScriptedLLM([call("stubborn"), "never asked for"])
    run = asyncio.create_task(ReActAgent(llm, [stubborn]).run("q"))
    await started.wait()
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert len(llm.requests) == 1


@pytest.mark.asyncio
async def test_a_tool_that_cancels_itself_is_an_error_and_the_run_goes_on() -> None:
    @tool
    async def inner() -> str:
        raise asyncio.CancelledError

    llm = ScriptedLLM([call("inner"), "ok"])
    result = await ReActAgent(llm, [inner]).run("q")
    assert result.answer == "ok"
    assert observations(llm) == ["Error: The tool cancelled itself."]


@pytest.mark.asyncio
@pytest.mark.parametrize("side_by_side", [1, 3])
async def test_what_a_tool_does_to_its_task_and_context_stays_there(side_by_side: int) -> None:
    user: contextvars.ContextVar[str] = contextvars.ContextVar("user", default="nobody")

    @tool
    async def give_up() -> str:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await asyncio.sleep(0)
        return "never"

    @tool
    async def sign_in() -> str:
        before = user.get()
        user.set("ada")
        return before

    turns = [calls(*[(name, {})] * side_by_side) for name in ("give_up", "sign_in", "sign_in")]
    llm = ScriptedLLM([*turns, "ok"])
    result = await ReActAgent(llm, [give_up, sign_in], rules=()).run("q")
    assert result.answer == "ok"
    assert observations(llm, 1) == [INTERRUPTED] * side_by_side
    assert observations(llm, 3)[side_by_side:] == ["nobody"] * (2 * side_by_side)


@pytest.mark.asyncio
@pytest.mark.parametrize("hooked", [False, True])
async def test_sync_tools_run_in_threads_with_the_callers_context(hooked: bool) -> None:
    user: contextvars.ContextVar[str] = contextvars.ContextVar("user")
    user.set("ada")

    @tool
    def nap() -> str:
        time.sleep(0.3)
        return user.get()

    ticks = 0

    async def heartbeat() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.01)
            ticks += 1

    hooks: list[Hook] = [PreToolUse(lambda call: None), PostToolUse(lambda call, text: f"{text}!")] if hooked else []
    llm = ScriptedLLM([calls(("nap", {}), ("nap", {}), ("nap", {})), "ok"])
    beating = asyncio.create_task(heartbeat())
    began = time.monotonic()
    await ReActAgent(llm, [nap], hooks=hooks, rules=()).run("q")
    elapsed = time.monotonic() - began
    beating.cancel()
    assert elapsed < 0.8
    assert ticks >= 5
    assert observations(llm) == ["ada!" if hooked else "ada"] * 3


@pytest.mark.asyncio
async def test_hooks_block_rewrite_and_redact() -> None:
    @tool
    def send(to: str) -> str:
        return f"sent to {to}, key sk-123"

    def guard(call: ToolCall) -> Block | dict[str, Any] | None:
        if call.arguments["to"] == "boss":
            return Block("never write to the boss")
        return {"to": call.arguments["to"].lower()}

    async def redact(call: ToolCall, text: str) -> str:
        return text.replace("sk-123", "[key]")

    llm = ScriptedLLM([calls(("send", {"to": "boss"}), ("send", {"to": "ADA"})), "ok"])
    await ReActAgent(llm, [send], hooks=[PreToolUse(guard), PostToolUse(redact)]).run("q")
    assert observations(llm) == [
        "Error: The call was not allowed: never write to the boss",
        "sent to ada, key [key]",
    ]


@pytest.mark.asyncio
async def test_a_hook_that_raises_keeps_the_call_from_running() -> None:
    @tool
    def send() -> str:
        raise AssertionError("it ran")

    def broken(call: ToolCall) -> None:
        raise ValueError("policy service is down")

    llm = ScriptedLLM([call("send"), "ok"])
    await ReActAgent(llm, [send], hooks=[PreToolUse(broken)]).run("q")
    assert "policy service is down" in observations(llm)[0]


@pytest.mark.asyncio
@pytest.mark.parametrize("side_by_side", [1, 3])
@pytest.mark.parametrize("kind", [ToolCallStarted, ToolCallFinished])
async def test_what_a_listener_raises_arrives_as_it_is(side_by_side: int, kind: type[AgentEvent]) -> None:
    @tool
    def look(at: int) -> str:
        return "seen"

    def listener(event: AgentEvent) -> None:
        if isinstance(event, kind):
            raise LookupError("the listener's own")

    asked = [ToolCall(f"c{number}", "look", {"at": number}) for number in range(side_by_side)]
    llm = ScriptedLLM([AssistantMessage("", asked), "brief"])
    with pytest.raises(LookupError, match="the listener's own"):
        await ReActAgent(llm, [look]).run("q", on_event=listener)


@pytest.mark.asyncio
async def test_artifacts_reach_the_events_and_not_the_model() -> None:
    from actloop.tools import Artifact

    @tool
    def chart() -> Artifact:
        return Artifact("sales.html", "text/html", "<h1>secret sauce</h1>")

    recorder = EventRecorder()
    llm = ScriptedLLM([call("chart"), "see the chart"])
    result = await ReActAgent(llm, [chart]).run("q", on_event=recorder)
    assert observations(llm) == ["[Artifact generated: sales.html] The content is rendered as a preview in the UI."]
    assert recorder.of(ToolCallFinished)[0].artifacts[0].content == "<h1>secret sauce</h1>"
    assert result.steps[0].artifacts[0].name == "sales.html"


@pytest.mark.asyncio
async def test_surrogates_in_a_result_never_reach_the_history() -> None:
    @tool
    def read() -> str:
        return "ok \udc97 café \U0001f600"

    result = await ReActAgent(ScriptedLLM([call("read"), "fine"]), [read]).run("q \udc97")
    assert result.steps[0].observation == "ok \ufffd café \U0001f600"
    assert isinstance(result.messages[1], UserMessage)
    assert result.messages[1].content == "q \ufffd"


class Custom:
    """A tool class of somebody's own: `run` does what it is given."""

    name = "custom"
    description = "Do something."
    timeout: float | None = None
    idempotent = False
    requires_approval = False

    def __init__(self, run: Callable[[Any], Any]) -> None:
        self.parameters: dict[str, Any] = {"type": "object"}
        self._run = run

    async def run(self, arguments: Mapping[str, Any]) -> ToolResult:
        result: ToolResult = self._run(arguments)
        return result


@pytest.mark.asyncio
async def test_a_tool_that_changes_its_arguments_changes_neither_the_history_nor_the_steps() -> None:
    def scribble(arguments: dict[str, Any]) -> ToolResult:
        arguments["ids"].append(9)
        arguments["myself"] = arguments
        return ToolResult("done")

    result = await ReActAgent(ScriptedLLM([call("custom", ids=[1]), "ok"]), [Custom(scribble)]).run("q")
    asked = [one.arguments for message in result.messages if message.role == "assistant" for one in message.tool_calls]
    assert asked == [{"ids": [1]}]
    assert result.steps[0].tool_args == {"ids": [1]}


@pytest.mark.asyncio
async def test_a_hook_that_changes_a_call_in_place_leaves_the_history_alone() -> None:
    def sign(call: ToolCall) -> None:
        call.arguments["token"] = "s3cret"

    llm = ScriptedLLM([call("custom", a=1), "ok"])
    agent = ReActAgent(llm, [Custom(lambda arguments: ToolResult(arguments["token"][:2]))], hooks=[PreToolUse(sign)])
    result = await agent.run("q")
    assert observations(llm) == ["s3"]
    assert "s3cret" not in str(result.messages)


@pytest.mark.asyncio
async def test_arguments_that_json_cannot_hold_may_come_from_a_hook() -> None:
    llm = ScriptedLLM([call("custom"), call("custom"), "ok"])
    mixed: dict[Any, Any] = {1: object, "a": 2}
    odd = PreToolUse(lambda call: mixed)
    assert (await ReActAgent(llm, [Custom(lambda _: ToolResult("x"))], hooks=[odd]).run("q")).answer == "ok"
    assert observations(llm, 2)[1].startswith("[You made this same call before")


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("returned", "expected"), [("text", "text"), (None, "(no result)"), ({"a": 1}, '{"a": 1}'), (ToolResult("t"), "t")]
)
async def test_a_tool_class_may_return_what_a_function_may(returned: Any, expected: str) -> None:
    llm = ScriptedLLM([call("custom"), "ok"])
    await ReActAgent(llm, [Custom(lambda _: returned)]).run("q")
    assert observations(llm) == [expected]


@pytest.mark.asyncio
async def test_the_model_hears_of_the_artifacts_of_a_tool_class_too() -> None:
    llm = ScriptedLLM([call("custom"), "ok"])
    page = Artifact("a.html", "text/html", "<b>")
    result = await ReActAgent(llm, [Custom(lambda _: ToolResult("made it", (page,)))]).run("q")
    assert observations(llm) == [
        "made it\n[Artifact generated: a.html] The content is rendered as a preview in the UI."
    ]
    assert result.steps[0].artifacts == (page,)


@pytest.mark.asyncio
async def test_a_panic_below_python_is_an_observation_like_any_other_failure() -> None:
    class PanicException(BaseException):  # as pyo3 raises for a panic in Rust
        pass

    def panic(arguments: object) -> ToolResult:
        raise PanicException("index out of bounds")

    @tool
    def in_a_thread() -> None:
        raise BaseExceptionGroup("two", [PanicException("a"), ValueError("b")])

    llm = ScriptedLLM([calls(("custom", {}), ("in_a_thread", {})), "ok"])
    assert (await ReActAgent(llm, [Custom(panic), in_a_thread]).run("q")).answer == "ok"
    assert observations(llm) == [
        "Error: PanicException: index out of bounds",
        "Error: PanicException: a; ValueError: b",
    ]


@pytest.mark.asyncio
async def test_sync_hooks_have_threads_of_their_own_that_keep_no_program_from_exiting() -> None:
    seen: list[threading.Thread] = []
    hook = PreToolUse(lambda call: seen.append(threading.current_thread()))
    await ReActAgent(ScriptedLLM([call("custom"), "ok"]), [Custom(lambda _: "x")], hooks=[hook]).run("q")
    assert [thread.daemon for thread in seen] == [True]


def test_a_hook_without_a_moment_is_refused_since_it_would_forbid_nothing() -> None:
    with pytest.raises(ConfigError, match="PreToolUse"):
        ReActAgent(ScriptedLLM([]), hooks=[lambda call: Block("never")])  # type: ignore[list-item]


@pytest.mark.asyncio
async def test_a_timeout_of_the_tools_own_is_told_in_its_own_words() -> None:
    @tool
    async def query() -> str:
        raise TimeoutError("the database did not answer")

    llm = ScriptedLLM([call("query"), "ok"])
    await ReActAgent(llm, [query]).run("q")
    assert observations(llm) == ["Error: TimeoutError: the database did not answer"]


@pytest.mark.asyncio
async def test_an_unknown_name_stands_in_the_history_in_a_form_that_providers_accept() -> None:
    llm = ScriptedLLM([call("größe finden " + "x" * 100), "ok"])
    await ReActAgent(llm, [tool(lambda: "x", name="look")]).run("q")
    names = [
        one.name for message in llm.requests[1].messages if message.role == "assistant" for one in message.tool_calls
    ]
    assert [re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name) is not None for name in names] == [True]


@pytest.mark.asyncio
async def test_a_tool_that_needs_approval_never_runs_where_nobody_can_give_it() -> None:
    @tool(requires_approval=True)
    def wipe() -> str:
        raise AssertionError("it ran")

    llm = ScriptedLLM([call("wipe"), "sorry"])
    await ReActAgent(llm, [wipe]).run("q")
    assert observations(llm) == ["Error: 'wipe' needs the approval of a person, and nobody is there to give it."]


@pytest.mark.asyncio
async def test_a_model_that_cancels_itself_ends_the_run_with_an_error() -> None:
    result = await ReActAgent(ScriptedLLM([asyncio.CancelledError()])).run("q")
    assert (result.stop_reason, result.error) == ("error", "The model cancelled itself.")


@pytest.mark.asyncio
async def test_json_mode_numbers_its_calls_through_the_run() -> None:
    @tool
    def look(q: str) -> str:
        return q

    recorder = EventRecorder()
    turns = [action("look", q="a"), action("look", q="b"), answer("done")]
    await ReActAgent(ScriptedLLM(turns, abilities={}), [look]).run("q", on_event=recorder)
    assert [event.call_id for event in recorder.of(ToolCallFinished)] == ["call_1", "call_2"]
