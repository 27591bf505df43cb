"""Where a caller may look in or step in around tool calls, out of the model's reach."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from actloop.errors import ConfigError
from actloop.messages import ToolCall
from actloop.tools import run_in_thread

__all__ = ["Block", "Hook", "HookSet", "PostToolUse", "PreToolUse", "SessionStart"]


@dataclass(frozen=True, slots=True)
class Block:
    """What a `PreToolUse` hook returns to keep a call from running; the model reads the reason as an error."""

    reason: str


@dataclass(frozen=True, slots=True)
class SessionStart:
    """``function(query)`` runs before the first turn; text that it returns is added to the system prompt."""

    function: Callable[[str], str | Awaitable[str | None] | None]


@dataclass(frozen=True, slots=True)
class PreToolUse:
    """``function(call)`` runs before each call: None lets it run, a dict replaces its arguments, `Block` forbids it."""

    function: Callable[[ToolCall], Block | dict[str, Any] | Awaitable[Block | dict[str, Any] | None] | None]


@dataclass(frozen=True, slots=True)
class PostToolUse:
    """``function(call, observation)`` runs after each call; text that it returns replaces the observation."""

    function: Callable[[ToolCall, str], str | Awaitable[str | None] | None]


Hook = SessionStart | PreToolUse | PostToolUse


class HookSet:
    """All hooks of an agent, asked in the order they were given. Sync hooks run in a thread.

    An exception in a hook before a call keeps the call from running, since the hook may have been there to forbid it.

    see_calls: whether any hook looks at calls.
    """

    def __init__(self, hooks: Sequence[Hook]) -> None:
        for hook in hooks:
            if not isinstance(hook, Hook):  # left out in silence, it would forbid nothing
                raise ConfigError(
                    f"{hook!r} is no hook: say when it runs, with SessionStart(…), PreToolUse(…) or PostToolUse(…)"
                )
        self.see_calls = any(not isinstance(hook, SessionStart) for hook in hooks)
        self._start = [hook for hook in hooks if isinstance(hook, SessionStart)]
        self._pre = [hook for hook in hooks if isinstance(hook, PreToolUse)]
        self._post = [hook for hook in hooks if isinstance(hook, PostToolUse)]

    async def session_start(self, query: str) -> list[str]:
        """What the `SessionStart` hooks add to the system prompt."""
        texts = [await _run(hook.function, query) for hook in self._start]
        return [text for text in texts if text]

    async def pre_tool_use(self, call: ToolCall) -> ToolCall | Block:
        """The call as it shall run, or why it shall not."""
        for hook in self._pre:
            verdict = await _run(hook.function, call)
            if isinstance(verdict, Block):
                return verdict
            if verdict is not None:
                call = replace(call, arguments=dict(verdict))
        return call

    async def post_tool_use(self, call: ToolCall, observation: str) -> str:
        """The observation as the model shall read it."""
        for hook in self._post:
            text = await _run(hook.function, call, observation)
            observation = observation if text is None else text
        return observation


async def _run(function: Callable[..., Any], *arguments: Any) -> Any:
    if inspect.iscoroutinefunction(function):
        return await function(*arguments)
    result = await run_in_thread(partial(function, *arguments))
    return await result if inspect.isawaitable(result) else result
