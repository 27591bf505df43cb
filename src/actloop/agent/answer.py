"""Answer synthesis: one streaming call turns the trace of a run into the answer a person reads."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing

from actloop.agent.cancellation import cancelled_from_outside
from actloop.agent.events import AnswerDelta, AnswerRestarted
from actloop.agent.settings import AgentSettings
from actloop.agent.stall import StallWatch
from actloop.agent.synthesis import Synthesis
from actloop.errors import ActloopError, AnswerStreamError, ContextOverflow, LLMError, LLMTimeout
from actloop.llm import LLM, EndDelta, TextDelta
from actloop.messages import Usage

__all__ = ["AnswerWriter", "plain_deltas"]


class AnswerWriter:
    """Streams one answer. ``usage`` is what all attempts cost, ``text`` what the latest one has said so far."""

    def __init__(self, llm: LLM, synthesis: Synthesis, settings: AgentSettings) -> None:
        self._llm = llm
        self._synthesis = synthesis
        self._settings = settings
        self.usage = Usage()
        self.text = ""

    async def events(self) -> AsyncGenerator[AnswerDelta | AnswerRestarted]:
        """The answer's pieces; after a broken attempt `AnswerRestarted`, then the pieces of the next one.

        Raises `AnswerStreamError` with the partial text when no attempt came to its end.
        """
        attempts = self._settings.answer_attempts
        for attempt in range(1, attempts + 1):
            if attempt > 1:
                yield AnswerRestarted(attempt)
            try:
                async with aclosing(self._attempt()) as pieces:
                    async for piece in pieces:
                        yield AnswerDelta(piece)
            except ActloopError as error:
                if isinstance(error, ContextOverflow):
                    self._synthesis.overflowed()
                if attempt == attempts:
                    raise AnswerStreamError(
                        f"The answer could not be streamed in {attempts} attempts: {error}", partial=self.text
                    ) from error
            else:
                return

    async def _attempt(self) -> AsyncGenerator[str]:
        """One streaming call; raises `LLMError` when it fails, stalls, says nothing or ends without a finish reason."""
        self.text = ""
        parts: list[str] = []
        ends = time.monotonic() + self._settings.answer_timeout
        watch = StallWatch(self._settings.answer_stall_timeout)
        finish_reason = stream = None
        try:
            stream = self._llm.stream_chat(self._synthesis.messages)
            while True:
                if time.monotonic() > ends:
                    raise LLMError(f"the answer did not end within {self._settings.answer_timeout:g} seconds")
                try:
                    delta = await watch.wait_for(anext(stream))
                except StopAsyncIteration:
                    break
                except TimeoutError as error:
                    seconds = self._settings.answer_stall_timeout
                    raise LLMTimeout(f"the stream stalled for {seconds:g} seconds") from error
                if isinstance(delta, TextDelta) and delta.text:
                    parts.append(delta.text)
                    yield delta.text
                elif isinstance(delta, EndDelta):
                    self.usage = self.usage + delta.usage
                    finish_reason = delta.finish_reason
        except (ActloopError, GeneratorExit):
            raise
        except asyncio.CancelledError as error:
            if cancelled_from_outside():
                raise
            raise LLMError("the model cancelled itself") from error
        except Exception as error:
            raise LLMError(f"the model failed with {type(error).__name__}: {error}") from error
        finally:
            watch.close()
            self.text = "".join(parts)
            if (close := getattr(stream, "aclose", None)) is not None:
                await close()
        if finish_reason is None:
            raise LLMError("the stream ended without a finish reason, so the text may be cut off")
        if not self.text.strip():
            raise LLMError("the streamed reply was empty")


async def plain_deltas(writer: AnswerWriter) -> AsyncGenerator[str]:
    """The answer as text pieces that joined are one whole answer.

    After a broken attempt the next one is let through only where it goes on from the text already shown; if it reads
    differently, `AnswerStreamError` is raised, since text once yielded cannot be taken back.
    """
    shown = ""  # what was yielded
    replay: str | None = None  # what the current attempt has said so far while it catches up with `shown`
    try:
        async with aclosing(writer.events()) as events:
            async for event in events:
                if isinstance(event, AnswerRestarted):
                    replay = "" if shown else None
                    continue
                piece = event.content
                if replay is not None:
                    replay += piece
                    if shown.startswith(replay):
                        continue
                    if not replay.startswith(shown):
                        raise AnswerStreamError(_DIFFERENT)
                    piece, replay = replay[len(shown) :], None
                shown += piece
                yield piece
        if replay is not None and replay != shown:  # it came to its end before it had caught up
            raise AnswerStreamError(_DIFFERENT)
    except AnswerStreamError as error:
        error.partial = shown  # the second attempt may have said less than the first
        raise


_DIFFERENT = (
    "The streamed answer broke off, and the second attempt reads differently from what was shown; "
    "use stream() to be told of restarts"
)
