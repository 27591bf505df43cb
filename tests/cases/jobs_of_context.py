"""Jobs about what a model gets to see: counting tokens and shortening histories."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from typing import Any

from actloop.context import ContextGuard, estimate_tokens
from actloop.messages import Message, broken_rule
from actloop.testing import ScriptedLLM
from tests.cases.openai_form import messages_from, messages_to
from tests.cases.outcome import CannotRun, Outcome

__all__ = ["budget_of", "compact", "estimate_tokens_job"]

_LAST = re.compile(r"room for (?:about )?the last (?P<count>\d+) messages?")


def estimate_tokens_job(given: Mapping[str, Any]) -> Outcome:
    """One `text` or many `texts`."""
    texts = given["texts"] if "texts" in given else [given["text"]]
    estimates = [estimate_tokens(text) for text in texts]
    return Outcome({"estimates": estimates, "value": estimates if "texts" in given else estimates[0]})


def compact(given: Mapping[str, Any]) -> Outcome:
    """Shorten `messages` to `budget` with a summariser that says `summary`."""
    messages = messages_from(given["messages"])
    llm = ScriptedLLM(lambda _: str(given.get("summary", "What was said before.")))
    guard = ContextGuard(budget_of(given["budget"], messages), compact_llm=llm)
    after = asyncio.run(guard.check_and_compact(messages, hint=given.get("hint", "general")))
    raw = messages_to(after)
    return Outcome(
        {
            "messages": raw,
            "value": raw,
            "valid": broken_rule(after) is None,
            "estimate": guard.tokens(after),
            "summaries": len(llm.requests),
        }
    )


def budget_of(budget: object, messages: Sequence[Message]) -> int:
    """A budget in tokens, or "room for about the last N messages" beside the system messages."""
    if isinstance(budget, int):
        return budget
    told = _LAST.fullmatch(str(budget))
    if told is None:
        raise CannotRun(f"the budget is told in prose that the adapter does not know: {budget!r}")
    head = [message for message in messages if message.role == "system"]
    return ContextGuard(1).tokens([*head, *messages[-int(told["count"]) :]])
