"""From our messages to the JSON bytes of a chat completions request (pure).

Every message is encoded once and its bytes are kept in ``message.memo``, so that the cost of a request does not grow
with the JSON of the whole history. Mends what servers refuse, at send time only:

- call ids are shortened to 40 characters (OpenAI: "maximum length 40") and are unique in the whole request;
- names keep to ``^[a-zA-Z0-9_-]{1,64}$`` and arguments are always a JSON object, whatever the model had written;
- at most 128 calls stand in one message (OpenAI: "maximum length 128"): a larger turn becomes several;
- users' messages in a row become one, an assistant message without text and calls is left out: many chat templates want
  the roles to alternate;
- and what `Quirks` says of this server.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pydantic_core

from actloop.llm.adapters.openai_quirks import Quirks
from actloop.llm.base import ResponseFormat, ToolChoice, forced_tool
from actloop.messages import (
    AssistantMessage,
    ImagePart,
    Message,
    SystemMessage,
    TextPart,
    ToolCall,
    ToolMessage,
    ToolSpec,
    UserMessage,
    clean_text,
    text_of,
)

__all__ = ["RequestWriter"]

_MAX_CALLS = 128
_MAX_ID_CHARACTERS = 40
_MAX_CACHED_TOOLS = 2_048
_BAD_IN_NAME = re.compile(r"[^a-zA-Z0-9_-]")
_NINE = re.compile(r"[a-zA-Z0-9]{9}\Z")
_BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_Kept = tuple[bytes, str, *tuple[str, ...]]
"""What is kept in a message's memo: its JSON, its kind (a letter, `_ODD` if it must be mended), then its call ids."""

_ODD = "!"
_BRIDGE = b'{"role":"assistant","content":"Understood."}'

_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=str).encode


def to_json(value: Any) -> bytes:
    """``value`` as JSON in valid UTF-8: NaN and the infinities become null, lone surrogates U+FFFD."""
    try:
        return pydantic_core.to_json(value, inf_nan_mode="null", fallback=str)
    except ValueError:  # lone surrogates, much nesting
        return _carefully(value)


def _carefully(value: Any) -> bytes:
    try:
        text = _encode(value)
    except ValueError:
        text = _encode(_finite(value))
    return clean_text(text).encode()


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and value - value != 0 else value


