"""A history in the pieces that compaction keeps or drops whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from actloop.context.pinned import latest_query
from actloop.context.summary import summary_text
from actloop.messages import AssistantMessage, Message, SystemMessage, UserMessage

__all__ = ["History", "Round", "split"]


class Round(NamedTuple):
    """What stays or goes together: a call with all its results, or a single message.

    pinned: whether a person said it for this run, so that it survives.
    """

    messages: tuple[Message, ...]
    pinned: bool = False


class History(NamedTuple):
    """A conversation in its parts; the rounds are in order, the query and other pinned messages among them.

    summary: the text of the running summary, empty without one. query: the position of the query among the rounds.
    """

    system: list[SystemMessage]
    summary: str
    rounds: list[Round]
    query: int | None


def split(messages: Sequence[Message]) -> History:
    """The parts of a valid history."""
    query_at = latest_query(messages)
    system: list[SystemMessage] = []
    summaries: list[str] = []
    rounds: list[Round] = []
    query: int | None = None
    position = 0
    while position < len(messages):
        message = messages[position]
        end = position + 1
        if isinstance(message, SystemMessage):
            system.append(message)
        elif (text := summary_text(message)) is not None:
            summaries.append(text)
        else:
            if isinstance(message, AssistantMessage):
                end += len(message.tool_calls)
            if position == query_at:
                query = len(rounds)
            rounds.append(Round(tuple(messages[position:end]), isinstance(message, UserMessage) and message.pinned))
        position = end
    return History(system, "\n".join(summaries), rounds, query)
