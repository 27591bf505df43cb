"""Calls written in the markup of a chat template that the server did not take out.

Each family is an opener; what follows is read where it stands. Sources are the templates that models publish: Hermes
and Qwen (``<tool_call>``), Qwen-Coder (``<function=``), Anthropic-like (``<invoke name=``), Mistral (``[TOOL_CALLS]``),
Llama 3 (``<|python_tag|>``), DeepSeek and Kimi (``tool call begin``), harmony (``to=functions.``), GLM
(``<arg_key>``), and the ReAct paper's ``Action: … Action Input: …``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from actloop.llm.leaked_json import Written, WrittenCall, call_objects
from actloop.llm.lenient_json import Complete, LenientReader, Short

__all__ = ["markup_calls"]

_BAR = "[|｜]"
_LOW = "[_▁]"
_OPENER = re.compile(
    rf"""(?P<xml><function=(?P<xml_name>[^>\n]*)>|<invoke\s+name="(?P<invoke_name>[^"\n]*)">)
    | (?P<tag><(?:tool_calls?|function_?calls?|tools|tool_use)>|<\|tool_call(?:_start)?\|>)
    | (?P<mistral>\[TOOL_CALLS\])
    | (?P<python><\|python_tag\|>)
    | <{_BAR}tool{_LOW}call{_LOW}begin{_BAR}>\s*(?:function\s*<{_BAR}tool{_LOW}sep{_BAR}>)?\s*
      (?P<deepseek>[\w.:-]+)\s*(?:<{_BAR}tool{_LOW}(?:sep|call{_LOW}argument{_LOW}begin){_BAR}>)?
    | (?:<\|channel\|>\s*\w+\s+)?to=(?P<harmony>[\w.-]+)[^{{}}\n]{{0,80}}?<\|message\|>
    | ^[ \t]*\**Action\**[ ]*:\**[ ]*(?P<react>[\w.-]+)(?:\(\))?[ \t]*\n+[ \t]*\**Action[ _]Input\**[ ]*:\**""",
    re.VERBOSE | re.MULTILINE,
)
_TOKENS = re.compile(
    rf"</?(?:tool_calls?|function_?calls?|tools|tool_use|function|invoke)>|</?{_BAR}[\w▁]+{_BAR}>|\[/?TOOL_CALLS\]|```\w*"
)
_GAP = re.compile(r"[\s;,]*(?:```\w*\s*)?")
_PARAMETER = re.compile(r'\s*<parameter(?:=(?P<plain>[^>\n]+)|\s+name="(?P<quoted>[^"\n]+)"[^>]*)>')
_GLM = re.compile(r"\s*([\w.-]+)\s*(?=<arg_key>|</tool_call>)")
_GLM_ARGUMENT = re.compile(r"\s*<arg_key>([^<]*)</arg_key>\s*<arg_value>")
_MISTRAL = re.compile(r"\s*,?\s*([\w.-]+)(?:\[CALL_ID\]\w*)?(?:\[ARGS\])?\s*(?=\{)")
_PYTHONIC = re.compile(r"\s*([\w.-]+?)(?:\.call)?\(")
_KEYWORD = re.compile(r"\s*,?\s*(\w+)\s*=\s*")
_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_MOST_OPENERS = 512  # no turn has so many calls; more would only cost time


@dataclass(slots=True)
class _Text:
    """The text that is read, and how often it ran out in the middle of a call."""

    text: str
    reader: LenientReader = field(init=False)
    ran_out: bool = False

    def __post_init__(self) -> None:
        self.reader = LenientReader(self.text)

    def value(self, position: int) -> tuple[Any, int] | None:
        """The JSON value at ``position`` and the position after it; None if there is no trustworthy one."""
        start = _end(_GAP, self.text, position)
        if self.text[start : start + 1] not in ("{", "["):
            return None
        reading = self.reader.read(start)
        self.ran_out = self.ran_out or isinstance(reading, Short)
        if isinstance(reading, Complete) and reading.duplicate_key is None:
            return reading.value, reading.end
        return None

    def until(self, closer: str, position: int) -> tuple[str, int] | None:
        """The text up to ``closer`` and the position after it; None if it is not there."""
        end = self.text.find(closer, position)
        if end < 0:
            self.ran_out = True
            return None
        return self.text[position:end], end + len(closer)


def markup_calls(text: str) -> Written:
    """The calls in ``text`` that are written in some template's markup, with the text around them."""
    source = _Text(text)
    examples = _example_spans(text)
    calls: list[WrittenCall] = []
    spans: list[tuple[int, int]] = []
    position = 0
    for _ in range(_MOST_OPENERS):
        opener = _OPENER.search(text, position)
        if opener is None or source.ran_out:
            break
        found, position = _read(source, opener)
        if found and not _is_mention(text, opener.start(), position, examples):
            calls += found
            spans.append((opener.start(), position))
    return Written(tuple(calls), _without(text, spans)) if calls else Written()


def _read(source: _Text, opener: re.Match[str]) -> tuple[list[WrittenCall], int]:
    """The calls behind one opener, and the position after them."""
    family = next(name for name in _READERS if opener[name] is not None)
    found: list[WrittenCall] = []
    position = opener.end()
    for call, position in _READERS[family](source, opener):  # noqa: B007 - where the last call ended is wanted
        found.append(call)
    return found, position


