"""Jobs about what models write and read: JSON, calls, reasoning, streams, histories, usage."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from actloop.llm import (
    CallDelta,
    Delta,
    Extraction,
    Found,
    ReasoningDelta,
    ReasoningSplitter,
    ReplyBuilder,
    TextDelta,
    extract_json,
    extract_json_value,
    find_leaked_calls,
    parse_arguments,
    split_reasoning,
)
from actloop.llm.adapters.openai_quirks import Quirks, quirks_of
from actloop.llm.adapters.openai_reply import BrokenReply, ChunkReader, read_reply
from actloop.llm.adapters.openai_wire import RequestWriter
from actloop.messages import ToolSpec, Usage, broken_rule, valid_history
from tests.cases.openai_form import messages_from, messages_to
from tests.cases.outcome import CannotRun, Outcome

__all__ = [
    "accumulate_stream",
    "extract_json_job",
    "extract_json_value_job",
    "leaked_tool_calls",
    "parse_arguments_job",
    "provider_messages",
    "split_reasoning_job",
    "structured_text",
    "sum_usage",
    "valid_history_job",
]

_SERVERS = {
    "deepseek": ("https://api.deepseek.com", "deepseek-reasoner"),
    "mistral": ("https://api.mistral.ai/v1", "mistral-large-latest"),
    "openai": ("https://api.openai.com/v1", "gpt-4o"),
}


def extract_json_job(given: Mapping[str, Any]) -> Outcome:
    value = extract_json(given["text"])
    return Outcome() if value is None else Outcome({"value": value})


def extract_json_value_job(given: Mapping[str, Any]) -> Outcome:
    return Outcome(_value(extract_json_value(given["text"], schema=given.get("schema"))))


def structured_text(given: Mapping[str, Any]) -> Outcome:
    """One `text` with its `schema`, or many of both; no value is null among `values`."""
    if "texts" not in given:
        return Outcome(_value(extract_json_value(given["text"], schema=given["schema"])))
    schemas: Sequence[Any] = given["schemas"] if "schemas" in given else [given["schema"]] * len(given["texts"])
    found = [extract_json_value(text, schema=schema) for text, schema in zip(given["texts"], schemas, strict=True)]
    return Outcome({"values": [_value(extraction).get("value") for extraction in found]})


def _value(extraction: Extraction) -> dict[str, Any]:
    return {"value": extraction.value} if isinstance(extraction, Found) else {}


def parse_arguments_job(given: Mapping[str, Any]) -> Outcome:
    return Outcome({"value": parse_arguments(given["raw"], given.get("schema"))})


def leaked_tool_calls(given: Mapping[str, Any]) -> Outcome:
    tools = [
        ToolSpec(tool["name"], tool.get("description", ""), tool.get("parameters", {"type": "object"}))
        for tool in given["tools"]
    ]
    found = find_leaked_calls(given["text"], tools)
    calls = [{"name": call.name, "arguments": call.arguments} for call in found.calls]
    return Outcome({"calls": calls, "text": found.text}, text=found.text)


def split_reasoning_job(given: Mapping[str, Any]) -> Outcome:
    """A whole `text`, or a stream of `chunks` as it ends up in the stored message."""
    if "chunks" not in given:
        reasoning, answer = split_reasoning(given["text"])
        return Outcome({"reasoning": reasoning, "answer": answer}, text=answer)
    splitter, builder = ReasoningSplitter(), ReplyBuilder()
    pieces = [piece for chunk in given["chunks"] for piece in splitter.feed(chunk)] + splitter.close()
    for kind, piece in pieces:
        builder.add(ReasoningDelta(piece) if kind == "reasoning" else TextDelta(piece))
    message = builder.reply().message
    return Outcome({"reasoning": message.reasoning, "answer": message.content}, text=message.content)


def accumulate_stream(given: Mapping[str, Any]) -> Outcome:
    """The chunks as the adapter reads them; `arguments` is the text that was streamed."""
    reader, builder = ChunkReader(), ReplyBuilder()
    try:
        deltas: list[Delta] = [delta for chunk in given["chunks"] for delta in reader.read(chunk)] + reader.end()
    except BrokenReply as error:
        return Outcome(error=str(error))
    for delta in deltas:
        builder.add(delta)
    reply = builder.reply()
    calls = [
        {"id": call.id, "name": call.name, "arguments": _streamed_arguments(deltas, index)}
        for index, call in enumerate(reply.message.tool_calls)
    ]
    return Outcome(
        {
            "content": reply.message.content,
            "reasoning": reply.message.reasoning,
            "tool_calls": calls,
            "finish_reason": reply.finish_reason,
            "usage": _counts(reply.usage),
        },
        text=reply.message.content,
    )


def _streamed_arguments(deltas: Sequence[Delta], index: int) -> str:
    return "".join(delta.arguments for delta in deltas if isinstance(delta, CallDelta) and delta.index == index)


def _counts(usage: Usage) -> dict[str, int | None] | None:
    if usage.total_tokens is None:
        return None
    return {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "total_tokens": usage.total_tokens,
        "cached_tokens": usage.cached_tokens,
        "reasoning_tokens": usage.reasoning_tokens,
    }


def sum_usage(given: Mapping[str, Any]) -> Outcome:
    """Every record is read as it would be from a reply."""
    message = {"choices": [{"message": {"content": "x"}, "finish_reason": "stop"}]}
    total = Usage.total(read_reply({**message, "usage": record}).usage for record in given["usages"])
    return Outcome(
        {
            "prompt_tokens": total.prompt_tokens,
            "completion_tokens": total.completion_tokens,
            "total_tokens": total.total_tokens,
            "cached_tokens": total.cached_tokens,
            "reasoning_tokens": total.reasoning_tokens,
            "complete": total.complete,
        }
    )


def valid_history_job(given: Mapping[str, Any]) -> Outcome:
    messages = valid_history(messages_from(given["messages"]))
    raw = messages_to(messages)
    return Outcome({"messages": raw, "value": raw, "valid": broken_rule(messages) is None})


def provider_messages(given: Mapping[str, Any]) -> Outcome:
    """The messages as they are sent, the order law kept first as before every request."""
    if given["provider"] not in _SERVERS:
        raise CannotRun(f"there is no adapter for the provider {given['provider']!r}")
    writer = RequestWriter("model", _quirks(given["provider"]), vision=False)
    raw = [json.loads(message) for message in writer.messages(valid_history(messages_from(given["messages"])))]
    return Outcome({"messages": raw, "value": raw})


def _quirks(provider: str) -> Quirks:
    return quirks_of(*_SERVERS[provider])
