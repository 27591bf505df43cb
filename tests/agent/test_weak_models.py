"""What helps weak models: the question again after each result, words where a written-out object would be copied."""

from __future__ import annotations

import json

import pytest

from actloop.agent import InterruptQueue, PhaseStarted, ReActAgent
from actloop.errors import ToolError
from actloop.messages import text_of
from actloop.testing import EventRecorder, ScriptedLLM
from actloop.tools import tool
from tests.agent.helpers import TEXT_ONLY, action, answer, call


@tool
def look(q: str) -> str:
    """Look something up."""
    return f"{q} is green"


@pytest.mark.asyncio
async def test_json_mode_asks_the_question_again_after_each_result_and_stores_nothing_of_it() -> None:
    llm = ScriptedLLM([action("look", q="tea"), action("look", q="salt"), answer("green")], abilities=TEXT_ONLY)
    result = await ReActAgent(llm, [look]).run("Which colours?")
    for request in llm.requests[1:]:
        last = text_of(request.messages[-1].content)
        assert last.startswith("Result of look:\n")
        assert "The question is: Which colours?" in last
    assert "The question is" not in str(result.messages)


@pytest.mark.asyncio
async def test_what_the_user_added_is_part_of_the_question() -> None:
    queue = InterruptQueue()

    @tool
    def slow() -> str:
        queue.put("in French, please")
        return "done"

    llm = ScriptedLLM([action("slow"), action("look", q="tea"), answer("vert")], abilities=TEXT_ONLY)
    await ReActAgent(llm, [slow, look], interrupt_queue=queue).run("Which colour?")
    assert "The question is: Which colour?\nin French, please" in text_of(llm.requests[2].messages[-1].content)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("abilities", "asked"),
    [
        ({"json_mode": True}, '{"type": "tool_call", "reasoning": "…"'),
        ({"tool_call": True, "json_schema": True}, 'it has "type": "tool_call", "reasoning"'),
        ({"json_schema": True}, 'one JSON object: a "tool_name" and its "tool_args" to call a tool, or the "answer".'),
    ],
)
async def test_the_less_a_model_can_do_the_less_it_has_to_write(abilities: dict[str, bool], asked: str) -> None:
    llm = ScriptedLLM([answer("ok")], abilities=abilities)
    await ReActAgent(llm, [look], use_native_tools=False).run("q")
    system = text_of(llm.requests[0].messages[0].content)
    assert asked in system
    assert ('{"type": "tool_call"' in system) is ("json_mode" in abilities)


_LEAKY = {"tool_call": True, "json_schema": True}


def leak(q: str) -> str:
    """A call of `look` as weak models write it into their text."""
    return json.dumps({"name": "look", "arguments": {"q": q}})


def plain(q: str) -> str:
    """The same in the plain form of JSON mode."""
    return json.dumps({"tool_name": "look", "tool_args": {"q": q}})


@pytest.mark.asyncio
async def test_after_a_leaked_call_the_objects_are_plain_and_so_is_what_is_told_of_the_leak() -> None:
    llm = ScriptedLLM([leak("tea"), '{"answer": "green"}'], abilities=_LEAKY)
    result = await ReActAgent(llm, [look]).run("Which colour?")
    schema = json.dumps(llm.requests[1].response_format)
    assert '"tool_name"' in schema
    assert '"type": {"const"' not in schema
    assert text_of(llm.requests[1].messages[2].content) == plain("tea")
    assert (
        text_of(llm.requests[1].messages[3].content)
        == "Result of look:\ntea is green\n\nThe question is: Which colour?"
    )
    assert result.answer == "green"


@pytest.mark.asyncio
async def test_a_weak_model_that_calls_once_more_what_it_knows_is_done_and_only_answers() -> None:
    ran: list[str] = []

    @tool(name="look")
    def counted(q: str) -> str:
        ran.append(q)
        return f"{q} is green"

    llm = ScriptedLLM([leak("tea"), plain("salt"), plain("tea"), '{"answer": "both green"}'], abilities=_LEAKY)
    result = await ReActAgent(llm, [counted]).run("Which colours?")
    assert (ran, result.answer) == (["tea", "salt"], "both green")
    last = llm.requests[-1]
    assert "tool_name" not in json.dumps(last.response_format)
    # what it asked for in vain is not told: it would answer with that alone
    assert [text_of(message.content) for message in last.messages].count(plain("tea")) == 1
    assert "The question is: Which colours?\nTool calls are over" in text_of(last.messages[-1].content)


@pytest.mark.asyncio
async def test_a_failed_call_is_no_knowledge_and_is_forgotten_when_another_has_succeeded() -> None:
    @tool(name="look")
    def picky(q: str) -> str:
        if q == "tea":
            raise ToolError("it is called Tea")
        return f"{q} is green"

    llm = ScriptedLLM([leak("tea"), plain("tea"), plain("Tea"), '{"answer": "green"}'], abilities=_LEAKY)
    result = await ReActAgent(llm, [picky]).run("Which colour?")
    assert [step.error is None for step in result.steps] == [False, False, True]
    told = [[text_of(message.content) for message in request.messages] for request in llm.requests]
    assert told[2].count(plain("tea")) == 2
    assert plain("tea") not in told[3]
    assert "it is called Tea" in str(result.messages)


@pytest.mark.asyncio
async def test_after_the_same_failure_twice_a_weak_model_has_to_try_another_tool() -> None:
    @tool
    def broken(q: str) -> str:
        raise ToolError("no")

    first = json.dumps({"name": "broken", "arguments": {"q": "x"}})
    again = json.dumps({"tool_name": "broken", "tool_args": {"q": "x"}})
    llm = ScriptedLLM([first, again, plain("tea"), '{"answer": "green"}'], abilities=_LEAKY)
    await ReActAgent(llm, [broken, look]).run("Which colour?")
    offered = [[name in json.dumps(request.response_format) for name in ("broken", "look")] for request in llm.requests]
    assert offered[1:4] == [[True, True], [False, True], [True, True]]


@pytest.mark.asyncio
async def test_a_model_that_calls_natively_may_call_again_what_it_knows() -> None:
    llm = ScriptedLLM([call("look", q="tea"), call("look", q="tea"), "green"], abilities=_LEAKY)
    result = await ReActAgent(llm, [look]).run("q")
    assert len(result.steps) == 2


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "text",
    [
        '{"name": "get_colour", "arguments": {"of": "tea"}}',
        '<tool_call>{"name": "look", "arguments": {"wrong": 1}}</tool_call>',
        '```json\n{"name": "look", "arguments": {}}\n```',
    ],
)
async def test_a_reply_that_is_only_a_call_that_cannot_run_is_no_answer(text: str) -> None:
    recorder = EventRecorder()
    llm = ScriptedLLM(
        [text, action("look", q="tea"), answer("green")], abilities={"tool_call": True, "json_schema": True}
    )
    result = await ReActAgent(llm, [look]).run("q", on_event=recorder)
    assert (result.answer, result.iterations) == ("green", 3)
    assert "The tools are: look." in text_of(llm.requests[1].messages[-1].content)
    assert [event.phase for event in recorder.of(PhaseStarted)] == ["demoted"]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "text", ['{"name": "Ada", "born": 1815}', 'Here it is: {"name": "get_colour", "arguments": {}}', "plain words"]
)
async def test_an_answer_that_is_json_stays_an_answer(text: str) -> None:
    result = await ReActAgent(ScriptedLLM([text]), [look]).run("Who? As JSON, please")
    assert (result.answer, result.iterations) == (text, 1)
