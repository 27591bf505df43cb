from collections.abc import Callable
from typing import Any

import pytest

from actloop.errors import ContextOverflow, LLMError, UnsupportedParameter
from actloop.llm.base import LLM
from actloop.llm.fallback import FallbackLLM
from actloop.llm.reply import collect
from actloop.messages import UserMessage
from actloop.testing.scripted_llm import ScriptedLLM

ASK = [UserMessage("q")]


async def plain(llm: LLM) -> str:
    return (await llm.chat(ASK)).message.content


async def streamed(llm: LLM) -> str:
    return (await collect(llm.stream_chat(ASK))).message.content


both = pytest.mark.parametrize("ask", [plain, streamed])
Ask = Callable[[LLM], Any]


@both
@pytest.mark.asyncio
async def test_the_first_model_that_answers_answers(ask: Ask) -> None:
    unasked = ScriptedLLM(["three"])
    llm = FallbackLLM(ScriptedLLM([LLMError("no key", status=401)]), ScriptedLLM(["two"]), unasked)
    assert await ask(llm) == "two"
    assert unasked.requests == []


@both
@pytest.mark.asyncio
async def test_when_all_fail_the_error_tells_of_each(ask: Ask) -> None:
    last = LLMError("two is busy.", provider="p2", status=503, retry_after=9, retryable=True)
    with pytest.raises(LLMError) as caught:
        await ask(FallbackLLM(ScriptedLLM([LLMError("one is gone.")]), ScriptedLLM([last])))
    assert str(caught.value) == "None of 2 models answered. (1) one is gone. (2) two is busy."
    assert (caught.value.provider, caught.value.status, caught.value.retry_after) == ("p2", 503, 9)


@both
@pytest.mark.parametrize("error", [ContextOverflow("too long"), UnsupportedParameter("no tools", parameter="tools")])
@pytest.mark.asyncio
async def test_what_the_caller_can_mend_goes_to_the_caller(ask: Ask, error: LLMError) -> None:
    second = ScriptedLLM(["two"])
    with pytest.raises(LLMError) as caught:
        await ask(FallbackLLM(ScriptedLLM([error]), second))
    assert caught.value is error
    assert second.requests == []


class BreaksOff(ScriptedLLM):
    async def stream_chat(self, *args: Any, **options: Any) -> Any:
        async for delta in super().stream_chat(*args, **options):
            yield delta
            raise LLMError("cut")


@pytest.mark.asyncio
async def test_a_stream_that_has_begun_is_not_begun_by_another_model() -> None:
    second = ScriptedLLM(["two"])
    with pytest.raises(LLMError, match=r"^cut$"):
        await streamed(FallbackLLM(BreaksOff(["Hello there"]), second))
    assert second.requests == []


@pytest.mark.asyncio
async def test_it_promises_what_all_models_can_do_and_closes_all() -> None:
    first = ScriptedLLM([], abilities={"tool_call": True, "vision": True}, context_size=50, max_output_tokens=9)
    second = ScriptedLLM([], abilities={"tool_call": True, "thinking": True}, context_size=70, max_output_tokens=5)
    llm = FallbackLLM(first, second)
    assert isinstance(llm, LLM)
    assert [name for name, able in llm.abilities.items() if able] == ["tool_call"]
    assert (llm.context_size, llm.max_output_tokens) == (50, 5)
    await llm.aclose()
    assert first.closed
    assert second.closed
