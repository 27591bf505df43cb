"""Which part of a history stays word for word, and how the pieces come together again (pure).

The plan for a history that is too long, in tokens: system messages and the query stay; other pinned messages get what
is left of half the budget; of the rest, half goes to the newest rounds and a quarter at the most to the summary, so
that the next compaction is a good many turns away and the beginning of the prompt stays the same until then.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from actloop.context.cutting import cut_round
from actloop.context.pinned import cap_interrupts
from actloop.context.rounds import History, Round
from actloop.messages import Message, UserMessage

__all__ = ["Plan", "assemble", "plan"]

_SUMMARY_SHARE, _TAIL_SHARE = 0.25, 0.5
_MAX_SUMMARY_TOKENS = 2_000

Weigh = Callable[[Message], float]


class Plan(NamedTuple):
    """What to do with a history.

    kept: the rounds that stay, in order. old: the messages that a summary replaces. names: pinned messages that the
    summary must mention. summary_room: the tokens it may have.
    """

    kept: list[Round]
    old: list[Message]
    names: list[str]
    summary_room: float


def plan(history: History, *, budget: float, room: float, weigh: Weigh) -> Plan:
    """Decide what stays. ``room`` is what system messages and tool schemas leave of ``budget``; the query fits in."""
    rounds = list(history.rounds)
    query = rounds[history.query].messages[0] if history.query is not None else None
    query_tokens = 0.0 if query is None else weigh(query)
    names = _cap_pinned(rounds, history.query, max(0.0, min(budget / 2, room) - query_tokens), weigh)
    fixed = [number for number, one in enumerate(rounds) if one.messages and (one.pinned or number == history.query)]
    rest = room - sum(weigh(rounds[number].messages[0]) for number in fixed)
    summary_room = min(rest * _SUMMARY_SHARE, _MAX_SUMMARY_TOKENS)
    loose = [number for number, one in enumerate(rounds) if one.messages and number not in set(fixed)]
    newest = _newest(rounds, loose, rest * _TAIL_SHARE, rest - summary_room, weigh)
    kept = sorted([*fixed, *newest])
    old = [message for number in loose if number not in newest for message in rounds[number].messages]
    return Plan([newest.get(number, rounds[number]) for number in kept], old, names, summary_room)


def _cap_pinned(rounds: list[Round], query: int | None, room: float, weigh: Weigh) -> list[str]:
    """Shorten or empty the pinned rounds beside the query, in place; the names of those that went."""
    numbers = [number for number, one in enumerate(rounds) if one.pinned and number != query]
    pinned = [message for number in numbers for message in rounds[number].messages if isinstance(message, UserMessage)]
    kept, names = cap_interrupts(pinned, room, weigh)
    for number, message in zip(numbers, kept, strict=True):
        rounds[number] = Round(() if message is None else (message,), pinned=True)
    return names


def _newest(
    rounds: Sequence[Round], loose: Sequence[int], wanted: float, most: float, weigh: Weigh
) -> dict[int, Round]:
    """The newest rounds that fit into ``wanted`` tokens; if not even the last one does, that one, cut to ``most``."""
    found: dict[int, Round] = {}
    for number in reversed(loose):
        wanted -= sum(map(weigh, rounds[number].messages))
        if wanted < 0:
            break
        found[number] = rounds[number]
    if not found and loose:
        last = loose[-1]
        cut = cut_round(rounds[last].messages, most, weigh)
        if cut is not None:
            found[last] = Round(tuple(cut))
    return found


def assemble(history: History, summary: Message | None, kept: Sequence[Round]) -> list[Message]:
    """The compacted history: system messages, the summary, then what stays."""
    rest = [message for one in kept for message in one.messages]
    return [*history.system, *([] if summary is None else [summary]), *rest]