class RequestWriter:
    """Writes requests for one model under one set of quirks; ``vision`` says whether images go along."""

    def __init__(self, model: str, quirks: Quirks, *, vision: bool) -> None:
        self._head = b'{"model":' + to_json(model) + b',"messages":['
        self._quirks = quirks
        self._vision = vision
        # What the bytes of a message depend on. A string, because its hash is computed once.
        self._form = f"openai:{quirks.nine_character_ids:d}{quirks.replay_reasoning:d}{vision:d}"
        self._tools: dict[int, tuple[ToolSpec, bytes]] = {}

    def write(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[ToolSpec] | None = None,
        tool_choice: ToolChoice | None = None,
        response_format: ResponseFormat | None = None,
        max_tokens: int | None = None,
        temperature: float | None = None,
        stream: bool = False,
    ) -> bytes:
        """The body of one request. ``messages`` keep the order law of `valid_history`."""
        pieces = [self._head, b",".join(self.messages(messages)), b"]"]
        if tools:
            pieces += self._tool_fields(tools, tool_choice)
        if response_format is not None:
            pieces += [b',"response_format":', to_json(_strict_only_where_able(response_format))]
        if max_tokens is not None:
            pieces.append(f',"{self._quirks.max_tokens}":{max_tokens:d}'.encode())
        if temperature is not None and self._quirks.temperature:
            pieces += [b',"temperature":', to_json(temperature)]
        if stream:
            pieces.append(b',"stream":true')
            if self._quirks.stream_usage:
                pieces.append(b',"stream_options":{"include_usage":true}')
        pieces.append(b"}")
        return b"".join(pieces)

    def messages(self, messages: Sequence[Message]) -> list[bytes]:
        """The JSON of each message as it is sent, in order."""
        form = self._form
        kept = [message.memo.get(form) or self._keep(message) for message in messages]
        if self._is_plain(kept):
            return [one[0] for one in kept]
        return self._mended(_system_as_user(messages) if self._quirks.system_as_user else messages)

    def _keep(self, message: Message) -> _Kept:
        kept = message.memo[self._form] = self._one(message)
        return kept

    def _one(self, message: Message) -> _Kept:
        match message:
            case SystemMessage():
                return to_json({"role": "system", "content": message.content}), "s"
            case UserMessage():
                return self._user(message.content), "u"
            case AssistantMessage():
                ids = tuple(self._id(call.id) for call in message.tool_calls)
                empty = not ids and not message.content.strip()
                return self._assistant(message, ids), _ODD if empty or len(ids) > _MAX_CALLS else "a", *ids
            case ToolMessage():
                return _tool(message, self._id(message.tool_call_id)), "t"

    def _is_plain(self, kept: Sequence[_Kept]) -> bool:
        """Whether these messages can be sent one after the other as they are, which is nearly always so."""
        kinds = "".join([one[1] for one in kept])
        if "uu" in kinds or _ODD in kinds or self._quirks.system_as_user:
            return False
        if self._quirks.assistant_after_tool and "tu" in kinds:
            return False
        ids = [call_id for one in kept if len(one) > 2 for call_id in one[2:]]
        return len(ids) == len(set(ids))

    def _mended(self, messages: Sequence[Message]) -> list[bytes]:
        """The same with everything mended that servers refuse."""
        written: list[bytes] = []
        used: set[str] = set()
        renamed: dict[str, str] = {}
        users: list[UserMessage] = []
        last_role = ""
        for message in _split_rounds(messages):
            match message:
                case UserMessage():
                    if users:
                        written.pop()
                    elif last_role == "tool" and self._quirks.assistant_after_tool:
                        written.append(_BRIDGE)
                    users.append(message)
                    written.append(self._user(_joined_content(users)))
                case AssistantMessage(content=content, tool_calls=()) if not content.strip():
                    continue
                case AssistantMessage():
                    ids = self._unused_ids(message.tool_calls, used)
                    renamed = {call.id: call_id for call, call_id in zip(message.tool_calls, ids, strict=True)}
                    written.append(self._assistant(message, ids))
                case ToolMessage():
                    written.append(_tool(message, renamed.get(message.tool_call_id, message.tool_call_id)))
                case SystemMessage():
                    written.append(self._one(message)[0])
            last_role = message.role
            if last_role != "user":
                users = []
        return written

    def _user(self, content: Any) -> bytes:
        if not isinstance(content, str):
            content = [_part(part) for part in content] if self._vision and content else text_of(content)
        return to_json({"role": "user", "content": content})

    def _assistant(self, message: AssistantMessage, ids: Sequence[str]) -> bytes:
        value: dict[str, Any] = {"role": "assistant", "content": message.content or None}
        if self._quirks.replay_reasoning:
            state = message.reasoning_state
            thoughts = state.get("reasoning_content") if isinstance(state, Mapping) else None
            value["reasoning_content"] = thoughts or message.reasoning
        if ids:
            value["tool_calls"] = [_call(call, call_id) for call, call_id in zip(message.tool_calls, ids, strict=True)]
        return to_json(value)

    def _id(self, call_id: str) -> str:
        if self._quirks.nine_character_ids:
            return call_id if _NINE.match(call_id) else _hashed(call_id, 9)
        return call_id if len(call_id) <= _MAX_ID_CHARACTERS else f"call_{_hashed(call_id, 24)}"

    def _unused_ids(self, calls: Sequence[ToolCall], used: set[str]) -> list[str]:
        """An id for each call that is not ``used`` yet, and then is; the same each time for the same history."""
        result: list[str] = []
        for call in calls:
            new, attempt = self._id(call.id), 1
            while new in used:
                attempt += 1
                new = _hashed(f"{call.id}#{attempt}", 9)
            used.add(new)
            result.append(new)
        return result

    def _tool_fields(self, tools: Sequence[ToolSpec], choice: ToolChoice | None) -> list[bytes]:
        forced = forced_tool(choice)
        if forced is not None and not self._quirks.named_tool_choice:
            tools = [tool for tool in tools if tool.name == forced]
            choice = "required"
        fields = [b',"tools":[', b",".join(self._tool_spec(tool) for tool in tools), b"]"]
        if choice is not None and choice != "auto":  # "auto" is the default, and vLLM may refuse the word.
            fields += [b',"tool_choice":', to_json(choice)]
        return fields

    def _tool_spec(self, tool: ToolSpec) -> bytes:
        kept = self._tools.get(id(tool))
        if kept is not None and kept[0] is tool:
            return kept[1]
        parameters = {"type": "object", "properties": {}, **tool.parameters}
        function = {"name": tool.name, "description": tool.description, "parameters": parameters}
        data = to_json({"type": "function", "function": function})
        if len(self._tools) >= _MAX_CACHED_TOOLS:
            self._tools.clear()
        self._tools[id(tool)] = (tool, data)
        return data


