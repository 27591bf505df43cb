"""What a model call costs: our loop against a bare aiohttp loop, in one run, on one server that answers at once.

    python -m bench.speed [--quick]

CPU is that of this process alone (``time.process_time``); the server is another process. The two loops take turns, so
that noise meets both; the figure is the median, and the spread stands beside it.
"""

from __future__ import annotations

import argparse
import asyncio
import compileall
import contextlib
import gc
import json
import statistics
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import aiohttp

import actloop
from actloop import ReActAgent, load_llm, tool
from actloop.agent import AgentResult
from actloop.llm import LLM

_PROMPT = "You are a careful assistant that solves tasks with the tools it is given."
_SPEC = {
    "type": "function",
    "function": {
        "name": "work",
        "description": "Do a piece of work.",
        "parameters": {
            "type": "object",
            "properties": {"number": {"type": "integer"}, "part": {"type": "integer"}},
            "required": ["number", "part"],
        },
    },
}


@tool
async def work(number: int, part: int) -> str:
    """Do a piece of work."""
    return f"result {number}.{part}"


@contextlib.contextmanager
def instant_server() -> Iterator[str]:
    """The base URL of a server that answers at once; it ends with the block."""
    command = [sys.executable, "-m", "bench.instant_server"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
        process.communicate()


async def floor(session: aiohttp.ClientSession, url: str, turns: int) -> int:
    """A bare loop: what anybody would write in twenty lines. Returns the number of model calls."""
    messages: list[dict[str, Any]] = [{"role": "system", "content": _PROMPT}, {"role": "user", "content": "go"}]
    calls = 0
    while True:
        body = {"model": f"turns={turns}", "messages": messages, "tools": [_SPEC]}
        async with session.post(f"{url}/chat/completions", json=body) as response:
            message = (await response.json())["choices"][0]["message"]
        calls += 1
        messages.append(message)
        if not message.get("tool_calls"):
            return calls
        for call in message["tool_calls"]:
            arguments = json.loads(call["function"]["arguments"])
            result = f"result {arguments['number']}.{arguments['part']}"
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})


async def ours(llm: LLM, turns: int) -> AgentResult:
    """Our loop as a user gets it, all rules on."""
    result = await ReActAgent(llm, [work], max_iterations=turns + 10).run("go")
    assert result.answer == "done", result
    assert len(result.steps) == turns
    return result


async def cpu_per_call(run: Callable[[], Awaitable[int]], runs: int) -> float:
    """Milliseconds of this process's CPU for one model call, over ``runs`` runs one after the other."""
    gc.collect()
    began = time.process_time()
    calls = 0
    for _ in range(runs):
        calls += await run()
    return (time.process_time() - began) * 1_000 / calls


