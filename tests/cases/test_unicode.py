"""Text that is no valid Unicode is mended before it reaches the model, the browser or the store."""

from __future__ import annotations

import json

import pytest

from actloop.agent import AgentEvent, ReActAgent
from actloop.context import ConversationMemory
from actloop.llm.adapters.openai import OpenAILLM
from actloop.messages import text_of
from actloop.service.wire import encode_line
from tests.cases.keeping import keeps
from tests.support.fake_openai import FakeOpenAI, call


@keeps(
    "C125",
    "the request body encodes to UTF-8",
    "'café' is unchanged",
    "each lone surrogate is replaced by U+FFFD",
    "the SSE stream and the stored history encode as well",
    "a proper emoji in the same text stays one character",
)
@pytest.mark.asyncio
async def test_a_result_with_lone_surrogates_does_not_break_the_conversation() -> None:
    def read() -> str:
        return "ok \udc97 café " + chr(0xD83D) + " end " + chr(0x1F44D)

    events: list[AgentEvent] = []
    memory = ConversationMemory()
    async with FakeOpenAI(call("read"), "fine") as server:
        llm = OpenAILLM(
            "m", base_url=server.url, context_size=8_000, max_output_tokens=1_000, abilities={"tool_call": True}
        )
        result = await ReActAgent(llm, [read], memory=memory).run("go", on_event=events.append)
        await llm.aclose()

    clean = "ok \ufffd café \ufffd end \U0001f44d"
    assert server.refused == []  # the server reads every body as strict UTF-8
    assert server.requests[1]["messages"][-1]["content"] == clean
    assert [event["observation"] for event in _finished_calls(events)] == [clean]
    assert clean in [text_of(message.content) for message in memory.messages]
    assert clean in "".join(text_of(message.content) for message in result.messages).encode().decode()
    assert result.answer == "fine"


def _finished_calls(events: list[AgentEvent]) -> list[dict[str, str]]:
    lines = [json.loads(encode_line(event).encode()) for event in events]
    return [line["data"] for line in lines if "observation" in line["data"]]
