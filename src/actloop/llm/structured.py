"""`structured_llm_call`: data of a given schema out of any model, by the best means the model has."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Generic, TypeVar, overload

from actloop.errors import ConfigError, FailedAttempt, StructuredOutputError, UnsupportedParameter
from actloop.llm.base import LLM, Reply
from actloop.llm.observed import observed
from actloop.llm.reply import sound_reply
from actloop.llm.structured_levels import Ask, Level, LevelName, asks, refused_ability
from actloop.llm.structured_reading import Accepted, Rejected, read_reply
from actloop.llm.structured_target import Target
from actloop.messages import Message, Usage, valid_history

__all__ = ["StructuredCallResult", "structured_llm_call"]

T = TypeVar("T")
V = TypeVar("V")

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


class _Missing(Enum):
    DEFAULT = "no default"


@dataclass(frozen=True, slots=True)
class StructuredCallResult(Generic[T]):
    """What `structured_llm_call` found.

    value: the data, or what ``parse_fn`` or the wanted type made of it; or the default.
    raw_data: the data as it fits the schema; when that is no object, as ``{"value": …}``. Empty for the default.
    level_used: the level that gave it; None for the default.
    llm_calls: how many times the model was asked. total_usage: what all those calls cost.
    """

    value: T
    raw_data: dict[str, Any]
    level_used: LevelName | None
    llm_calls: int
    total_usage: Usage


@overload
async def structured_llm_call(
    llm: LLM,
    messages: Sequence[Message],
    schema: type[T],
    function_name: str,
    *,
    parse_fn: None = None,
    regex_fallback: Callable[[str], Any] | None = None,
    default_value: Any = ...,
) -> StructuredCallResult[T]: ...


@overload
async def structured_llm_call(
    llm: LLM,
    messages: Sequence[Message],
    schema: Any,
    function_name: str,
    *,
    parse_fn: Callable[[Any], V | None],
    regex_fallback: Callable[[str], Any] | None = None,
    default_value: Any = ...,
) -> StructuredCallResult[V]: ...


@overload
async def structured_llm_call(
    llm: LLM,
    messages: Sequence[Message],
    schema: Any,
    function_name: str,
    *,
    parse_fn: None = None,
    regex_fallback: Callable[[str], Any] | None = None,
    default_value: Any = ...,
) -> StructuredCallResult[Any]: ...


async def structured_llm_call(
    llm: LLM,
    messages: Sequence[Message],
    schema: Any,
    function_name: str,
    *,
    parse_fn: Callable[[Any], Any] | None = None,
    regex_fallback: Callable[[str], Any] | None = None,
    default_value: Any = _Missing.DEFAULT,
) -> StructuredCallResult[Any]:
    """Ask ``llm`` for data of a schema; at most 5 calls, 4 without native tool calls, 2 for a model that only writes.

    Three levels, best first: a forced call of a virtual tool, JSON mode, plain text. The two last ask a second time,
    saying what was wrong. What a model turned out not to do is left out the next time (`Observed`).

    schema: a JSON Schema, or a type (pydantic model, dataclass, TypedDict, ``list[int]`` …): ``value`` is then an
        instance of it.
    function_name: what the data is called towards the model; letters, digits, ``_`` and ``-``, at most 64.
    parse_fn: makes the value out of the data (with a type, out of its instance); to raise or return None is to refuse.
    regex_fallback: finds data in a text without usable JSON, or returns None; on the last level only.
    default_value: the value when no level gave one; it may be None.

    Raises `StructuredOutputError`, which carries every attempt, when no level gave a value and there is no default;
    `ConfigError` for a schema, type or name that cannot be used. Cancellation propagates at once.
    """
    if not _NAME.fullmatch(function_name):
        raise ConfigError(f"function_name must be 1 to 64 letters, digits, '_' or '-'; it is {function_name!r}")
    target = Target(schema, parse_fn)
    chain = _Chain(llm, target, regex_fallback)
    for level in asks(llm, valid_history(messages), target, function_name):
        accepted = await chain.descend(level)
        if accepted is not None:
            data = accepted.data if isinstance(accepted.data, dict) else {"value": accepted.data}
            return StructuredCallResult(accepted.value, data, level.first.level, chain.calls, chain.usage)
    if not isinstance(default_value, _Missing):
        return StructuredCallResult(default_value, {}, None, chain.calls, chain.usage)
    raise chain.failure(function_name)


class _Chain:
    """One structured call while it goes down the levels: what it cost and what went wrong."""

    def __init__(self, llm: LLM, target: Target, regex_fallback: Callable[[str], Any] | None) -> None:
        self._llm = llm
        self._target = target
        self._regex_fallback = regex_fallback
        self._failed: list[FailedAttempt] = []
        self._cause: Exception | None = None
        self.calls = 0
        self.usage = Usage()

    async def descend(self, level: Level) -> Accepted | None:
        """Ask on one level until there is a value, the calls of the level are used up, or a call raised."""
        ask = level.first
        faults: set[str] = set()
        for _ in range(level.calls):
            outcome = await self._attempt(ask)
            if isinstance(outcome, Accepted):
                self._note(ask.level, failed=ask.level == "native" and not outcome.called)
                return outcome
            if outcome is None:
                return None
            faults.add(outcome.fault)
            ask = ask.again(outcome)
        self._note(level.first.level, failed=faults == {"no data"})
        return None

    async def _attempt(self, ask: Ask) -> Accepted | Rejected | None:
        """One call; None when it raised."""
        self.calls += 1
        try:
            reply = await self._chat(ask)
        except Exception as error:  # noqa: BLE001 - the border of a request: the next level may still work
            self._refused(ask, error)
            return None
        self.usage = self.usage + reply.usage
        fallback = self._regex_fallback if ask.level == "plain_text" else None
        outcome = read_reply(reply, self._target, wrapped=ask.wrapped, regex_fallback=fallback)
        if isinstance(outcome, Rejected):
            self._failed.append(FailedAttempt(ask.level, outcome.problem, outcome.text))
        return outcome

    async def _chat(self, ask: Ask) -> Reply:
        return sound_reply(
            await self._llm.chat(
                ask.messages, tools=ask.tools, tool_choice=ask.tool_choice, response_format=ask.response_format
            )
        )

    def _refused(self, ask: Ask, error: Exception) -> None:
        self._cause = error
        self._failed.append(FailedAttempt(ask.level, f"{type(error).__name__}: {error}"))
        if isinstance(error, UnsupportedParameter):
            ability = refused_ability(ask, error)
            if ability is not None:
                observed(self._llm).refused.add(ability)

    def _note(self, level: LevelName, *, failed: bool) -> None:
        """Remember whether the level brought data; once it does, earlier failures are forgotten."""
        levels = observed(self._llm).failed_levels
        levels[level] = levels.get(level, 0) + 1 if failed else 0

    def failure(self, function_name: str) -> StructuredOutputError:
        """The error that tells every attempt."""
        told = " ".join(f"({number}) {one.level}: {one.reason}." for number, one in enumerate(self._failed, start=1))
        error = StructuredOutputError(
            f"No usable data for {function_name!r} after {self.calls} calls. {told}",
            attempts=self._failed,
            usage=self.usage,
        )
        error.__cause__ = self._cause
        return error
