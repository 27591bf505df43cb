import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from actloop.errors import LLMError, LLMTimeout
from actloop.llm.base import LLM, NO_ABILITIES, TextDelta
from actloop.llm.reply import collect
from actloop.llm.retry import RetryLLM
from actloop.messages import UserMessage
from actloop.testing.scripted_llm import ScriptedLLM, ScriptedReply

ASK = [UserMessage("q")]


class Clock:
    """Notes how long it was asked to sleep, and does not."""

    def __init__(self) -> None:
        self.sleeps: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.sleeps.append(seconds)


async def plain(llm: LLM) -> str:
    return (await llm.chat(ASK)).message.content


async def streamed(llm: LLM) -> str:
    return (await collect(llm.stream_chat(ASK))).message.content


both = pytest.mark.parametrize("ask", [plain, streamed])
Ask = Callable[[LLM], Any]


def busy(after: float | None = None) -> LLMError:
    return LLMError("busy.", provider="p", status=503, retry_after=after, retryable=True)


def retrying(*replies: ScriptedReply, max_retries: int = 2) -> tuple[RetryLLM, ScriptedLLM, list[float]]:
    clock, scripted = Clock(), ScriptedLLM(replies)
    return RetryLLM(scripted, max_retries=max_retries, sleep=clock.sleep), scripted, clock.sleeps


@both
@pytest.mark.asyncio
async def test_a_failure_that_passes_is_not_noticed(ask: Ask) -> None:
    llm, scripted, sleeps = retrying(busy(), LLMTimeout("late.", retryable=True), "ok")
    assert await ask(llm) == "ok"
    assert len(scripted.requests) == 3
    assert 0.375 <= sleeps[0] <= 0.5
    assert 0.75 <= sleeps[1] <= 1.0


@both
@pytest.mark.asyncio
async def test_the_last_failure_says_how_often_was_asked(ask: Ask) -> None:
    llm, _, sleeps = retrying(busy(), busy(), busy(), "too late")
    with pytest.raises(LLMError, match=r"busy\. Asked 3 times\.") as caught:
        await ask(llm)
    assert (caught.value.provider, caught.value.status, caught.value.retryable) == ("p", 503, True)
    assert len(sleeps) == 2


@both
@pytest.mark.asyncio
async def test_what_cannot_pass_is_raised_as_it_is(ask: Ask) -> None:
    error = LLMError("no key", status=401)
    llm, scripted, sleeps = retrying(error, "never")
    with pytest.raises(LLMError) as caught:
        await ask(llm)
    assert caught.value is error
    assert (len(scripted.requests), sleeps) == (1, [])


@pytest.mark.asyncio
async def test_the_wait_doubles_up_to_eight_seconds() -> None:
    llm, _, sleeps = retrying(*[busy()] * 7, "ok", max_retries=7)
    assert await plain(llm) == "ok"
    for slept, longest in zip(sleeps, [0.5, 1, 2, 4, 8, 8, 8], strict=True):
        assert longest * 0.75 <= slept <= longest


@both
@pytest.mark.asyncio
async def test_a_server_that_says_how_long_to_wait_is_obeyed(ask: Ask) -> None:
    llm, _, sleeps = retrying(busy(after=7), busy(after=0), "ok")
    assert await ask(llm) == "ok"
    assert sleeps == [7, 0]


@both
@pytest.mark.asyncio
async def test_a_wait_of_more_than_a_minute_is_not_worth_it(ask: Ask) -> None:
    llm, _, sleeps = retrying(busy(after=3600), "never")
    with pytest.raises(LLMError, match="asks to wait 3600 s"):
        await ask(llm)
    assert sleeps == []


class BreaksOff(ScriptedLLM):
    async def stream_chat(self, *args: Any, **options: Any) -> Any:
        async for delta in super().stream_chat(*args, **options):
            yield delta
            raise busy()


@pytest.mark.asyncio
async def test_a_stream_that_has_begun_is_not_begun_anew() -> None:
    clock, scripted = Clock(), BreaksOff(["Hello there", "Hello there"])
    stream = RetryLLM(scripted, sleep=clock.sleep).stream_chat(ASK)
    assert await anext(stream) == TextDelta("Hello ")
    with pytest.raises(LLMError, match=r"^busy\.$"):
        await anext(stream)
    assert (len(scripted.requests), clock.sleeps) == (1, [])


@both
@pytest.mark.asyncio
async def test_cancelling_ends_the_wait_at_once(ask: Ask) -> None:
    waiting = asyncio.Event()

    async def sleep(seconds: float) -> None:
        waiting.set()
        await asyncio.Event().wait()

    scripted = ScriptedLLM([busy(), "never"])
    task = asyncio.ensure_future(ask(RetryLLM(scripted, sleep=sleep)))
    await waiting.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(scripted.requests) == 1


@pytest.mark.asyncio
async def test_it_shows_the_model_within_and_closes_it() -> None:
    scripted = ScriptedLLM([], abilities={"vision": True}, context_size=77, max_output_tokens=7)
    llm = RetryLLM(scripted)
    assert isinstance(llm, LLM)
    assert (llm.abilities, llm.context_size, llm.max_output_tokens) == ({**NO_ABILITIES, "vision": True}, 77, 7)
    await llm.aclose()
    assert scripted.closed
