"""Large results are kept aside: the model sees the ends and a handle, and can read all of it."""

from __future__ import annotations

import re

import pytest

from actloop.agent import AgentSettings, ReActAgent
from actloop.agent.kept_results import KeptResults
from actloop.messages import AssistantMessage, Message, ToolMessage, text_of
from actloop.testing import ScriptedLLM
from actloop.tools import ToolRegistry, tool
from tests.agent.helpers import TEXT_ONLY, action, answer, call

_BOOK = "".join(f"line {number}\n" for number in range(2_000))


@tool
def book() -> str:
    """The whole book."""
    return _BOOK


@tool
def small() -> str:
    """A small result."""
    return "tiny"


def reads_it_all(messages: tuple[Message, ...]) -> AssistantMessage | str:
    """Asks for the book, then for every part that is left out, and answers with what it has read."""
    shown = [message.content for message in messages if isinstance(message, ToolMessage)]
    if not shown:
        return call("book")
    told = re.search(r"read_result\(handle='(\w+)', offset=(\d+)\)", shown[0])
    assert told is not None
    on = re.search(r"go on with offset=(\d+)", shown[-1])
    if len(shown) == 1 or on is not None:
        offset = int(on[1]) if on is not None else int(told[2])
        return call("read_result", f"c{len(shown)}", handle=told[1], offset=offset)
    head = shown[0][: int(told[2])]
    return head + "".join(text.rpartition("\n[Characters")[0] for text in shown[1:])


@pytest.mark.asyncio
async def test_nothing_of_a_large_result_is_lost() -> None:
    llm = ScriptedLLM(reads_it_all)
    agent = ReActAgent(llm, [book], settings=AgentSettings(max_observation_chars=4_000), rules=())
    result = await agent.run("read the book")
    assert result.answer == _BOOK
    first = result.steps[0].observation
    assert len(first) < 4_200
    assert first.startswith("line 0\n")
    assert first.endswith("line 1999\n")


@pytest.mark.asyncio
async def test_the_reading_tool_appears_only_when_something_was_kept_and_after_the_others() -> None:
    llm = ScriptedLLM([call("small"), call("book"), call("book", "c2"), "ok"])
    agent = ReActAgent(llm, [small, book], settings=AgentSettings(max_observation_chars=1_000), rules=())
    await agent.run("q")
    offered = [[spec.name for spec in request.tools or ()] for request in llm.requests]
    assert offered == [["small", "book"]] * 2 + [["small", "book", "read_result"]] * 2
    first, last = (request.tools or () for request in (llm.requests[0], llm.requests[-1]))
    assert all(one is other for one, other in zip(first, last, strict=False)), "the beginning of the prompt changed"

    llm = ScriptedLLM(["ok"])
    await ReActAgent(llm, [small, book]).run("the next run begins without it")
    assert [spec.name for spec in llm.requests[0].tools or ()] == ["small", "book"]


@pytest.mark.asyncio
async def test_json_mode_reads_on_with_what_the_result_says() -> None:
    def script(messages: tuple[Message, ...]) -> str:
        said = "\n".join(text_of(message.content) for message in messages)
        told = re.search(r"read_result\(handle='(\w+)', offset=(\d+)\)", said)
        if told is None:
            return action("book")
        if "[Characters" not in said:
            return action("read_result", handle=told[1], offset=int(told[2]))
        return answer(text_of(messages[-1].content))

    settings = AgentSettings(max_observation_chars=1_000)
    result = await ReActAgent(ScriptedLLM(script, abilities=TEXT_ONLY), [book], settings=settings).run("q")
    assert _BOOK[750:1_750] in result.answer


@pytest.mark.asyncio
async def test_a_small_window_shows_less_at_once() -> None:
    llm = ScriptedLLM([call("book"), "ok"], context_size=6_000, max_output_tokens=1_000)
    result = await ReActAgent(llm, [book]).run("q")
    assert len(result.steps[0].observation) < 5_200


@pytest.mark.asyncio
async def test_a_wrong_handle_is_an_error_that_helps() -> None:
    llm = ScriptedLLM([call("book"), call("read_result", "c2", handle="nope"), "ok"])
    result = await ReActAgent(llm, [book], settings=AgentSettings(max_observation_chars=1_000)).run("q")
    assert re.search(r"no kept result 'nope'. The handles are: r\w{8}\.", result.steps[1].error or "")


@pytest.mark.asyncio
async def test_an_offset_past_the_end_says_how_long_the_result_is() -> None:
    registry = ToolRegistry()
    told = KeptResults(registry, 100).shown("t", "x" * 500)
    handle = re.search(r"handle='(\w+)'", told)
    reader = registry.get("read_result")
    assert handle is not None
    assert reader is not None
    with pytest.raises(Exception, match="has only 500 characters"):
        await reader.run({"handle": handle[1], "offset": 500})
    assert (await reader.run({"handle": handle[1], "offset": 400})).content.endswith("this is its end.]")


def test_the_same_result_has_the_same_handle_and_a_tool_of_that_name_is_left_alone() -> None:
    @tool
    def read_result() -> str:
        """A tool of the user's own."""
        return ""

    registry = ToolRegistry([read_result])
    kept = KeptResults(registry, 100)
    assert kept.shown("t", "y" * 300) == kept.shown("t", "y" * 300) != kept.shown("t", "y" * 301)
    assert registry.names == ("read_result", "read_result2")
