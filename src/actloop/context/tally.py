"""A running count of a growing history, so that a check costs what is new and not what is old."""

from __future__ import annotations

from collections.abc import Sequence

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
        self._total = TokenCount()
        self._long = False
        self._tools: Sequence[ToolSpec] = ()
        self._tools_total = TokenCount()

    def of(self, messages: Sequence[Message]) -> TokenCount:
        """The count of all ``messages``."""
        if not self._continues(messages):
            self._list, self._size, self._total, self._long = messages, 0, TokenCount(), False
        for message in messages[self._size :]:
            count = count_message(message)
            self._total += count
            if count.narrow + count.wide >= _LEAST_TOKENS_OF_LONG and longest_text(message) > MAX_MESSAGE_CHARACTERS:
                self._long = True
        self._size = len(messages)
        self._counted = (messages[0], messages[-1]) if messages else ()
        return self._total

    def has_long(self, messages: Sequence[Message]) -> bool:
        """Whether a single message is longer than one may be."""
        self.of(messages)
        return self._long

    def of_tools(self, tools: Sequence[ToolSpec]) -> TokenCount:
        """The count of the tool schemas; counted anew only for other tools than last time."""
        if tools is not self._tools:
            self._tools, self._tools_total = tools, count_tools(tools)
        return self._tools_total

    def _continues(self, messages: Sequence[Message]) -> bool:
        if messages is not self._list or not 0 < self._size <= len(messages):
            return False
        first, last = self._counted
        return messages[0] is first and messages[self._size - 1] is last
