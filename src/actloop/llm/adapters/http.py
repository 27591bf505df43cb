"""One model server over HTTP: bounded in time and size, and no exception of aiohttp leaves.

Knows no provider: it posts bytes and hands back status, headers and bytes, whole or piece by piece.
"""

from __future__ import annotations

import asyncio
import io
import ssl
import weakref
import zlib
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from math import inf
from typing import NamedTuple

import aiohttp
from yarl import URL

from actloop.errors import ConfigError, LLMError, LLMTimeout

__all__ = ["HttpClient", "HttpReply", "HttpStream", "parse_url"]

_MAX_BODY_BYTES = 16 << 20
"""Text takes up to four bytes a character in memory, and is there twice while it is parsed."""
_MAX_STREAM_BYTES = 256 << 20
"""A stream may have hundreds of bytes around each token; what it says is bounded by its reader."""
_MAX_CONNECTIONS = 1_000
_CONNECT_SECONDS = 10.0
_CONNECT_TIMEOUT = aiohttp.ClientTimeout(sock_connect=_CONNECT_SECONDS)
_LARGE_REQUEST_BYTES = 1 << 20
_FAILURES = (aiohttp.ClientError, OSError, zlib.error)
"""What may go wrong on the way; time-outs and faults of TLS are among the second."""


