"""What goes between a model and its tools: one result for each call, in order, whatever happens."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

import pytest

from actloop.agent import ReActAgent, ToolCallFinished
from actloop.llm import collect
from actloop.llm.adapters.openai import OpenAILLM
from actloop.llm.adapters.openai_quirks import quirks_of
from actloop.llm.adapters.openai_wire import RequestWriter
from actloop.messages import (
    INTERRUPTED,
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
    broken_rule,
    valid_history,
)
from actloop.testing import ScriptedLLM
from tests.cases.keeping import keeps, turns
from tests.support.fake_openai import FakeOpenAI, call


def results(messages: Sequence[Message]) -> list[ToolMessage]:
    return [message for message in messages if isinstance(message, ToolMessage)]


@keeps(
    "C065",
    "the second request has exactly three tool messages right after the assistant message, ids in the order c1, c2, c3",
    "c1 holds 'A' and c3 holds 'C'",
    "c2 is marked as an error and holds 'bad id 7'",
    "no traceback or file path is sent to the model",
    "the run ends with answer 'done'",
)
@pytest.mark.asyncio
async def test_a_failing_call_leaves_its_siblings_alone() -> None:
    def alpha() -> str:
        return "A"

    async def beta() -> str:
        raise ValueError("bad id 7")

    async def gamma() -> str:
        return "C"

    llm = ScriptedLLM(turns("C065"))
    result = await ReActAgent(llm, [alpha, beta, gamma], rules=()).run("go")

    _, _, asked, *told = llm.requests[1].messages
    assert isinstance(asked, AssistantMessage)
    assert asked.tool_calls
    first, second, third = results(told)
    assert told == [first, second, third]
    assert [message.tool_call_id for message in told if isinstance(message, ToolMessage)] == ["c1", "c2", "c3"]
    assert (first.content, third.content) == ("A", "C")
    assert not first.is_error
    assert second.is_error
    assert "bad id 7" in second.content
    assert not re.search(r"Traceback|\.py|/", second.content)
    assert (result.answer, result.stop_reason) == ("done", "answer")


@keeps(
    "C066",
    "read and write ran 0 times",
    "each of c1, c2 has a tool message that says the output was cut off and the call must be sent again",
    "the run stops with a clear error after at most the configured number of such turns (fewer than 4)",
)
@pytest.mark.asyncio
async def test_a_call_that_was_cut_off_never_runs() -> None:
    ran: list[str] = []

    def read(p: str) -> None:
        ran.append(p)

    def write(p: str, text: str) -> None:
        ran.append(text)

    llm = ScriptedLLM(turns("C066"))
    result = await ReActAgent(llm, [read, write]).run("go")

    assert ran == []
    told = results(result.messages)
    assert {message.tool_call_id for message in told} == {"c1", "c2"}
    assert all("cut off" in message.content and "again" in message.content for message in told)
    assert len(llm.requests) < 4
    assert result.stop_reason == "error"
    assert "cut off" in (result.error or "")


@keeps(
    "C067",
    "echo ran twice, with 1 and 2",
    "the stored assistant message has two different ids",
    "each tool message carries the id of its own call and the matching value",
)
@pytest.mark.asyncio
async def test_calls_with_the_same_id_become_two_calls() -> None:
    def echo(x: int) -> int:
        return x

    result = await ReActAgent(ScriptedLLM(turns("C067")), [echo]).run("go")

    assert [step.tool_args for step in result.steps] == [{"x": 1}, {"x": 2}]
    asked = next(message for message in result.messages if isinstance(message, AssistantMessage))
    assert len({call.id for call in asked.tool_calls}) == 2
    assert [(m.tool_call_id, m.content) for m in results(result.messages)] == [
        (call.id, str(call.arguments["x"])) for call in asked.tool_calls
    ]


@keeps("C067", "the same holds when the turn is streamed")
@pytest.mark.asyncio
async def test_calls_with_the_same_id_become_two_calls_in_a_stream_too() -> None:
    doubled = call("echo", id="call_1", x=1)
    doubled["tool_calls"] += call("echo", id="call_1", x=2)["tool_calls"]
    async with FakeOpenAI(doubled) as server:
        llm = OpenAILLM("m", base_url=server.url, context_size=8_000, max_output_tokens=1_000, abilities={})
        streamed = await collect(llm.stream_chat([UserMessage("go")]))
        whole = await llm.chat([UserMessage("go")])
        await llm.aclose()

    assert [call.arguments for call in streamed.message.tool_calls] == [{"x": 1}, {"x": 2}]
    assert len({call.id for call in streamed.message.tool_calls}) == 2
    assert streamed.message == whole.message


@keeps(
    "C068",
    "a tool message for a2 stands after a1 and before the user message",
    "its text says that the call was interrupted",
    "a1 is unchanged",
    "the stored log itself is not rewritten",
    "running the repair twice changes nothing",
)
def test_a_missing_result_is_filled_in() -> None:
    question, answered = UserMessage("q"), ToolMessage("r1", "a1", "t")
    calls = AssistantMessage(tool_calls=(ToolCall("a1", "t"), ToolCall("a2", "t")))
    log: list[Message] = [SystemMessage("s"), question, calls, answered, UserMessage("are you there?")]
    stored = list(log)

    repaired = valid_history(log)

    assert broken_rule(repaired) is None
    assert repaired[3] is answered
    assert repaired[4] == ToolMessage(INTERRUPTED, "a2", "t", is_error=True)
    assert "interrupted" in INTERRUPTED
    assert repaired[5] == UserMessage("are you there?")
    assert log == stored
    assert valid_history(repaired) == repaired


@keeps(
    "C069",
    "the tool message for c1 is an error that names list_files",
    "list_files ran once",
    "the run ends with answer 'empty'",
)
@pytest.mark.asyncio
async def test_an_unknown_tool_is_an_error_that_names_the_known_ones() -> None:
    def list_files() -> str:
        return "[]"

    finished: list[ToolCallFinished] = []
    agent = ReActAgent(ScriptedLLM(turns("C069")), [list_files])
    result = await agent.run(
        "go", on_event=lambda event: finished.append(event) if isinstance(event, ToolCallFinished) else None
    )

    refused, ran = results(result.messages)
    assert refused.tool_call_id == "c1"
    assert refused.is_error
    assert "list_files" in refused.content
    assert [event.error is None for event in finished] == [False, True]
    assert ran.content == "[]"
    assert result.answer == "empty"


@keeps(
    "C070",
    "every id matches ^[a-zA-Z0-9]{9}$",
    "the two calls have different ids",
    "each tool message has the id of its call",
    "a second conversion gives the same ids",
)
def test_mistral_gets_ids_of_nine_letters_and_digits() -> None:
    calls = (ToolCall("call_0fypS1hVXabc", "t"), ToolCall("toolu_01A-b", "t"))
    history: list[Message] = [UserMessage("q"), AssistantMessage(tool_calls=calls)]
    history += [ToolMessage("r", call.id, "t") for call in calls]

    def sent() -> tuple[list[str], list[str]]:
        writer = RequestWriter("m", quirks_of("https://api.mistral.ai/v1", "mistral-large-latest"), vision=False)
        _, asked, *told = [json.loads(message) for message in writer.messages(history)]
        return [call["id"] for call in asked["tool_calls"]], [message["tool_call_id"] for message in told]

    asked, told = sent()
    assert all(re.fullmatch(r"[a-zA-Z0-9]{9}", id) for id in asked)
    assert len(set(asked)) == 2
    assert told == asked
    assert sent() == (asked, told)
