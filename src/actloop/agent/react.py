"""`ReActAgent`: a model and its tools, asked one question at a time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import replace
from typing import Any

from actloop.agent import prompts
from actloop.agent.answer import AnswerWriter, plain_deltas
from actloop.agent.calls import CallRunner
from actloop.agent.demotion import native_mode_possible
from actloop.agent.events import (
    AgentEvent,
    AnswerDelta,
    AnswerFinished,
    AnswerReady,
    AnswerRestarted,
    AnswerStarted,
    Emit,
    ErrorOccurred,
    RunFinished,
)
from actloop.agent.hooks import Hook, HookSet
from actloop.agent.inbox import Inbox
from actloop.agent.interrupts import InterruptQueue
from actloop.agent.kept_results import KeptResults
from actloop.agent.limits import LimitCheck, Limits
from actloop.agent.loop import Loop
from actloop.agent.native import NativeDialect
from actloop.agent.result import AgentResult
from actloop.agent.rules import DEFAULT_RULES, RuleFactory
from actloop.agent.run import RunState
from actloop.agent.run_context import ContextCheck, RunContext
from actloop.agent.selection import ToolSelection
from actloop.agent.settings import AgentSettings
from actloop.agent.synthesis import Synthesis
from actloop.context import ContextGuard, Memory
from actloop.errors import ActloopError, AnswerStreamError, ConfigError
from actloop.llm import LLM, price_of
from actloop.messages import AssistantMessage, Message, SystemMessage, UserMessage, clean_text, valid_history
from actloop.tools import Tool, ToolRegistry

__all__ = ["ReActAgent"]


class ReActAgent:
    """An agent that reasons and acts: it asks its model, runs the tools the model asks for, and answers.

    llm: asked for everything this agent does; another model means another agent.
    tools: a `ToolRegistry`, or any `Tool`s and typed functions.
    system_prompt: replaces the caller's part of the system prompt; instructions: are added to it.
    max_iterations: how many turns the model gets at the most.
    use_native_tools: False asks for JSON mode even where the model has native tool calls.
    memory: keeps the conversation between runs, which then come one after the other; without it each stands alone.
    context_guard: keeps each request inside the context window; if None, one that knows the sizes of ``llm`` and
        drops the oldest without a summary. ``ContextGuard.for_llm(llm, compact_llm=…)`` has a model summarise.
    hooks: `SessionStart`, `PreToolUse`, `PostToolUse`.
    interrupt_queue: where messages to a running agent come in; one of its own if None (``agent.interrupts``). One run
        at a time reads it: another raises `ConfigError` if it was given, and goes without if it is the agent's own.
    pinned_tools: names of tools that every selection keeps.
    limits: bounds on tokens, cost, time and tool calls.
    rules: factories of rules about the loop; ``()`` turns them off.
    settings: every other number.

    Raises `ConfigError` for arguments that cannot work.
    """

    def __init__(
        self,
        llm: LLM,
        tools: ToolRegistry | Iterable[Tool | Callable[..., Any]] = (),
        *,
        system_prompt: str | None = None,
        instructions: str | None = None,
        max_iterations: int = 50,
        use_native_tools: bool = True,
        memory: Memory | None = None,
        context_guard: ContextCheck | None = None,
        hooks: Sequence[Hook] = (),
        interrupt_queue: InterruptQueue | None = None,
        pinned_tools: Sequence[str] = (),
        limits: Limits | None = None,
        rules: Sequence[RuleFactory] | None = None,
        settings: AgentSettings | None = None,
    ) -> None:
        self._llm = _model(llm)
        self._registry = tools if isinstance(tools, ToolRegistry) else ToolRegistry(tools)
        self._system_prompt = system_prompt
        self._instructions = instructions
        self._max_iterations = _at_least_one(max_iterations)
        self._use_native_tools = use_native_tools
        self._memory = memory
        self._guard: ContextCheck = ContextGuard.for_llm(llm) if context_guard is None else context_guard
        self._hooks = HookSet(hooks)
        self.interrupts = InterruptQueue() if interrupt_queue is None else interrupt_queue
        self._own_queue = interrupt_queue is None
        self._running: set[Inbox] = set()
        self._pinned_tools = _known(pinned_tools, self._registry)
        self._limits = _with_price(limits or Limits(), llm)
        self._rules = DEFAULT_RULES if rules is None else _factories(rules)
        self._settings = settings or AgentSettings()

    @property
    def _native_mode_active(self) -> bool:
        """Whether the next run begins in native mode."""
        return self._use_native_tools and native_mode_possible(self._llm, self._settings)

    async def run(self, query: str, *, on_event: Callable[[AgentEvent], None] | None = None) -> AgentResult:
        """Run the tool loop for ``query`` and return its result, without the streamed answer.

        on_event is called at once with each event; the last is `RunFinished`. It must not block.
        Raises for misuse and cancellation only: a model that fails ends the run with ``stop_reason="error"``.
        """
        emit = on_event or _ignore
        with self._inbox(emit) as inbox:
            result = await self._run(query, emit, inbox)
            inbox.finish(answered=result.stop_reason != "error")
        emit(_finished(result, self._limits))
        return result

    def run_sync(self, query: str, *, on_event: Callable[[AgentEvent], None] | None = None) -> AgentResult:
        """`run` for callers without an event loop. Raises `ConfigError` inside a running one."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(self.run(query, on_event=on_event))
        raise ConfigError("run_sync() was called inside a running event loop; use 'await agent.run(…)' there")

    async def stream(self, query: str) -> AsyncGenerator[AgentEvent]:
        """Run the loop and the synthesis, and yield every event as it happens; the last is `RunFinished`.

        Leaving the iteration early cancels the run; close the generator (``contextlib.aclosing``) to wait for that.
        """
        events: asyncio.Queue[AgentEvent | None] = asyncio.Queue()
        task = asyncio.create_task(self.stream_to(query, events.put_nowait))
        task.add_done_callback(lambda _: events.put_nowait(None))
        try:
            while (event := await events.get()) is not None:
                yield event
            await task
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def stream_to(self, query: str, on_event: Callable[[AgentEvent], None]) -> None:
        """`stream` for who need not iterate: ``on_event`` is called at once with each event, and must not block.

        A brief answer stands in when the synthesis fails, so that there always is one.
        """
        with self._inbox(on_event) as inbox:
            result = await self._run(query, on_event, inbox)
            on_event(AnswerStarted())
            if result.stop_reason == "error":
                on_event(AnswerDelta(result.answer))
            else:
                result = await self._synthesise(query, result, on_event)
            on_event(AnswerFinished())
            inbox.finish(answered=result.stop_reason != "error")
        on_event(_finished(result, self._limits))

    async def stream_answer(self, query: str, result: AgentResult) -> AsyncGenerator[str]:
        """Stream the answer a person reads, made from the trace in ``result``; joined, the pieces are the answer.

        A broken stream is asked for once more. Raises `AnswerStreamError` with the partial text when that fails too.
        """
        async with aclosing(plain_deltas(self._writer(query, result))) as pieces:
            async for piece in pieces:
                yield piece

    def stop(self) -> None:
        """Stop gracefully: running tools finish, then each current run answers from what is there ("stopped").

        To end a run at once, cancel its task. Call this from the event loop's thread.
        """
        for inbox in self._running:
            inbox.stop()

    def cancel_call(self, call_id: str) -> bool:
        """Stop one running tool call; the model reads that the user did, and the run goes on.

        False when no call of that id (`ToolCallStarted.call_id`) is running.
        """
        return any(inbox.stop_call(call_id) for inbox in self._running)

    async def _run_native(self, loop: Loop) -> None:
        """The loop with function calling."""
        await loop.run(NativeDialect())

    async def _run_json(self, loop: Loop) -> None:
        """The loop with JSON actions."""
        from actloop.agent.json_mode import JsonDialect  # models with tool calls of their own do without

        await loop.run(JsonDialect(self._llm))

    async def _run(self, query: str, emit: Emit, inbox: Inbox) -> AgentResult:
        """The tool loop, from the question to the stored conversation."""
        state = await self._begin(query)
        loop = self._loop(state, emit, inbox)
        try:
            await self._recall(state)
            await (self._run_native(loop) if self._native_mode_active else self._run_json(loop))
        except ActloopError as error:
            state.fail(str(error))
            emit(ErrorOccurred(str(error), recoverable=False))
        except BaseException:
            if state.recalled:
                await self._remember_cancelled(state)
            raise
        finally:
            inbox.close()
        emit(AnswerReady())
        result = state.result()
        if state.recalled:
            await self._remember((*result.messages[:-1], AssistantMessage(result.answer)), emit)
        return result

    async def _begin(self, query: str) -> RunState:
        """The state at the start: system prompt, earlier conversation, question."""
        question = _question(query)
        additions = await self._hooks.session_start(query)
        system = prompts.system_prompt(self._system_prompt, self._instructions, additions)
        return RunState(question, [SystemMessage(clean_text(system)), UserMessage(question, pinned=True)])

    async def _recall(self, state: RunState) -> None:
        """Put the earlier conversation before the question. Without it the run must neither answer nor be stored."""
        if self._memory is not None:
            try:
                earlier = _unpinned(await self._memory.load())
            except Exception as error:
                text = f"The earlier conversation could not be loaded ({type(error).__name__}: {error})."
                raise ActloopError(text) from error
            state.messages = [state.messages[0], *earlier, *state.messages[1:]]
        state.recalled = True

    def _loop(self, state: RunState, emit: Emit, inbox: Inbox) -> Loop:
        limits = LimitCheck(self._limits, self._max_iterations)
        tools = ToolRegistry()  # this run's own: the selection fills it, and it may grow
        selection = ToolSelection(
            self._registry,
            tools,
            pinned=self._pinned_tools,
            threshold=self._settings.tool_selection_threshold,
            most=self._settings.tool_selection_max,
        )
        kept = KeptResults(tools, self._shown_characters())
        return Loop(
            llm=self._llm,
            run=state,
            tools=tools,
            selection=selection,
            calls=CallRunner(tools, self._hooks, self._settings, emit, kept, inbox, limits.loop_deadline(state)),
            rules=[factory(self._settings) for factory in self._rules],
            limits=limits,
            settings=self._settings,
            inbox=inbox,
            context=RunContext(self._guard, state, tools.specs, emit),
            emit=emit,
        )

    def _shown_characters(self) -> int:
        """How much of a tool result is shown at once: about a quarter of the window at the most."""
        limit = self._settings.max_observation_chars
        # four characters are about a token, so a quarter of the tokens are as many characters
        return min(limit, self._guard.budget) if isinstance(self._guard, ContextGuard) else limit

    @contextmanager
    def _inbox(self, emit: Emit) -> Iterator[Inbox]:
        """This run's end of the interrupt queue. Raises `ConfigError` where a second run cannot be at the same time."""
        if self._memory is not None and self._running:
            raise ConfigError(
                "this agent's memory holds one conversation, and a run of it has not ended: await that one first, "
                "or give each conversation an agent of its own"
            )
        inbox = Inbox(self.interrupts, emit)
        if not inbox.begin():
            if not self._own_queue:
                raise ConfigError("the interrupt queue belongs to a run that has not ended; give each agent its own")
            inbox = Inbox(InterruptQueue(), emit)
            inbox.begin()
        self._running.add(inbox)
        try:
            yield inbox
        finally:
            self._running.discard(inbox)
            inbox.end()

    async def _synthesise(self, query: str, result: AgentResult, emit: Emit) -> AgentResult:
        writer = self._writer(query, result)
        began = asyncio.get_running_loop().time()
        try:
            async with aclosing(writer.events()) as events:
                async for event in events:
                    emit(event)
            answer = writer.text
        except AnswerStreamError as error:
            emit(ErrorOccurred(str(error), recoverable=True))
            emit(AnswerRestarted(self._settings.answer_attempts + 1))
            emit(AnswerDelta(result.answer))
            answer = result.answer
        elapsed = result.elapsed + asyncio.get_running_loop().time() - began
        messages = (*result.messages[:-1], AssistantMessage(answer))
        await self._remember(messages, emit)
        return replace(result, answer=answer, usage=result.usage + writer.usage, elapsed=elapsed, messages=messages)

    def _writer(self, query: str, result: AgentResult) -> AnswerWriter:
        directive = "\n\n".join(part for part in (self._system_prompt, self._instructions) if part)
        synthesis = Synthesis(query, result, directive, self._settings, self._guard)
        return AnswerWriter(self._llm, synthesis, self._settings)

    async def _remember(self, messages: Sequence[Message], emit: Emit) -> None:
        """Store the conversation; a store that fails costs the next run its history, not this one its answer."""
        if self._memory is None:
            return
        try:
            await self._memory.save([message for message in messages if message.role != "system"])
        except Exception as error:  # noqa: BLE001 - the border to a store of somebody's own
            text = f"The conversation could not be stored ({type(error).__name__}: {error})."
            emit(ErrorOccurred(text, recoverable=True))

    async def _remember_cancelled(self, state: RunState) -> None:
        """Store what a cancelled run leaves behind: a valid history that says which calls finished."""
        if self._memory is not None:
            save = asyncio.ensure_future(self._remember(valid_history(state.messages), _ignore))
            await asyncio.wait([save], timeout=_SAVE_SECONDS)


