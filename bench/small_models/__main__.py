"""Runs every task with our engine and with a bare loop, and prints what each solved.

    python -m bench.small_models [--model local:PATH] [--tasks known,held_out] [--only KIND,KIND]
                                 [--engines actloop,bare] [--show]

The model is ``--model``, else ACTLOOP_BENCH_MODEL (a GGUF file), else the embedded one. One thread, temperature 0.
The bare loop is the official protocol alone: send ``tools``, run ``tool_calls``, stop at a reply without one.
Both get at most 400 tokens a reply, 10 turns and ``--seconds`` of CPU a task; one that takes longer is not solved.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from actloop import ReActAgent, Tool
from actloop.llm import LLM, Delta, Reply
from actloop.llm.adapters.llamacpp import LlamaCppLLM, load_local
from actloop.messages import Message, SystemMessage, ToolMessage, UserMessage
from actloop.tools import spec_of
from bench.small_models.held_out import HELD_OUT
from bench.small_models.task import Task
from bench.small_models.tasks import ALL

_TURNS = 10
_REPLY_TOKENS = 400
_SETS = {"known": ALL, "held_out": HELD_OUT}

Engine = Callable[[LLM, str, list[Tool]], Awaitable[str]]
"""Answers a question."""


class TooLong(Exception):
    """The task has had its time."""


class Counted:
    """A model whose calls and tokens are counted, and that answers for ``seconds`` of CPU at the most.

    A new one for each task: what an engine learns of a model belongs to the instance, and so the order does not matter.
    """

    def __init__(self, llm: LlamaCppLLM, seconds: float) -> None:
        self._llm = llm
        self._end = time.process_time() + seconds
        self.too_long = False
        self.abilities = llm.abilities
        self.context_size = llm.context_size
        self.max_output_tokens = llm.max_output_tokens
        self.calls = self.tokens = 0

    async def chat(self, messages: Sequence[Message], **options: Any) -> Reply:
        self.too_long = time.process_time() > self._end
        if self.too_long:
            raise TooLong
        self.calls += 1
        reply = await self._llm.chat(messages, **options)
        self.tokens += reply.usage.total_tokens or 0
        return reply

    def stream_chat(self, messages: Sequence[Message], **options: Any) -> AsyncIterator[Delta]:
        self.calls += 1
        return self._llm.stream_chat(messages, **options)

    async def aclose(self) -> None:
        await self._llm.aclose()


async def bare(llm: LLM, question: str, tools: list[Tool]) -> str:
    """The official protocol in twenty lines."""
    messages: list[Message] = [SystemMessage("You are a helpful assistant."), UserMessage(question)]
    by_name = {tool.name: tool for tool in tools}
    for _ in range(_TURNS):
        reply = await llm.chat(messages, tools=[spec_of(tool) for tool in tools])
        messages.append(reply.message)
        if not reply.message.tool_calls:
            return reply.message.content
        for call in reply.message.tool_calls:
            try:
                text = (await by_name[call.name].run(call.arguments)).content
            except Exception as error:  # noqa: BLE001 - a bare loop tells the model whatever went wrong
                text = f"Error: {error}"
            messages.append(ToolMessage(text, call.id, call.name))
    return ""


async def actloop(llm: LLM, question: str, tools: list[Tool]) -> str:
    """Our engine in its default configuration; only the number of turns is as bounded as the bare loop's."""
    return (await ReActAgent(llm, tools, max_iterations=_TURNS).run(question)).answer


ENGINES: dict[str, Engine] = {"actloop": actloop, "bare": bare}


@dataclass(frozen=True)
class Score:
    """How one task went."""

    solved: bool
    too_long: bool
    calls: int
    tokens: int


async def run_task(model: LlamaCppLLM, engine: Engine, task: Task, seconds: float, show: bool) -> Score:
    """One task in a fresh world."""
    llm, world, answer = Counted(model, seconds), task.world(), ""
    with suppress(TooLong):  # our engine ends such a run by itself
        answer = await engine(llm, task.question, world.tools(task.tools))
    solved = not llm.too_long and task.solved(answer, world)
    if show:
        verdict = "ok  " if solved else "LONG" if llm.too_long else "FAIL"
        print(f"  {verdict} {task.kind}: {task.question[:60]!r} -> {answer[:150]!r} {world.log}", flush=True)
    return Score(solved, llm.too_long, llm.calls, llm.tokens)


async def run_set(model: LlamaCppLLM, name: str, tasks: list[Task], options: argparse.Namespace) -> None:
    """All tasks of one set with each engine, as a table."""
    print(f"\n{name}: {len(tasks)} tasks\n")
    kinds = list(dict.fromkeys(task.kind for task in tasks))
    print("| engine | solved | " + " | ".join(kinds) + " | too long | model calls | tokens | CPU s |")
    print("|---" * (6 + len(kinds)) + "|", flush=True)
    for engine in options.engines.split(","):
        began = time.process_time()
        scores: dict[str, list[Score]] = defaultdict(list)
        for task in tasks:
            score = await run_task(model, ENGINES[engine], task, options.seconds, options.show)
            scores[task.kind].append(score)
        every = [score for kind in kinds for score in scores[kind]]
        cells = [engine, f"{sum(score.solved for score in every)}/{len(every)}"]
        cells += [f"{sum(score.solved for score in scores[kind])}/{len(scores[kind])}" for kind in kinds]
        cells += [str(sum(numbers)) for numbers in zip(*((s.too_long, s.calls, s.tokens) for s in every), strict=True)]
        print(f"| {' | '.join(cells)} | {time.process_time() - began:.0f} |", flush=True)


async def main(options: argparse.Namespace) -> None:
    model = load_local(options.model, temperature=0.0, threads=1, max_output_tokens=_REPLY_TOKENS)
    print(
        f"model {os.path.basename(options.model)}, one thread, temperature 0, at most {options.seconds:g} CPU s a task"
    )
    for name in options.tasks.split(","):
        tasks = [task for task in _SETS[name] if any(kind in task.kind for kind in options.only.split(","))]
        await run_set(model, name, tasks, options)
    await model.aclose()


if __name__ == "__main__":
    cli = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cli.add_argument("--model", default=os.environ.get("ACTLOOP_BENCH_MODEL", "default"))
    cli.add_argument("--tasks", default="known,held_out", help="which sets of tasks")
    cli.add_argument("--only", default="", help="kinds of tasks, or parts of their names")
    cli.add_argument("--engines", default="actloop,bare")
    cli.add_argument("--seconds", type=float, default=60.0, help="seconds of CPU that a task may take")
    cli.add_argument("--show", action="store_true", help="print how each task went")
    asyncio.run(main(cli.parse_args()))
