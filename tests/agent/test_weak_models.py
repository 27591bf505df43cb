"""What helps weak models: the question again after each result, words where a written-out object would be copied."""

from __future__ import annotations

import pytest

from actloop.agent import InterruptQueue, PhaseStarted, ReActAgent
from actloop.messages import text_of
from actloop.testing import EventRecorder, ScriptedLLM
from actloop.tools import tool
from tests.agent.helpers import TEXT_ONLY, action, answer


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
@pytest.mark.parametrize(("abilities", "shown"), [({"json_schema": True}, False), ({"json_mode": True}, True)])
async def test_the_object_is_written_out_only_where_nothing_else_says_its_form(
    abilities: dict[str, bool], shown: bool
) -> None:
    llm = ScriptedLLM([answer("ok")], abilities=abilities)
    await ReActAgent(llm, [look]).run("q")
    system = text_of(llm.requests[0].messages[0].content)
    assert ('{"type": "tool_call"' in system) is shown
    assert '"final_answer"' in system


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
