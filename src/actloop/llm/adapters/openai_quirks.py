"""What OpenAI-compatible servers want differently, known beforehand or learnt from a refusal (pure).

Quirks are mended when a request is written; the stored history never changes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal
from urllib.parse import urlsplit

from actloop.errors import UnsupportedParameter

__all__ = ["SYSTEM_ROLE", "USER_AFTER_TOOL", "Quirks", "learnt", "quirks_of"]

SYSTEM_ROLE = "system role"
"""`UnsupportedParameter.parameter` of a chat template without system messages."""

USER_AFTER_TOOL = "user after tool"
"""`UnsupportedParameter.parameter` of a server that wants an assistant message between tool result and user."""


@dataclass(frozen=True, slots=True)
class Quirks:
    """How a server's chat completions differ from the common form.

    nine_character_ids: call ids must match ``^[a-zA-Z0-9]{9}$``. Mistral: "Tool call id was … but must be a-z, A-Z,
        0-9, with a length of 9" (mistral-common, ``InvalidFunctionCallException``).
    assistant_after_tool: no user message may follow a tool message directly. Mistral: "Unexpected role 'user' after
        role 'tool'" (error code 3230).
    replay_reasoning: every assistant message carries its ``reasoning_content``. DeepSeek's thinking mode refuses tool
        calls without it with a 400 and ignores it elsewhere (api-docs.deepseek.com/guides/thinking_mode).
    system_as_user: the model's chat template knows no system role (Gemma's documentation of its
        prompt structure), so the instructions open the first user message.
    max_tokens: the name of the output limit. OpenAI's reasoning models refuse ``max_tokens`` (OpenAI API reference,
        ``max_completion_tokens``); older servers know no other.
    temperature: whether it may be sent. OpenAI's reasoning models refuse it (OpenAI guide "Reasoning models").
    stream_usage: whether ``stream_options`` may be sent; old servers refuse the field.
    named_tool_choice: whether ``tool_choice`` may be an object. LM Studio: "Invalid tool_choice type:
        'object'". Without it the one tool is offered alone, as ``required``.
    """

    nine_character_ids: bool = False
    assistant_after_tool: bool = False
    replay_reasoning: bool = False
    system_as_user: bool = False
    max_tokens: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    temperature: bool = True
    stream_usage: bool = True
    named_tool_choice: bool = True


_OPENAI_REASONING = re.compile(r"o\d|gpt-[5-9](?!.*chat)")
_MISTRAL = re.compile(r"(open-)?(mistral|mixtral|ministral|codestral|devstral|magistral|pixtral)")


def quirks_of(base_url: str, model: str) -> Quirks:
    """What is known beforehand about ``model`` at ``base_url``."""
    host = urlsplit(base_url).hostname or ""
    name = model.rsplit("/", 1)[-1].lower()
    reasoning = bool(_OPENAI_REASONING.match(name))
    mistral = _at(host, "mistral.ai") or bool(_MISTRAL.match(name))
    return Quirks(
        nine_character_ids=mistral,
        assistant_after_tool=mistral,
        replay_reasoning=_at(host, "deepseek.com"),
        max_tokens="max_completion_tokens" if reasoning or _at(host, "openai.com") else "max_tokens",
        temperature=not reasoning,
    )


def _at(host: str, domain: str) -> bool:
    return host == domain or host.endswith("." + domain)


_MISSING = re.compile(r"missing|required|must be|passed back", re.IGNORECASE)


def learnt(quirks: Quirks, refusal: UnsupportedParameter) -> Quirks | None:
    """``quirks`` after a refusal, or None when asking in another way is not ours to decide."""
    match refusal.parameter:
        case "max_tokens":
            return replace(quirks, max_tokens="max_completion_tokens")
        case "max_completion_tokens":
            return replace(quirks, max_tokens="max_tokens")
        case "temperature":
            return replace(quirks, temperature=False)
        case "stream_options":
            return replace(quirks, stream_usage=False)
        case "reasoning_content":
            return replace(quirks, replay_reasoning=bool(_MISSING.search(str(refusal))))
        case "tool_choice":
            return replace(quirks, named_tool_choice=False)
        case _ if refusal.parameter == SYSTEM_ROLE:
            return replace(quirks, system_as_user=True)
        case _ if refusal.parameter == USER_AFTER_TOOL:
            return replace(quirks, assistant_after_tool=True)
        case _:
            return None
