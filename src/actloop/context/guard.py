"""`ContextGuard`: keeps each request inside the context window."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from actloop.context.compaction import Plan, assemble, plan
from actloop.context.cutting import MAX_MESSAGE_CHARACTERS, cut_message, cut_text
from actloop.context.pinned import latest_query
from actloop.context.rounds import History, split
from actloop.context.summariser import HINTS, Summariser
from actloop.context.summary import digest, summary_message
from actloop.context.tally import Tally
from actloop.context.tokens import Calibration, count_message, count_text, count_tools, total_count
from actloop.errors import ConfigError, ContextTooSmall
from actloop.llm import LLM
from actloop.messages import Message, SystemMessage, ToolSpec, Usage, text_of, valid_history

__all__ = ["ContextGuard"]

_LEAST_BUDGET = 4_000
_AFTER_OVERFLOW, _WORTH_LEARNING = 0.7, 0.95
_LEAST_SUMMARY_TOKENS = 40
_GOAL_TOKENS = 300
_DIGEST_CHARACTERS = (1_200, 600, 300, 150, 80)
_ROUNDING = 1e-6
"""Sums of the same floats in another order differ by less."""


class ContextGuard:
    """Keeps the messages of each request within ``budget`` tokens, by estimate.

    budget: the tokens that messages and tool schemas may take together.
    compact_llm: writes the summaries; without it, what is dropped leaves a short digest.

    The estimate is calibrated by what the model reports (`observe`), so use one guard for one model. A guard may serve
    several conversations; it never changes a message or a list it was given.
    """

    def __init__(self, budget: int, *, compact_llm: LLM | None = None) -> None:
        if budget < 1:
            raise ConfigError(f"the budget of a ContextGuard must be at least 1 token; it is {budget!r}")
        self._budget = budget
        self._summariser = None if compact_llm is None else Summariser(compact_llm)
        self._calibration = Calibration()
        self._tally = Tally()

    @classmethod
    def for_llm(cls, llm: LLM, *, compact_llm: LLM | None = None) -> ContextGuard:
        """A guard for requests to ``llm``: its window less its longest output, but at least 4,000 tokens or half."""
        window = llm.context_size
        budget = max(window - llm.max_output_tokens, min(_LEAST_BUDGET, window // 2), 1)
        return cls(budget, compact_llm=compact_llm)

    @property
    def budget(self) -> int:
        """The tokens that a request may have now; less than at first after an overflow."""
        return self._budget

    def tokens(self, messages: Sequence[Message], tools: Sequence[ToolSpec] = ()) -> int:
        """About how many tokens a request of ``messages`` and ``tools`` is."""
        return round(self._weight(messages, tools))

    def observe(self, messages: Sequence[Message], tools: Sequence[ToolSpec], reported: int | None) -> None:
        """Learn that a request of ``messages`` and ``tools`` was ``reported`` tokens long; None when nobody said."""
        if reported is not None:
            self._calibration.observe(self._tally.of(messages, tools), reported)

    def overflowed(self, messages: Sequence[Message], tools: Sequence[ToolSpec] = ()) -> None:
        """Learn that the provider refused this request as too long: from now on the budget is a good deal smaller.

        But there is always room for system messages, tools and the latest query: a request that is little more than
        these cannot be made shorter, and its refusal teaches nothing.
        """
        refused = self._weight(messages, tools)
        query = latest_query(messages)
        fixed = [m for n, m in enumerate(messages) if n == query or isinstance(m, SystemMessage)]
        least = self._calibration.tokens(total_count([*map(count_message, fixed), count_tools(tools)]))
        budget = max(least, min(self._budget, refused) * _AFTER_OVERFLOW)
        if budget <= refused * _WORTH_LEARNING:
            self._budget = math.ceil(budget)

    async def check_and_compact(
        self, messages: list[Message], *, hint: str = "general", tools: Sequence[ToolSpec] = ()
    ) -> list[Message]:
        """Return ``messages`` themselves when they fit, else a shorter valid history.

        hint: what the history is used for, a key of `HINTS`; it chooses what a summary keeps.
        tools: the schemas that go along with the request; they count.

        Raises `ContextTooSmall` when system messages, tools and the latest query alone do not fit.
        """
        if hint not in HINTS:
            raise ConfigError(f"there is no hint {hint!r} for compaction; use one of {', '.join(map(repr, HINTS))}")
        fits = self._fits(messages, tools)
        if fits and not self._tally.has_long():
            return messages
        cut = _cut_long(messages)
        if cut is messages and fits:
            return messages
        valid = valid_history(cut)
        return valid if self._fits(valid, tools) else await self._compact(split(valid), hint, tools)

    async def _compact(self, history: History, hint: str, tools: Sequence[ToolSpec]) -> list[Message]:
        taken = self._weight(history.system, tools)
        room = self._budget - taken
        query = None if history.query is None else history.rounds[history.query].messages[0]
        if room < (0 if query is None else self._weigh(query)):
            raise ContextTooSmall(self._too_small(history.system, query, tools))
        todo = plan(history, budget=self._budget, room=room, weigh=self._weigh)
        summary = await self._summary(history, todo, query, hint)
        return assemble(history, summary, todo.kept)

    async def _summary(self, history: History, todo: Plan, query: Message | None, hint: str) -> Message | None:
        """The message that stands for all that goes; None when there is nothing or no room for it."""
        if not (todo.old or todo.names or history.summary) or todo.summary_room < _LEAST_SUMMARY_TOKENS:
            return None
        text, usage = "", Usage()
        if self._summariser is not None and todo.old:
            goal = "" if query is None else cut_text(text_of(query.content), _GOAL_TOKENS, self._weigh_text)
            text, usage = await self._summariser.write(
                history.summary, todo.old, hint=hint, goal=goal, max_tokens=int(todo.summary_room)
            )
            if self._weigh_text(text) >= self._weigh_text(history.summary) + sum(map(self._weigh, todo.old)):
                text = ""  # longer than what it would replace
        body_room = todo.summary_room - self._weigh(summary_message("", usage))
        if not text:
            text = _without_model(history.summary, todo.old, body_room, self._weigh_text)
        body = cut_text("\n".join(filter(None, [text, *todo.names])), body_room, self._weigh_text)
        return summary_message(body, usage) if body else None

    def _fits(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> bool:
        return self._weight(messages, tools) <= self._budget + _ROUNDING

    def _weight(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> float:
        return self._calibration.tokens(self._tally.of(messages, tools))

    def _weigh(self, message: Message) -> float:
        return self._calibration.tokens(count_message(message))

    def _weigh_text(self, text: str) -> float:
        return self._calibration.tokens(count_text(text))

    def _too_small(self, system: Sequence[SystemMessage], query: Message | None, tools: Sequence[ToolSpec]) -> str:
        prompt = round(sum(map(self._weigh, system)))
        question = 0 if query is None else round(self._weigh(query))
        schemas = round(self._calibration.tokens(count_tools(tools)))
        return (
            f"The request does not fit the context window: the system prompt has about {prompt} tokens, the tool "
            f"schemas {schemas} and the question {question}, together {prompt + schemas + question}, but there is room "
            f"for {self._budget}. Shorten them, offer fewer tools, or use a model with a larger context window."
        )


def _cut_long(messages: list[Message]) -> list[Message]:
    """Every message but system prompt and query cut to what a single one may have; the same list if none is longer."""
    query = latest_query(messages)
    cut = [
        message
        if number == query or isinstance(message, SystemMessage)
        else cut_message(message, MAX_MESSAGE_CHARACTERS)
        for number, message in enumerate(messages)
    ]
    return messages if all(new is old for new, old in zip(cut, messages, strict=True)) else cut


def _without_model(summary: str, old: Sequence[Message], room: float, weigh: Callable[[str], float]) -> str:
    """The summary so far and a line for each thing that goes, the lines as long as there is room for."""
    text = ""
    for limit in _DIGEST_CHARACTERS:
        text = "\n".join(filter(None, [summary, *digest(old, limit)]))
        if weigh(text) <= room:
            break
    return text
