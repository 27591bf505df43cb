"""Blocking functions beside the event loop."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import textwrap
import threading
import time

import pytest

from actloop.tools import run_in_thread


@pytest.mark.asyncio
async def test_results_and_exceptions_come_back() -> None:
    assert await run_in_thread(lambda: 7) == 7
    with pytest.raises(ZeroDivisionError):
        await run_in_thread(lambda: 1 / 0)


@pytest.mark.asyncio
async def test_hundred_hanging_functions_do_not_starve_the_next_one() -> None:
    release = threading.Event()
    hanging = [asyncio.create_task(run_in_thread(release.wait)) for _ in range(100)]
    assert await asyncio.wait_for(run_in_thread(lambda: "served"), 10) == "served"
    release.set()
    await asyncio.gather(*hanging)


@pytest.mark.asyncio
async def test_cancellation_ends_the_wait_at_once_and_the_late_result_is_dropped() -> None:
    release, finished = threading.Event(), threading.Event()

    def hang() -> str:
        release.wait(10)
        finished.set()
        return "late"

    task = asyncio.create_task(run_in_thread(hang))
    await asyncio.sleep(0)
    task.cancel()
    began = time.monotonic()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - began < 5
    release.set()
    assert await run_in_thread(lambda: finished.wait(10))


@pytest.mark.asyncio
async def test_an_idle_thread_is_used_again() -> None:
    first = await run_in_thread(threading.get_ident)
    assert await run_in_thread(threading.get_ident) == first


def python(source: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(source)], capture_output=True, text=True, timeout=30, check=False
    )


def test_a_hanging_function_does_not_keep_the_program_from_ending() -> None:
    result = python("""
        import asyncio, threading
        from actloop.tools import run_in_thread

        async def main():
            try:
                await asyncio.wait_for(run_in_thread(threading.Event().wait), 0.05)
            except TimeoutError:
                print("timed out")

        asyncio.run(main())
    """)
    assert (result.returncode, result.stdout, result.stderr) == (0, "timed out\n", "")


@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="needs fork")
def test_a_forked_child_has_threads_of_its_own() -> None:
    result = python("""
        import asyncio, os
        from actloop.tools import run_in_thread

        async def main():
            return await run_in_thread(lambda: 7)

        asyncio.run(main())
        child = os.fork()
        if child == 0:
            os._exit(asyncio.run(main()))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """)
    assert (result.stdout, result.returncode) == ("7\n", 0)


def test_tools_can_be_imported_without_the_heavy_libraries() -> None:
    result = python("""
        import sys
        import actloop.tools, actloop.tools.builtin
        print([name for name in ("pydantic", "aiohttp", "docstring_parser", "html_to_markdown") if name in sys.modules])
    """)
    assert (result.stdout, result.stderr) == ("[]\n", "")
