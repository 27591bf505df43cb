"""Runs every task with our engine and with a bare loop, and prints what each solved.

    python -m bench.small_models [--model local:PATH] [--only KIND,KIND] [--engines actloop,bare] [--show]

The model is ``--model``, else ACTLOOP_BENCH_MODEL (a GGUF file), else the embedded one. One thread, temperature 0.
The bare loop is the official protocol alone: send ``tools``, run ``tool_calls``, stop at a reply without one.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable

from actloop import ReActAgent, Tool
from actloop.llm import LLM, observed
from actloop.llm.adapters.llamacpp import load_local
from actloop.messages import Message, SystemMessage, ToolMessage, UserMessage
from actloop.tools import spec_of
from bench.small_models.tasks import ALL, Task
from bench.small_models.world import World

Engine = Callable[[LLM, str, list[Tool]], Awaitable[tuple[str, int, int]]]
"""Answers a question; returns the answer, the model calls and the tokens."""


async def bare(llm: LLM, question: str, tools: list[Tool]) -> tuple[str, int, int]:
    """The official protocol in twenty lines."""
    messages: list[Message] = [SystemMessage("You are a helpful assistant."), UserMessage(question)]
    by_name = {tool.name: tool for tool in tools}
    tokens = 0
    for turn in range(1, 11):
        reply = await llm.chat(messages, tools=[spec_of(tool) for tool in tools], max_tokens=400)
        tokens += reply.usage.total_tokens or 0
        messages.append(reply.message)
        if not reply.message.tool_calls:
            return reply.message.content, turn, tokens
        for call in reply.message.tool_calls:
            try:
                text = (await by_name[call.name].run(call.arguments)).content
            except Exception as error:  # noqa: BLE001 - a bare loop tells the model whatever went wrong
                text = f"Error: {error}"
            messages.append(ToolMessage(text, call.id, call.name))
    return "", 10, tokens


async def actloop(llm: LLM, question: str, tools: list[Tool]) -> tuple[str, int, int]:
    """Our engine in its default configuration; only the number of turns is as bounded as the bare loop's."""
    result = await ReActAgent(llm, tools, max_iterations=10).run(question)
    return result.answer, result.usage.calls, result.usage.total_tokens or 0


ENGINES: dict[str, Engine] = {"actloop": actloop, "bare": bare}


async def run_task(llm: LLM, engine: Engine, task: Task, show: bool) -> tuple[bool, int, int]:
    """One task in a fresh world; the engine's memory of the model is fresh too, so that the order does not matter."""
    observed(llm).reset()
    world = World()
    answer, calls, tokens = await engine(llm, task.question, world.tools(task.tools))
    solved = task.solved(answer, world)
    if show:
        print(f"  {'ok  ' if solved else 'FAIL'} {task.kind}: {task.question[:60]!r} -> {answer[:150]!r} {world.log}")
    return solved, calls, tokens


async def main(options: argparse.Namespace) -> None:
    llm = load_local(options.model, temperature=0.0, threads=1)
    tasks = [task for task in ALL if any(kind in task.kind for kind in options.only.split(","))]
    print(f"model {options.model}, {len(tasks)} tasks, one thread, temperature 0")
    print("| engine | solved | " + " | ".join(dict.fromkeys(t.kind for t in tasks)) + " | model calls | tokens | s |")
    print("|---" * (6 + len({t.kind for t in tasks})) + "|")
    for name in options.engines.split(","):
        began = time.monotonic()
        solved: dict[str, list[bool]] = defaultdict(list)
        calls = tokens = 0
        for task in tasks:
            right, task_calls, task_tokens = await run_task(llm, ENGINES[name], task, options.show)
            solved[task.kind].append(right)
            calls, tokens = calls + task_calls, tokens + task_tokens
        kinds = " | ".join(f"{sum(rights)}/{len(rights)}" for rights in solved.values())
        total = sum(sum(rights) for rights in solved.values())
        seconds = time.monotonic() - began
        print(f"| {name} | {total}/{len(tasks)} | {kinds} | {calls} | {tokens} | {seconds:.0f} |", flush=True)
    await llm.aclose()


if __name__ == "__main__":
    cli = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cli.add_argument("--model", default=os.environ.get("ACTLOOP_BENCH_MODEL", "default"))
    cli.add_argument("--only", default="")
    cli.add_argument("--engines", default="actloop,bare")
    cli.add_argument("--show", action="store_true")
    asyncio.run(main(cli.parse_args()))
