"""The loop: think, act, observe, until done. One loop for both modes; what differs is the dialect."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Protocol, assert_never

from actloop.agent import prompts
from actloop.agent.calls import CallRunner
from actloop.agent.demotion import demote, next_dialect
from actloop.agent.dialect import Allowed, AnswerTurn, CallsTurn, Dialect, Outcome, Request, Turn, UnreadableTurn
from actloop.agent.events import (
    ContextCompacted,
    Emit,
    InterruptChanged,
    StopReason,
    ThinkingFinished,
    ThinkingStarted,
)
from actloop.agent.interrupts import InterruptQueue
from actloop.agent.limits import LimitCheck, describe
from actloop.agent.rules import Rule
from actloop.agent.run import RunState
from actloop.agent.settings import AgentSettings
from actloop.errors import ActloopError, LLMError, UnsupportedParameter
from actloop.llm import LLM, Reply
from actloop.messages import Message, ToolSpec, UserMessage, broken_rule, valid_history

__all__ = ["ContextCheck", "Loop"]


class ContextCheck(Protocol):
    """What the loop needs of a context guard."""

    async def check_and_compact(
        self, messages: list[Message], *, hint: str = "general", tools: Sequence[ToolSpec] = ()
    ) -> list[Message]:
        """Return the same list when it fits, else a shorter one."""
        ...


class Loop:
    """One run's loop with all it needs; `run` moves the state to its end."""

    def __init__(
        self,
        *,
        llm: LLM,
        run: RunState,
        specs: Sequence[ToolSpec],
        calls: CallRunner,
        rules: Sequence[Rule],
        limits: LimitCheck,
        settings: AgentSettings,
        interrupts: InterruptQueue,
        guard: ContextCheck | None,
        emit: Emit,
    ) -> None:
        self._llm = llm
        self._state = run
        self._specs = specs
        self._calls = calls
        self._rules = rules
        self._limits = limits
        self._settings = settings
        self._interrupts = interrupts
        self._guard = guard
        self._emit = emit
        self._unreadable = 0
        self._cut_off = 0
        self._calls_only = 0
        self._tool_failed = False

    async def run(self, dialect: Dialect) -> None:
        """Think, act, observe, until the model answers or a bound is reached.

        Raises `LLMError` when the model cannot be asked; the state then holds everything up to there.
        """
        state = self._state
        while (limit := self._limits.reached(state)) is None:
            state.iteration += 1
            try:
                async with asyncio.timeout(self._limits.seconds_left(state)):
                    turn, dialect = await self._think(dialect)
            except TimeoutError:
                limit = "max_time"
                break
            state.add(turn.message)
            interrupted = dialect.drains_before_tools and self._drain()
            match turn:
                case CallsTurn():
                    await self._act(turn, dialect)
                    self._drain()
                    if self._cut_off >= self._settings.max_cut_off_turns:
                        state.fail(_CUT_OFF)
                        return
                    if turn.leaked:
                        dialect = demote(self._llm, dialect, self._emit)
                case AnswerTurn():
                    state.draft = turn.text
                    if not (interrupted or self._drain() or self._held_back()):
                        state.end("answer", turn.text)
                        return
                case UnreadableTurn() if self._unreadable < _UNREADABLE_TURNS:
                    state.add(UserMessage(turn.request))
                case UnreadableTurn(message) if message.content.strip():
                    state.end("answer", message.content)
                    return
                case UnreadableTurn():
                    state.fail(_EMPTY)
                    return
                case _:
                    assert_never(turn)
        await self._last_request(dialect, limit)

    async def _think(self, dialect: Dialect) -> tuple[Turn, Dialect]:
        """Ask for one turn and read it; comes back with the dialect it was asked in."""
        state = self._state
        self._emit(ThinkingStarted(state.iteration))
        await self._fit_context()
        allowed = self._allowed(dialect)
        turn, dialect = await self._ask(dialect, allowed)
        self._unreadable = self._unreadable + 1 if isinstance(turn, UnreadableTurn) else 0
        self._cut_off = self._cut_off + 1 if isinstance(turn, CallsTurn) and turn.cut_off else 0
        self._emit(ThinkingFinished(state.iteration, turn.reasoning))
        return turn, dialect

    async def _ask(self, dialect: Dialect, allowed: Allowed) -> tuple[Turn, Dialect]:
        """One model call; a provider that refuses what the request needs is asked again in a humbler way."""
        state = self._state
        if broken_rule(state.messages) is not None:
            state.messages[:] = valid_history(state.messages)
        while True:
            request = dialect.request(state.messages, self._specs, allowed)
            try:
                reply = await self._chat(request)
            except UnsupportedParameter as error:
                dialect = next_dialect(self._llm, dialect, error, self._emit)
                continue
            state.count(request.messages, reply)
            return dialect.read(reply, self._specs, allowed), dialect

    async def _chat(self, request: Request) -> Reply:
        try:
            return await self._llm.chat(request.messages, tools=request.tools, response_format=request.response_format)
        except ActloopError:
            raise
        except Exception as error:
            raise LLMError(f"The model failed with {type(error).__name__}: {error}") from error

    def _allowed(self, dialect: Dialect) -> Allowed:
        """Which kinds of turn may come next, by the rules and by what just failed."""
        if any(rule.answer_only() for rule in self._rules):
            return "answer"
        failed, self._tool_failed = self._tool_failed, False
        if failed and dialect.forces_calls and self._calls_only < self._settings.max_calls_only_turns:
            self._calls_only += 1
            return "calls"
        return "any"

    async def _act(self, turn: CallsTurn, dialect: Dialect) -> None:
        """Run the calls and tell the model what came of them, also when cancelled in the middle."""
        state = self._state
        outcomes: list[Outcome] = []
        try:
            if turn.refused is not None:
                outcomes = self._calls.refuse(turn.calls, state.iteration, turn.refused)
            else:
                await self._calls.run(
                    turn.calls,
                    state.iteration,
                    trim=dialect.trims_arguments,
                    outcomes=outcomes,
                    allowed=self._limits.calls_left(state),
                )
        finally:
            state.record(outcomes)
            told = [self._observed(outcome) for outcome in outcomes]
            state.messages += dialect.phrase(told)
        self._tool_failed = any(outcome.error is not None for outcome in outcomes)
        for rule in self._rules:
            if (text := rule.after_tools(state)) is not None:
                state.add(UserMessage(text))

    def _observed(self, outcome: Outcome) -> Outcome:
        for rule in self._rules:
            outcome = rule.observe(outcome)
        return outcome

    def _held_back(self) -> bool:
        """Whether a rule sends the pending answer back to work; never in the last turn that is left."""
        state = self._state
        if self._limits.reached(state) is not None:
            return False
        for rule in self._rules:
            if (text := rule.before_answer(state)) is not None:
                state.add(UserMessage(text))
                return True
        return False

    def _drain(self) -> bool:
        """Say everything that a person wrote meanwhile as one pinned message."""
        waiting = self._interrupts.drain()
        if not waiting:
            return False
        text = "\n\n".join(interrupt.content for interrupt in waiting)
        self._state.add(UserMessage(f"{prompts.INTERRUPT_HEADER}\n{text}", pinned=True))
        for interrupt in waiting:
            self._emit(InterruptChanged(interrupt.id, interrupt.content, "delivered", self._state.iteration))
        return True

    async def _fit_context(self) -> None:
        if self._guard is None:
            return
        before = self._state.messages
        after = await self._guard.check_and_compact(before, hint="react_iteration", tools=self._specs)
        if after is not before:
            self._state.messages = after
            self._emit(ContextCompacted(len(before), len(after)))

    async def _last_request(self, dialect: Dialect, limit: StopReason) -> None:
        """Ask once more, without tools, for the best answer; the summary of the steps stands in if that fails."""
        state = self._state
        state.add(UserMessage(prompts.last_request(describe(limit))))
        answer = ""
        try:
            async with asyncio.timeout(self._limits.seconds_left(state, answering=True)):
                await self._fit_context()
                turn, _ = await self._ask(dialect, "answer")
        except (LLMError, TimeoutError):
            pass  # the bound stays the reason of the end; the summary is the answer
        else:
            if isinstance(turn, AnswerTurn):
                answer = turn.text
                state.add(turn.message)
            elif isinstance(turn, UnreadableTurn):
                answer = turn.message.content
        state.end(limit, answer.strip() or state.draft or prompts.steps_summary(state.steps, describe(limit)))


_UNREADABLE_TURNS = 2
_CUT_OFF = (
    "The model's output was cut off in the middle of a tool call again and again. "
    "Give it more room (max_tokens, max_output_tokens) or a task with smaller steps."
)
_EMPTY = "The model returned an empty reply twice in a row."
