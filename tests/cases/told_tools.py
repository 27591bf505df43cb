"""Tools told in words, such as "returns 'A' after 50 ms" or "raises ValueError('bad id 7')"."""

from __future__ import annotations

import asyncio
import builtins
import re
import time
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from actloop.tools import Tool, tool
from tests.cases.outcome import CannotRun

__all__ = ["told_tool"]

Act = Callable[[Mapping[str, Any]], Any]

_AFTER = re.compile(r"(?P<rest>.+?),? (?:at once|after (?P<number>\d+) ?(?P<unit>ms|s))", re.DOTALL)
_SLEEPS = re.compile(r"(?P<blocks>time\.)?sleeps?(?:\((?P<seconds>[\d.]+)\)| (?P<number>\d+) ?(?P<unit>ms|s))")
_ARGUMENT = re.compile(r"returns its (?P<name>\w+)")
_RETURNS = re.compile(r"returns (?P<expression>.+)", re.DOTALL)
_RAISES = re.compile(r"raises (?P<expression>[\w.]+(?:\(.*\))?)(?: by itself)?", re.DOTALL)


def told_tool(name: str, words: str, runs: Counter[str]) -> Tool:
    """A tool that does what `words` say; it takes any arguments and counts its runs in `runs`."""
    blocks, seconds, act = _understood(words)

    async def waiting(**arguments: Any) -> Any:
        runs[name] += 1
        await asyncio.sleep(seconds)
        return act(arguments)

    def blocking(**arguments: Any) -> Any:
        runs[name] += 1
        time.sleep(seconds)
        return act(arguments)

    return tool(blocking if blocks else waiting, name=name, description=words)


def _understood(words: str) -> tuple[bool, float, Act]:
    """Whether the tool blocks, how long it takes, and what it does then."""
    blocks, seconds = False, 0.0
    act: Act = lambda arguments: "ok"  # noqa: E731 - what a tool returns that was said nothing about
    rest = words.strip()
    while rest:
        clause, rest = _first_clause(rest)
        if clause in ("async", "def", "counts its runs"):
            blocks = blocks or clause == "def"
            continue
        if sleeps := _SLEEPS.fullmatch(clause):
            blocks, seconds = blocks or bool(sleeps["blocks"]), _seconds(sleeps)
            continue
        if after := _AFTER.fullmatch(clause):
            clause = after["rest"]
            seconds = _seconds(after)
        act = _act(clause)
    return blocks, seconds, act


def _first_clause(words: str) -> tuple[str, str]:
    """Split at the first comma, except after `returns` and `raises`: what follows may hold commas."""
    if words.startswith(("returns ", "raises ")):
        return words, ""
    head, _, tail = words.partition(",")
    return head.strip(), tail.strip()


def _seconds(match: re.Match[str]) -> float:
    groups = match.groupdict()
    if groups.get("seconds"):
        return float(groups["seconds"])
    return float(groups["number"] or 0) / (1000 if groups["unit"] == "ms" else 1)


def _act(clause: str) -> Act:
    if argument := _ARGUMENT.fullmatch(clause):
        return lambda arguments: arguments[argument["name"]]
    if raises := _RAISES.fullmatch(clause):
        return _raising(_evaluated(raises["expression"], clause))
    if returns := _RETURNS.fullmatch(clause):
        value = _evaluated(returns["expression"], clause)
        return lambda arguments: value
    raise CannotRun(f"a tool is told in words that are not known: {clause!r}")


def _raising(error: Any) -> Act:
    def act(arguments: Mapping[str, Any]) -> Any:
        raise error

    return act


def _evaluated(expression: str, clause: str) -> Any:
    try:
        return eval(expression, {"__builtins__": builtins, "asyncio": asyncio})
    except (SyntaxError, NameError) as error:
        raise CannotRun(f"a tool is told in words that are not known: {clause!r}") from error
