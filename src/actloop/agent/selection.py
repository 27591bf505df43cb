"""Tool selection: with many tools, one cheap call picks those for this question; the rest can be loaded by name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from actloop.agent import prompts
from actloop.errors import StructuredOutputError, ToolError
from actloop.llm import LLM, resolve_tool_name
from actloop.messages import Message, SystemMessage, Usage, UserMessage, shorten, text_of
from actloop.tools import Tool, ToolRegistry, tool

__all__ = ["TOOL_SELECTION_THRESHOLD", "ToolSelection"]

TOOL_SELECTION_THRESHOLD = 12
"""With more tools than this a run begins with a selection."""
_TOOL_SELECTION_MAX = 6
"""How many tools a selection leaves at the most, pinned ones among them; one may be picked in any case."""
_LINE_CHARACTERS = 80
_EARLIER_MESSAGES = 2
_EARLIER_CHARACTERS = 500
_MOST_NAMES_SHOWN = 8_000

_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"tools": {"type": "array", "items": {"type": "string"}, "description": "names of tools"}},
    "required": ["tools"],
    "additionalProperties": False,
}


class ToolSelection:
    """The tools of one run.

    everything: all tools of the agent; those that are added to it later are none of this run's.
    offered: what the run works on; empty at first. It only ever grows, at its end, so that what a provider has cached
        of a request stays valid.
    pinned: names of tools that are always offered. threshold: a selection is needed for more tools than this.
    most: how many tools a selection leaves.
    """

    def __init__(
        self,
        everything: ToolRegistry,
        offered: ToolRegistry,
        *,
        pinned: Sequence[str] = (),
        threshold: int = TOOL_SELECTION_THRESHOLD,
        most: int = _TOOL_SELECTION_MAX,
    ) -> None:
        self._everything = everything.select(everything.names)
        self._offered = offered
        self._pinned = frozenset(pinned)
        self._threshold = threshold
        self._most = most

    @property
    def total(self) -> int:
        """How many tools there are in all."""
        return len(self._everything)

    @property
    def needed(self) -> bool:
        """Whether there are so many tools that some are chosen first."""
        return self.total > self._threshold

    def offer_all(self) -> None:
        """Offer every tool."""
        self._offer(self._everything.names)

    async def choose(self, llm: LLM, query: str, earlier: Sequence[Message] = ()) -> Usage:
        """Ask ``llm`` which tools ``query`` needs, offer those, and a tool that loads others; return what it cost.

        earlier: the conversation before the question. When the model cannot be asked, or names tools of which there is
        none, every tool is offered. Cancellation propagates.
        """
        picked, usage = await self._picked(llm, query, earlier)
        if picked is None:
            self.offer_all()
            return usage
        self._offer([name for name in self._everything.names if name in self._pinned or name in picked])
        self._offer_loader()
        return usage

    async def _picked(self, llm: LLM, query: str, earlier: Sequence[Message]) -> tuple[list[str] | None, Usage]:
        """The names that were chosen, or None when the choice cannot be used."""
        from actloop.llm import structured_llm_call

        room = max(1, self._most - len(self._pinned))
        choices = [item for item in self._everything if item.name not in self._pinned]
        try:
            catalogue = _catalogue(
                _nearest_first(choices, query), llm.context_size * 2
            )  # half the window, at four characters a token
            request = prompts.tool_selection_request(query, _told(earlier), catalogue, room)
            messages: list[Message] = [SystemMessage(prompts.TOOL_SELECTION), UserMessage(request)]
            result = await structured_llm_call(llm, messages, _SCHEMA, "select_tools")
        except StructuredOutputError as error:
            return None, error.usage or Usage()
        except Exception:  # noqa: BLE001 - whatever goes wrong here, the run has all its tools
            return None, Usage()
        names = [item.name for item in choices]
        given = result.value["tools"]
        known = dict.fromkeys(name for one in given if (name := resolve_tool_name(one, names)) is not None)
        if given and not known:
            return None, result.total_usage
        picked = list(known)[:room]
        return (_with_nearest(picked, choices, query, room) if picked else []), result.total_usage

    def _offer(self, names: Iterable[str]) -> None:
        for name in names:
            found = self._everything.get(name)
            if found is not None and name not in self._offered:
                self._offered.register(found)

    def _left_out(self) -> list[Tool]:
        return [item for item in self._everything if item.name not in self._offered]

    def _offer_loader(self) -> None:
        left_out = [item.name for item in self._left_out()]
        if not left_out:
            return
        free = (name for number in range(1, 100) for name in [f"request_tools{number if number > 1 else ''}"])
        name = next(name for name in free if name not in self._everything)
        shown = shorten(", ".join(left_out), _MOST_NAMES_SHOWN, marker=" … ")
        self._offered.register(
            tool(self._load, name=name, description=prompts.request_tools_description(shown), idempotent=True)
        )

    async def _load(self, names: list[str]) -> str:
        """Load tools.

        Args:
            names: The names of the tools to load. An empty list shows what each tool is for.
        """
        left_out = self._left_out()
        if not names:
            return "Tools that can be loaded:\n" + "\n".join(map(_line, left_out)) if left_out else _NOTHING_LEFT
        resolved = {name: resolve_tool_name(name, self._everything.names) for name in names}
        unknown = [name for name, found in resolved.items() if found is None]
        if unknown:
            raise ToolError(_unknown(unknown, self._everything.names))
        wanted = dict.fromkeys(found for found in resolved.values() if found is not None)
        self._offer(wanted)
        return f"Loaded: {', '.join(wanted)}. You can call them from the next turn on."


_NOTHING_LEFT = "Every tool is loaded already."


def _catalogue(tools: Iterable[Tool], most_characters: int) -> str:
    """A line for each tool; the names alone if that is too long."""
    tools = list(tools)
    lines = "\n".join(map(_line, tools))
    return lines if len(lines) <= most_characters else ", ".join(item.name for item in tools)


def _nearest_first(tools: Sequence[Tool], query: str) -> list[Tool]:
    """The tools that share most words with the question first: small models were seen to pick whatever stands there."""
    asked = _words(query)
    return sorted(tools, key=lambda item: -len(asked & _words(f"{item.name} {item.description}")))


def _with_nearest(picked: list[str], tools: Sequence[Tool], query: str, room: int) -> list[str]:
    """``picked``, and in the room that is left, one place at the least, those that share words with the question."""
    asked = _words(query)
    near = [item.name for item in _nearest_first(tools, query) if asked & _words(f"{item.name} {item.description}")]
    added = [name for name in near if name not in picked]
    return [*picked[: max(1, room - 1)], *added][:room] if added else picked


_WORD = re.compile(r"[^\W_]{3,}")
_SAYING_NOTHING = frozenset(
    _WORD.findall(
        "about all and any are can did does for from get had has have her his how its let many much not now our out "
        "please set she show tell that the them then there they this use was what when where which who why with you"
    )
)


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower())) - _SAYING_NOTHING


def _line(item: Tool) -> str:
    """The name and the first line of what it is for, about 80 characters."""
    first = item.description.strip().partition("\n")[0]
    room = max(20, _LINE_CHARACTERS - len(item.name))
    return f"- {item.name}: {first if len(first) <= room else first[: room - 1] + '…'}"


def _told(earlier: Sequence[Message]) -> str:
    """The end of the conversation before the question, shortened."""
    spoken = [
        message for message in earlier if message.role in ("user", "assistant") and text_of(message.content).strip()
    ]
    return "\n".join(
        f"{message.role}: {shorten(text_of(message.content), _EARLIER_CHARACTERS, marker=' … ')}"
        for message in spoken[-_EARLIER_MESSAGES:]
    )


def _unknown(names: Sequence[str], known: Sequence[str]) -> str:
    import difflib

    parts = []
    for name in names:
        near = ", ".join(difflib.get_close_matches(name, known, n=3, cutoff=0.5))
        parts.append(f"There is no tool {name!r}; similar: {near}." if near else f"There is no tool {name!r}.")
    return " ".join([*parts, "Nothing was loaded. An empty list shows all that can be loaded."])
