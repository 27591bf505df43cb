"""The dialect of models that call tools: calls come in the API's own field, results go back as tool messages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from actloop.agent import prompts
from actloop.agent.dialect import Allowed, AnswerTurn, CallsTurn, Outcome, Request, Turn, UnreadableTurn
from actloop.llm import Reply, find_leaked_calls, is_only_a_call, resolve_tool_name
from actloop.messages import AssistantMessage, Message, ToolCall, ToolMessage, ToolSpec, UserMessage

__all__ = ["NativeDialect"]


class NativeDialect:
    """Function calling."""

    drains_before_tools = False
    trims_arguments = False
    forces_calls = False
    ends_on_repeats = False

    def request(self, messages: list[Message], specs: Sequence[ToolSpec], allowed: Allowed) -> Request:
        """The history as it is, with the tools beside it unless only an answer is wanted."""
        if allowed == "answer" and specs and messages[-1].role == "tool":
            messages = [*messages, UserMessage(prompts.ANSWER_ONLY_NOTE)]
        return Request(messages, tools=specs if specs and allowed != "answer" else None)

    def read(self, reply: Reply, specs: Sequence[ToolSpec], allowed: Allowed) -> Turn:
        """Calls in their field, calls that leaked into the text, or the answer."""
        message = reply.message
        if message.tool_calls:
            return _calls_turn(reply, specs, allowed)
        leaked = find_leaked_calls(message.content, specs) if specs else None
        if leaked is not None and leaked.calls:
            recovered = replace(message, content=leaked.text, tool_calls=tuple(leaked.calls))
            refused = prompts.NOT_OFFERED if allowed == "answer" else None
            # where no tools were offered there was no other way to call: no reason to demote
            offered = allowed != "answer"
            return CallsTurn(recovered, leaked.calls, _reasoning(recovered), refused, leaked=offered)
        if specs and allowed != "answer" and is_only_a_call(message.content):
            request = prompts.no_such_call([spec.name for spec in specs])
            return UnreadableTurn(message, request, message.reasoning, leaked=True)
        if not message.content.strip():
            return UnreadableTurn(message, prompts.EMPTY_REPLY, message.reasoning, reply.finish_reason == "length")
        return AnswerTurn(message, message.content, message.reasoning)

    def phrase(self, outcomes: Sequence[Outcome]) -> list[Message]:
        """One tool message for each call, in order."""
        return [
            ToolMessage(outcome.observation, outcome.call.id, outcome.call.name, is_error=outcome.error is not None)
            for outcome in outcomes
        ]


def _calls_turn(reply: Reply, specs: Sequence[ToolSpec], allowed: Allowed) -> CallsTurn:
    message, names = reply.message, [spec.name for spec in specs]
    calls = message.tool_calls
    if any(call.name not in names for call in calls):
        calls = tuple(_named(call, names) for call in calls)
        message = replace(message, tool_calls=calls)
    cut_off = reply.finish_reason == "length"
    refused = prompts.CUT_OFF_CALL if cut_off else prompts.NOT_OFFERED if allowed == "answer" else None
    return CallsTurn(message, calls, _reasoning(message), refused, cut_off)


def _named(call: ToolCall, names: Sequence[str]) -> ToolCall:
    """The call under the offered tool's name; an unknown name is kept in a form that providers accept in a history."""
    name = resolve_tool_name(call.name, names) or re.sub(r"[^a-zA-Z0-9_-]", "_", call.name)[:64] or "unnamed"
    return call if name == call.name else replace(call, name=name)


def _reasoning(message: AssistantMessage) -> str:
    return message.reasoning or message.content