def _call(call: ToolCall, call_id: str) -> dict[str, Any]:
    name = _BAD_IN_NAME.sub("_", call.name)[:64] or "unnamed"
    arguments = to_json(call.arguments).decode()
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def _tool(message: ToolMessage, call_id: str) -> bytes:
    return to_json({"role": "tool", "tool_call_id": call_id, "content": message.content})


def _part(part: TextPart | ImagePart) -> dict[str, Any]:
    if isinstance(part, TextPart):
        return {"type": "text", "text": part.text}
    return {"type": "image_url", "image_url": {"url": part.url}}


def _hashed(text: str, length: int) -> str:
    number = int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest())
    digits = []
    for _ in range(length):
        number, digit = divmod(number, 62)
        digits.append(_BASE62[digit])
    return "".join(digits)


def _joined_content(messages: Iterable[UserMessage]) -> Any:
    contents = [message.content for message in messages]
    if all(isinstance(content, str) for content in contents):
        return "\n\n".join(str(content) for content in contents)
    return [part for content in contents for part in ([TextPart(content)] if isinstance(content, str) else content)]


def _system_as_user(messages: Sequence[Message]) -> list[Message]:
    """The instructions as the opening of the conversation; the first user message is joined to it."""
    instructions = "\n\n".join(message.content for message in messages if isinstance(message, SystemMessage))
    opening = [UserMessage(instructions)] if instructions else []
    return [*opening, *(message for message in messages if not isinstance(message, SystemMessage))]


def _split_rounds(messages: Sequence[Message]) -> Iterator[Message]:
    """The messages, an assistant message with too many calls as several, each with its own results after it."""
    waiting: list[AssistantMessage] = []
    results = 0
    for message in messages:
        if isinstance(message, AssistantMessage) and len(message.tool_calls) > _MAX_CALLS:
            first, *waiting = _parts(message)
            results = _MAX_CALLS
            yield first
            continue
        if waiting and isinstance(message, ToolMessage):
            if results == 0:
                yield waiting.pop(0)
                results = _MAX_CALLS
            results -= 1
        yield message


def _parts(message: AssistantMessage) -> list[AssistantMessage]:
    calls = message.tool_calls
    return [
        replace(message, content=message.content if start == 0 else "", tool_calls=calls[start : start + _MAX_CALLS])
        for start in range(0, len(calls), _MAX_CALLS)
    ]


def _strict_only_where_able(response_format: ResponseFormat) -> ResponseFormat:
    """OpenAI refuses ``strict`` for a schema with optional or open properties (guide "Structured Outputs")."""
    inner = response_format.get("json_schema")
    if not isinstance(inner, Mapping) or not inner.get("strict") or _is_strict(inner.get("schema")):
        return response_format
    return {**response_format, "json_schema": {**inner, "strict": False}}


def _is_strict(schema: Any) -> bool:
    if isinstance(schema, list):
        return all(_is_strict(item) for item in schema)
    if not isinstance(schema, Mapping):
        return True
    properties = schema.get("properties")
    if properties is not None or schema.get("type") == "object":
        names = set(properties) if isinstance(properties, Mapping) else set()
        if schema.get("additionalProperties") is not False or names != set(schema.get("required") or ()):
            return False
    return all(
        _is_strict(value)
        for key, value in schema.items()
        if key not in ("enum", "const", "default", "examples", "required")
    )
