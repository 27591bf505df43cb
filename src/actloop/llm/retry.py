"""An LLM that asks another LLM again when a failure may pass."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextvars import ContextVar
from typing import Unpack

from actloop.errors import LLMError
from actloop.llm.base import LLM, ChatOptions, Delta, Reply
from actloop.llm.closing import closing
from actloop.llm.wrapped import WrappedLLM
from actloop.messages import Message

__all__ = ["RetryLLM", "before_retry"]

before_retry: ContextVar[Callable[[], None] | None] = ContextVar("before_retry", default=None)
"""Called before a whole reply is asked for again, so that the asker may bring the list it handed over up to date."""

_FIRST_SECONDS = 0.5
_LONGEST_SECONDS = 8.0
_LONGEST_ASKED_SECONDS = 60.0


class RetryLLM(WrappedLLM):
    """Asks ``llm`` up to ``max_retries`` times more after a retryable `LLMError`; an `LLM` itself.

    It waits 0.5 s, then twice as long each time up to 8 s, less up to a quarter by chance; or as long as the provider
    asks for, up to 60 s: a longer wait is not worth it, and the error is raised at once. A stream is asked for again
    only before its first delta. Cancellation ends a wait at once. The last error says how often it was asked.

    sleep: how to wait, in seconds; tests hand in their own.
    """

    def __init__(
        self, llm: LLM, *, max_retries: int = 3, sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    ) -> None:
        super().__init__(llm)
        self._max_retries = max_retries
        self._sleep = sleep

    def __repr__(self) -> str:
        return f"RetryLLM({self._llm!r}, max_retries={self._max_retries})"

    async def chat(self, messages: Sequence[Message], **options: Unpack[ChatOptions]) -> Reply:
        """Ask for one whole reply, again if need be. Raises `LLMError`."""
        attempt = 1
        while True:
            try:
                return await self._llm.chat(messages, **options)
            except LLMError as error:
                pause = self._pause(error, attempt)
            await self._sleep(pause)
            if (update := before_retry.get()) is not None:
                update()
            attempt += 1

    async def stream_chat(
        self, messages: Sequence[Message], **options: Unpack[ChatOptions]
    ) -> AsyncGenerator[Delta, None]:
        """Ask for a reply piece by piece, again as long as no piece has come. Raises `LLMError`."""
        attempt, begun = 1, False
        while True:
            stream = self._llm.stream_chat(messages, **options)
            try:
                async with closing(stream):
                    async for delta in stream:
                        begun = True
                        yield delta
                return
            except LLMError as error:
                if begun:
                    raise
                pause = self._pause(error, attempt)
            await self._sleep(pause)
            attempt += 1

    def _pause(self, error: LLMError, attempt: int) -> float:
        """How many seconds to wait after the failure of this attempt; raises the error when it was the last."""
        if not error.retryable:
            raise error
        asked = error.retry_after
        if attempt > self._max_retries:
            raise _explained(error, f"Asked {attempt} times.") from error
        if asked is not None and asked > _LONGEST_ASKED_SECONDS:
            raise _explained(error, f"The server asks to wait {asked:g} s; not asked again.") from error
        if asked is not None:
            return asked
        import random  # needed by few, and slow to load

        usual: float = min(_FIRST_SECONDS * 2 ** (attempt - 1), _LONGEST_SECONDS)
        return usual * (1 - random.random() / 4)


def _explained(error: LLMError, remark: str) -> LLMError:
    """The same error with one sentence more."""
    import copy

    explained = copy.copy(error)
    explained.args = (f"{error} {remark}",)
    return explained
