"""One turn's tool calls, side by side: whatever goes wrong becomes a result that the model can learn from."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine, Sequence
from dataclasses import replace
from typing import Any

from actloop.agent.cancellation import Scope, cancelled_from_outside
from actloop.agent.dialect import Outcome
from actloop.agent.events import Emit, ToolCallFinished, ToolCallStarted
from actloop.agent.hooks import Block, HookSet
from actloop.agent.inbox import Inbox
from actloop.agent.kept_results import KeptResults
from actloop.agent.settings import AgentSettings
from actloop.errors import ToolError
from actloop.llm import fit_arguments
from actloop.messages import INTERRUPTED, ToolCall, clean_text, shorten
from actloop.tools import Tool, ToolRegistry, ToolResult, error_text, result_of

__all__ = ["CallRunner"]

_NAMES_SHOWN = 20
_STOPPED = "The user stopped this call before it returned a result. Whether it took effect is unknown."


class CallRunner:
    """Runs the calls of one turn at a time, for one run of an agent.

    kept: where results go that are too large to be shown whole. inbox: where a running call can be stopped.
    deadline: the moment (``time.monotonic``) when every call must be over, or None.
    """

    def __init__(
        self,
        registry: ToolRegistry,
        hooks: HookSet,
        settings: AgentSettings,
        emit: Emit,
        kept: KeptResults,
        inbox: Inbox,
        deadline: float | None = None,
    ) -> None:
        self._registry = registry
        self._hooks = hooks
        self._settings = settings
        self._emit = emit
        self._kept = kept
        self._deadline = deadline
        self._inbox = inbox

    async def run(
        self,
        calls: Sequence[ToolCall],
        iteration: int,
        *,
        trim: bool,
        outcomes: list[Outcome],
        allowed: int | None = None,
    ) -> None:
        """Run ``calls`` and put one outcome for each, in call order, into ``outcomes``.

        allowed: how many may run at the most; the rest is answered with an error.
        Also when cancelled, ``outcomes`` ends complete: what had finished counts, the rest counts as interrupted.
        """
        limit = self._settings.max_calls_per_turn
        if allowed is not None:
            limit = min(limit, allowed)
        done: dict[int, Outcome] = {}

        async def one(position: int, call: ToolCall) -> None:
            done[position] = await self._reported(call, iteration, trim)

        try:
            works = [one(position, call) for position, call in enumerate(calls[:limit])]
            await _side_by_side(works, most=self._settings.max_parallel_calls)
            for position, call in enumerate(calls[limit:], start=limit):
                done[position] = self._refused(call, iteration, _too_many(limit, len(calls)))
        finally:
            outcomes += [done.get(n) or Outcome(call, INTERRUPTED, INTERRUPTED) for n, call in enumerate(calls)]

    def refuse(self, calls: Sequence[ToolCall], iteration: int, reason: str) -> list[Outcome]:
        """Answer every call with ``reason`` and run none."""
        return [self._refused(call, iteration, reason) for call in calls]

    def _refused(self, call: ToolCall, iteration: int, reason: str) -> Outcome:
        self._emit(ToolCallStarted(iteration, call.id, call.name, call.arguments))
        return self._finished(_failed(call, reason), iteration)

    async def _reported(self, call: ToolCall, iteration: int, trim: bool) -> Outcome:
        """Run one call between its two events; the outcome has its elapsed time."""
        self._emit(ToolCallStarted(iteration, call.id, call.name, call.arguments))
        began = time.monotonic()
        self._inbox.call_begins(call.id)
        try:
            outcome = await self._outcome(call, trim)
        except asyncio.CancelledError:
            if self._inbox.runs(call.id):  # so it was not this call that was stopped
                raise
            outcome = _failed(call, _STOPPED)
        finally:
            self._inbox.call_ends(call.id)
        return self._finished(outcome._replace(elapsed=time.monotonic() - began), iteration)

    def _finished(self, outcome: Outcome, iteration: int) -> Outcome:
        self._emit(
            ToolCallFinished(
                iteration,
                outcome.call.id,
                outcome.call.name,
                outcome.observation,
                outcome.error,
                outcome.elapsed,
                outcome.artifacts,
            )
        )
        return outcome

    async def _outcome(self, call: ToolCall, trim: bool) -> Outcome:
        """Look the tool up, fit the arguments, ask the hooks, run it; an error is an outcome too."""
        try:
            tool = self._tool(call)
            if tool.requires_approval:
                raise ToolError(f"{call.name!r} needs the approval of a person, and nobody is there to give it.")
            # hooks and tool get copies, since they may change them: the history says what the model asked for
            arguments = _fitted(call, tool, trim)
            if self._hooks.see_calls:
                arguments = _copied(arguments)
            if arguments is not call.arguments:
                call = replace(call, arguments=arguments)
            verdict = await self._hooks.pre_tool_use(call)
            if isinstance(verdict, Block):
                raise ToolError(f"The call was not allowed: {verdict.reason}")
            call = verdict
            result = await self._run_tool(tool, call)
            content = await self._hooks.post_tool_use(call, result.content)
        except asyncio.CancelledError:
            if cancelled_from_outside():
                raise
            return _failed(call, "The tool cancelled itself.")
        except (GeneratorExit, KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # noqa: BLE001 - the border of a tool call: every failure is an observation
            # not `Exception`: a panic in a Rust extension (pyo3's PanicException) is none
            return _failed(call, clean_text(error_text(error)))
        content = self._kept.shown(call.name, clean_text(content))
        return Outcome(call, content, content if result.is_error else None, artifacts=result.artifacts)

    def _tool(self, call: ToolCall) -> Tool:
        tool = self._registry.get(call.name)
        if tool is None:
            raise ToolError(_unknown(call.name, self._registry.names))
        return tool

    async def _run_tool(self, tool: Tool, call: ToolCall) -> ToolResult:
        limit = self._settings.tool_timeout if tool.timeout is None else tool.timeout
        if self._deadline is not None:
            limit = max(0.0, min(limit, self._deadline - time.monotonic()))
        scope = Scope(limit)
        try:
            with scope:
                result: object = await tool.run(_copied(call.arguments))
        except TimeoutError as error:
            if not scope.ended:  # a TimeoutError of the tool's own
                raise
            raise ToolError(f"The tool did not finish within {limit:.3g} seconds and was stopped.") from error
        return result_of(result)  # a tool class of somebody's own may return anything, and knows no notes of artifacts


async def _side_by_side(works: Sequence[Coroutine[Any, Any, None]], *, most: int) -> None:
    """Run ``works``, at the ``most`` so many at once, each in a task of its own: what a tool does to its task or to
    context variables is no matter of the others', nor of the run's. One alone does without a group's book-keeping.
    """
    if len(works) == 1:
        await _apart(works[0])
        return
    try:
        async with asyncio.TaskGroup() as group:
            for work in works if len(works) <= most else _gated(works, asyncio.Semaphore(most)):
                group.create_task(work)
    except BaseExceptionGroup as failures:  # the listener's own, since a tool's failure is an outcome
        raise failures.exceptions[0] from None
    finally:
        for work in works:
            work.close()  # one that waited for its turn when all was cancelled has never begun


def _gated(works: Sequence[Coroutine[Any, Any, None]], gate: asyncio.Semaphore) -> Sequence[Coroutine[Any, Any, None]]:
    async def gated(work: Coroutine[Any, Any, None]) -> None:
        async with gate:
            await work

    return [gated(work) for work in works]


async def _apart(work: Coroutine[Any, Any, None]) -> None:
    """Await ``work`` in a task of its own. As in a group, its own cancellation ends here and ours is not lost in it."""
    this = asyncio.current_task()
    assert this is not None
    requests = this.cancelling()
    try:
        await asyncio.create_task(work)
    except asyncio.CancelledError:
        if this.cancelling() > requests:
            raise
    if this.cancelling() > requests:  # the tool did not let itself be cancelled
        raise asyncio.CancelledError


def _copied(value: Any) -> Any:
    """A copy of JSON data; many times cheaper than ``copy.deepcopy``, which every call would pay."""
    if isinstance(value, dict):
        return {key: _copied(item) for key, item in value.items()}
    return [_copied(item) for item in value] if isinstance(value, list) else value


def _failed(call: ToolCall, text: str) -> Outcome:
    return Outcome(call, f"Error: {text}", text)


def _fitted(call: ToolCall, tool: Tool, trim: bool) -> dict[str, Any]:
    """The arguments as the tool's schema wants them; raises `ToolError` naming each field that does not fit."""
    if call.unreadable is not None:
        raise ToolError(
            f"The arguments of {call.name!r} are not a JSON object: {shorten(call.unreadable, 200, marker=' … ')}\n"
            "Send the call again with one valid JSON object as its arguments."
        )
    fitted = fit_arguments(call.arguments, tool.parameters, trim=trim)
    if not fitted.problems:
        return fitted.value
    problems = "\n".join(f"- {problem}" for problem in fitted.problems[:10])
    raise ToolError(f"The arguments of {call.name!r} do not fit:\n{problems}\nMend them and call again.")


def _unknown(name: str, names: Sequence[str]) -> str:
    if not names:
        return f"There is no tool named {name!r}, nor any other tool. Answer without one."
    import difflib

    near = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
    shown = [*near, *(other for other in names if other not in near)][:_NAMES_SHOWN]
    more = f" and {len(names) - len(shown)} more" if len(names) > len(shown) else ""
    return f"There is no tool named {name!r}. Available tools: {', '.join(shown)}{more}."


def _too_many(limit: int, asked: int) -> str:
    return (
        f"Not run, because only the first {limit} of the {asked} calls of this turn were allowed. "
        "Send the call again if it is still needed."
    )
