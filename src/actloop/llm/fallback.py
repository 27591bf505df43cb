"""An LLM that asks others in order until one answers."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack
from typing import Unpack

from actloop.errors import ContextOverflow, LLMError, UnsupportedParameter
from actloop.llm.base import LLM, ChatOptions, Delta, Reply
from actloop.llm.closing import closing
from actloop.messages import Message

__all__ = ["FallbackLLM"]


class FallbackLLM:
    """Asks ``first``, and after an `LLMError` the others in turn; an `LLM` itself.

    It promises what all of them can do: the abilities they share, and the smallest sizes. A stream goes to the next
    model only before its first delta. `ContextOverflow` and `UnsupportedParameter` are raised at once: they speak of
    the request, and the caller can mend that. When all fail, the error names each failure.
    """

    def __init__(self, first: LLM, *others: LLM) -> None:
        self._llms = (first, *others)

    def __repr__(self) -> str:
        return f"FallbackLLM({', '.join(map(repr, self._llms))})"

    @property
    def name(self) -> str:
        """The name of the first model if it has one, else empty."""
        return str(getattr(self._llms[0], "name", ""))

    @property
    def abilities(self) -> Mapping[str, bool]:
        first, *others = self._llms
        return {name: able and all(llm.abilities.get(name) for llm in others) for name, able in first.abilities.items()}

    @property
    def context_size(self) -> int:
        return min(llm.context_size for llm in self._llms)

    @property
    def max_output_tokens(self) -> int:
        return min(llm.max_output_tokens for llm in self._llms)

    async def chat(self, messages: Sequence[Message], **options: Unpack[ChatOptions]) -> Reply:
        """Ask for one whole reply. Raises `LLMError` when no model gave one."""
        failures: list[LLMError] = []
        for llm in self._llms:
            try:
                return await llm.chat(messages, **options)
            except (ContextOverflow, UnsupportedParameter):
                raise
            except LLMError as error:
                failures.append(error)
        raise _all_failed(failures)

    async def stream_chat(
        self, messages: Sequence[Message], **options: Unpack[ChatOptions]
    ) -> AsyncGenerator[Delta, None]:
        """Ask for a reply piece by piece. Raises `LLMError` when no model began one, or the one that did broke off."""
        failures: list[LLMError] = []
        begun = False
        for llm in self._llms:
            stream = llm.stream_chat(messages, **options)
            try:
                async with closing(stream):
                    async for delta in stream:
                        begun = True
                        yield delta
                return
            except (ContextOverflow, UnsupportedParameter):
                raise
            except LLMError as error:
                if begun:
                    raise
                failures.append(error)
        raise _all_failed(failures)

    async def aclose(self) -> None:
        """Close all models, also when closing one fails."""
        async with AsyncExitStack() as stack:
            for llm in self._llms:
                stack.push_async_callback(llm.aclose)


def _all_failed(failures: Sequence[LLMError]) -> LLMError:
    last = failures[-1]
    if len(failures) == 1:
        return last
    told = " ".join(f"({number}) {error}" for number, error in enumerate(failures, start=1))
    error = LLMError(
        f"None of {len(failures)} models answered. {told}",
        provider=last.provider,
        status=last.status,
        retry_after=last.retry_after,
        retryable=last.retryable,
    )
    error.__cause__ = last
    return error
