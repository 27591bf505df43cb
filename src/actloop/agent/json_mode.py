"""The dialect of models that only write text: one JSON object a turn, results come back as user messages."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from actloop.agent import prompts
from actloop.agent.action_schema import action_format
from actloop.agent.dialect import ActionForm, Allowed, AnswerTurn, CallsTurn, Outcome, Request, Turn, UnreadableTurn
from actloop.agent.retelling import call_text, is_observation, observation_text, repeated_failure, retold
from actloop.llm import (
    LLM,
    Found,
    RanOut,
    Reply,
    ResponseFormat,
    can,
    extract_json_value,
    find_leaked_calls,
    observed,
    read_call,
    resolve_tool_name,
)
from actloop.messages import Message, ToolSpec, UserMessage, text_of

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
        self._calls = 0
        self._in_prompt: Sequence[ToolSpec] = ()
        self._joined: dict[int, Message] = {}
        self._told = 0
        self._seen = 0

    @property
    def ends_on_repeats(self) -> bool:
        """True for a model that was seen to write calls as text: such ones call once more what they are done with."""
        return self._form == "plain" and observed(self._llm).leaked_runs > 0

    @property
    def _form(self) -> ActionForm:
        """How this model is asked; weak is one that was seen to write calls as text, or has no native ones at all."""
        if not can(self._llm, "json_schema"):
            return "written"
        return "plain" if observed(self._llm).leaked_runs or not can(self._llm, "tool_call") else "worded"

    def request(self, messages: list[Message], specs: Sequence[ToolSpec], allowed: Allowed) -> Request:
        """The history told as text, the tools in the system prompt, the output constrained as far as the model can."""
        self._tell_new_tools(messages, specs)
        form = self._form
        told = retold(messages, self._in_prompt, self._joined, form=form)
        if specs and (note := _note(messages, allowed, form)) is not None:
            if allowed == "any":
                told[-1] = UserMessage(f"{text_of(told[-1].content)}\n\n{note}")
            else:
                told = [*told, UserMessage(note)]
        return Request(told, response_format=self._response_format(_untried(specs, messages, allowed, form), allowed))

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
            return action_format(specs, allowed, plain=self._form == "plain")
        return {"type": "json_object"} if can(self._llm, "json_mode") else None

    def read(self, reply: Reply, specs: Sequence[ToolSpec], allowed: Allowed) -> Turn:
        """The one action of a reply."""
        message = reply.message
        if message.tool_calls:  # a model that calls natively although nobody offered tools here
            message = replace(message, content=call_text(message.tool_calls[0]), tool_calls=())
        action = _parse_action(message.content, specs)
        reasoning = action.reasoning or message.reasoning
        if isinstance(action, ToolAction):
            self._calls += 1
            call = read_call(f"call_{self._calls}", action.tool_name, action.tool_args)
            return CallsTurn(message, [call], reasoning, prompts.NOT_OFFERED if allowed == "answer" else None)
        if action.reasoning != UNPARSED:
            return AnswerTurn(message, action.answer, reasoning)
        cut_off = action.cut_off or reply.finish_reason == "length"
        problem = "it was empty." if not message.content.strip() else _CUT_OFF if cut_off else _NO_ACTION
        return UnreadableTurn(message, prompts.reformat_request(problem), message.reasoning, cut_off)

    def phrase(self, outcomes: Sequence[Outcome]) -> list[Message]:
        """One user message for each result."""
        return [UserMessage(observation_text(o.call.name, o.observation)) for o in outcomes]


def _note(messages: Sequence[Message], allowed: Allowed, form: ActionForm) -> str | None:
    """What is said last, about this turn alone."""
    if allowed == "calls":
        return prompts.CALLS_ONLY_NOTE
    if allowed == "answer" and form == "plain":
        return f"{prompts.question_again(_task(messages))}\n{prompts.ANSWER_WITH_VALUES}"
    if allowed == "answer":
        return prompts.ANSWER_ONLY_NOTE
    if not is_observation(messages[-1]):
        return None
    return prompts.question_again(_task(messages)) if form == "plain" else prompts.next_step(_task(messages))


def _untried(
    specs: Sequence[ToolSpec], messages: Sequence[Message], allowed: Allowed, form: ActionForm
) -> Sequence[ToolSpec]:
    """``specs``; for a weak model that repeated a call that fails, those of the other tools if there are any."""
    stuck = repeated_failure(messages[-1]) if form == "plain" and allowed == "calls" else None
    return [spec for spec in specs if spec.name != stuck] or specs


def _task(messages: Sequence[Message]) -> str:
    """The question that is being worked on, and what its user added since."""
    parts: list[str] = []
    for message in reversed(messages):
        if isinstance(message, UserMessage) and message.pinned:
            interrupt = text_of(message.content).partition(f"{prompts.INTERRUPT_HEADER}\n")[2]
            parts.append(interrupt or text_of(message.content))
            if not interrupt:
                break
    return "\n".join(reversed(parts))


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
