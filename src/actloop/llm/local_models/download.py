"""A large file over HTTP, resumed where it broke off, and taken for whole only when its checksum says so.

What has arrived is kept in ``.<name>.<start of the checksum>.part`` beside the target. The checksum in the name ties
the part to one content: when the catalogue moves on to another file, its download begins anew. One process at a time
fetches a file; the lock is the kernel's (`flock`), so a killed process leaves none behind.
"""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from actloop.errors import ConfigError
from actloop.llm.local_models.progress import FetchError, SourceUnreachable

if TYPE_CHECKING:
    from aiohttp import ClientResponse, ClientSession

__all__ = ["BLOCK", "Download", "file_errors", "place_verified"]

BLOCK = 1 << 20
"""Bytes read or written at a time."""

_CHECKED_HEADERS = ("X-Linked-Etag", "ETag")


class _Restart(Exception):
    """The server does not continue where the part ends."""


@dataclass(frozen=True, slots=True)
class Download:
    """One file to fetch: ``url`` to ``target``, ``size`` bytes with checksum ``sha256``.

    on_bytes: called with the number of bytes that are here.
    on_verify: called with the number of bytes that were checked.
    stall: seconds without a byte, or without a connection, after which an attempt is given up.
    attempts: how many attempts in a row may bring nothing.
    pause: seconds before the next attempt, times the number of fruitless attempts so far.
    """

    url: str
    target: Path
    size: int
    sha256: str
    on_bytes: Callable[[int], None]
    on_verify: Callable[[int], None]
    stall: float = 30.0
    attempts: int = 4
    pause: float = 1.0

    @property
    def part(self) -> Path:
        """Where the bytes that have arrived are kept."""
        return self.target.with_name(f".{self.target.name}.{self.sha256[:16]}.part")

    async def run(self) -> None:
        """Fetch the file, verify it and put it at ``target``.

        Raises `ConfigError` when the folder cannot be written or the disk is full, `SourceUnreachable` when the server
        could not be reached or does not have the file, `FetchError` when it broke off for good or is not the right
        file. Cancellation propagates at once; the part stays for the next time.
        """
        with file_errors(self.target.parent):
            self.target.parent.mkdir(parents=True, exist_ok=True)
            with _only_one(self.target):
                self._check_room()
                async with _session(self.stall) as session:
                    await self._check_offer(session)
                    resumed = _size(self.part) > 0
                    await self._fetch(session)
                    try:
                        await place_verified(self.part, self.target, self.sha256, self.on_verify)
                    except FetchError:
                        if not resumed:
                            raise
                        # The old beginning may be at fault: once more, all of it.
                        await self._fetch(session)
                        await place_verified(self.part, self.target, self.sha256, self.on_verify)

    def _check_room(self) -> None:
        missing = self.size - _size(self.part)
        free = shutil.disk_usage(self.target.parent).free
        if free < missing:
            raise ConfigError(
                f"Not enough room in {str(self.target.parent)!r}: {self.target.name} needs {_megabytes(missing)} more, "
                f"{_megabytes(free)} are free."
            )

    async def _check_offer(self, session: ClientSession) -> None:
        """Ask what the hub has under this address before half a gigabyte is fetched in vain.

        The hub names checksum and size of a large file in ``X-Linked-Etag`` and ``X-Linked-Size``, on the answer that
        redirects to the storage (huggingface_hub, ``constants.py`` and ``file_download.py``).
        """
        async with _reached(self.url), session.head(self.url, allow_redirects=False) as response:
            _refuse_status(response, self.url)
            reported = next((response.headers[name] for name in _CHECKED_HEADERS if name in response.headers), "")
        reported = reported.removeprefix("W/").strip('"').lower()
        if len(reported) != len(self.sha256):
            raise SourceUnreachable(
                f"{self.url} did not answer as the model hub does: it named no checksum. "
                "A proxy or a login page may stand between."
            )
        if reported != self.sha256:
            raise FetchError(
                f"The hub has another file under {self.url}: its checksum is {reported}, expected was {self.sha256}. "
                "Nothing was fetched."
            )

    async def _fetch(self, session: ClientSession) -> None:
        fruitless, furthest = 0, _size(self.part)
        while (start := _size(self.part)) < self.size:
            try:
                async with _reached(self.url):
                    await self._attempt(session, start)
            except _Restart:
                self.part.unlink(missing_ok=True)
            except SourceUnreachable as error:
                done = _size(self.part)
                fruitless = 0 if done > furthest else fruitless + 1
                furthest = max(done, furthest)
                if fruitless >= self.attempts:
                    raise _broken_off(error, done, self.size) from error
                await asyncio.sleep(self.pause * fruitless)

    async def _attempt(self, session: ClientSession, start: int) -> None:
        """Fetch what is missing from byte ``start`` on (RFC 9110 §14: 206 continues, 200 is the whole file again)."""
        headers = {"Accept-Encoding": "identity"}
        if start:
            headers["Range"] = f"bytes={start}-"
        async with session.get(self.url, headers=headers) as response:
            if start and response.status == 416:
                raise _Restart
            _refuse_status(response, self.url)
            if response.status != 206:
                start = 0
            _check_extent(response, start, self.size)
            with await asyncio.to_thread(self.part.open, "r+b" if start else "wb") as part:
                part.seek(start)
                done = start
                async for block in response.content.iter_chunked(BLOCK):
                    done += len(block)
                    if done > self.size:
                        raise FetchError(f"{self.url} sent more than the {self.size} bytes it should have.")
                    await asyncio.to_thread(part.write, block)
                    self.on_bytes(done)


