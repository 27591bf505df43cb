"""The real command in a process of its own, in a home directory of its own."""

from __future__ import annotations

import asyncio
import os
import sys
from dataclasses import dataclass
from pathlib import Path

__all__ = ["COMMAND", "Finished", "actloop", "clean_environment", "finished", "start"]

COMMAND = (sys.executable, "-c", "from actloop.cli.main import main; main()")


@dataclass(frozen=True, slots=True)
class Finished:
    """What a command left: its exit code and its output."""

    code: int
    out: str
    err: str


def clean_environment(home: Path) -> dict[str, str]:
    """An environment that knows nothing of the machine's own settings, keys and models."""
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    return {**kept, "HOME": str(home), "TERM": "xterm", "ACTLOOP_THREADS": "1"}


async def start(home: Path, *arguments: str, **environment: str) -> asyncio.subprocess.Process:
    """Start the command with pipes for its input and output."""
    return await asyncio.create_subprocess_exec(
        *COMMAND,
        *arguments,
        cwd=home,
        env={**clean_environment(home), **environment},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


async def finished(process: asyncio.subprocess.Process, stdin: str = "") -> Finished:
    """Send ``stdin``, close it, and wait for the end."""
    out, err = await process.communicate(stdin.encode())
    assert process.returncode is not None
    return Finished(process.returncode, out.decode(), err.decode())


async def actloop(home: Path, *arguments: str, stdin: str = "", **environment: str) -> Finished:
    """Run the command to its end."""
    return await finished(await start(home, *arguments, **environment), stdin)
