"""Any client of the OpenAI API can talk to an agent: ``/v1/chat/completions`` and ``/v1/models``.

Such a conversation is the client's: nothing of it is stored here, and a client that goes away ends the run.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncGenerator, Coroutine, Mapping
from contextlib import aclosing
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse

from actloop.agent import (
    AgentEvent,
    AnswerDelta,
    AnswerRestarted,
    ErrorOccurred,
    ReActAgent,
    RunFinished,
    StopReason,
    ThinkingFinished,
    ToolCallStarted,
)
from actloop.context import ConversationMemory
from actloop.service.event_stream import stream_response
from actloop.service.openai_form import ChatRequest, asked, chunk, completion, usage_form
from actloop.service.problems import Problem
from actloop.service.routes.common import Service
from actloop.service.wire_json import clean_object, encode_data

__all__ = ["router"]

router = APIRouter(prefix="/v1", tags=["openai"])

_DEFAULT = "actloop"
"""The name of the agent without a name."""

_Outcome = tuple[str, list[str], RunFinished]

_AGAIN = "\n\n[The answer broke off. Here it is from the beginning:]\n\n"
"""What was sent cannot be taken back in this API."""


@router.get("/models")
async def models(service: Service) -> dict[str, Any]:
    """List the agents, in the form of OpenAI's models."""
    names = (_DEFAULT, *service.agents.agents)
    return {
        "object": "list",
        "data": [{"id": name, "object": "model", "created": 0, "owned_by": "actloop"} for name in names],
    }


@router.post("/chat/completions", response_model=None)
async def chat_completions(service: Service, request: Request, body: ChatRequest) -> Response:
    """Answer as a chat completion, streamed or not. The model is an agent's name, or ``actloop``."""
    agent, question = _prepared(service, body)
    id, created = f"chatcmpl-{secrets.token_hex(12)}", int(time.time())
    if body.stream:
        chunks = _chunks(service, agent, question, body, id, created)
        first = await anext(chunks)  # takes its place among the runs, or is refused while that can still be said
        return stream_response(service, _from_first(first, chunks))
    with service.runner.guest():
        text, steps, end = await _unless_gone(request, _whole(agent, question))
    if end.stop_reason == "error":
        raise Problem(502, text or "The model could not answer.", code="model_error")
    reasoning = "\n".join(steps) if body.include_steps else ""
    return JSONResponse(completion(id, created, body.model, end.answer, reasoning, end.stop_reason, end.usage))


def _prepared(service: Service, body: ChatRequest) -> tuple[ReActAgent, str]:
    if body.model != _DEFAULT and body.model not in service.agents.agents:
        raise Problem(404, f"The model {body.model!r} does not exist.", code="model_not_found")
    if body.tools:
        raise Problem(400, "'tools' is not supported: the agent has its own.", code="unsupported_parameter")
    if body.n not in {None, 1}:
        raise Problem(400, "'n' is not supported: there is one answer.", code="unsupported_parameter")
    try:
        question, earlier, instructions = asked(body.messages)
    except ValueError as error:
        raise Problem(400, f"messages: {error}.", code="invalid_messages") from None
    name = None if body.model == _DEFAULT else body.model
    agent = service.agents.build(agent=name, memory=ConversationMemory(earlier), instructions=instructions or None)
    return agent, question


async def _whole(agent: ReActAgent, question: str) -> _Outcome:
    """Run to the end; return the last error's text or nothing, the steps, and the end."""
    failure, steps = "", list[str]()
    end: RunFinished | None = None
    async with aclosing(agent.stream(question)) as events:
        async for event in events:
            if (step := _step(event)) is not None:
                steps.append(step)
            if isinstance(event, ErrorOccurred) and not event.recoverable:
                failure = event.message
            if isinstance(event, RunFinished):
                end = event
    assert end is not None, "a run ends with RunFinished"
    return failure, steps, end


async def _unless_gone(request: Request, work: Coroutine[Any, Any, _Outcome]) -> _Outcome:
    """Return what ``work`` returns, unless the client goes away first: then it is cancelled."""
    working = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(_gone(request))
    try:
        await asyncio.wait({working, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise Problem(499, "The client went away.")
        return working.result()
    finally:
        for task in (working, gone):
            task.cancel()
        await asyncio.gather(working, gone, return_exceptions=True)


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _chunks(
    service: Service, agent: ReActAgent, question: str, body: ChatRequest, id: str, created: int
) -> AsyncGenerator[bytes]:
    def sent(delta: Mapping[str, str] | None, reason: StopReason | None = None) -> bytes:
        return _data(chunk(id, created, body.model, delta, reason))

    failure = ""
    with service.runner.guest():
        yield sent({"role": "assistant", "content": ""})
        async with aclosing(agent.stream(question)) as events:
            async for event in events:
                match event:
                    case AnswerDelta(content=content):
                        yield sent({"content": content})
                    case AnswerRestarted():
                        yield sent({"content": _AGAIN})
                    case ErrorOccurred(message=message, recoverable=False):
                        failure = message
                    case RunFinished(stop_reason="error"):
                        error = {"message": failure, "type": "server_error", "param": None, "code": "model_error"}
                        yield _data({"error": error})
                    case RunFinished(stop_reason=reason, usage=usage):
                        yield sent({}, reason)
                        counted = usage_form(usage)
                        if body.stream_options is not None and body.stream_options.include_usage and counted:
                            yield _data({**chunk(id, created, body.model, None), "usage": counted})
                    case _ if body.include_steps and (step := _step(event)) is not None:
                        yield sent({"reasoning_content": f"{step}\n"})
                    case _:
                        pass
        yield b"data: [DONE]\n\n"


async def _from_first(first: bytes, chunks: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
    async with aclosing(chunks):
        yield first
        async for chunk in chunks:
            yield chunk


def _data(data: dict[str, Any]) -> bytes:
    return f"data: {encode_data(clean_object(data))}\n\n".encode()


def _step(event: AgentEvent) -> str | None:
    """What the agent does, in a line for a person."""
    match event:
        case ThinkingFinished(reasoning=reasoning) if reasoning.strip():
            return reasoning
        case ToolCallStarted(tool_name=name, tool_args=arguments):
            return f"{name}({encode_data(clean_object(arguments))})"
        case _:
            return None
