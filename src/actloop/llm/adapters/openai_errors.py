"""What an OpenAI-compatible server's refusal means, from its status and body (pure)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from actloop.errors import ContextOverflow, LLMError, UnsupportedParameter
from actloop.llm.adapters.openai_quirks import SYSTEM_ROLE, USER_AFTER_TOOL
from actloop.llm.adapters.retry_after import retry_after
from actloop.messages import clean_text, shorten

__all__ = ["Asked", "error_in", "error_of"]

_SHOWN_CHARACTERS = 500
_RETRYABLE = frozenset({408, 409, 425, 429})


@dataclass(frozen=True, slots=True)
class Asked:
    """Who was asked, for error messages: ``where`` names the model and the server; ``api_key`` must never be shown."""

    provider: str
    where: str
    api_key: str | None = None

    def hide_key(self, text: str) -> str:
        """``text`` without the key."""
        return text.replace(self.api_key, "[api key]") if self.api_key else text


@dataclass(frozen=True, slots=True)
class _Details:
    """What the body of an error says, whatever its shape."""

    message: str = ""
    code: str = ""
    kind: str = ""
    parameter: str = ""


def error_of(asked: Asked, status: int, body: bytes, headers: Mapping[str, str]) -> LLMError:
    """The error for an answer with an HTTP status that is not 2xx."""
    if 300 <= status < 400:
        return _redirect(asked, status, headers.get("Location", "nowhere"))
    return _judge(asked, status, _read_details(body), retry_after(headers))


def _redirect(asked: Asked, status: int, location: str) -> LLMError:
    message = (
        f"{asked.where} answered {status}, a redirect to {asked.hide_key(location)!r}. Redirects are not followed, "
        "so that the key stays with the server it is for: set base_url to the final address"
    )
    return LLMError(f"{message}.", provider=asked.provider, status=status)


def error_in(asked: Asked, value: Any) -> LLMError | None:
    """The error inside a body or event that came with status 200, or None when ``value`` is none."""
    if not isinstance(value, dict):
        return None
    if not value.get("error") and (value.get("choices") or "error" not in (value.get("object"), value.get("type"))):
        return None
    details = _details(value)
    status = int(details.code) if re.fullmatch(r"[45]\d\d", details.code) else None
    return _judge(asked, status, details, None)


def _read_details(body: bytes) -> _Details:
    text = body.decode("utf-8", "replace").strip()
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        title = re.search(r"<title>\s*(.*?)\s*</title>", text, re.IGNORECASE | re.DOTALL)
        if title:
            return _Details(f"an HTML page titled {title.group(1)!r}")
        return _Details("an HTML page" if text.startswith("<") else text)
    return _details(value) if value is not None else _Details()


def _details(value: Any) -> _Details:
    """OpenAI's ``{"error": {…}}``, a bare string, Mistral's flat form, FastAPI's ``detail``, Gemini's list."""
    if isinstance(value, list) and value:
        value = value[0]
    if not isinstance(value, Mapping):
        return _Details(_text(value))
    inner = value.get("error") or value
    if not isinstance(inner, Mapping):
        inner = {**value, "message": _text(inner)}
    message = inner.get("message") or inner.get("detail") or inner.get("msg") or inner
    metadata = inner.get("metadata")
    if isinstance(metadata, Mapping) and metadata.get("raw"):
        message = f"{_text(message)}: {_text(metadata['raw'])}"
    return _Details(_text(message), *(_word(inner.get(key)) for key in ("code", "type", "param")))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _word(value: Any) -> str:
    return str(value) if isinstance(value, str | int) else ""


_OVERFLOW = re.compile(
    r"context[_ ](?:length|window|size)|maximum (?:context|prompt|input)|max_prompt_tokens|exceed_context_size"
    r"|(?:prompt|input|conversation) (?:is|was) too (?:long|large)|too many (?:input |prompt )?tokens|reduce the length"
    r"|(?:input|prompt|request)(?: token)?s?(?: count| length)?\b.{0,40}\bexceeds?\b.{0,40}\b(?:token|limit|maximum)"
    r"|token limit exceeded|exceeds (?:the )?token limit|range of input length|too large for model",
    re.IGNORECASE | re.DOTALL,
)
_OVERFLOW_CODES = frozenset(
    {"context_length_exceeded", "exceed_context_size_error", "model_max_prompt_tokens_exceeded"}
)
_QUOTA = re.compile(
    r"insufficient[_ ](?:quota|balance|credit|fund)|exceeded your current quota|credit balance|billing|out of credits",
    re.IGNORECASE,
)
_NOT_SUPPORTED_CODES = frozenset({"unsupported_parameter", "unsupported_value", "unknown_parameter"})
_NOT_SUPPORTED = re.compile(
    r"not support|n't support|unsupported|unrecognized|not recognized|not (?:permitted|implemented|enabled)"
    r"|unknown (?:parameter|field|argument|name)|extra (?:inputs|fields)|unexpected (?:keyword|field|property)"
    r"|unavailable|requires? (?:--|.{0,20}parser)|invalid tool_choice type|must be 'json_schema'|no endpoints found",
    re.IGNORECASE,
)
_PARAMETERS = re.compile(
    r"stream_options|response_format|tool_choice|temperature|max_completion_tokens|max_tokens|reasoning_content|(?<![\w-])tools\b"
)
_TOOLS_IN_WORDS = re.compile(
    r"(?:tool|function)[ -]?(?:call|us[ei])|enable-auto-tool-choice|tools param|support tools|--jinja", re.IGNORECASE
)
_FORMAT_IN_WORDS = re.compile(r"json[_ ](?:mode|object|schema)|structured output", re.IGNORECASE)
_REASONING_WANTED = re.compile(
    r"reasoning_content.{0,80}(?:passed back|missing|is required)", re.IGNORECASE | re.DOTALL
)
_USER_AFTER_TOOL = re.compile(r"unexpected role '?user'? after role '?tool", re.IGNORECASE)
_SYSTEM_REFUSED = re.compile(r"system (?:role|message|prompt)s?\b.{0,20}not supported", re.IGNORECASE)


def _refused_parameter(details: _Details) -> str | None:
    message = details.message
    if _USER_AFTER_TOOL.search(message):
        return USER_AFTER_TOOL
    if _SYSTEM_REFUSED.search(message):
        return SYSTEM_ROLE
    if _REASONING_WANTED.search(message):
        return "reasoning_content"
    if details.code not in _NOT_SUPPORTED_CODES and not _NOT_SUPPORTED.search(message):
        return None
    named = _PARAMETERS.match(details.parameter) or (
        None if _TOOLS_IN_WORDS.search(message) else _PARAMETERS.search(message)
    )
    if named:
        return named.group()
    if _TOOLS_IN_WORDS.search(message):
        return "tool_choice" if "tool_choice" in message else "tools"
    return "response_format" if _FORMAT_IN_WORDS.search(message) else None


def _judge(asked: Asked, status: int | None, details: _Details, wait: float | None) -> LLMError:
    said = asked.hide_key(clean_text(details.message)).strip()
    said = shorten(" ".join(said.split()), _SHOWN_CHARACTERS, marker=" … ") or "no explanation"
    answered = f"answered {status}" if status else "answered with an error"
    message = f"{asked.where} {answered}: {said}"
    provider = asked.provider
    if status in (None, 400, 413, 422, 500, 503) and (
        status == 413 or details.code in _OVERFLOW_CODES or details.kind in _OVERFLOW_CODES or _OVERFLOW.search(said)
    ):
        return ContextOverflow(message, provider=provider, status=status)
    if status in (None, 400, 404, 405, 422, 500, 501):
        parameter = _refused_parameter(details)
        if parameter:
            return UnsupportedParameter(message, parameter=parameter, provider=provider, status=status)
    out_of_quota = _QUOTA.search(f"{details.code} {details.kind}") or (wait is None and _QUOTA.search(said))
    if status in (None, 402, 403, 429) and out_of_quota:
        return LLMError(f"{message}. Check the plan and the credit of the account.", provider=provider, status=status)
    return LLMError(
        f"{message}{_advice(asked, status)}",
        provider=provider,
        status=status,
        retry_after=wait,
        retryable=_can_be_retried(status, details),
    )


def _can_be_retried(status: int | None, details: _Details) -> bool:
    if status is None:
        return not re.search(r"invalid|auth|permission|not_found", f"{details.kind} {details.code}")
    return status in _RETRYABLE or status >= 500


def _advice(asked: Asked, status: int | None) -> str:
    match status:
        case 401 if asked.api_key is None:
            return ". No key was sent: set ACTLOOP_API_KEY or pass api_key."
        case 401:
            return ". Check ACTLOOP_API_KEY (or the api_key passed in)."
        case 402:
            return ". Check the credit of the account."
        case 403:
            return ". The key may not use this model: check its permissions, or choose another model."
        case 404 | 405:
            return ". Check the model's name and base_url, which usually ends in /v1."
        case _:
            return ""
