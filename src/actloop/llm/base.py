"""The one seam to a model: the `LLM` protocol and what goes through it.

A provider, a local model, a retrying wrapper and a scripted model in a test are all just an `LLM`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypedDict, runtime_checkable

from actloop.messages import AssistantMessage, Message, ToolSpec, Usage

__all__ = [
    "LLM",
    "NO_ABILITIES",
    "Ability",
    "CallDelta",
    "ChatOptions",
    "Delta",
    "EndDelta",
    "FinishReason",
    "ReasoningDelta",
    "Reply",
    "ResponseFormat",
    "TextDelta",
    "ToolChoice",
    "forced_tool",
    "named_tool_choice",
]

Ability = Literal["tool_call", "json_mode", "json_schema", "vision", "thinking"]

NO_ABILITIES: Mapping[str, bool] = {
    "tool_call": False,
    "json_mode": False,
    "json_schema": False,
    "vision": False,
    "thinking": False,
}

FinishReason = Literal["stop", "tool_calls", "length", "content_filter"]
"""Why a reply ended. Adapters map what their provider says onto these; an unknown word that ends a reply is "stop"."""

ToolChoice = str | Mapping[str, Any]
"""``"auto"``, ``"none"``, ``"required"``, or what `named_tool_choice` returns (the form of the OpenAI API)."""

ResponseFormat = Mapping[str, Any]
"""``{"type": "json_object"}`` or ``{"type": "json_schema", "json_schema": {"name", "schema", "strict"}}``."""


class ChatOptions(TypedDict, total=False):
    """What `LLM.chat` and `LLM.stream_chat` take beside the messages: for an `LLM` that hands all of it on to another.

    Such a one says ``**options: Unpack[ChatOptions]``, which is the same signature (PEP 692).
    """

    tools: Sequence[ToolSpec] | None
    tool_choice: ToolChoice | None
    response_format: ResponseFormat | None
    max_tokens: int | None
    temperature: float | None


def named_tool_choice(name: str) -> ToolChoice:
    """The `ToolChoice` that forces the tool ``name``."""
    return {"type": "function", "function": {"name": name}}


def forced_tool(choice: ToolChoice | None) -> str | None:
    """The name of the tool that ``choice`` forces, or None."""
    if choice is None or isinstance(choice, str):
        return None
    return str(choice["function"]["name"])


@dataclass(frozen=True, slots=True)
class Reply:
    """A whole reply. ``finish_reason`` is None when the provider gave none: the reply may then be cut off."""

    message: AssistantMessage
    usage: Usage = field(default_factory=Usage.of_call)
    finish_reason: FinishReason | None = "stop"


@dataclass(frozen=True, slots=True)
class TextDelta:
    """The next piece of the visible text."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """The next piece of the model's reasoning."""

    text: str


@dataclass(frozen=True, slots=True)
class CallDelta:
    """The next piece of tool call number ``index``: the name once, the arguments' JSON text bit by bit."""

    index: int
    id: str = ""
    name: str = ""
    arguments: str = ""


@dataclass(frozen=True, slots=True)
class EndDelta:
    """The end of a streamed reply, always last. A stream that stops without one, or with None, was cut off."""

    finish_reason: FinishReason | None
    usage: Usage = field(default_factory=Usage.of_call)
    reasoning_state: Any = None


Delta = TextDelta | ReasoningDelta | CallDelta | EndDelta


@runtime_checkable
class LLM(Protocol):
    """A model that can be asked.

    abilities: what it can do, by `Ability`; a missing key means no.
    context_size: its context window, in tokens, prompt and output together.
    max_output_tokens: the most it writes in one reply, in tokens.
    """

    @property
    def abilities(self) -> Mapping[str, bool]: ...

    @property
    def context_size(self) -> int: ...

    @property
    def max_output_tokens(self) -> int: ...

    async def chat(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[ToolSpec] | None = None,
        tool_choice: ToolChoice | None = None,
        response_format: ResponseFormat | None = None,
        max_tokens: int | None = None,
        temperature: float | None = None,
    ) -> Reply:
        """Ask for one whole reply. Raises `LLMError`; cancellation propagates at once."""
        ...

    def stream_chat(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[ToolSpec] | None = None,
        tool_choice: ToolChoice | None = None,
        response_format: ResponseFormat | None = None,
        max_tokens: int | None = None,
        temperature: float | None = None,
    ) -> AsyncIterator[Delta]:
        """Ask for a reply piece by piece, `EndDelta` last. Raises `LLMError`, also in the middle."""
        ...

    async def aclose(self) -> None:
        """Give back connections and memory. Asking a closed model is a mistake."""
        ...
