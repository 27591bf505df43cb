"""What the chat completions API refuses, as far as an agent engine can get it wrong.

The rules are those of OpenAI's API reference ("Create chat completion") and of error messages that the API and other
compatible servers are known to give. `violations` knows nothing of actloop, so that any request can be judged.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["read_body", "violations"]

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}\Z")
_IMAGE = re.compile(r"(https?://\S+|data:image/[\w.+-]+;base64,[A-Za-z0-9+/=]+)\Z")
_MAX_TOOLS = _MAX_CALLS = 128
_MAX_ID = 40
_LIMITS = frozenset({"max_tokens", "max_completion_tokens", "stop"})
_SAMPLING = frozenset({"temperature", "top_p", "seed", "reasoning_effort"})
_FIELDS = _LIMITS | _SAMPLING | {"model", "messages", "stream", "stream_options", "user", "response_format"}
_FIELDS |= {"tools", "tool_choice", "parallel_tool_calls"}
_MESSAGE_FIELDS = {
    "system": {"role", "content"},
    "user": {"role", "content"},
    "assistant": {"role", "content", "tool_calls", "reasoning_content"},
    "tool": {"role", "content", "tool_call_id"},
}
_TYPES = frozenset({"object", "array", "string", "number", "integer", "boolean", "null"})


def read_body(raw: bytes) -> tuple[Any, list[str]]:
    """The body of a request, and what is wrong with its bytes: it must be UTF-8 and JSON without NaN."""

    def refuse(word: str) -> float:
        raise ValueError(f"{word} is not JSON")

    try:
        return json.loads(raw.decode("utf-8"), parse_constant=refuse), []
    except (ValueError, RecursionError) as error:
        return None, [f"body: {error}"]


def violations(body: Any) -> list[str]:
    """Every rule that this request breaks, as ``where: what``; empty when the API would take it."""
    if not isinstance(body, dict):
        return ["body: not an object"]
    found = [f"{name}: unknown field" for name in body if name not in _FIELDS]
    if not isinstance(body.get("model"), str) or not body["model"]:
        found.append("model: missing")
    found += _surrogates(body)
    tools = list(_tools(body, found))
    found += _tool_choice(body, tools)
    found += _messages(body.get("messages"))
    found += _numbers(body)
    found += _response_format(body)
    if "stream_options" in body and body.get("stream") is not True:
        found.append("stream_options: only with stream")
    return found


def _surrogates(value: Any) -> Iterator[str]:
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            if not item.isascii() and any("\ud800" <= character <= "\udfff" for character in item):
                yield "body: a lone surrogate"
        elif isinstance(item, Mapping):
            stack += [*item.keys(), *item.values()]
        elif isinstance(item, list):
            stack += item


def _messages(messages: Any) -> list[str]:
    if not isinstance(messages, list) or not messages:
        return ["messages: must be a non-empty array"]
    found: list[str] = []
    waiting: list[str] = []  # calls without a result yet, in order
    used: set[str] = set()
    begun = False
    for position, message in enumerate(messages):
        where = f"messages[{position}]"
        role = message.get("role") if isinstance(message, dict) else None
        if role not in _MESSAGE_FIELDS:
            found.append(f"{where}.role: {role!r}")
            continue
        found += [f"{where}.{key}: unknown field" for key in message if key not in _MESSAGE_FIELDS[role]]
        found += _content(where, role, message)
        if role == "tool":
            call_id = message.get("tool_call_id")
            if call_id not in waiting:
                found.append(f"{where}: answers no call of the assistant message before it ({call_id!r})")
            else:
                if waiting[0] != call_id:
                    found.append(f"{where}: results are not in the order of the calls")
                waiting.remove(call_id)
            continue
        if waiting:
            found.append(f"{where}: stands before the results of {waiting!r}")
            waiting = []
        if role == "system" and begun:
            found.append(f"{where}: a system message after the beginning")
        begun = begun or role != "system"
        if role == "assistant" and "tool_calls" in message:
            waiting = _calls(f"{where}.tool_calls", message["tool_calls"], used, found)
    if waiting:
        found.append(f"messages: the end stands before the results of {waiting!r}")
    return found


def _content(where: str, role: str, message: Mapping[str, Any]) -> Iterator[str]:
    content = message.get("content")
    if content is None:
        if role != "assistant" or not message.get("tool_calls"):
            yield f"{where}.content: missing"
    elif isinstance(content, list):
        if not content:
            yield f"{where}.content: an empty array"
        for part in content:
            match part:
                case {"type": "text", "text": str()}:
                    pass
                case {"type": "image_url", "image_url": {"url": str(url)}} if role == "user" and _IMAGE.match(url):
                    pass
                case _:
                    yield f"{where}.content: a part that is neither text nor image"
    elif not isinstance(content, str):
        yield f"{where}.content: neither text nor parts"
    elif role == "assistant" and not content and not message.get("tool_calls"):
        yield f"{where}.content: an assistant message that says and does nothing"


def _calls(where: str, calls: Any, used: set[str], found: list[str]) -> list[str]:
    if not isinstance(calls, list) or not 1 <= len(calls) <= _MAX_CALLS:
        found.append(f"{where}: must be an array of 1 to {_MAX_CALLS} calls")
        return []
    ids: list[str] = []
    for call in calls:
        match call:
            case {"id": str(call_id), "type": "function", "function": {"name": str(name), "arguments": str(arguments)}}:
                if not call_id or len(call_id) > _MAX_ID or call_id in used:
                    found.append(f"{where}: id {call_id!r} is empty, too long or used before")
                if not _NAME.match(name):
                    found.append(f"{where}: name {name!r}")
                value, _ = read_body(arguments.encode("utf-8", "surrogatepass"))
                if not isinstance(value, dict):
                    found.append(f"{where}: arguments that are no JSON object: {arguments[:40]!r}")
                used.add(call_id)
                ids.append(call_id)
            case _:
                found.append(f"{where}: not a call: {str(call)[:80]}")
    return ids


def _tools(body: Mapping[str, Any], found: list[str]) -> Iterator[str]:
    if "tools" not in body:
        return
    tools = body["tools"]
    if not isinstance(tools, list) or not 1 <= len(tools) <= _MAX_TOOLS:
        found.append(f"tools: must be an array of 1 to {_MAX_TOOLS} tools")
        return
    seen: set[str] = set()
    for position, tool in enumerate(tools):
        where = f"tools[{position}]"
        match tool:
            case {
                "type": "function",
                "function": {"name": str(name), "description": str(), "parameters": dict(schema)},
            }:
                if not _NAME.match(name) or name in seen:
                    found.append(f"{where}: name {name!r} is not allowed or used twice")
                if schema.get("type") != "object" or not isinstance(schema.get("properties"), dict):
                    found.append(f"{where}.parameters: not the schema of an object with properties")
                found += _schema(f"{where}.parameters", schema, schema)
                seen.add(name)
                yield name
            case _:
                found.append(f"{where}: not a function with name, description and parameters")


def _schema(where: str, schema: Any, root: Mapping[str, Any], *, strict: bool = False) -> list[str]:
    found: list[str] = []
    stack = [(where, schema)]
    while stack:
        path, node = stack.pop()
        if isinstance(node, bool):
            continue
        if not isinstance(node, dict):
            found.append(f"{path}: not a schema")
            continue
        kinds = node.get("type", [])
        kinds = kinds if isinstance(kinds, list) else [kinds]
        found += [f"{path}.type: {kind!r}" for kind in kinds if kind not in _TYPES]
        if "array" in kinds and "items" not in node and "prefixItems" not in node:
            found.append(f"{path}: an array without items")
        reference = node.get("$ref")
        if reference is not None and not _resolves(root, reference):
            found.append(f"{path}: $ref {reference!r} does not resolve")
        properties = node.get("properties", {})
        if (
            strict
            and "object" in kinds
            and (node.get("additionalProperties") is not False or set(properties) != set(node.get("required", ())))
        ):
            found.append(f"{path}: strict wants every property required and no others")
        for key in ("properties", "$defs", "definitions", "patternProperties"):
            stack += [(f"{path}.{key}.{name}", item) for name, item in node.get(key, {}).items()]
        for key in ("anyOf", "oneOf", "allOf", "prefixItems"):
            stack += [(f"{path}.{key}", item) for item in node.get(key, ())]
        stack += [(f"{path}.{key}", node[key]) for key in ("items", "additionalProperties", "not") if key in node]
    return found


def _resolves(root: Mapping[str, Any], reference: Any) -> bool:
    if not isinstance(reference, str) or not reference.startswith("#"):
        return False
    node: Any = root
    for step in reference.removeprefix("#").split("/")[1:]:
        step = step.replace("~1", "/").replace("~0", "~")
        if not isinstance(node, Mapping) or step not in node:
            return False
        node = node[step]
    return True


def _tool_choice(body: Mapping[str, Any], tools: list[str]) -> Iterator[str]:
    if "tool_choice" not in body:
        return
    if not tools:
        yield "tool_choice: only with tools"
    match body["tool_choice"]:
        case "auto" | "none" | "required":
            pass
        case {"type": "function", "function": {"name": str(name)}} if name in tools:
            pass
        case other:
            yield f"tool_choice: {other!r}"


def _numbers(body: Mapping[str, Any]) -> Iterator[str]:
    temperature = body.get("temperature", 0)
    if isinstance(temperature, bool) or not isinstance(temperature, int | float) or not 0 <= temperature <= 2:
        yield f"temperature: {temperature!r}"
    for name in ("max_tokens", "max_completion_tokens"):
        value = body.get(name, 1)
        if type(value) is not int or value < 1:
            yield f"{name}: {value!r}"
    if "max_tokens" in body and "max_completion_tokens" in body:
        yield "max_tokens: together with max_completion_tokens"


def _response_format(body: Mapping[str, Any]) -> Iterator[str]:
    if "response_format" not in body:
        return
    match body["response_format"]:
        case {"type": "text"}:
            pass
        case {"type": "json_object"}:
            if "json" not in json.dumps(body.get("messages")).lower():
                yield "response_format: json_object wants the word JSON in the messages"
        case {"type": "json_schema", "json_schema": {"name": str(name), "schema": dict(schema), **rest}}:
            if not _NAME.match(name):
                yield f"response_format: name {name!r}"
            yield from _schema("response_format", schema, schema, strict=rest.get("strict") is True)
        case other:
            yield f"response_format: {str(other)[:80]}"
