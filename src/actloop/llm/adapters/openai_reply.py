"""From the JSON of chat completions to replies and deltas, with the habits of all servers that speak it (pure).

What `json` made is looked at, so objects are plain dicts; asking for any `Mapping` would take four times as long.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from actloop.llm.base import CallDelta, Delta, EndDelta, FinishReason, ReasoningDelta, Reply, TextDelta
from actloop.llm.reasoning import ReasoningSplitter
from actloop.llm.reply import RawCall, build_reply
from actloop.messages import Usage, clean_text

__all__ = ["BrokenReply", "ChunkReader", "read_reply"]


class BrokenReply(ValueError):
    """The server's JSON is no chat completion, or says that it broke off; the message says how."""


_FINISH_REASONS: dict[str, FinishReason] = {
    "stop": "stop",
    "tool_calls": "tool_calls",
    "tool_use": "tool_calls",
    "function_call": "tool_calls",
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "content_filter": "content_filter",
    "safety": "content_filter",
    "refusal": "content_filter",
}
_MAX_STREAMED_CHARACTERS = 12 << 20
"""Far more than any model writes; whoever shows a stream may hold its text several times over."""
_BROKE_OFF = frozenset({"error", "abort", "network_error", "insufficient_system_resource"})
"""OpenRouter and Mistral, vLLM, Zhipu, DeepSeek: the words for a reply that the server itself gave up."""


def read_reply(body: Any) -> Reply:
    """The reply in the body of an unstreamed answer. Raises `BrokenReply`."""
    choice = _first_choice(body)
    message = choice.get("message") if choice else None
    if choice is None or not isinstance(message, dict):
        raise BrokenReply("no choice with a message in it")
    text, thoughts = _content(message.get("content"))
    thoughts = _reasoning(message) or thoughts
    return build_reply(
        content=text or _string(message.get("refusal")),
        reasoning=thoughts,
        calls=[_raw_call(call) for call in _calls(message)],
        finish_reason=_finish_reason(choice.get("finish_reason")),
        usage=_usage(body.get("usage")),
        reasoning_state=_state(thoughts),
    )


class ChunkReader:
    """Turns the chunks of one streamed reply into deltas; `end` gives the last one."""

    def __init__(self) -> None:
        self.finish_reason: FinishReason | None = None
        self._usage = Usage.of_call()
        self._size = 0
        self._text = _PieceJoiner()
        self._thoughts = _PieceJoiner()
        self._splitter = ReasoningSplitter()
        self._reasoning: list[str] = []
        self._calls = _CallSorter()

    def read(self, chunk: Any) -> list[Delta]:
        """The deltas of the next chunk. Raises `BrokenReply`."""
        if not isinstance(chunk, dict):
            raise BrokenReply("a chunk is not an object")
        if chunk.get("usage"):
            self._usage = _usage(chunk["usage"])
        choice = _first_choice(chunk)
        if choice is None:
            return []
        delta = choice.get("delta", choice.get("message"))
        deltas = self._read_delta(delta) if isinstance(delta, dict) else []
        self.finish_reason = _finish_reason(choice.get("finish_reason")) or self.finish_reason
        return deltas

    def end(self) -> list[Delta]:
        """What was held back, and the `EndDelta`."""
        deltas = self._thought(self._thoughts.close())
        deltas += self._visible(self._text.close())
        deltas += [_piece(kind, text) for kind, text in self._splitter.close() if text]
        deltas += self._calls.close()
        finish = self.finish_reason
        if finish == "stop" and self._calls.any:
            finish = "tool_calls"
        return [*deltas, EndDelta(finish, self._usage, _state("".join(self._reasoning)))]

    def _read_delta(self, delta: Mapping[str, Any]) -> list[Delta]:
        text, thoughts = _content(delta.get("content"))
        deltas = self._thought(self._thoughts.add(_reasoning(delta) or thoughts))
        deltas += self._visible(self._text.add(text or _string(delta.get("refusal"))))
        for call in _calls(delta):
            deltas += self._calls.add(call)
        self._size += sum(map(_characters, deltas))
        if self._size > _MAX_STREAMED_CHARACTERS:
            raise BrokenReply(f"a reply of more than {_MAX_STREAMED_CHARACTERS >> 20} million characters")
        return deltas

    def _thought(self, text: str) -> list[Delta]:
        if not text:
            return []
        self._reasoning.append(text)
        return [ReasoningDelta(text)]

    def _visible(self, text: str) -> list[Delta]:
        if not text:
            return []
        if self._reasoning:  # Thoughts come in their own field, so tags in the text are text.
            return [TextDelta(text)]
        return [_piece(kind, piece) for kind, piece in self._splitter.feed(text) if piece]


def _piece(kind: str, text: str) -> Delta:
    return ReasoningDelta(text) if kind == "reasoning" else TextDelta(text)


def _characters(delta: Delta) -> int:
    match delta:
        case TextDelta(text) | ReasoningDelta(text):
            return len(text)
        case CallDelta():
            return len(delta.arguments)
        case EndDelta():
            return 0


class _PieceJoiner:
    """Clean text although a surrogate pair may be cut between two pieces: its first half waits for the second."""

    def __init__(self) -> None:
        self._held = ""

    def add(self, piece: str) -> str:
        if not self._held and piece.isascii():
            return piece
        piece, self._held = self._held + piece, ""
        if piece and "\ud800" <= piece[-1] <= "\udbff":
            piece, self._held = piece[:-1], piece[-1]
        return clean_text(piece)

    def close(self) -> str:
        held, self._held = self._held, ""
        return clean_text(held)


