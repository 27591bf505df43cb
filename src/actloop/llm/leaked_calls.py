"""Find the tool calls that a model wrote into its text instead of calling.

A call counts only if it names an offered tool, its arguments fit, it is whole, and it is plainly a call. Prose that
mentions a tool and an example quoted in an answer are none: then the text stays as it is.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from actloop.llm.arguments import UnreadableArguments, fit_arguments, parse_arguments
from actloop.llm.tool_names import resolve_tool_name
from actloop.messages import ToolCall, ToolSpec

if TYPE_CHECKING:
    from actloop.llm.call_markup import Block
    from actloop.llm.call_shapes import WrittenCall

__all__ = ["LeakedCalls", "find_leaked_calls", "is_only_a_call"]


class LeakedCalls(NamedTuple):
    """The calls in a text, with ids ``leaked_1``, ``leaked_2`` … and offered names, and the text that is left."""

    calls: tuple[ToolCall, ...]
    text: str


def find_leaked_calls(text: str, tools: Sequence[ToolSpec]) -> LeakedCalls:
    """Read the calls to ``tools`` out of ``text``.

    text: what the model said, without its reasoning. It comes back unchanged if there is no call.

    A call that is written again and again, as small models do until their tokens run out, is one call, also if the last
    repetition is cut off. A call that is cut off itself is none. Time is linear in the text.

    Raises `ConfigError` if a tool's schema is no valid JSON Schema.
    """
    offered = {tool.name: tool for tool in tools}
    if not offered or not _MAY_HOLD_CALL.search(text):
        return LeakedCalls((), text)
    meant = _meant(text, offered)
    if not meant:
        return LeakedCalls((), text)
    calls: list[ToolCall] = []
    seen: set[str] = set()
    for _, block_calls in meant:
        written = json.dumps([[call.name, call.arguments] for call in block_calls], sort_keys=True)
        if written not in seen:
            calls += block_calls
        seen.add(written)
    numbered = tuple(
        ToolCall(f"leaked_{number}", call.name, call.arguments) for number, call in enumerate(calls, start=1)
    )
    return LeakedCalls(numbered, _text_left(text, [block for block, _ in meant]))


_MAY_HOLD_CALL = re.compile(r"[{\[<]")
_NO_WORDS = re.compile(r"""[\s.,;:`~\[\](){}<>|/\\"'*_-]*+""")
_FENCE = re.compile(r"(?:\A|(?<=\n))[ \t]*+(?:`{3,}|~{3,})")


def is_only_a_call(text: str) -> bool:
    """Whether ``text`` is a call and nothing else, whichever tool it names: no answer that a person could read."""
    if not _MAY_HOLD_CALL.search(text):
        return False
    from actloop.llm.call_markup import Block, blocks

    found = [block for block in blocks(text) if isinstance(block, Block)]
    if not found or not all(block.marked or all(raw is not None for _, raw in block.calls) for block in found):
        return False
    return not _has_words(text[: found[0].start]) and not _has_words(_tail(text, found))


def _meant(text: str, offered: Mapping[str, ToolSpec]) -> list[tuple[Block, list[ToolCall]]]:
    """The blocks that are plainly calls, each with its calls as the tools want them."""
    from actloop.llm.call_markup import blocks  # its many patterns take a while to compile
    from actloop.llm.json_scan import CutOff

    valid: list[tuple[Block, list[ToolCall]]] = []
    for block in blocks(text):
        if isinstance(block, CutOff):
            break
        calls = [_fitting(call, offered, marked=block.marked) for call in block.calls]
        fitting = [call for call in calls if call is not None]
        if len(fitting) == len(calls):
            valid.append((block, fitting))
    if not valid:
        return []
    spans = [block for block, _ in valid]
    amid_prose = _has_words(text[: spans[0].start]) and _has_words(_tail(text, spans))
    fences = [fence.start() for fence in _FENCE.finditer(text)] if amid_prose else []
    befores = [0, *(block.end for block in spans)]
    afters = [*(block.start for block in spans[1:]), len(text)]
    return [
        (block, calls)
        for (block, calls), before, after in zip(valid, befores, afters, strict=False)
        if _is_plain(block, text[before : block.start], text[block.end : after])
        and not (amid_prose and (not block.marked or block.fenced or bisect_left(fences, block.start) % 2))
    ]


def _is_plain(block: Block, before: str, after: str) -> bool:
    """Whether the rest of the lines on which ``block`` begins and ends leaves no doubt that it is a call."""
    line_before = before.rpartition("\n")[2].rstrip()
    line_after = after.partition("\n")[0]
    if line_before.endswith("`"):
        return False
    if block.marked:
        return not (_has_words(line_before) and _has_words(line_after))
    return not _has_words(line_before) and not _has_words(line_after)


def _fitting(call: WrittenCall, offered: Mapping[str, ToolSpec], *, marked: bool) -> ToolCall | None:
    """The call as its tool wants it, or None. Without arguments a name alone is too little, unless marked as a call."""
    written, raw = call
    name = resolve_tool_name(written, offered)
    if name is None or (raw is None and not marked):
        return None
    try:
        fitted = fit_arguments(parse_arguments(raw), offered[name].parameters, trim=False)
    except UnreadableArguments:
        return None
    return None if fitted.problems else ToolCall("", name, fitted.value)


def _tail(text: str, spans: Sequence[Block]) -> str:
    """What follows the last block, without one more repetition of the first that ran out of text."""
    rest = text[spans[-1].end :]
    first = text[spans[0].start : spans[0].end]
    begun = rest.strip()
    return "" if first.startswith(begun) or first[max(first.find("{"), 0) :].startswith(begun) else rest


def _text_left(text: str, spans: Sequence[Block]) -> str:
    starts = [0, *(block.end for block in spans[:-1])]
    parts = [text[start : block.start] for start, block in zip(starts, spans, strict=True)]
    parts.append(_tail(text, spans))
    return "".join(part for part in parts if _has_words(part)).strip()


def _has_words(text: str) -> bool:
    return _NO_WORDS.fullmatch(text) is None
