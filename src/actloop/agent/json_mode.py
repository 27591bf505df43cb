"""The dialect of models that only write text: one JSON object a turn, results come back as user messages."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from actloop.agent import prompts
from actloop.agent.action_schema import action_format
from actloop.agent.dialect import Allowed, AnswerTurn, CallsTurn, Outcome, Request, Turn, UnreadableTurn
from actloop.llm import (
    LLM,
    Found,
    RanOut,
    Reply,
    ResponseFormat,
    can,
    extract_json_value,
    find_leaked_calls,
    read_call,
    resolve_tool_name,
)
from actloop.messages import AssistantMessage, Message, SystemMessage, ToolCall, ToolMessage, ToolSpec, UserMessage

__all__ = ["UNPARSED", "FinalAnswer", "JsonDialect", "ToolAction"]

UNPARSED = "(could not parse LLM output as JSON)"
"""The reasoning of a `FinalAnswer` that stands for an unreadable reply."""

_CUT_OFF = "it was cut off before the JSON object was complete; write less."
_NO_ACTION = "it is not a JSON object of the form asked for."


@dataclass(frozen=True, slots=True)
class ToolAction:
    """The model wants a tool."""

    tool_name: str
    tool_args: Any
    reasoning: str


@dataclass(frozen=True, slots=True)
class FinalAnswer:
    """The model answers. When ``reasoning`` is `UNPARSED` the reply was unreadable, and ``answer`` is its text."""

    answer: str
    reasoning: str
    cut_off: bool = False


class JsonDialect:
    """JSON mode for one run of one model."""

    drains_before_tools = True
    trims_arguments = True
    forces_calls = True

    def __init__(self, llm: LLM) -> None:
        self._llm = llm
        self._in_prompt: Sequence[ToolSpec] = ()
        self._joined: dict[int, Message] = {}
        self._told = 0
        self._seen = 0

    def request(self, messages: list[Message], specs: Sequence[ToolSpec], allowed: Allowed) -> Request:
        """The history told as text, the tools in the system prompt, the output constrained as far as the model can."""
        self._tell_new_tools(messages, specs)
        told = _as_text(messages, self._in_prompt, self._joined)
        if allowed != "any" and specs:
            note = prompts.ANSWER_ONLY_NOTE if allowed == "answer" else prompts.CALLS_ONLY_NOTE
            told = [*told, UserMessage(note)]
        return Request(told, response_format=self._response_format(specs, allowed))

    def _tell_new_tools(self, messages: Sequence[Message], specs: Sequence[ToolSpec]) -> None:
        """Settle where ``specs`` are told: the first in the system prompt, later ones where they joined the history.

        So the beginning of the prompt stays the same, and what a provider has cached of it valid. When the history
        got shorter the beginning has changed anyway: then all are told there.
        """
        if len(messages) < self._seen or not self._in_prompt:
            self._in_prompt, self._joined, self._told = specs, {}, len(specs)
        elif len(specs) > self._told:
            text = prompts.new_tools(specs[self._told :])
            self._joined[len(messages)] = UserMessage(text)
            self._told = len(specs)
        self._seen = len(messages)

    def _response_format(self, specs: Sequence[ToolSpec], allowed: Allowed) -> ResponseFormat | None:
        if can(self._llm, "json_schema"):
            return action_format(specs, allowed)
        return {"type": "json_object"} if can(self._llm, "json_mode") else None

    def read(self, reply: Reply, specs: Sequence[ToolSpec], allowed: Allowed) -> Turn:
        """The one action of a reply."""
        message = reply.message
        if message.tool_calls:  # a model that calls natively although nobody offered tools here
            message = replace(message, content=_call_text(message.tool_calls[0]), tool_calls=())
        action = _parse_action(message.content, specs)
        reasoning = action.reasoning or message.reasoning
        if isinstance(action, ToolAction):
            call = read_call("call_1", action.tool_name, action.tool_args)
            return CallsTurn(message, [call], reasoning, prompts.NOT_OFFERED if allowed == "answer" else None)
        if action.reasoning != UNPARSED:
            return AnswerTurn(message, action.answer, reasoning)
        cut_off = action.cut_off or reply.finish_reason == "length"
        problem = "it was empty." if not message.content.strip() else _CUT_OFF if cut_off else _NO_ACTION
        return UnreadableTurn(message, prompts.reformat_request(problem), message.reasoning, cut_off)

    def phrase(self, outcomes: Sequence[Outcome]) -> list[Message]:
        """One user message for each result."""
        return [UserMessage(_observation(o.call.name, o.observation)) for o in outcomes]


def _parse_action(text: str, specs: Sequence[ToolSpec] = ()) -> ToolAction | FinalAnswer:
    """Read one action; text that holds none is a final answer whose reasoning is `UNPARSED`."""
    extraction = extract_json_value(text)
    if isinstance(extraction, Found) and isinstance(extraction.value, dict):
        action = _action_of(extraction.value, specs)
        if action is not None:
            return action
    leaked = find_leaked_calls(text, specs)
    if leaked.calls:
        first = leaked.calls[0]
        return ToolAction(first.name, first.arguments, leaked.text)
    return FinalAnswer(text, UNPARSED, cut_off=isinstance(extraction, RanOut))


def _action_of(data: Mapping[str, Any], specs: Sequence[ToolSpec]) -> ToolAction | FinalAnswer | None:
    """The action an object stands for; the key that is there counts, a wrong or missing ``type`` does not."""
    raw = data.get("reasoning")
    reasoning = raw if isinstance(raw, str) else ""
    name = data.get("tool_name")
    arguments = data.get("tool_args")
    if isinstance(name, str) and name.strip() and name != "final_answer":
        known = resolve_tool_name(name, [spec.name for spec in specs])
        return ToolAction(known or name, arguments, reasoning)
    answer = data.get("answer")
    if answer is None and name == "final_answer" and isinstance(arguments, Mapping):
        answer = arguments.get("answer")
    if answer is None or (data.get("type") == "tool_call" and name != "final_answer"):
        return None
    text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
    return FinalAnswer(text, reasoning) if text.strip() else None


def _as_text(messages: Sequence[Message], specs: Sequence[ToolSpec], joined: Mapping[int, Message]) -> list[Message]:
    """The history with native turns told as JSON-mode turns; what is already text stays the same object.

    joined: messages to say before the message of that number.
    """
    told: list[Message] = []
    results: dict[str, ToolMessage] = {}
    for position, message in enumerate(messages):
        if position in joined:
            told.append(joined[position])
        if isinstance(message, SystemMessage):
            told.append(_with_tools(message, specs) if position == 0 else message)
        elif isinstance(message, AssistantMessage) and message.tool_calls:
            count = len(message.tool_calls)
            results = {m.tool_call_id: m for m in messages[position + 1 : position + 1 + count] if m.role == "tool"}
            for call in message.tool_calls:
                told.append(_told_call(message, call))
                told.append(_told_result(results[call.id]))
        elif not isinstance(message, ToolMessage):
            told.append(message)
    return [*told, joined[len(messages)]] if len(messages) in joined else told


def _with_tools(message: SystemMessage, specs: Sequence[ToolSpec]) -> Message:
    made_for, told = message.memo.get("json_mode", (None, message))
    if made_for is not specs:
        told = SystemMessage(f"{message.content}\n\n{prompts.json_mode_instructions(specs)}")
        message.memo["json_mode"] = (specs, told)
    return cast(Message, told)


def _told_call(message: AssistantMessage, call: ToolCall) -> Message:
    key = ("json_mode", call.id)
    if key not in message.memo:
        message.memo[key] = AssistantMessage(_call_text(call, message.content))
    return cast(Message, message.memo[key])


def _told_result(message: ToolMessage) -> Message:
    if "json_mode" not in message.memo:
        message.memo["json_mode"] = UserMessage(_observation(message.name, message.content))
    return cast(Message, message.memo["json_mode"])


def _call_text(call: ToolCall, reasoning: str = "") -> str:
    arguments = call.arguments if call.unreadable is None else call.unreadable
    action = {"type": "tool_call", "reasoning": reasoning, "tool_name": call.name, "tool_args": arguments}
    return json.dumps(action, ensure_ascii=False)


def _observation(name: str, text: str) -> str:
    return f"Result of {name}:\n{text}"