_SAVE_SECONDS = 5.0


def _ignore(event: AgentEvent) -> None:
    """Nobody listens."""


def _finished(result: AgentResult, limits: Limits) -> RunFinished:
    cost = limits.cost_of(result.usage)
    return RunFinished(result.answer, result.iterations, result.usage, result.elapsed, result.stop_reason, cost)


def _unpinned(messages: Sequence[Message]) -> list[Message]:
    """Earlier messages; what was pinned for an earlier run may be summarised now."""
    return [
        replace(message, pinned=False) if isinstance(message, UserMessage) and message.pinned else message
        for message in messages
    ]


def _model(llm: LLM) -> LLM:
    needed = ("abilities", "context_size", "max_output_tokens", "chat", "stream_chat")
    if missing := [name for name in needed if not hasattr(llm, name)]:
        raise ConfigError(
            f"llm must be a model, such as load_llm('provider:model') returns; {llm!r} has no {', '.join(missing)}"
        )
    return llm


def _question(query: object) -> str:
    if not isinstance(query, str) or not query.strip():
        raise ConfigError(f"the question must be a text that is not empty; it is {query!r}")
    return clean_text(query)


def _at_least_one(max_iterations: object) -> int:
    if not isinstance(max_iterations, int) or max_iterations < 1:
        raise ConfigError(f"max_iterations must be a whole number of at least 1; it is {max_iterations!r}")
    return max_iterations


def _factories(rules: Sequence[RuleFactory]) -> tuple[RuleFactory, ...]:
    for rule in rules:
        if not callable(rule):
            raise ConfigError(
                f"rules holds {rule!r}, but each run needs its own: give the class, or a function of the settings"
            )
    return tuple(rules)


def _known(names: Sequence[str], registry: ToolRegistry) -> tuple[str, ...]:
    unknown = [name for name in names if registry.get(name) is None]
    if unknown:
        raise ConfigError(f"pinned_tools names {unknown}, but the tools are {list(registry.names)}")
    return tuple(names)


def _with_price(limits: Limits, llm: LLM) -> Limits:
    if limits.max_cost is None or limits.price is not None:
        return limits
    model = str(getattr(llm, "name", ""))
    price = price_of(model)
    if price is None:
        raise ConfigError(
            f"max_cost is set, but no price of the model {model!r} is known; "
            "install 'actloop[prices]', or say what it costs with Limits(price=…)"
        )
    return replace(limits, price=price)