class HttpReply(NamedTuple):
    """A whole answer. Header names are looked up without regard to case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class HttpClient:
    """Posts to one URL.

    url: where to, from `parse_url`.
    headers: sent with every request.
    where: names model and server in error messages.
    timeout: seconds for a whole answer; for a stream, seconds until it begins (the reader bounds each piece itself).

    Connections are pooled for each event loop that asks and opened when first needed, so one client serves several
    `asyncio.run` in turn. A script that ends without `aclose` is told nothing about it: its loop is closed already.
    """

    def __init__(self, url: URL, *, headers: Mapping[str, str], provider: str, where: str, timeout: float) -> None:
        self._url = url
        self._headers = {**headers, "Accept-Encoding": "identity"}
        self._secret = headers.get("Authorization", "").removeprefix("Bearer ")
        self._provider = provider
        self._where = where
        self._timeout = timeout
        self._whole_timeout = aiohttp.ClientTimeout(total=timeout, sock_connect=_CONNECT_SECONDS, ceil_threshold=inf)
        self._sessions: dict[asyncio.AbstractEventLoop, aiohttp.ClientSession] = {}
        weakref.finalize(self, _close_of_closed_loops, self._sessions)

    async def post(self, body: bytes) -> HttpReply:
        """Post ``body`` and read the whole answer. Raises `LLMError`; cancellation closes the connection."""
        try:
            response = await self._send(body, self._whole_timeout)
            try:
                data = await self._read(response)
            except BaseException:
                response.close()
                raise
        except _FAILURES as error:
            raise self._explained(error, f"did not answer within {self._timeout:g} s") from error
        return HttpReply(response.status, response.headers, data)

    @asynccontextmanager
    async def stream(self, body: bytes) -> AsyncIterator[HttpStream]:
        """Post ``body`` and hand over the answer piece by piece; an unfinished one is closed on the way out."""
        try:
            async with asyncio.timeout(self._timeout):
                response = await self._send(body, _CONNECT_TIMEOUT)
        except _FAILURES as error:
            raise self._explained(error, f"did not begin to answer within {self._timeout:g} s") from error
        try:
            yield HttpStream(self, response)
        finally:
            response.close()  # A connection whose answer was read to its end has gone back to the pool before.

    async def aclose(self) -> None:
        """Close the connections that belong to the running loop. Asking again opens new ones."""
        session = self._sessions.pop(asyncio.get_running_loop(), None)
        if session is not None:
            await session.close()

    async def _send(self, body: bytes, timeout: aiohttp.ClientTimeout) -> aiohttp.ClientResponse:
        data = body if len(body) <= _LARGE_REQUEST_BYTES else io.BytesIO(body)
        return await self._session().post(self._url, data=data, allow_redirects=False, timeout=timeout)

    def _session(self) -> aiohttp.ClientSession:
        loop = asyncio.get_running_loop()
        session = self._sessions.get(loop)
        if session is None or session.closed:
            session = self._sessions[loop] = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=_MAX_CONNECTIONS, ttl_dns_cache=300),
                headers=self._headers,
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,
                read_bufsize=1 << 18,
            )
            _close_of_closed_loops(self._sessions)
        return session

    async def _read(self, response: aiohttp.ClientResponse) -> bytes:
        unpacker = self._unpacker(response)
        length = response.content_length
        if unpacker is None and length is not None and length <= _MAX_BODY_BYTES:
            return await response.read()
        pieces: list[bytes] = []
        size = 0
        while piece := await response.content.readany():
            if unpacker is not None:
                piece = unpacker.feed(piece)
            size += len(piece)
            if size > _MAX_BODY_BYTES:
                raise self._failure(f"sent more than {_MAX_BODY_BYTES >> 20} MiB")
            pieces.append(piece)
        return b"".join(pieces)

    def _unpacker(self, response: aiohttp.ClientResponse) -> _Unpacker | None:
        """We ask for ``identity``, but some servers compress all the same."""
        encoding = response.headers.get("Content-Encoding", "").strip().lower()
        if encoding in ("", "identity"):
            return None
        if encoding in ("gzip", "x-gzip", "deflate"):
            return _Unpacker()
        raise self._failure(f"sent its answer in the encoding {encoding!r}, although none was asked for")

    def _failure(self, what: str, *, retryable: bool = True) -> LLMError:
        if self._secret:  # What is no sound HTTP may hold anything, also what we sent.
            what = what.replace(self._secret, "[api key]")
        return LLMError(f"{self._where} {what}.", provider=self._provider, retryable=retryable)

    def _explained(self, error: Exception, too_late: str) -> LLMError:
        """Our error for one of aiohttp's. Their texts never hold the request's headers, so never the key."""
        match error:
            case TimeoutError():
                return LLMTimeout(f"{self._where} {too_late}.", provider=self._provider, retryable=True)
            case aiohttp.ClientSSLError() | ssl.SSLError():
                return self._failure(
                    f"cannot be reached securely ({error}): check its certificate, and how base_url begins",
                    retryable=False,
                )
            case aiohttp.ClientConnectorError():
                reason = error.os_error.strerror or str(error.os_error)
                return self._failure(
                    f"cannot be reached ({reason}). Is the server running at {self._url.origin()}? "
                    "If it is elsewhere, set base_url (ACTLOOP_BASE_URL)"
                )
            case aiohttp.ClientPayloadError():
                return self._failure("closed the connection in the middle of its answer")
            case aiohttp.ClientResponseError():
                return self._failure(f"sent something that is not sound HTTP ({error.message[:200]!r})")
            case zlib.error():
                return self._failure(f"sent a compressed answer that does not unpack ({error})")
            case _:
                return self._failure(f"closed the connection before it had answered ({type(error).__name__})")


def _close_of_closed_loops(sessions: dict[asyncio.AbstractEventLoop, aiohttp.ClientSession]) -> None:
    for loop in [loop for loop in sessions if loop.is_closed()]:
        closing = sessions.pop(loop).close()
        with suppress(StopIteration):  # It waits for nothing: the loop is gone, and its connections with it.
            closing.send(None)


class HttpStream:
    """An answer that is read piece by piece."""

    def __init__(self, client: HttpClient, response: aiohttp.ClientResponse) -> None:
        self._client = client
        self._response = response
        self._unpacker = client._unpacker(response)
        self._size = 0
        self.status = response.status
        self.headers: Mapping[str, str] = response.headers

    async def read(self, deadline: float) -> bytes:
        """The next piece, empty at the end. Raises `LLMTimeout` at ``deadline`` (in the loop's time), `LLMError`."""
        try:
            async with asyncio.timeout_at(deadline):
                piece = await self._response.content.readany()
            if self._unpacker is not None and piece:
                piece = self._unpacker.feed(piece)
        except _FAILURES as error:
            raise self._client._explained(error, "sent no more data for too long") from error
        self._size += len(piece)
        if self._size > _MAX_STREAM_BYTES:
            raise self._client._failure(f"sent more than {_MAX_STREAM_BYTES >> 20} MiB")
        return piece

    async def read_all(self, deadline: float) -> bytes:
        """Everything that is left."""
        pieces: list[bytes] = []
        while piece := await self.read(deadline):
            if self._size > _MAX_BODY_BYTES:
                raise self._client._failure(f"sent more than {_MAX_BODY_BYTES >> 20} MiB")
            pieces.append(piece)
        return b"".join(pieces)


class _Unpacker:
    """gzip or zlib, up to a bound: a small body may unpack to gigabytes."""

    def __init__(self) -> None:
        self._inflate = zlib.decompressobj(zlib.MAX_WBITS | 32)
        self._size = 0

    def feed(self, data: bytes) -> bytes:
        piece = self._inflate.decompress(data, _MAX_BODY_BYTES - self._size + 1)
        self._size += len(piece)
        if self._size > _MAX_BODY_BYTES:
            raise zlib.error(f"more than {_MAX_BODY_BYTES >> 20} MiB")
        return piece


def parse_url(text: str) -> URL:
    """The http(s) address of a server. Raises `ConfigError`."""
    try:
        url = URL(text)
    except ValueError:
        url = URL()
    if url.scheme not in ("http", "https") or not url.host:
        raise ConfigError(f"base_url must be an address like 'http://127.0.0.1:8080/v1', not {text!r}")
    return url
