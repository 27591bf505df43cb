"""`scenario: structured`: one `structured_llm_call` with replies that are told in words."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from actloop.errors import LLMError, StructuredOutputError
from actloop.llm import Reply, structured_llm_call
from actloop.llm.adapters.openai_errors import Asked, error_of
from actloop.messages import UserMessage
from actloop.testing import ScriptedLLM
from tests.cases.openai_form import reply_from
from tests.cases.outcome import CannotRun, Outcome

__all__ = ["run_structured", "scripted"]

_ABILITY = {"native": "tool_call", "json mode": "json_mode", "json schema": "json_schema", "plain": None}
_LEVEL = re.compile(r"(?P<level>native|json mode|json schema|plain(?: text)?): (?P<said>.*)", re.DOTALL)
_CALL = re.compile(r"a call with (?:the )?arguments '(?P<arguments>.*)'", re.DOTALL)
_REFUSAL = re.compile(r"(?P<status>[45]\d\d) '(?P<message>.*)'", re.DOTALL)
_QUOTED = re.compile(r"'(?P<text>.*)'", re.DOTALL)
_EVERYTHING = {"tool_call": True, "json_mode": True, "json_schema": True}


async def run_structured(given: Mapping[str, Any]) -> Outcome:
    """Ask once. A turn is what the model writes, or `LEVEL: …` with a call, a status, or quoted text behind it."""
    llm = scripted(given)
    options = {"default_value": given["default_value"]} if "default_value" in given else {}
    try:
        result = await structured_llm_call(
            llm, [UserMessage("Do what is asked.")], given["schema"], "result", **options
        )
    except StructuredOutputError as error:
        return Outcome({"requests": len(llm.requests), "llm_calls": len(llm.requests)}, error=str(error))
    return Outcome(
        {
            "value": result.value,
            "raw_data": result.raw_data,
            "level": result.level_used,
            "level_used": result.level_used,
            "llm_calls": result.llm_calls,
            "requests": len(llm.requests),
        },
        text=json.dumps(result.value, ensure_ascii=False),
    )


def scripted(given: Mapping[str, Any]) -> ScriptedLLM:
    """The model of the case: with the abilities that are given, or those of the levels that its turns name, or all."""
    turns = given.get("model_turns")
    if not isinstance(turns, Sequence) or isinstance(turns, str):
        raise CannotRun("the turns of the model are told in prose; only the statements can be checked, by hand")
    named = {match["level"].removesuffix(" text") for turn in turns if (match := _LEVEL.fullmatch(str(turn)))}
    levels = {ability: True for level in sorted(named) if (ability := _ABILITY[level]) is not None}
    return ScriptedLLM(
        [_reply(turn) for turn in turns], abilities=given.get("abilities", levels if named else _EVERYTHING)
    )


def _reply(turn: object) -> Reply | LLMError | str:
    if isinstance(turn, Mapping):
        return reply_from(turn)
    level = _LEVEL.fullmatch(str(turn))
    if level is None:
        return str(turn)
    said = level["said"]
    if call := _CALL.fullmatch(said):
        function = {"name": "result", "arguments": call["arguments"]}
        return reply_from({"content": None, "tool_calls": [{"id": "c1", "type": "function", "function": function}]})
    if refusal := _REFUSAL.fullmatch(said):
        body = json.dumps({"error": {"message": refusal["message"]}}).encode()
        return error_of(Asked("openai", "The model"), int(refusal["status"]), body, {})
    quoted = _QUOTED.fullmatch(said)
    return reply_from({"content": quoted["text"] if quoted else said})
