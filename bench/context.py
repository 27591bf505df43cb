"""What the context guard costs at each turn, and how near its token estimate is to a real tokenizer.

    python -m bench.context [MODEL.gguf…]

The cost is CPU time of one check with the two messages that a turn adds, and of learning the reported size. For the
estimate each model is asked four times in a conversation that grows by a piece of text; the error is that of the fourth
request, estimated before the model reports it, after the first three were learned from. "mixed" grows by another kind
of text each time.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import time
from collections.abc import Sequence

from actloop.context import ContextGuard
from actloop.llm import LLM
from actloop.llm.adapters.llamacpp import load_local
from actloop.messages import AssistantMessage, Message, SystemMessage, ToolCall, ToolMessage, ToolSpec, UserMessage
from bench.context_texts import texts

_SYSTEM = SystemMessage("You are a careful assistant that solves tasks with the tools it is given. Answer briefly.")
_TOOLS = (ToolSpec("work", "Do a piece of work.", {"type": "object", "properties": {"number": {"type": "integer"}}}),)
_TURNS, _ROUNDS = 20, 50


def _turn(number: int) -> list[Message]:
    asked = AssistantMessage("", [ToolCall(f"call_{number}", "work", {"number": number, "part": 1})])
    return [asked, ToolMessage(f"result {number}.1: " + "some words " * 20, f"call_{number}", "work")]


async def guard_cost(length: int) -> float:
    """Microseconds of CPU for one turn's check in a history of about ``length`` messages."""
    rounds: list[float] = []
    for _ in range(_ROUNDS):
        guard = ContextGuard(10**9)
        history: list[Message] = [_SYSTEM, UserMessage("go", pinned=True)]
        for number in range(length // 2):
            history += _turn(number)
        await guard.check_and_compact(history, tools=_TOOLS)
        turns = [_turn(number) for number in range(_TURNS)]
        began = time.process_time()
        for turn in turns:
            history += turn
            await guard.check_and_compact(history, hint="react_iteration", tools=_TOOLS)
            guard.observe(history, _TOOLS, 1_000)
        rounds.append((time.process_time() - began) * 1e6 / _TURNS)
    return statistics.median(rounds)


async def error_of_the_fourth(llm: LLM, pieces: Sequence[str]) -> tuple[float, float]:
    """The relative errors of the estimate for the first and the fourth request."""
    guard = ContextGuard.for_llm(llm)
    history: list[Message] = [_SYSTEM]
    errors: list[float] = []
    for piece in pieces:
        history.append(UserMessage(piece))
        reply = await llm.chat(history, max_tokens=1)
        assert reply.usage.prompt_tokens is not None
        errors.append(guard.tokens(history) / reply.usage.prompt_tokens - 1)
        guard.observe(history, (), reply.usage.prompt_tokens)
        history.append(AssistantMessage("Noted."))
    return errors[0], errors[-1]


async def main(models: Sequence[str]) -> None:
    """Print both tables."""
    print("| messages | µs per turn |\n|---|---|")
    for length in (10, 100, 1_000):
        print(f"| {length:,} | {await guard_cost(length):.1f} |")
    kinds = texts()
    kinds["mixed"] = [kinds[kind][number] for number, kind in enumerate(("English", "Chinese", "JSON", "code"))]
    for model in models:
        llm = load_local(model, threads=1)
        print(f"\n| {model.rpartition('/')[2]} | error at first | after three calls |\n|---|---|---|")
        for kind, pieces in kinds.items():
            first, fourth = await error_of_the_fourth(llm, pieces)
            print(f"| {kind} | {first:+.0%} | {fourth:+.0%} |")
        await llm.aclose()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", metavar="MODEL.gguf")
    asyncio.run(main(parser.parse_args().models))
