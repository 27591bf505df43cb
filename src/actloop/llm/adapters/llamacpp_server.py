"""A model file loaded into this process, asked by one thread, shared by all who use the same file in the same way.

xllamacpp's `Server` is llama.cpp's HTTP server as a library: requests and chunks have the form of OpenAI's chat
completions. It blocks the calling thread, calls back with each chunk, and stops when the callback returns True; between
chunks other threads run. Loading does not let them run (measured: 0.7 s for 98 MB, 2 to 4 s for 491 MB).
"""

from __future__ import annotations

import asyncio
import os
import secrets
import tempfile
import threading
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from actloop.errors import LLMError

__all__ = ["LlamaServer", "ServerClosed", "ServerKey", "acquire", "release"]

_BATCH = 128
"""Prompt tokens read at a time: the callback is asked after each batch, so this bounds how late a stop is noticed."""
_PROMPT_CACHE_MIB = 256
"""llama.cpp would take up to 8 GiB to remember earlier prompts."""


class ServerClosed(Exception):
    """The server was closed before the reply was complete."""


@dataclass(frozen=True, slots=True)
class ServerKey:
    """What makes two uses of a model the same: the file, the context window in tokens, the number of threads."""

    path: Path
    context_size: int
    threads: int


class LlamaServer:
    """One loaded model. Loads with the first request; requests wait in line, in the order they came."""

    def __init__(self, key: ServerKey) -> None:
        self._key = key
        self._server: Any = None
        # One worker is the queue: a second slot would halve the context window of each.
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="actloop-llama")
        self._closing = threading.Event()
        self.users = 0

    async def stream(self, request: dict[str, Any]) -> AsyncGenerator[dict[str, Any], None]:
        """The chunks for ``request``. Raises what the server raises, `LLMError` when the model cannot be loaded, and
        `ServerClosed`.

        Closing the generator, or cancelling who waits for it, returns at once; the generation stops at its next chunk.
        Works from any event loop, several at a time.
        """
        loop = asyncio.get_running_loop()
        chunks: asyncio.Queue[dict[str, Any] | Exception | None] = asyncio.Queue()
        stopped = threading.Event()

        def hand_over(item: dict[str, Any] | Exception | None) -> None:
            if not stopped.is_set():
                # A loop that was closed without closing this generator listens no more.
                with suppress(RuntimeError):
                    loop.call_soon_threadsafe(chunks.put_nowait, item)

        job = self._worker.submit(self._generate, request, hand_over, stopped)
        try:
            while (item := await chunks.get()) is not None:
                if isinstance(item, Exception):
                    raise item
                yield item
        finally:
            stopped.set()
            job.cancel()

    async def close(self) -> None:
        """Break off what is running and waiting, give the memory back, end the thread."""
        self._closing.set()
        self._worker.submit(self._unload)
        await asyncio.to_thread(self._worker.shutdown)

    def _generate(
        self,
        request: dict[str, Any],
        hand_over: Callable[[dict[str, Any] | Exception | None], None],
        stopped: threading.Event,
    ) -> None:
        """Runs in the worker. Whatever goes wrong is raised where the chunks are read."""

        def on_chunk(chunk: dict[str, Any]) -> bool:
            hand_over(chunk)
            return stopped.is_set() or self._closing.is_set()

        try:
            if not (stopped.is_set() or self._closing.is_set()):
                if self._server is None:
                    self._server = _load(self._key)
                self._server.handle_chat_completions(request, on_chunk)
            if self._closing.is_set():
                raise ServerClosed
        except Exception as error:  # noqa: BLE001  the border of a request; it is raised again on the other side
            hand_over(error)
        else:
            hand_over(None)

    def _unload(self) -> None:
        self._server = None


def _load(key: ServerKey) -> Any:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(key.path)
    params.n_ctx = key.context_size
    params.n_parallel = 1
    params.n_batch = params.n_ubatch = _BATCH
    params.cache_ram_mib = _PROMPT_CACHE_MIB
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = key.threads
    params.use_jinja = True
    params.warmup = False
    params.verbosity = -1
    # The library insists on listening. Nobody needs that door: it leads to a socket in a private folder that is gone as
    # soon as the model is loaded, and it has a lock that nobody has the key of.
    params.n_threads_http = 1
    params.api_keys = [secrets.token_hex()]
    with tempfile.TemporaryDirectory(prefix="actloop-", dir=_socket_parent()) as folder:
        params.hostnames = [os.path.join(folder, "llama.sock")]
        try:
            return xllamacpp.Server(params)
        except (RuntimeError, ValueError) as error:
            raise LLMError(
                f"The model {str(key.path)!r} cannot be loaded: {error} The file may be damaged or of a kind that this "
                "version of xllamacpp does not know, or there is not enough memory for it.",
                provider="local",
            ) from error


def _socket_parent() -> str:
    """The folder for temporary files, unless its path is too long for a socket's (104 bytes on macOS, 108 on Linux)."""
    usual = tempfile.gettempdir()
    return usual if len(os.fsencode(usual)) < 70 else "/tmp"


_shared: dict[ServerKey, LlamaServer] = {}
_sharing = threading.Lock()


def acquire(key: ServerKey) -> LlamaServer:
    """The server for ``key``, one for the whole process. Each `acquire` needs one `release`."""
    with _sharing:
        server = _shared.get(key)
        if server is None:
            server = _shared[key] = LlamaServer(key)
        server.users += 1
        return server


async def release(key: ServerKey) -> None:
    """Say that one user of ``key`` is done; the last one closes the server."""
    with _sharing:
        server = _shared[key]
        server.users -= 1
        if server.users:
            return
        del _shared[key]
    await server.close()
