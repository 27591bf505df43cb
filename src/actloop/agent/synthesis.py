"""What the synthesis of the answer is asked with: the question and the trace, as much of it as fits."""

from __future__ import annotations

from collections.abc import Sequence

from actloop.agent import prompts
from actloop.agent.result import AgentResult
from actloop.agent.run_context import ContextCheck
from actloop.agent.settings import AgentSettings
from actloop.context import ContextGuard, summary_text
from actloop.messages import Message, SystemMessage, UserMessage, text_of

__all__ = ["Synthesis"]

_SHORTEST_RESULT = 100


class Synthesis:
    """The request for one answer. ``messages`` is it as it fits now; after `overflowed` it is shorter."""

    def __init__(
        self, query: str, result: AgentResult, directive: str, settings: AgentSettings, guard: ContextCheck
    ) -> None:
        self._query = query
        self._result = result
        self._system = SystemMessage(prompts.answer_system_prompt(directive))
        self._limit = settings.max_trace_result_chars
        self._guard = guard if isinstance(guard, ContextGuard) else None
        self.messages = self._fitted()

    def overflowed(self) -> None:
        """The provider found the request too long."""
        if self._guard is not None:
            self._guard.overflowed(self.messages)
        self.messages = self._fitted()

    def _fitted(self) -> list[Message]:
        """The whole trace if it fits; else with shorter results; else with the latest calls and a summary of the rest.

        The question, what the user added, and the conclusion of the loop are always whole.
        """
        limit, calls = self._limit, len(self._result.steps)
        messages = self._composed(limit, calls)
        while not self._fits(messages) and calls > 0:
            if limit > _SHORTEST_RESULT:
                limit = max(_SHORTEST_RESULT, limit // 2)
            else:
                calls = calls * 3 // 4
            messages = self._composed(limit, calls)
        return messages

    def _fits(self, messages: list[Message]) -> bool:
        return self._guard is None or self._guard.tokens(messages) <= self._guard.budget

    def _composed(self, limit: int, calls: int) -> list[Message]:
        result = self._result
        left_out = len(result.steps) - calls
        text = prompts.answer_messages_text(
            self._query,
            _interrupts(result.messages),
            result.steps[left_out:],
            result.answer,
            limit,
            earlier=_summary(result.messages) if left_out else "",
        )
        return [self._system, UserMessage(text, pinned=True)]


def _summary(messages: Sequence[Message]) -> str:
    return "\n".join(text for message in messages if (text := summary_text(message)) is not None)


def _interrupts(messages: Sequence[Message]) -> list[str]:
    """What the user added while this run worked: the interrupts after its question."""
    found: list[str] = []
    for message in reversed(messages):
        if isinstance(message, UserMessage) and message.pinned:
            header, _, text = text_of(message.content).partition("\n")
            if header != prompts.INTERRUPT_HEADER:
                break
            found.append(text)
    return found[::-1]
