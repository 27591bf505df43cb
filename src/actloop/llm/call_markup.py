"""Find what may be tool calls in a text: where they stand, and which markup of which model family surrounds them.

The families, each by the form that its chat template teaches: Hermes and Qwen (``<tool_call>``), Qwen3-Coder
(``<function=…><parameter=…>``), Anthropic (``<invoke name=…>``), Mistral (``[TOOL_CALLS]``), Llama 3
(``<|python_tag|>``, ``[name(…)]``), DeepSeek (``<｜tool▁call▁begin｜>``), Kimi K2 (``<|tool_call_begin|>``), gpt-oss
(``to=functions.…<|message|>``), ReAct prompts (``Action:``, ``Action Input:``), and JSON alone. Knows no tools: what is
meant is for `leaked_calls` to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from actloop.llm.call_shapes import WrittenCall, calls_in
from actloop.llm.json_scan import CutOff, scan
from actloop.llm.pythonic_calls import pythonic_calls

__all__ = ["Block", "blocks"]


@dataclass(frozen=True, slots=True)
class Block:
    """Calls written as one unit, with the markup around them, from ``start`` to ``end``.

    marked: whether that markup says that it is a call; else it is only JSON of that shape.
    fenced: whether a code fence stands around it all.
    """

    calls: list[WrittenCall]
    start: int
    end: int
    marked: bool
    fenced: bool = False


_BAR = "[|｜]"
_TAGS = "tool[_▁]?calls?|function[_▁]?calls?|tools?|functions?|invoke"
_OPENING = re.compile(
    rf"(?P<mark><(?:{_TAGS})>|\[TOOL_CALLS\]|<{_BAR}(?!\w*(?:end|eo[mt]_id){_BAR})[\w▁/]{{1,40}}{_BAR}>)\Z"
    r"|(?:\A|(?<=\n))[ \t]*\**(?:Action|Tool[ _]?call|Function[ _]?call|Call)\**:\**\Z"
    r"|(?P<fence>(?:`{3,}|~{3,})[ \t]*[\w+-]*)\Z",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    rf"\s*+(?:(?P<mark></(?:{_TAGS}|s)>|\[/TOOL_CALLS\]|<{_BAR}[\w▁/]{{0,40}}(?:end|eo[mt]_id|call){_BAR}>)"
    r"|(?:`{3,}|~{3,})(?![\w`~])|[}\]]{1,3}(?=\s*+(?:<|\Z))|[;,](?=\s*+[{\[]))",
    re.IGNORECASE,
)
_SPEAKS_OF_CALLS = re.compile(r"tool|function|invoke|python|eom|call", re.IGNORECASE)
_WINDOW = 240  # characters before a value in which its markup is looked for
_MOST_MARKS = 12  # deep enough for every template, and hostile runs of markup stay cheap

_NAME = r"(?P<name>[^\s<>{}\[\]\"'|｜]{1,100})"
_NAMED = re.compile(
    rf"""(?:
      (?:<{_BAR}tool[_▁]call[_▁]begin{_BAR}>\s*)?(?:function\s*)?<{_BAR}tool[_▁]sep{_BAR}>\s*{_NAME}\s*(?:```(?:json)?\s*)?
    | <{_BAR}tool[_▁]call[_▁]begin{_BAR}>\s*{_NAME.replace("name", "name2")}\s*
      <{_BAR}tool[_▁](?:sep|call[_▁]argument[_▁]begin){_BAR}>\s*
    | \[TOOL_CALLS\]\s*{_NAME.replace("name", "name3")}\s*(?:\[CALL_ID\]\s*\w+\s*)?(?:\[ARGS\]\s*)?
    | (?:\A|(?<=\n))[ \t]*\**Action:\**[ \t]*{_NAME.replace("name", "name4")}[ \t]*\n
      \s*\**Action[ ]Input:\**\s*(?:```(?:json)?\s*)?
    | <function(?:=|\s+name=)["']?{_NAME.replace("name", "name5")}["']?>\s*
    | (?:<\|channel\|>\s*commentary\s*)?\bto={_NAME.replace("name", "name6")}\s*
      (?:<\|channel\|>\s*commentary\s*)?(?:<\|constrain\|>\s*json\s*)?<\|message\|>\s*
    )\Z""",
    re.VERBOSE,
)
_PYTHON = re.compile(
    r"\s*+(?P<tag><\|python_tag\|>)?\s*+(?P<calls>\[?\s*+[A-Za-z_][\w.]*+\(.*\)\s*+\]?)\s*+(?:<\|eo[mt]_id\|>\s*+)?",
    re.DOTALL,
)
_XML_CALL = re.compile(
    r"""<function=["']?(?P<name>[^\s<>"']{1,100})["']?>(?=\s*<(?:parameter|/function))"""
    r"""|<invoke\s+name=["'](?P<invoke>[^"'<>]{1,100})["']\s*>"""
)
_XML_END = re.compile(r"\s*(?:</(?:function|invoke)>|(?=</tool_call>))")
_PARAMETER = re.compile(
    r"""\s*+<parameter(?:=["']?(?P<key>[^\s<>"']{1,100})["']?|\s+name=["'](?P<name>[^"'<>]{1,100})["'][^<>]{0,60})>"""
)


def blocks(text: str) -> Iterator[Block | CutOff]:
    """Yield what may be calls, from left to right; a `CutOff` last when the text ends in the middle of one."""
    python = _PYTHON.fullmatch(text)
    if python is not None and (python["tag"] or python["calls"].startswith("[")):
        calls = pythonic_calls(python["calls"])
        if calls:
            yield Block(calls, 0, len(text), marked=True)
            return
    position = 0
    for opening in _XML_CALL.finditer(text):
        if opening.start() < position:
            continue
        read = _xml_arguments(text, opening.end())
        yield from _json_blocks(text, position, opening.start())
        if read is None:
            yield CutOff(opening.start(), in_json_fence=False)
            return
        arguments, end = read
        block = Block([(opening["name"] or opening["invoke"], arguments)], opening.start(), end, marked=True)
        block = _with_markup(text, block, position)
        yield block
        position = block.end
    yield from _json_blocks(text, position, len(text))


def _xml_arguments(text: str, position: int) -> tuple[dict[str, Any], int] | None:
    """The parameters that follow and where the call ends; None if it is cut off or holds a parameter twice."""
    arguments: dict[str, Any] = {}
    while (opening := _PARAMETER.match(text, position)) is not None:
        key = opening["key"] or opening["name"]
        close = text.find("</parameter>", opening.end())
        if close < 0 or key in arguments:
            return None
        value = text[opening.end() : close]
        arguments[key] = value.removeprefix("\r").removeprefix("\n").removesuffix("\n").removesuffix("\r")
        position = close + len("</parameter>")
    end = _XML_END.match(text, position)
    return (arguments, end.end()) if end is not None else None


def _json_blocks(text: str, start: int, end: int) -> Iterator[Block | CutOff]:
    part = text[start:end]
    after_last = 0
    for piece in scan(part):
        if isinstance(piece, CutOff):
            if end == len(text):
                yield CutOff(piece.start + start, piece.in_json_fence)
            return
        window = max(after_last, piece.start - _WINDOW)
        named = _NAMED.search(part[window : piece.start]) if isinstance(piece.value, dict) else None
        if named is not None:
            name = next(group for group in named.groups() if group)
            block = Block([(name, piece.value)], window + named.start(), piece.end, marked=True)
        else:
            block = Block(calls_in(piece.value), piece.start, piece.end, marked=False)
        if block.calls and piece.duplicate_key is None:
            block = _with_markup(part, block, after_last)
            after_last = block.end
            yield replace(block, start=block.start + start, end=block.end + start)


def _with_markup(text: str, block: Block, floor: int) -> Block:
    """``block`` and the markup right around it, back to ``floor`` at most."""
    start, end, marked, fenced = block.start, block.end, block.marked, False
    for _ in range(_MOST_MARKS):
        window = max(floor, start - _WINDOW)
        opening = _OPENING.search(text[window:start].rstrip())
        if opening is None:
            break
        start = window + opening.start()
        fenced = opening["fence"] is not None
        marked = marked or (opening["mark"] is not None and _SPEAKS_OF_CALLS.search(opening["mark"]) is not None)
    for _ in range(_MOST_MARKS):
        closing = _CLOSING.match(text, end)
        if closing is None:
            break
        end = closing.end()
        marked = marked or (closing["mark"] is not None and _SPEAKS_OF_CALLS.search(closing["mark"]) is not None)
    return Block(block.calls, start, end, marked, fenced)
