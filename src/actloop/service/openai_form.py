"""The OpenAI API's chat completions: what a client sends, and what it reads (pure).

Source: platform.openai.com/docs/api-reference/chat. Parameters that steer a bare model (temperature …) are accepted and
have no effect: the agent's settings count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from actloop.agent import StopReason
from actloop.messages import (
    AssistantMessage,
    Content,
    ContentPart,
    ImagePart,
    Message,
    TextPart,
    Usage,
    UserMessage,
    clean_text,
    text_of,
)

__all__ = ["ChatRequest", "asked", "chunk", "completion", "finish_reason", "usage_form"]

_MOST_CHARACTERS = 500_000


class _Lenient(BaseModel):
    model_config = ConfigDict(extra="ignore")


class TextForm(_Lenient):
    """A piece of text in a message."""

    type: Literal["text"]
    text: Annotated[str, Field(max_length=_MOST_CHARACTERS)]


class ImageUrl(_Lenient):
    """Where an image is: in the web or in the URL itself, and no file of a model's server, which may follow it."""

    url: Annotated[str, Field(max_length=_MOST_CHARACTERS, pattern=r"^(?:https?://|data:image/)")]


class ImageForm(_Lenient):
    """An image in a message."""

    type: Literal["image_url"]
    image_url: ImageUrl


PartForm = Annotated[TextForm | ImageForm, Field(discriminator="type")]


class MessageForm(_Lenient):
    """A message. Results of tools are not taken: the agent's tools are its own."""

    role: Literal["system", "developer", "user", "assistant"]
    content: Annotated[str, Field(max_length=_MOST_CHARACTERS)] | list[PartForm] | None = None


class StreamOptions(_Lenient):
    """Whether a last chunk tells the usage."""

    include_usage: bool = False


class ChatRequest(_Lenient):
    """A request. include_steps, an extension: what the agent does meanwhile is told as ``reasoning_content``."""

    model: Annotated[str, Field(max_length=100)]
    messages: Annotated[list[MessageForm], Field(min_length=1, max_length=2_000)]
    stream: bool = False
    stream_options: StreamOptions | None = None
    tools: list[Any] | None = None
    n: int | None = None
    include_steps: bool = False


def asked(messages: Sequence[MessageForm]) -> tuple[str, list[Message], str]:
    """Return the question, the conversation before it, and the instructions. Raises `ValueError` without a question."""
    *earlier, last = messages
    question = clean_text(text_of(_content(last)))
    if last.role != "user" or not question.strip():
        raise ValueError("the last message must be the user's and must not be empty")
    instructions = [text_of(_content(item)) for item in earlier if item.role in {"system", "developer"}]
    told: list[Message] = [
        UserMessage(_content(item)) if item.role == "user" else AssistantMessage(text_of(_content(item)))
        for item in earlier
        if item.role in {"user", "assistant"}
    ]
    return question, told, clean_text("\n\n".join(instructions))


def _content(message: MessageForm) -> Content:
    if message.content is None or isinstance(message.content, str):
        return clean_text(message.content or "")
    parts: list[ContentPart] = [
        TextPart(clean_text(part.text)) if isinstance(part, TextForm) else ImagePart(part.image_url.url)
        for part in message.content
    ]
    return parts


def finish_reason(reason: StopReason) -> Literal["stop", "length"]:
    """Why the answer ended, in OpenAI's words."""
    return "length" if reason.startswith("max_") else "stop"


def usage_form(usage: Usage) -> dict[str, int] | None:
    """The usage, or None when nobody reported it: an unknown count is not zero."""
    if usage.prompt_tokens is None or usage.completion_tokens is None:
        return None
    return {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "total_tokens": usage.prompt_tokens + usage.completion_tokens,
    }


def completion(
    id: str, created: int, model: str, content: str, reasoning: str, reason: StopReason, usage: Usage
) -> dict[str, Any]:
    """A whole answer."""
    message = {"role": "assistant", "content": content, "refusal": None}
    if reasoning:
        message["reasoning_content"] = reasoning
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": finish_reason(reason)}
    body = {"id": id, "object": "chat.completion", "created": created, "model": model, "choices": [choice]}
    counted = usage_form(usage)
    return body if counted is None else {**body, "usage": counted}


def chunk(
    id: str, created: int, model: str, delta: Mapping[str, str] | None, reason: StopReason | None = None
) -> dict[str, Any]:
    """A piece of a streamed answer; with ``delta=None`` one without a choice, for the usage."""
    choices = []
    if delta is not None:
        end = None if reason is None else finish_reason(reason)
        choices = [{"index": 0, "delta": dict(delta), "logprobs": None, "finish_reason": end}]
    return {"id": id, "object": "chat.completion.chunk", "created": created, "model": model, "choices": choices}
