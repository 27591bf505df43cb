"""The state of one run while it lasts: the loop moves it on, the rules read it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from actloop.agent import prompts
from actloop.agent.dialect import Outcome
from actloop.agent.events import StopReason
from actloop.agent.result import AgentResult, StepResult
from actloop.llm import Reply
from actloop.messages import AssistantMessage, Message, Usage, broken_rule, text_of, valid_history

__all__ = ["RunState"]


@dataclass(slots=True)
class RunState:
    """Everything a run knows about itself.

    started: ``time.monotonic`` at its start.
    tokens: prompt and completion tokens of all model calls, with an estimate for those that reported nothing.
    last_request_tokens: the same for the latest call.
    calls: tool calls that were answered. tool_turns: turns with at least one call.
    recalled: whether the earlier conversation, if any, is part of the messages.
    draft: the latest answer of the model, also one that was sent back to work.
    ordered: the list of messages that kept the order law when it had ``ordered_size`` messages.
    """

    query: str
    messages: list[Message]
    started: float = field(default_factory=time.monotonic)
    iteration: int = 0
    steps: list[StepResult] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    tokens: int = 0
    last_request_tokens: int = 0
    tool_turns: int = 0
    recalled: bool = False
    draft: str = ""
    answer: str = ""
    stop_reason: StopReason = "answer"
    error: str | None = None
    ordered: Sequence[Message] = ()
    ordered_size: int = 0

    @property
    def calls(self) -> int:
        """How many tool calls were answered so far."""
        return len(self.steps)

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.started

    def count(self, sent: Sequence[Message], reply: Reply) -> None:
        """Add the cost of one model call."""
        self.usage = self.usage + reply.usage
        total = reply.usage.total_tokens
        if total is None or not reply.usage.complete:
            # nobody told: about four characters a token, as spec says for ASCII
            total = (sum(len(text_of(m.content)) for m in sent) + len(reply.message.content)) // 4
        self.last_request_tokens = total
        self.tokens += total

    def spend(self, usage: Usage) -> None:
        """Add what was spent beside the turns, for example on a summary."""
        self.usage = self.usage + usage
        self.tokens += usage.total_tokens or 0

    def record(self, outcomes: Sequence[Outcome]) -> None:
        """Add the outcomes of one turn's calls to the steps."""
        self.tool_turns += 1
        self.steps += [
            StepResult(o.call.name, o.call.arguments, o.observation, o.error, o.elapsed, o.artifacts) for o in outcomes
        ]

    def add(self, message: Message) -> None:
        """Append a message; an assistant message that says nothing at all is left out, since providers refuse it."""
        if isinstance(message, AssistantMessage) and not message.tool_calls and not message.content.strip():
            return
        self.messages.append(message)

    def keep_order(self) -> None:
        """Mend the history where it breaks the order law; a list that only grew is not gone through again."""
        sound = self.ordered_size if self.messages is self.ordered else 0
        if broken_rule(self.messages, sound) is not None:
            self.messages = valid_history(self.messages)
        self.ordered, self.ordered_size = self.messages, len(self.messages)

    def end(self, reason: StopReason, answer: str, error: str | None = None) -> None:
        """Note how the run ended; the history then ends with something the assistant said."""
        self.stop_reason, self.answer, self.error = reason, answer, error
        last = self.messages[-1]
        if not isinstance(last, AssistantMessage) or last.tool_calls:
            self.messages = valid_history(self.messages)
            self.add(AssistantMessage(answer))

    def fail(self, error: str) -> None:
        """End with an error and what was found so far."""
        self.end("error", self.draft or prompts.steps_summary(self.steps, error), error)

    def result(self) -> AgentResult:
        """What the run hands back."""
        return AgentResult(
            answer=self.answer,
            steps=tuple(self.steps),
            iterations=self.iteration,
            usage=self.usage,
            elapsed=self.elapsed,
            messages=tuple(valid_history(self.messages)),
            stop_reason=self.stop_reason,
            error=self.error,
        )
