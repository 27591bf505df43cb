"""Many tools: one call chooses some of them, and `request_tools` brings the rest."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from actloop.agent import AgentSettings, Limits, PhaseStarted, ReActAgent
from actloop.agent.selection import TOOL_SELECTION_THRESHOLD, ToolSelection
from actloop.context import ConversationMemory
from actloop.errors import LLMError
from actloop.messages import AssistantMessage, SystemMessage, ToolCall, UserMessage, text_of
from actloop.testing import ScriptedLLM
from actloop.tools import FunctionTool, ToolRegistry, tool
from tests.agent.helpers import TEXT_ONLY, action, answer, call

JSON_ABLE = {"json_mode": True, "json_schema": True}


def numbered(count: int) -> list[FunctionTool[..., Any]]:
    """Tools t00, t01 …; each returns its number."""

    def one(number: int) -> FunctionTool[..., Any]:
        def run() -> str:
            return f"result {number}"

        return tool(run, name=f"t{number:02}", description=f"Gives number {number}.")

    return [one(number) for number in range(count)]


def pick(*names: str) -> AssistantMessage:
    return AssistantMessage("", [ToolCall("s", "select_tools", {"tools": list(names)})])


def offered(llm: ScriptedLLM, number: int) -> list[str]:
    return [spec.name for spec in llm.requests[number].tools or ()]


@pytest.mark.asyncio
async def test_few_tools_need_no_selection() -> None:
    llm = ScriptedLLM(["Done."])
    await ReActAgent(llm, numbered(TOOL_SELECTION_THRESHOLD)).run("go")
    assert offered(llm, 0) == [f"t{number:02}" for number in range(12)]


@pytest.mark.asyncio
async def test_one_tool_more_and_the_run_begins_with_a_selection_that_an_event_tells() -> None:
    llm = ScriptedLLM([pick("t05", "t02"), "Done."])
    events: list[object] = []
    await ReActAgent(llm, numbered(13)).run("go", on_event=events.append)
    assert events[0] == PhaseStarted("selecting_tools", total_tools=13)
    assert offered(llm, 0) == ["select_tools"]
    assert offered(llm, 1) == ["t02", "t05", "request_tools"]


@pytest.mark.asyncio
async def test_the_selection_reads_a_line_a_tool_and_no_schema() -> None:
    tools = [*numbered(12), tool(lambda query: query, name="search", description=f"Searches {'far ' * 50}\nDetails.")]
    llm = ScriptedLLM([pick("search"), "Done."])
    await ReActAgent(llm, tools).run("Find the harbour.")
    asked = text_of(llm.requests[0].messages[-1].content)
    assert "Find the harbour." in asked
    lines = [line for line in asked.splitlines() if line.startswith("- ")]
    assert len(lines) == 13
    assert max(map(len, lines)) <= 90
    assert "Details" not in asked
    assert "properties" not in asked


@pytest.mark.asyncio
async def test_a_follow_up_question_is_understood_by_what_was_said_before() -> None:
    llm = ScriptedLLM([pick(), "Sunny.", pick(), "Rainy."])
    agent = ReActAgent(llm, numbered(13), memory=ConversationMemory())
    await agent.run("How is the weather in Oslo?")
    await agent.run("And tomorrow?")
    assert "How is the weather in Oslo?" in text_of(llm.requests[2].messages[-1].content)


@pytest.mark.asyncio
async def test_a_tool_that_was_left_out_is_loaded_by_name_and_joins_at_the_end() -> None:
    llm = ScriptedLLM([pick("t05"), call("request_tools", names=["t02", "t07"]), call("t02", "c2"), "Done."])
    result = await ReActAgent(llm, numbered(13)).run("go")
    assert offered(llm, 1) == ["t05", "request_tools"]
    assert offered(llm, 2) == ["t05", "request_tools", "t02", "t07"]
    assert llm.requests[2].messages[: len(llm.requests[1].messages)] == llm.requests[1].messages
    assert (llm.requests[2].tools or ())[:2] == llm.requests[1].tools, "what is offered first changed"
    assert [step.observation for step in result.steps][1:] == ["result 2"]
    assert "t12" in (llm.requests[1].tools or ())[-1].description


@pytest.mark.asyncio
async def test_in_json_mode_a_loaded_tool_is_told_where_it_joins_and_the_system_prompt_stays() -> None:
    replies = ['{"tools": ["t05"]}', action("request_tools", names=["t02"]), action("t02"), answer("Done.")]
    llm = ScriptedLLM(replies, abilities=TEXT_ONLY)
    result = await ReActAgent(llm, numbered(13)).run("go")
    _, first, second, third = (request.messages for request in llm.requests)
    assert result.answer == "Done."
    assert "- t05: Gives number 5." in text_of(first[0].content)
    assert "- t02: Gives number 2." not in text_of(first[0].content)
    assert "- t02: Gives number 2." in text_of(second[-1].content)
    assert second[: len(first)] == first
    *before, last = second
    assert third[: len(before)] == tuple(before)
    # after a result the question is asked again, for this turn alone
    assert text_of(last.content).startswith(text_of(third[len(before)].content))


@pytest.mark.asyncio
async def test_in_json_mode_the_constraint_grows_with_the_tools() -> None:
    replies = ['{"tools": ["t05"]}', action("request_tools", names=["t02"]), answer("Done.")]
    llm = ScriptedLLM(replies, abilities=JSON_ABLE)
    await ReActAgent(llm, numbered(13)).run("go")
    assert [("t02" in str(request.response_format)) for request in llm.requests] == [False, False, True]


class DropsTheMiddle:
    """A context guard that leaves the system prompt and the last message once the history has five."""

    async def check_and_compact(self, messages: list[Any], *, hint: str = "general", tools: Any = ()) -> list[Any]:
        return [messages[0], UserMessage("go on")] if len(messages) > 5 else messages


@pytest.mark.asyncio
async def test_after_a_compaction_the_system_prompt_tells_loaded_tools_too() -> None:
    replies = ['{"tools": ["t05"]}', action("request_tools", names=["t02"]), action("t02"), answer("Done.")]
    llm = ScriptedLLM(replies, abilities=TEXT_ONLY)
    await ReActAgent(llm, numbered(13), context_guard=DropsTheMiddle()).run("go")
    last = llm.requests[-1].messages
    assert len(last) == 2
    assert "- t02: Gives number 2." in text_of(last[0].content)


@pytest.mark.parametrize(
    "replies",
    [
        pytest.param(["no idea", "no idea"], id="unreadable"),
        pytest.param(['{"tools": ["spoon", "fork"]}'], id="no name is valid"),
        pytest.param([LLMError("down", provider="x")], id="the model fails"),
        pytest.param([RuntimeError("bug")], id="any exception"),
    ],
)
@pytest.mark.asyncio
async def test_a_selection_that_fails_offers_everything(replies: list[Any]) -> None:
    llm = ScriptedLLM([*replies, answer("Done.")], abilities=TEXT_ONLY)
    result = await ReActAgent(llm, numbered(13)).run("go")
    assert (result.answer, result.stop_reason) == ("Done.", "answer")
    prompt = text_of(llm.requests[-1].messages[0].content)
    assert all(f"- t{number:02}:" in prompt for number in range(13))
    assert "request_tools" not in prompt


@pytest.mark.asyncio
async def test_nothing_fits_is_a_choice_that_leaves_pinned_tools_and_the_loader() -> None:
    llm = ScriptedLLM([pick(), "Done."])
    await ReActAgent(llm, numbered(13), pinned_tools=["t09"]).run("go")
    assert offered(llm, 1) == ["t09", "request_tools"]


@pytest.mark.asyncio
async def test_at_most_six_are_left_pinned_ones_among_them_but_one_pick_always_counts() -> None:
    names = [f"t{number:02}" for number in range(20)]
    llm = ScriptedLLM([pick(*names[8:]), "Done."])
    await ReActAgent(llm, numbered(20), pinned_tools=["t01"]).run("go")
    assert offered(llm, 1) == ["t01", *names[8:13], "request_tools"]

    llm = ScriptedLLM([pick("t19", "t18"), "Done."])
    await ReActAgent(llm, numbered(20), pinned_tools=names[:7]).run("go")
    assert offered(llm, 1) == [*names[:7], "t19", "request_tools"]


@pytest.mark.asyncio
async def test_both_numbers_are_settings() -> None:
    settings = AgentSettings(tool_selection_threshold=2, tool_selection_max=1)
    llm = ScriptedLLM([pick("t02", "t01"), "Done."])
    await ReActAgent(llm, numbered(3), settings=settings).run("go")
    assert offered(llm, 1) == ["t02", "request_tools"]


@pytest.mark.asyncio
async def test_a_tool_of_the_users_may_have_the_loaders_name() -> None:
    tools = [*numbered(12), tool(lambda: "mine", name="request_tools", description="Mine.")]
    llm = ScriptedLLM([pick("t01"), "Done."])
    await ReActAgent(llm, tools).run("go")
    assert offered(llm, 1) == ["t01", "request_tools2"]


@pytest.mark.asyncio
async def test_the_loader_helps_with_names_and_shows_what_there_is() -> None:
    replies: list[Any] = [
        pick("t05"),
        call("request_tools", names=["t2"]),
        call("request_tools", "c2", names=[]),
        call("request_tools", "c3", names=["functions.t02"]),
        "Done.",
    ]
    result = await ReActAgent(ScriptedLLM(replies), numbered(13), rules=()).run("go")
    wrong, shown, loaded = (step.observation for step in result.steps)
    assert "There is no tool 't2'; similar: " in wrong
    assert "- t02: Gives number 2." in shown
    assert "t05" not in shown
    assert loaded == "Loaded: t02. You can call them from the next turn on."


@pytest.mark.asyncio
async def test_each_run_chooses_anew() -> None:
    llm = ScriptedLLM([pick("t05"), "Done.", pick("t06"), "Done."])
    agent = ReActAgent(llm, numbered(13))
    await agent.run("go")
    await agent.run("go")
    assert [offered(llm, 1), offered(llm, 3)] == [["t05", "request_tools"], ["t06", "request_tools"]]


@pytest.mark.asyncio
async def test_a_cancelled_selection_ends_the_run() -> None:
    asked = asyncio.Event()

    async def wait(messages: object) -> str:
        asked.set()
        await asyncio.Event().wait()
        return ""

    task = asyncio.create_task(ReActAgent(ScriptedLLM(wait), numbered(13)).run("go"))
    await asked.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.asyncio
async def test_a_selection_that_takes_all_the_time_ends_by_the_bound_of_the_run() -> None:
    async def wait(messages: tuple[Any, ...]) -> str:
        if isinstance(messages[0], SystemMessage) and "You choose the tools" in messages[0].content:
            await asyncio.Event().wait()
        return answer("Done.")

    agent = ReActAgent(ScriptedLLM(wait, abilities=TEXT_ONLY), numbered(13), limits=Limits(max_time=0.2))
    assert (await agent.run("go")).stop_reason == "max_time"


@pytest.mark.asyncio
async def test_a_stop_during_the_selection_is_heard() -> None:
    agent: ReActAgent

    async def stop(messages: tuple[Any, ...]) -> str:
        if isinstance(messages[0], SystemMessage) and "You choose the tools" in messages[0].content:
            agent.stop()
            await asyncio.Event().wait()
        return answer("Done.")

    agent = ReActAgent(ScriptedLLM(stop, abilities=TEXT_ONLY), numbered(13))
    assert (await agent.run("go")).stop_reason == "stopped"


@pytest.mark.asyncio
async def test_a_catalogue_that_would_fill_half_the_window_shrinks_to_names() -> None:
    tools = ToolRegistry(numbered(100))
    llm = ScriptedLLM(['{"tools": ["t42"]}'], abilities=TEXT_ONLY, context_size=1_000)
    left = ToolRegistry()
    await ToolSelection(tools, left).choose(llm, "go")
    asked = text_of(llm.requests[0].messages[1].content)
    assert "t41, t42, t43" in asked
    assert "Gives number" not in asked
    assert left.names == ("t42", "request_tools")


@pytest.mark.asyncio
async def test_the_catalogue_begins_with_the_tools_that_share_words_with_the_question() -> None:
    @tool
    def get_stock(item: str) -> str:
        """Units of an item in the warehouse."""
        return "7"

    llm = ScriptedLLM(['{"tools": ["get_stock"]}', "7"], abilities={"tool_call": True, "json_mode": True})
    await ReActAgent(llm, [*numbered(13), get_stock]).run("How many tea packets are in the warehouse?")
    request = text_of(llm.requests[0].messages[-1].content)
    assert request.index("get_stock") < request.index("t00")


@pytest.mark.asyncio
async def test_the_room_that_is_left_goes_to_tools_that_share_words_with_the_question() -> None:
    @tool
    def get_stock(item: str) -> str:
        """Units of an item in the warehouse."""
        return "7"

    registry, question = ToolRegistry([*numbered(13), get_stock]), "How many tea packets are in the warehouse?"
    for picked, left in (
        (["t03"], ("t03", "get_stock")),
        ([f"t{number:02}" for number in range(6)], ("t00", "t01", "t02", "t03", "t04", "get_stock")),
        ([], ()),
    ):
        offered = ToolRegistry()
        llm = ScriptedLLM([json.dumps({"tools": picked})], abilities=TEXT_ONLY)
        await ToolSelection(registry, offered).choose(llm, question)
        assert offered.names == (*left, "request_tools")
