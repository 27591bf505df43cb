"""What no compaction may drop, and what gives way when too much of it has gathered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from actloop.context.cutting import cut_text
from actloop.context.summary import is_summary
from actloop.messages import Message, UserMessage, shorten, text_of

__all__ = ["INTERRUPT_HEADER", "cap_interrupts", "is_interrupt", "latest_query"]

INTERRUPT_HEADER = "[USER INTERRUPT]"
"""How a message begins that a person wrote while the agent worked."""

_LONG, _KEPT = 400, 300
_NAMED = 120


def is_interrupt(message: Message) -> bool:
    """Whether ``message`` is what a person wrote while the agent worked."""
    return isinstance(message, UserMessage) and text_of(message.content).startswith(INTERRUPT_HEADER)


def latest_query(messages: Sequence[Message]) -> int | None:
    """The position of the question that is being worked on: the last pinned one, else the last thing a user said."""
    asked = [
        (message.pinned, position)
        for position, message in enumerate(messages)
        if isinstance(message, UserMessage) and not is_interrupt(message) and not is_summary(message)
    ]
    return max(asked)[1] if asked else None


def cap_interrupts(
    pinned: Sequence[UserMessage], room: float, weigh: Callable[[Message], float]
) -> tuple[list[UserMessage | None], list[str]]:
    """Make pinned messages other than the query, oldest first, fit into ``room`` tokens.

    The oldest are shortened with a marker, as far as need be, then left out. Comes back with one entry for each, None
    for those left out, and with the names under which a summary has to mention those.
    """
    kept: list[UserMessage | None] = list(pinned)
    excess = sum(map(weigh, pinned)) - room
    for position, message in enumerate(pinned):
        if excess > 0 and len(text_of(message.content)) > _LONG:
            short = _shortened(message, weigh(message) - excess, weigh)
            excess -= weigh(message) - weigh(short)
            kept[position] = short
    names: list[str] = []
    for position, entry in enumerate(kept):
        if excess > 0 and entry is not None:
            excess -= weigh(entry)
            names.append(_name(pinned[position]))
            kept[position] = None
    return kept, names


def _shortened(message: UserMessage, room: float, weigh: Callable[[Message], float]) -> UserMessage:
    """The message cut to ``room`` tokens, but not to less than it takes to say what it is about."""
    text = text_of(message.content)
    cut = cut_text(text, room, lambda piece: weigh(UserMessage(piece)))
    return replace(message, content=cut if len(cut) > _KEPT else shorten(text, _KEPT))


def _name(message: UserMessage) -> str:
    text = " ".join(text_of(message.content).removeprefix(INTERRUPT_HEADER).split())
    return f'- The user had added: "{shorten(text, _NAMED, marker=" … ")}"'