class _OpenCall:
    def __init__(self, number: int) -> None:
        self.number = number
        self.id = ""
        self.name = ""
        self.named = False
        self.text: list[str] = []
        self.joiner = _PieceJoiner()

    @property
    def whole(self) -> bool:
        """Whether the arguments so far are a whole JSON object."""
        try:
            return isinstance(json.loads("".join(self.text)), dict)
        except (ValueError, RecursionError):
            return False


class _CallSorter:
    """Says which call a piece belongs to: servers leave out the index, use one for all calls, repeat ids and names."""

    def __init__(self) -> None:
        self._by_index: dict[int, _OpenCall] = {}
        self._open: list[_OpenCall] = []

    @property
    def any(self) -> bool:
        return bool(self._open)

    def add(self, piece: Mapping[str, Any]) -> list[Delta]:
        function = _function(piece)
        call_id, name = _string(piece.get("id")), _string(function.get("name"))
        arguments = _arguments_text(function.get("arguments"))
        index = piece.get("index")
        call = self._call_of(index if type(index) is int else None, call_id, name, arguments)
        deltas: list[Delta] = []
        if name and not call.named:
            # A name may come in two pieces, and may be repeated in every chunk; it is told once, when arguments begin.
            call.name = name if call.name == name else call.name + name
        call.id = call.id or call_id
        if arguments:
            deltas += self._announce(call)
            call.text.append(arguments)
            clean = call.joiner.add(arguments)
            if clean:
                deltas.append(CallDelta(call.number, arguments=clean))
        return deltas

    def close(self) -> list[Delta]:
        deltas: list[Delta] = []
        for call in self._open:
            deltas += self._announce(call)
            held = call.joiner.close()
            if held:
                deltas.append(CallDelta(call.number, arguments=held))
        return deltas

    def _announce(self, call: _OpenCall) -> list[Delta]:
        if call.named:
            return []
        call.named = True
        return [CallDelta(call.number, id=call.id, name=clean_text(call.name))]

    def _call_of(self, index: int | None, call_id: str, name: str, arguments: str) -> _OpenCall:
        if index is None:
            known = next((call for call in self._open if call_id and call.id == call_id), None)
            call = known or (self._open[-1] if self._open else None)
        else:
            call = self._by_index.get(index)
        if call is None or self._begins_another(call, call_id, name, arguments):
            call = _OpenCall(len(self._open))
            self._open.append(call)
        if index is not None:
            self._by_index[index] = call
        return call

    def _begins_another(self, call: _OpenCall, call_id: str, name: str, arguments: str) -> bool:
        """Whether a piece with the index of ``call`` is the first of another call.

        A new call always has a name. One with another id is new; without ids it is new when ``call`` is whole already.
        """
        if not name:
            return False
        if call_id and call.id:
            return call_id != call.id
        return bool(call.text) and (name != call.name or bool(arguments)) and call.whole


def _first_choice(body: Any) -> Mapping[str, Any] | None:
    """The choice with index 0. More than one is never asked for; some servers send more."""
    if not isinstance(body, dict):
        raise BrokenReply("not an object")
    choices = body.get("choices")
    if not isinstance(choices, list):
        return None
    for choice in choices:
        if isinstance(choice, dict) and choice.get("index") in (0, None):
            return choice
    return None


def _content(value: Any) -> tuple[str, str]:
    """Text and thoughts of a content: a string, null, or parts (Mistral's ``thinking`` parts are thoughts)."""
    if isinstance(value, str):
        return value, ""
    text, thoughts = [], []
    for part in value if isinstance(value, list) else ():
        if isinstance(part, str):
            text.append(part)
        elif isinstance(part, dict):
            text.append(_string(part.get("text")) or _string(part.get("refusal")))
            thinking = part.get("thinking")
            thoughts.append(thinking if isinstance(thinking, str) else _content(thinking)[0])
    return "".join(text), "".join(thoughts)


def _reasoning(message: Mapping[str, Any]) -> str:
    return _string(message.get("reasoning_content")) or _string(message.get("reasoning"))


def _state(thoughts: str) -> dict[str, str] | None:
    return {"reasoning_content": thoughts} if thoughts else None


def _calls(message: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    calls = message.get("tool_calls")
    found = [call for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    legacy = message.get("function_call")
    if not found and isinstance(legacy, dict):
        return [{"function": legacy}]
    return found


def _function(call: Mapping[str, Any]) -> Mapping[str, Any]:
    function = call.get("function")
    return function if isinstance(function, dict) else {}


def _raw_call(call: Mapping[str, Any]) -> RawCall:
    function = _function(call)
    return RawCall(_string(call.get("id")), _string(function.get("name")), function.get("arguments"))


def _arguments_text(value: Any) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False)


def _finish_reason(word: Any) -> FinishReason | None:
    if not isinstance(word, str) or not word:
        return None
    if word in _BROKE_OFF:
        raise BrokenReply(f"the server broke the reply off with finish_reason {word!r}")
    return _FINISH_REASONS.get(word.lower(), "stop")


def _usage(value: Any) -> Usage:
    if not isinstance(value, dict):
        return Usage.of_call()
    prompt, completion = value.get("prompt_tokens_details"), value.get("completion_tokens_details")
    cached = _count(prompt.get("cached_tokens")) if isinstance(prompt, dict) else None
    if cached is None:
        cached = _count(value.get("prompt_cache_hit_tokens"))  # DeepSeek's name
    return Usage.of_call(
        prompt_tokens=_count(value.get("prompt_tokens")),
        completion_tokens=_count(value.get("completion_tokens")),
        cached_tokens=cached,
        reasoning_tokens=_count(completion.get("reasoning_tokens")) if isinstance(completion, dict) else None,
    )


def _count(value: Any) -> int | None:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if type(value) is int and value >= 0 else None


def _string(value: Any) -> str:
    return value if isinstance(value, str) else ""
