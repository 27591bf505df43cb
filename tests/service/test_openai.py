"""The OpenAI API, through its official client, unchanged."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import openai
import pytest
from openai import AsyncOpenAI
from openai.types.chat import ChatCompletionContentPartImageParam, ChatCompletionToolParam

from actloop import tool
from actloop.errors import LLMError
from actloop.messages import AssistantMessage, Message, ToolCall
from actloop.testing import ScriptedLLM
from tests.support.paced_llm import PacedLLM
from tests.support.service import ScriptedAgents, TestedService, serving, settings_in


@asynccontextmanager
async def clients(service: TestedService, key: str = "unused") -> AsyncIterator[AsyncOpenAI]:
    async with AsyncOpenAI(base_url=f"{service.url}/v1", api_key=key, max_retries=0) as client:
        yield client


@pytest.mark.asyncio
async def test_an_answer_comes_whole_with_its_usage_and_the_conversation_before_it(tmp_path: Path) -> None:
    llm = ScriptedLLM(["brief", "There are 12."])
    async with serving(settings_in(tmp_path), llm) as service, clients(service) as client:
        completion = await client.chat.completions.create(
            model="actloop",
            messages=[
                {"role": "system", "content": "Speak like a pirate."},
                {"role": "user", "content": "Hi."},
                {"role": "assistant", "content": "Ahoy."},
                {"role": "user", "content": [{"type": "text", "text": "How many?"}]},
            ],
            temperature=0.3,
        )
        assert (await service.ask("GET", "/api/conversations")).data["conversations"] == [], "it is the client's"
    choice = completion.choices[0]
    assert (choice.message.content, choice.finish_reason) == ("There are 12.", "stop")
    assert completion.usage is None or completion.usage.total_tokens > 0
    told: list[Message] = list(llm.requests[0].messages)
    assert "Speak like a pirate." in str(told[0].content)
    assert [message.content for message in told[1:]] == ["Hi.", "Ahoy.", "How many?"]


@pytest.mark.asyncio
async def test_an_answer_comes_in_pieces_with_its_usage_at_the_end(tmp_path: Path) -> None:
    llm = PacedLLM("Streamed in pieces.")
    llm.finish()
    async with serving(settings_in(tmp_path), llm) as service, clients(service) as client:
        stream = await client.chat.completions.create(
            model="helper",
            messages=[{"role": "user", "content": "go"}],
            stream=True,
            stream_options={"include_usage": True},
        )
        chunks = [chunk async for chunk in stream]
    texts = [choice.delta.content or "" for chunk in chunks for choice in chunk.choices]
    assert "".join(texts) == "Streamed in pieces."
    assert [choice.finish_reason for chunk in chunks for choice in chunk.choices][-1] == "stop"
    assert chunks[-1].usage is not None
    assert chunks[-1].usage.prompt_tokens == 27
    assert chunks[-1].usage.completion_tokens == 13


@pytest.mark.asyncio
@pytest.mark.parametrize("streamed", [False, True])
async def test_what_the_agent_does_can_be_told_as_reasoning(tmp_path: Path, streamed: bool) -> None:
    @tool
    def look(where: str) -> str:
        """Look."""
        return "seen"

    llm = ScriptedLLM([AssistantMessage("I look.", [ToolCall("c", "look", {"where": "here"})]), "done", "Done."])
    async with serving(settings_in(tmp_path), ScriptedAgents(llm, [look])) as service:
        body = {"model": "actloop", "messages": [{"role": "user", "content": "go"}], "include_steps": True}
        answer = await service.ask("POST", "/v1/chat/completions", {**body, "stream": streamed})
    assert 'look({\\"where\\":\\"here\\"})' in answer.text
    assert "reasoning_content" in answer.text
    assert answer.text.endswith("data: [DONE]\n\n") is streamed


@pytest.mark.asyncio
async def test_errors_have_the_form_that_the_client_knows(tmp_path: Path) -> None:
    llm = ScriptedLLM([LLMError("the provider is down"), LLMError("the provider is down")])
    settings = settings_in(tmp_path, server_key="a-long-server-key")
    async with serving(settings, llm) as service, clients(service, "a-long-server-key") as client:
        create = client.chat.completions.create
        function: ChatCompletionToolParam = {"type": "function", "function": {"name": "f"}}
        with pytest.raises(openai.NotFoundError) as missing:
            await create(model="gpt-9", messages=[{"role": "user", "content": "go"}])
        assert missing.value.code == "model_not_found"
        with pytest.raises(openai.BadRequestError, match="last message"):
            await create(model="actloop", messages=[{"role": "assistant", "content": "go"}])
        with pytest.raises(openai.BadRequestError, match="messages"):
            await create(model="actloop", messages=[])
        with pytest.raises(openai.BadRequestError, match="'tools' is not supported"):
            await create(model="actloop", messages=[{"role": "user", "content": "go"}], tools=[function])
        passwords: ChatCompletionContentPartImageParam = {
            "type": "image_url",
            "image_url": {"url": "file:///etc/passwd"},
        }
        with pytest.raises(openai.BadRequestError, match="image_url"):
            await create(model="actloop", messages=[{"role": "user", "content": [passwords]}])
        with pytest.raises(openai.InternalServerError, match="the provider is down"):
            await create(model="actloop", messages=[{"role": "user", "content": "go"}])
        stream = await create(model="actloop", messages=[{"role": "user", "content": "go"}], stream=True)
        with pytest.raises(openai.APIError, match="the provider is down"):
            async for _ in stream:
                pass
        async with clients(service, "sk-wrong") as stranger:
            with pytest.raises(openai.AuthenticationError, match="A key is needed"):
                await stranger.models.list()


@pytest.mark.asyncio
async def test_the_models_are_the_agents(tmp_path: Path) -> None:
    async with serving(settings_in(tmp_path), []) as service, clients(service) as client:
        assert [model.id async for model in await client.models.list()] == ["actloop", "helper"]


@pytest.mark.asyncio
@pytest.mark.parametrize("streamed", [False, True])
async def test_a_client_that_goes_away_ends_the_run(tmp_path: Path, streamed: bool) -> None:
    llm = PacedLLM("Never heard.")
    async with serving(settings_in(tmp_path), llm) as service:
        body = {"model": "actloop", "messages": [{"role": "user", "content": "go"}], "stream": streamed}
        asking = asyncio.ensure_future(service.ask("POST", "/v1/chat/completions", body))
        await service.until(lambda: llm.open == 1)
        asking.cancel()
        await asyncio.wait_for(service.until(lambda: llm.open == 0), 2)
