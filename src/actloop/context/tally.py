"""A running count of a growing history, so that a check costs what is new and not what is old."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from actloop.context.cutting import MAX_MESSAGE_CHARACTERS, longest_text
from actloop.context.tokens import TokenCount, count_message, count_tools
from actloop.messages import Message, ToolSpec

__all__ = ["Tally"]

_LEAST_TOKENS_OF_LONG = MAX_MESSAGE_CHARACTERS / 64
"""No text of that many characters is estimated at less, so most messages need not be looked at."""


class Tally:
    """Counts messages and tool schemas, and remembers the list and the tools it counted last.

    A list counts as the one of last time, grown at its end, when it is the same object and the messages where the count
    began and ended are still in their places; whoever replaces a message in the middle makes a new list.
    """

    def __init__(self) -> None:
        self._list: Sequence[Message] = ()
        self._counted: tuple[Message, ...] = ()  # the first and the last counted message
        self._size = 0
        self._narrow, self._wide, self._flat = TokenCount()
        self._long = False
        self._specs: Sequence[ToolSpec] = ()
        self._tools = TokenCount()
        self._total = TokenCount()

    def of(self, messages: Sequence[Message], tools: Sequence[ToolSpec] = ()) -> TokenCount:
        """The count of all ``messages`` and ``tools`` together."""
        known = self._continues(messages)
        if known and len(messages) == self._size and tools is self._specs:
            return self._total
        if not known:
            self._list, self._size, self._long = messages, 0, False
            self._narrow, self._wide, self._flat = TokenCount()
        if tools is not self._specs:
            self._specs, self._tools = tools, count_tools(tools)
        self._count(messages[self._size :])
        self._size = len(messages)
        self._counted = (messages[0], messages[-1]) if messages else ()
        self._total = self._tools.plus(TokenCount(self._narrow, self._wide, self._flat))
        return self._total

    def _count(self, messages: Iterable[Message]) -> None:
        for message in messages:
            narrow, wide, flat = count_message(message)
            self._narrow += narrow
            self._wide += wide
            self._flat += flat
            if narrow + wide >= _LEAST_TOKENS_OF_LONG and longest_text(message) > MAX_MESSAGE_CHARACTERS:
                self._long = True

    def has_long(self) -> bool:
        """Whether one of the messages counted last is longer than a single one may be."""
        return self._long

    def _continues(self, messages: Sequence[Message]) -> bool:
        if messages is not self._list or not 0 < self._size <= len(messages):
            return False
        first, last = self._counted
        return messages[0] is first and messages[self._size - 1] is last