_Read = Iterator[tuple[WrittenCall, int]]


def _tag(source: _Text, opener: re.Match[str]) -> _Read:
    glm = _GLM.match(source.text, opener.end())
    if glm is not None:
        yield from _glm(source, glm)
    else:
        yield from _objects(source, opener)


def _objects(source: _Text, opener: re.Match[str]) -> _Read:
    """JSON calls one after the other."""
    position = opener.end()
    while (read := source.value(position)) is not None:
        value, position = read
        for call in call_objects(value):
            yield call, position


def _python(source: _Text, opener: re.Match[str]) -> _Read:
    pythonic = _PYTHONIC.match(source.text, opener.end())
    if pythonic is None:
        yield from _objects(source, opener)
        return
    arguments: dict[str, Any] = {}
    position = pythonic.end()
    while (keyword := _KEYWORD.match(source.text, position)) is not None:
        reading = source.reader.read(keyword.end())
        if not isinstance(reading, Complete):
            return
        arguments[keyword[1]] = reading.value
        position = reading.end
    close = re.compile(r"\s*\)").match(source.text, position)
    if close is not None:
        yield (pythonic[1], arguments), close.end()


def _mistral(source: _Text, opener: re.Match[str]) -> _Read:
    position = opener.end()
    if _MISTRAL.match(source.text, position) is None:
        yield from _objects(source, opener)
    while (name := _MISTRAL.match(source.text, position)) is not None:
        read = source.value(name.end())
        if read is None or not isinstance(read[0], dict):
            return
        position = read[1]
        yield (name[1], read[0]), position


def _named(group: str) -> Callable[[_Text, re.Match[str]], _Read]:
    """The opener holds the name, and one object follows."""

    def read_object(source: _Text, opener: re.Match[str]) -> _Read:
        read = source.value(opener.end())
        if read is not None and isinstance(read[0], dict):
            # Kimi counts its calls: functions.lookup:0
            yield (re.sub(r":\d+\Z", "", opener[group]), read[0]), read[1]

    return read_object


def _xml(source: _Text, opener: re.Match[str]) -> _Read:
    name = opener["xml_name"] if opener["xml_name"] is not None else opener["invoke_name"]
    read = source.value(opener.end())
    if read is not None:
        if isinstance(read[0], dict):
            yield (name, read[0]), read[1]
        return
    arguments: dict[str, Any] = {}
    position = opener.end()
    while (parameter := _PARAMETER.match(source.text, position)) is not None:
        value = source.until("</parameter>", parameter.end())
        if value is None:
            return
        key = parameter["plain"] if parameter["plain"] is not None else parameter["quoted"]
        if key in arguments:
            return
        arguments[key.strip()] = _bare(value[0])
        position = value[1]
    closed = re.compile(r"\s*</(?:function|invoke)>").match(source.text, position)
    if arguments or closed is not None:
        yield (name, arguments), closed.end() if closed is not None else position


def _glm(source: _Text, name: re.Match[str]) -> _Read:
    arguments: dict[str, Any] = {}
    position = name.end()
    while (key := _GLM_ARGUMENT.match(source.text, position)) is not None:
        value = source.until("</arg_value>", key.end())
        if value is None:
            return
        arguments[key[1].strip()] = _bare(value[0])
        position = value[1]
    yield (name[1], arguments), position


_READERS: dict[str, Callable[[_Text, re.Match[str]], _Read]] = {
    "xml": _xml,
    "tag": _tag,
    "mistral": _mistral,
    "python": _python,
    "deepseek": _named("deepseek"),
    "harmony": _named("harmony"),
    "react": _named("react"),
}


def _bare(value: str) -> str:
    """A parameter's text without the line breaks that the template puts around it; the schema says what it means."""
    return value.removeprefix("\n").removesuffix("\n")


def _example_spans(text: str) -> list[tuple[int, int]]:
    """The code fences that have prose on both sides: what they hold is shown, not meant."""
    first, last = len(text) - len(text.lstrip()), len(text.rstrip())
    spans = (fence.span() for fence in _FENCE.finditer(text))
    return [(start, end) for start, end in spans if first < start and end < last]


def _is_mention(text: str, start: int, end: int, examples: list[tuple[int, int]]) -> bool:
    """Whether call syntax from ``start`` to ``end`` is only talked about: shown as code, or part of a sentence."""
    if any(begin <= start < stop for begin, stop in examples) or text[start - 1 : start] == "`":
        return True
    line_start = text.rfind("\n", 0, start) + 1
    begins_line = not _TOKENS.sub("", text[line_start:start]).strip()
    return not begins_line and bool(_TOKENS.sub("", text[end:]).strip())


def _without(text: str, spans: list[tuple[int, int]]) -> str:
    """What is left of ``text`` without the calls, the markup around them, and results the model made up after them."""
    pieces: list[str] = []
    position = 0
    for start, end in spans:
        pieces.append(text[position:start])
        position = end
    tail = re.sub(r"^\s*Observation\s*:.*", "", text[position:], flags=re.DOTALL | re.MULTILINE)
    return _TOKENS.sub("", "".join([*pieces, tail])).strip()


def _end(pattern: re.Pattern[str], text: str, position: int) -> int:
    match = pattern.match(text, position)
    return match.end() if match else position
