"""The levels of `structured_llm_call`: how each asks for the data, best first (pure)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from actloop.errors import UnsupportedParameter
from actloop.llm.base import LLM, ResponseFormat, ToolChoice, named_tool_choice
from actloop.llm.observed import can, observed
from actloop.llm.provider_schema import bounded, constraint_schema, rooted
from actloop.llm.structured_prompts import data_request, form_request, retry_request, tool_description
from actloop.llm.structured_reading import Rejected
from actloop.llm.structured_target import Target
from actloop.messages import AssistantMessage, Message, ToolSpec, UserMessage, shorten

__all__ = ["Ask", "Level", "LevelName", "asks", "refused_ability"]

LevelName = Literal["native", "json_mode", "plain_text"]

_SKIPPED_AFTER = 2
_MOST_QUOTED = 4_000
_CIRCLE = 48
_ROUNDS = 4


@dataclass(frozen=True, slots=True)
class Ask:
    """One request of a level.

    wrapped: whether the data is asked for under a key of its own. reworded: the messages that ask in other words.
    """

    level: LevelName
    messages: Sequence[Message]
    wrapped: bool
    reworded: Sequence[Message] = ()
    tools: Sequence[ToolSpec] | None = None
    tool_choice: ToolChoice | None = None
    response_format: ResponseFormat | None = None

    def again(self, rejected: Rejected) -> Ask:
        """The same, saying what was wrong; a model that went in circles is asked in other words, and held to bounds."""
        if rejected.fault == "cut off" and self.reworded and _in_circles(rejected.text):
            return replace(self, messages=self.reworded, response_format=_bounded(self.response_format))
        said = shorten(rejected.text, _MOST_QUOTED)
        answer = [AssistantMessage(said)] if said.strip() else []
        return replace(self, messages=[*self.messages, *answer, UserMessage(retry_request(rejected.problem))])


def _in_circles(text: str) -> bool:
    """Whether the end of ``text`` has been said several times before, white space aside."""
    said = "".join(text.split())
    end = said[-_CIRCLE:]
    return len(end) == _CIRCLE and said.count(end) >= _ROUNDS


def _bounded(response_format: ResponseFormat | None) -> ResponseFormat | None:
    if response_format is None or response_format["type"] != "json_schema":
        return response_format
    inner = response_format["json_schema"]
    return {**response_format, "json_schema": {**inner, "schema": bounded(inner["schema"]), "strict": False}}


@dataclass(frozen=True, slots=True)
class Level:
    """A level that this model can be asked on: its first request, and how many requests it has in all."""

    first: Ask
    calls: int


def asks(llm: LLM, messages: Sequence[Message], target: Target, function_name: str) -> list[Level]:
    """The levels in order. One that was refused, or brought nothing twice in a row, is left out; the last never is."""
    levels: list[Level] = []
    if can(llm, "tool_call") and "tool_choice" not in observed(llm).refused and _worked(llm, "native"):
        levels.append(Level(_native(messages, target, function_name), calls=1))
    if (can(llm, "json_mode") or can(llm, "json_schema")) and _worked(llm, "json_mode"):
        levels.append(Level(_json_mode(llm, messages, target, function_name), calls=2))
    levels.append(Level(_plain_text(llm, messages, target), calls=2))
    return levels


def _worked(llm: LLM, level: LevelName) -> bool:
    return observed(llm).failed_levels.get(level, 0) < _SKIPPED_AFTER


def refused_ability(ask: Ask, error: UnsupportedParameter) -> str | None:
    """The ability that a model lacks whose provider refused this request; None when the schema alone is to blame."""
    if error.parameter == "response_format" and ask.response_format is not None:
        if ask.response_format["type"] != "json_schema":
            return "json_mode"
        return None if _ABOUT_THE_SCHEMA.search(str(error)) else "json_schema"
    return {"tools": "tool_call", "tool_choice": "tool_choice"}.get(error.parameter) if ask.tools else None


# OpenAI: "Invalid schema for response_format 'x': In context=('properties', 'a'), …"; llama.cpp speaks of its grammar.
_ABOUT_THE_SCHEMA = re.compile(r"invalid (?:json )?schema|this json schema|in context=|grammar", re.IGNORECASE)


def _native(messages: Sequence[Message], target: Target, name: str) -> Ask:
    root = rooted(target.schema, unions=False)
    tool = ToolSpec(name, tool_description(target.schema), root.schema)
    return Ask("native", messages, root.wrapped, tools=(tool,), tool_choice=named_tool_choice(name))


def _json_mode(llm: LLM, messages: Sequence[Message], target: Target, name: str) -> Ask:
    constrained = can(llm, "json_schema")
    root = rooted(target.schema, unions=not constrained)
    constraint = constraint_schema(root) if constrained else None
    if constraint is None:
        return _worded("json_mode", llm, messages, root.schema, root.wrapped, {"type": "json_object"})
    inner = {"name": name, "schema": constraint.schema, "strict": constraint.strict}
    response_format = {"type": "json_schema", "json_schema": inner}
    return _worded("json_mode", llm, messages, constraint.schema, root.wrapped, response_format)


def _plain_text(llm: LLM, messages: Sequence[Message], target: Target) -> Ask:
    root = rooted(target.schema, unions=True)
    return _worded("plain_text", llm, messages, root.schema, root.wrapped, None)


def _worded(
    level: LevelName,
    llm: LLM,
    messages: Sequence[Message],
    schema: dict[str, Any],
    wrapped: bool,
    response_format: ResponseFormat | None,
) -> Ask:
    """A request in words for data that fits ``schema``; the same stands beside a constraint, where it helps as well."""
    return Ask(
        level,
        [*messages, UserMessage(data_request(schema, llm.context_size))],
        wrapped,
        [*messages, UserMessage(form_request(schema, llm.context_size))],
        response_format=response_format,
    )
