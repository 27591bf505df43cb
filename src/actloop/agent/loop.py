"""The loop: think, act, observe, until done. One loop for both modes; what differs is the dialect."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import assert_never

from actloop.agent import prompts
from actloop.agent.calls import CallRunner
from actloop.agent.cancellation import Scope, cancelled_from_outside
from actloop.agent.demotion import demote, next_dialect
from actloop.agent.dialect import Allowed, AnswerTurn, CallsTurn, Dialect, Outcome, Request, Turn, UnreadableTurn
from actloop.agent.events import Emit, PhaseStarted, StopReason, ThinkingFinished, ThinkingStarted
from actloop.agent.inbox import Inbox
from actloop.agent.limits import LimitCheck, describe
from actloop.agent.rules import Rule
from actloop.agent.run import RunState
from actloop.agent.run_context import RunContext
from actloop.agent.selection import ToolSelection
from actloop.agent.settings import AgentSettings
from actloop.errors import ActloopError, ContextOverflow, ContextTooSmall, LLMError, UnsupportedParameter
from actloop.llm import LLM, Reply, before_retry, sound_reply
from actloop.messages import ToolCall, UserMessage
from actloop.tools import ToolRegistry

__all__ = ["Loop"]


class Loop:
    """One run's loop with all it needs; `run` moves the state to its end."""

    def __init__(
        self,
        *,
        llm: LLM,
        run: RunState,
        tools: ToolRegistry,
        selection: ToolSelection,
        calls: CallRunner,
        rules: Sequence[Rule],
        limits: LimitCheck,
        settings: AgentSettings,
        inbox: Inbox,
        context: RunContext,
        emit: Emit,
    ) -> None:
        self._llm = llm
        self._state = run
        self._tools = tools
        self._selection = selection
        self._calls = calls
        self._rules = rules
        self._limits = limits
        self._settings = settings
        self._inbox = inbox
        self._context = context
        self._emit = emit
        self._unreadable = 0
        self._said_nothing = False
        self._cut_off = 0
        self._calls_only = 0
        self._tool_failed = False
        self._answer_next = False

    async def run(self, dialect: Dialect) -> None:
        """Think, act, observe, until the model answers or a bound is reached.

        Raises `LLMError` when the model cannot be asked; the state then holds everything up to there.
        """
        state = self._state
        await self._select_tools()
        while (limit := self._bound()) is None:
            state.iteration += 1
            try:
                with Scope(self._limits.seconds_left(state)) as self._inbox.thinking:
                    turn, dialect = await self._think(dialect)
            except TimeoutError:
                limit = "stopped" if self._inbox.stopped else "max_time"
                break
            finally:
                self._inbox.thinking = None
            state.add(turn.message)
            interrupted = dialect.drains_before_tools and self._drain()
            match turn:
                case CallsTurn(refused=None) if dialect.ends_on_repeats and self._known(turn.calls):
                    state.add(UserMessage(prompts.KNOWN_ALREADY))
                    self._answer_next = not interrupted
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
                case UnreadableTurn() if self._unreadable == 0:
                    pass  # nothing was said that could be answered: the same question again
                case UnreadableTurn() if interrupted or self._unreadable < _UNREADABLE_TURNS:
                    state.add(UserMessage(turn.request))
                    if turn.leaked:
                        dialect = demote(self._llm, dialect, self._emit)
                case UnreadableTurn(message) if message.content.strip():
                    state.end("answer", message.content)
                    return
                case UnreadableTurn():
                    state.fail(_EMPTY)
                    return
                case _:
                    assert_never(turn)
        await self._last_request(dialect, limit)

    async def _select_tools(self) -> None:
        """Choose the tools of this run; when that is stopped, or takes all the time there is, it gets them all."""
        state = self._state
        if self._inbox.stopped or not self._selection.needed:
            self._selection.offer_all()
            return
        self._emit(PhaseStarted("selecting_tools", total_tools=self._selection.total))
        try:
            with Scope(self._limits.seconds_left(state)) as self._inbox.thinking:
                state.spend(await self._selection.choose(self._llm, state.query, state.messages[:-1]))
        except TimeoutError:
            self._selection.offer_all()
        finally:
            self._inbox.thinking = None

    def _bound(self) -> StopReason | None:
        return "stopped" if self._inbox.stopped else self._limits.reached(self._state)

    async def _think(self, dialect: Dialect) -> tuple[Turn, Dialect]:
        """Ask for one turn and read it; comes back with the dialect it was asked in."""
        state = self._state
        self._emit(ThinkingStarted(state.iteration))
        # what was there before the first turn is earlier conversation
        await self._context.fit("general" if state.iteration == 1 else "react_iteration")
        if self._drain():
            await self._context.fit()
        allowed = self._allowed(dialect)
        turn, dialect = await self._ask(dialect, allowed)
        self._count_unreadable(turn)
        self._cut_off = self._cut_off + 1 if isinstance(turn, CallsTurn) and turn.cut_off else 0
        self._emit(ThinkingFinished(state.iteration, turn.reasoning))
        return turn, dialect

    def _count_unreadable(self, turn: Turn) -> None:
        """Count unreadable turns in a row; a first one that says nothing at all is a slip of the server, and free."""
        if not isinstance(turn, UnreadableTurn):
            self._unreadable, self._said_nothing = 0, False
        elif self._said_nothing or turn.cut_off or turn.message.content.strip():
            self._unreadable += 1
        else:
            self._said_nothing = True

    async def _ask(self, dialect: Dialect, allowed: Allowed) -> tuple[Turn, Dialect]:
        """One model call; a provider that refuses what the request needs is asked again in a humbler way."""
        state, specs, overflows = self._state, self._tools.specs(), 0
        state.keep_order()
        while True:
            request = dialect.request(state.messages, specs, allowed)
            try:
                reply = await self._chat(request)
            except UnsupportedParameter as error:
                dialect = next_dialect(self._llm, dialect, error, self._emit)
                continue
            except ContextOverflow:
                if overflows == _OVERFLOWS:
                    raise
                # what cannot be made shorter is sent once more as it is: behind one address several servers may stand,
                # with windows of their own
                overflows = overflows + 1 if await self._context.shrink() else _OVERFLOWS
                continue
            state.count(request.messages, reply)
            if allowed != "answer":
                self._context.learn(reply.usage.prompt_tokens)
            return dialect.read(reply, specs, allowed), dialect

    async def _chat(self, request: Request) -> Reply:
        hook = before_retry.set(lambda: self._drain_into(request))
        try:
            return sound_reply(
                await self._llm.chat(request.messages, tools=request.tools, response_format=request.response_format)
            )
        except ActloopError:
            raise
        except asyncio.CancelledError as error:
            if cancelled_from_outside():
                raise
            raise LLMError("The model cancelled itself.") from error
        except Exception as error:
            raise LLMError(f"The model failed with {type(error).__name__}: {error}") from error
        finally:
            before_retry.reset(hook)

    def _allowed(self, dialect: Dialect) -> Allowed:
        """Which kinds of turn may come next, by the rules and by what just failed."""
        answer_next, self._answer_next = self._answer_next, False
        if any(rule.answer_only() for rule in self._rules) or answer_next:
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
        refused = prompts.STOPPED if self._inbox.stopped else turn.refused
        try:
            if refused is not None:
                outcomes = self._calls.refuse(turn.calls, state.iteration, refused)
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
            told = outcomes if refused is not None else [self._observed(outcome) for outcome in outcomes]
            state.messages += dialect.phrase(told)
        self._tool_failed = refused is None and any(outcome.error is not None for outcome in outcomes)
        for rule in self._rules:
            if (text := rule.after_tools(state)) is not None:
                state.add(UserMessage(text))

    def _known(self, calls: Sequence[ToolCall]) -> bool:
        """Whether each of these calls was made before, with the same arguments, and returned a result."""
        made = [(step.tool_name, step.tool_args) for step in self._state.steps if step.error is None]
        return all((call.name, call.arguments) in made for call in calls)

    def _observed(self, outcome: Outcome) -> Outcome:
        for rule in self._rules:
            outcome = rule.observe(outcome)
        return outcome

    def _held_back(self) -> bool:
        """Whether a rule sends the pending answer back to work; never in the last turn that is left."""
        state = self._state
        if self._bound() is not None:
            return False
        for rule in self._rules:
            if (text := rule.before_answer(state)) is not None:
                state.add(UserMessage(text))
                return True
        return False

    def _drain(self) -> bool:
        """Say everything that a person wrote meanwhile as one pinned message."""
        message = self._inbox.drain(self._state.iteration)
        if message is not None:
            self._state.add(message)
        return message is not None

    def _drain_into(self, request: Request) -> None:
        """Before a request is sent again: what a person wrote during the wait goes along."""
        if self._drain() and request.messages is not self._state.messages:
            request.messages.append(self._state.messages[-1])

    async def _last_request(self, dialect: Dialect, limit: StopReason) -> None:
        """Ask once more, without tools, for the best answer; the summary of the steps stands in if that fails."""
        state = self._state
        self._drain()
        state.add(UserMessage(prompts.last_request(describe(limit))))
        answer = ""
        try:
            with Scope(self._limits.seconds_left(state, answering=True)):
                await self._context.fit()
                turn, _ = await self._ask(dialect, "answer")
        except (LLMError, ContextTooSmall, TimeoutError):
            pass  # the bound stays the reason of the end; the summary is the answer
        else:
            if isinstance(turn, AnswerTurn):
                answer = turn.text
                state.add(turn.message)
            elif isinstance(turn, UnreadableTurn):
                answer = turn.message.content
        state.end(limit, answer.strip() or state.draft or prompts.steps_summary(state.steps, describe(limit)))


_UNREADABLE_TURNS = 2
_OVERFLOWS = 4
_CUT_OFF = (
    "The model's output was cut off in the middle of a tool call again and again. "
    "Give it more room (max_tokens, max_output_tokens) or a task with smaller steps."
)
_EMPTY = "The model returned an empty reply again and again."