async def compare_cpu(url: str, turns: int, rounds: int) -> dict[str, Any]:
    """Both loops at ``turns`` tool turns, taking turns."""
    llm = load_llm(f"openai:turns={turns}", base_url=url)
    runs = max(1, 200 // (turns + 1))

    async def our_calls() -> int:
        return (await ours(llm, turns)).usage.calls

    figures: dict[str, list[float]] = {"floor": [], "ours": []}
    async with aiohttp.ClientSession() as session:

        async def floor_calls() -> int:
            return await floor(session, url, turns)

        await cpu_per_call(floor_calls, 2)
        await cpu_per_call(our_calls, 2)
        for _ in range(rounds):
            figures["floor"].append(await cpu_per_call(floor_calls, runs))
            figures["ours"].append(await cpu_per_call(our_calls, runs))
    await llm.aclose()
    return _compared(f"CPU ms per model call, {turns} tool turns", figures)


async def compare_throughput(url: str, width: int, rounds: int) -> dict[str, Any]:
    """Runs per second with ``width`` runs of ten tool turns at once."""
    llm = load_llm("openai:turns=10", base_url=url)
    figures: dict[str, list[float]] = {"floor": [], "ours": []}
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        for _ in range(rounds):
            began = time.perf_counter()
            await asyncio.gather(*[floor(session, url, 10) for _ in range(width)])
            figures["floor"].append(width / (time.perf_counter() - began))
            began = time.perf_counter()
            await asyncio.gather(*[ours(llm, 10) for _ in range(width)])
            figures["ours"].append(width / (time.perf_counter() - began))
    await llm.aclose()
    return _compared(f"runs/s, {width} runs of 10 tool turns at once", figures)


async def parallel_tools(url: str, rounds: int) -> dict[str, Any]:
    """Milliseconds for a turn of eight tools that take 50 ms each; the floor is a bare gather of the same sleeps."""

    @tool(name="work")
    async def nap(number: int, part: int) -> str:
        """Take 50 ms."""
        await asyncio.sleep(0.05)
        return "rested"

    async def turn_seconds(turns: int) -> float:
        llm = load_llm(f"openai:turns={turns}x8", base_url=url)
        began = time.perf_counter()
        result = await ReActAgent(llm, [nap], rules=()).run("go")
        assert len(result.steps) == 8 * turns
        await llm.aclose()
        return time.perf_counter() - began

    figures: dict[str, list[float]] = {"floor": [], "ours": []}
    turns = 10
    for _ in range(rounds):
        began = time.perf_counter()
        for _ in range(turns):
            await asyncio.gather(*[asyncio.sleep(0.05) for _ in range(8)])
        figures["floor"].append((time.perf_counter() - began) * 1_000 / turns)
        figures["ours"].append(await turn_seconds(turns) * 1_000 / turns)
    return _compared("ms per turn of eight 50 ms tools (model call included)", figures)


def import_cpu(rounds: int) -> dict[str, Any]:
    """Seconds of CPU for ``import actloop``, over a bare interpreter; bytecode is compiled beforehand, as pip does."""
    probe = "import time; t = time.process_time(); import actloop; print(time.process_time() - t)"
    command = [sys.executable, "-c", probe]
    compileall.compile_dir(Path(actloop.__file__).parent, quiet=2)
    figures = [float(subprocess.run(command, capture_output=True, text=True, check=True).stdout) for _ in range(rounds)]
    return {"what": "CPU s for import actloop", "ours": statistics.median(figures), "spread": _spread(figures)}


async def kept_by_a_run(url: str) -> dict[str, Any]:
    """KiB that one finished run of ten tool turns keeps alive, over fifty of them."""
    llm = load_llm("openai:turns=10", base_url=url)
    await ours(llm, 10)
    gc.collect()
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    kept = [await ours(llm, 10) for _ in range(50)]
    gc.collect()
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    await llm.aclose()
    return {"what": "KiB kept by a finished run of 10 tool turns", "ours": (after - before) / 1_024 / len(kept)}


def _compared(what: str, figures: dict[str, list[float]]) -> dict[str, Any]:
    floor_median, our_median = statistics.median(figures["floor"]), statistics.median(figures["ours"])
    ratios = [mine / other for mine, other in zip(figures["ours"], figures["floor"], strict=True)]
    return {
        "what": what,
        "floor": floor_median,
        "ours": our_median,
        "ratio": statistics.median(ratios),
        "spread": _spread(ratios),
    }


def _spread(figures: list[float]) -> str:
    return f"{min(figures):.2f}–{max(figures):.2f}"


def _show(row: dict[str, Any]) -> None:
    floor_text = f"{row['floor']:.3f}" if "floor" in row else "–"
    ratio = f"{row['ratio']:.2f}" if "ratio" in row else "–"
    print(f"| {row['what']} | {floor_text} | {row['ours']:.3f} | {ratio} | {row.get('spread', '–')} |", flush=True)


async def main(rounds: int) -> None:
    print("| what | floor | actloop | ratio | spread of the ratio |\n|---|---|---|---|---|")
    _show(import_cpu(rounds))
    with instant_server() as url:
        for turns in (1, 10, 50, 200):
            _show(await compare_cpu(url, turns, rounds))
        _show(await compare_throughput(url, 200, rounds))
        _show(await parallel_tools(url, rounds))
        _show(await kept_by_a_run(url))


if __name__ == "__main__":
    cli = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cli.add_argument("--quick", action="store_true", help="three rounds instead of nine")
    asyncio.run(main(3 if cli.parse_args().quick else 9))