async def place_verified(source: Path, target: Path, sha256: str, on_verify: Callable[[int], None]) -> None:
    """Move ``source`` to ``target`` if its checksum is ``sha256``; else delete it and raise `FetchError`."""
    digest = hashlib.sha256()
    done = 0
    with await asyncio.to_thread(source.open, "rb") as file:
        while block := await asyncio.to_thread(file.read, BLOCK):
            await asyncio.to_thread(digest.update, block)
            done += len(block)
            on_verify(done)
    if digest.hexdigest() != sha256:
        await asyncio.to_thread(source.unlink)
        raise FetchError(
            f"The checksum of {target.name} is wrong: {digest.hexdigest()}, expected {sha256}. What was fetched is "
            "deleted; try again, and if it happens again the source or something on the way changes the file."
        )
    await asyncio.to_thread(source.replace, target)


@contextmanager
def file_errors(directory: Path) -> Iterator[None]:
    """Turn what the file system refuses in ``directory`` into a `ConfigError`; network errors: see `_reached`."""
    try:
        yield
    except OSError as error:
        raise ConfigError(
            f"Cannot write in {str(directory)!r}: {error.strerror or error}. "
            "Free some room, mend its permissions, or choose another model folder."
        ) from error


@contextmanager
def _only_one(target: Path) -> Iterator[None]:
    with target.with_name(f".{target.name}.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise FetchError(
                f"{target.name} is being fetched by another process right now. Wait for that one."
            ) from None
        yield


@asynccontextmanager
async def _session(stall: float) -> AsyncIterator[ClientSession]:
    from aiohttp import ClientSession, ClientTimeout

    timeout = ClientTimeout(total=None, sock_connect=stall, sock_read=stall)
    # trust_env: behind a company's proxy the usual variables are the only way out.
    async with ClientSession(timeout=timeout, trust_env=True) as session:
        yield session


@asynccontextmanager
async def _reached(url: str) -> AsyncIterator[None]:
    from aiohttp import ClientConnectorError, ClientError

    try:
        yield
    except ClientConnectorError as error:
        raise SourceUnreachable(f"Could not read {url}: no connection to {error.host}.") from error
    except TimeoutError as error:
        raise SourceUnreachable(f"Could not read {url}: no answer in time.") from error
    except ClientError as error:
        raise SourceUnreachable(f"Could not read {url}: {str(error) or type(error).__name__}.") from error


def _refuse_status(response: ClientResponse, url: str) -> None:
    if response.status >= 400:
        raise SourceUnreachable(f"{url} answered {response.status} {response.reason or ''}".rstrip() + ".")


def _check_extent(response: ClientResponse, start: int, size: int) -> None:
    """Refuse an answer that cannot be the bytes from ``start`` to the end of a file of ``size`` bytes."""
    if start and response.headers.get("Content-Range") != f"bytes {start}-{size - 1}/{size}":
        raise _Restart
    announced = response.content_length
    if announced is not None and announced != size - start:
        raise SourceUnreachable(
            f"{response.url} sends {announced} bytes of {response.content_type!r} where {size - start} were expected."
        )


def _broken_off(error: SourceUnreachable, done: int, size: int) -> FetchError:
    if not done:
        return error
    return FetchError(
        f"{error} {_megabytes(done)} of {_megabytes(size)} are here; the next attempt goes on from there."
    )


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _megabytes(count: int) -> str:
    return f"{count / 1e6:.0f} MB"
