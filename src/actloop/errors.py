"""Every exception actloop raises on purpose.

    ActloopError
    ├── ConfigError            a setting, argument or file of yours is wrong; the message says which and what to do
    ├── LLMError               a model could not be asked, or its reply could not be used
    │   ├── LLMTimeout         … within the time it had
    │   ├── ContextOverflow    … because the request is longer than its context window
    │   └── UnsupportedParameter … because it does not know a part of the request; `parameter` says which
    ├── AnswerStreamError      the streamed answer broke off; `partial` holds what had arrived
    ├── ContextTooSmall        system prompt and question alone do not fit the context window
    ├── StructuredOutputError  no level of the degradation chain gave data that fits the schema
    └── ToolError              a tool failed; the message is what the model reads

Mistakes in calling the library (a wrong type, an impossible value) raise `ConfigError`, `TypeError` or `ValueError`.
Cancellation is never wrapped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from actloop.messages import Usage

__all__ = [
    "ActloopError",
    "AnswerStreamError",
    "ConfigError",
    "ContextOverflow",
    "ContextTooSmall",
    "FailedAttempt",
    "LLMError",
    "LLMTimeout",
    "StructuredOutputError",
    "ToolError",
    "UnsupportedParameter",
]


class ActloopError(Exception):
    """Base of everything actloop raises on purpose."""


class ConfigError(ActloopError):
    """A setting, an argument or a file given to actloop is wrong."""


class LLMError(ActloopError):
    """A model could not be asked, or its reply could not be used.

    provider: which provider or server, for example ``openai``.
    status: the HTTP status, when there was one.
    retry_after: seconds the provider asked us to wait, when it said so.
    retryable: whether asking again later can help (401, 403, 404 and an exhausted quota cannot be helped).
    """

    def __init__(
        self,
        message: str,
        *,
        provider: str = "",
        status: int | None = None,
        retry_after: float | None = None,
        retryable: bool = False,
    ) -> None:
        super().__init__(message)
        self.provider = provider
        self.status = status
        self.retry_after = retry_after
        self.retryable = retryable


class LLMTimeout(LLMError):
    """A model did not answer, or stopped sending, within the time it had."""


class ContextOverflow(LLMError):
    """The provider refused a request because it is longer than the model's context window."""


class UnsupportedParameter(LLMError):
    """The provider refused a part of the request that this model does not support.

    parameter: the refused field of the request (``tools``, ``tool_choice``, ``response_format`` …), so that the caller
        can ask in another way.
    """

    def __init__(
        self,
        message: str,
        *,
        parameter: str = "",
        provider: str = "",
        status: int | None = None,
        retry_after: float | None = None,
        retryable: bool = False,
    ) -> None:
        super().__init__(message, provider=provider, status=status, retry_after=retry_after, retryable=retryable)
        self.parameter = parameter


class AnswerStreamError(ActloopError):
    """The streamed answer broke off; `partial` is the text that had arrived."""

    def __init__(self, message: str, *, partial: str = "") -> None:
        super().__init__(message)
        self.partial = partial


class ContextTooSmall(ActloopError):
    """System prompt and question alone do not fit the context window; the message says the numbers."""


@dataclass(frozen=True, slots=True)
class FailedAttempt:
    """One call of `structured_llm_call` that gave no value: on which level, why, and what the model wrote."""

    level: str
    reason: str
    reply: str = ""


class StructuredOutputError(ActloopError):
    """No level of the degradation chain gave data that fits the schema.

    attempts: every call that was made, in order. usage: what they cost together (`actloop.messages.Usage`).
    """

    def __init__(self, message: str, *, attempts: Sequence[FailedAttempt] = (), usage: Usage | None = None) -> None:
        super().__init__(message)
        self.attempts = tuple(attempts)
        self.usage = usage


class ToolError(ActloopError):
    """A tool failed. Raise it in a tool to choose the sentence that the model reads."""
