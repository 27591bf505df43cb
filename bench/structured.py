"""Values out of small models: `structured_llm_call` against one bare JSON-mode call, on real models in this process.

    python -m bench.structured MODEL.gguf… [--way NAME]… [--task WORD] [--show]

Each task is asked once, at temperature 0, on one thread, for at most 512 tokens a reply. "valid" counts values that fit
the schema, "right" those that also say what the text says; calls and tokens are per task.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from actloop.errors import ActloopError
from actloop.llm import LLM
from actloop.llm.adapters.llamacpp import load_local
from actloop.llm.json_schema import fits
from actloop.llm.structured import structured_llm_call
from actloop.messages import Usage, UserMessage
from bench.structured_tasks import TASKS, Task


@dataclass(frozen=True)
class Outcome:
    """What came of one task."""

    data: Any
    valid: bool
    right: bool
    usage: Usage
    level: str
    seconds: float


async def ours(llm: LLM, task: Task) -> tuple[Any, Usage, str]:
    """Our way."""
    result = await structured_llm_call(llm, [UserMessage(task.question)], task.schema, "result", default_value=None)
    return result.value, result.total_usage, result.level_used or "-"


async def bare_object(llm: LLM, task: Task) -> tuple[Any, Usage, str]:
    """What anybody would write: JSON mode, the schema in the prompt, `json.loads`."""
    return await _bare(llm, task, {"type": "json_object"})


async def bare_schema(llm: LLM, task: Task) -> tuple[Any, Usage, str]:
    """The same, constrained by the schema as it is."""
    inner = {"name": "result", "schema": task.schema}
    return await _bare(llm, task, {"type": "json_schema", "json_schema": inner})


async def _bare(llm: LLM, task: Task, response_format: dict[str, Any]) -> tuple[Any, Usage, str]:
    prompt = f"{task.question}\n\nReply with JSON that fits this JSON Schema:\n{json.dumps(task.schema)}"
    reply = await llm.chat([UserMessage(prompt)], response_format=response_format)
    try:
        return json.loads(reply.message.content), reply.usage, "-"
    except ValueError:
        return None, reply.usage, "-"


WAYS: dict[str, Callable[[LLM, Task], Awaitable[tuple[Any, Usage, str]]]] = {
    "ours": ours,
    "json_object": bare_object,
    "json_schema": bare_schema,
}


async def outcome_of(llm: LLM, way: str, task: Task) -> Outcome:
    """Do one task in one way."""
    began = time.monotonic()
    try:
        data, usage, level = await WAYS[way](llm, task)
    except ActloopError as error:
        data, usage, level = str(error), Usage.of_call(), "error"
    valid = data is not None and fits(data, task.schema)
    return Outcome(data, valid, valid and task.right(data), usage, level, time.monotonic() - began)


async def measure(model: Path, ways: list[str], word: str, show: bool) -> None:
    """Print a line of the table for each way."""
    llm = load_local(str(model), threads=1, temperature=0.0, max_output_tokens=512)
    tasks = [task for task in TASKS if word in task.name]
    try:
        for way in ways:
            outcomes = []
            for task in tasks:
                outcome = await outcome_of(llm, way, task)
                outcomes.append(outcome)
                if show:
                    mark = "right" if outcome.right else "valid" if outcome.valid else "WRONG"
                    print(
                        f"  {mark} {task.name:22} {outcome.usage.calls} {outcome.level:10} {outcome.seconds:5.1f} s "
                        f"{json.dumps(outcome.data, ensure_ascii=False)[:400]}",
                        flush=True,
                    )
            print(_line(model.stem, way, outcomes), flush=True)
    finally:
        await llm.aclose()


def _line(model: str, way: str, outcomes: list[Outcome]) -> str:
    count = len(outcomes)
    valid, right = (sum(getattr(outcome, name) for outcome in outcomes) for name in ("valid", "right"))
    usage = Usage.total(outcome.usage for outcome in outcomes)
    seconds = sum(outcome.seconds for outcome in outcomes)
    return (
        f"| {model} | {way} | {valid}/{count} ({valid / count:.0%}) | {right}/{count} ({right / count:.0%}) "
        f"| {usage.calls / count:.2f} | {(usage.total_tokens or 0) / count:.0f} | {seconds / count:.1f} |"
    )


def main() -> None:
    """Read the arguments and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", type=Path)
    parser.add_argument("--way", action="append", choices=list(WAYS))
    parser.add_argument("--task", default="")
    parser.add_argument("--show", action="store_true", help="also what came of each task")
    options = parser.parse_args()
    print("| model | way | valid | right | calls | tokens | seconds |\n|---|---|---|---|---|---|---|")
    for model in options.models:
        asyncio.run(measure(model, options.way or list(WAYS), options.task, options.show))


if __name__ == "__main__":
    main()
