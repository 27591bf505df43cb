"""What the synthesis of the answer is asked with: the question and the trace, as much of it as fits."""

from __future__ import annotations

from collections.abc import Sequence

from actloop.agent import prompts
from actloop.agent.result import AgentResult
from actloop.agent.run_context import ContextCheck
from actloop.agent.settings import AgentSettings
from actloop.context import ContextGuard, summary_text
from actloop.messages import Message, SystemMessage, UserMessage, shorten, text_of

__all__ = ["Synthesis"]

_SHORTEST_RESULT = 100
_SHORTEST_CONCLUSION = 1_000
_AFTER_OVERFLOW = 0.7


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
        self._room = float("inf") if self._guard is None else self._guard.budget
        self.messages = self._fitted()

    def overflowed(self) -> None:
        """The provider found the request too long."""
        self._room = min(self._room, self._tokens(self.messages)) * _AFTER_OVERFLOW
        self.messages = self._fitted()

    def _fitted(self) -> list[Message]:
        """The whole trace if it fits; else with shorter results; else with the latest calls and a summary of the rest.

        The question and what the user added are always whole, the conclusion of the loop up to half of the room.
        """
        limit, calls = self._limit, len(self._result.steps)
        conclusion = self._conclusion()
        messages = self._composed(limit, calls, conclusion)
        while self._tokens(messages) > self._room and calls > 0:
            if limit > _SHORTEST_RESULT:
                limit = max(_SHORTEST_RESULT, limit // 2)
            else:
                calls = calls * 3 // 4
            messages = self._composed(limit, calls, conclusion)
        return messages

    def _conclusion(self) -> str:
        whole = conclusion = self._result.answer
        while self._tokens([UserMessage(conclusion)]) > self._room / 2 and len(conclusion) > _SHORTEST_CONCLUSION:
            conclusion = shorten(whole, len(conclusion) // 2)
        return conclusion

    def _tokens(self, messages: list[Message]) -> int:
        return 0 if self._guard is None else self._guard.tokens(messages)

    def _composed(self, limit: int, calls: int, conclusion: str) -> list[Message]:
        result = self._result
        left_out = len(result.steps) - calls
        text = prompts.answer_messages_text(
            self._query,
            _interrupts(result.messages),
            result.steps[left_out:],
            conclusion,
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
