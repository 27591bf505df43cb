"""The `http_get` tool: fetch a public web page or API over HTTP."""

from __future__ import annotations

import asyncio
import functools
import socket
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from actloop.errors import ToolError
from actloop.tools.base import Tool, ToolResult
from actloop.tools.builtin.page_text import body_text, decompressed
from actloop.tools.builtin.public_address import Resolve, checked_url, public_addresses
from actloop.tools.decorator import tool
from actloop.tools.threads import run_in_thread

if TYPE_CHECKING:
    from aiohttp import ClientResponse, ClientSession
    from aiohttp.abc import ResolveResult
    from yarl import URL

__all__ = ["http_get_tool"]

_MAX_REDIRECTS = 5
_REDIRECTS = (301, 302, 303, 307, 308)
_MAX_ERROR_CHARACTERS = 2_000


async def system_resolve(host: str, port: int) -> Sequence[str]:
    """The addresses that the system's resolver knows for a host."""
    infos = await run_in_thread(functools.partial(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM))
    return [str(info[4][0]) for info in infos]


def http_get_tool(
    *,
    allow_private: bool = False,
    timeout: float = 30.0,
    max_bytes: int = 2_000_000,
    resolve: Resolve = system_resolve,
) -> Tool:
    """A tool with one parameter, ``url``.

    allow_private: also fetch from this machine and its network. Only where no stranger can steer the model.
    timeout: seconds for the whole of it, redirects included.
    max_bytes: how much of a body is read, compressed and decompressed.
    resolve: how host names become addresses.
    """

    async def http_get(url: str) -> ToolResult:
        """Fetch a web page or a web API with HTTP GET. A page comes as markdown, JSON and other text as it is.

        Args:
            url: The full address, beginning with https:// or http://. Only hosts on the public internet can be reached.
        """
        try:
            async with asyncio.timeout(timeout):
                return await _fetched(url, resolve, allow_private, max_bytes)
        except TimeoutError as error:
            raise ToolError(f"{url!r} did not answer within {timeout:g} seconds") from error

    return tool(http_get, idempotent=True, timeout=timeout + 5)


async def _fetched(url: str, resolve: Resolve, allow_private: bool, max_bytes: int) -> ToolResult:
    from aiohttp import ClientError

    target = checked_url(url, allow_private=allow_private)
    async with _session(resolve, allow_private) as session:
        for _ in range(_MAX_REDIRECTS + 1):
            try:
                async with session.get(target, allow_redirects=False) as response:
                    location = response.headers.get("Location")
                    if response.status not in _REDIRECTS or not location:
                        return await _result(response, target, max_bytes)
            except (ClientError, OSError) as error:
                raise ToolError(f"{str(target)!r} could not be fetched: {_reason(error)}") from error
            target = _redirected(target, location, allow_private)
    raise ToolError(f"{url!r} redirects more than {_MAX_REDIRECTS} times")


def _session(resolve: Resolve, allow_private: bool) -> ClientSession:
    """A session whose every connection goes to an address that was checked, without cookies or proxies."""
    import aiohttp
    from aiohttp.abc import AbstractResolver

    class CheckedResolver(AbstractResolver):
        async def resolve(self, host: str, port: int = 0, family: int = socket.AF_INET) -> list[ResolveResult]:
            addresses = await public_addresses(host, port, resolve, allow_private=allow_private)
            return [_resolved(host, port, address) for address in addresses]

        async def close(self) -> None:
            return None

    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(resolver=CheckedResolver(), use_dns_cache=False, force_close=True),
        cookie_jar=aiohttp.DummyCookieJar(),
        timeout=aiohttp.ClientTimeout(total=None),
        auto_decompress=False,
        trust_env=False,
        headers={"User-Agent": "actloop", "Accept-Encoding": "identity"},
    )


def _resolved(host: str, port: int, address: str) -> ResolveResult:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    return {
        "hostname": host,
        "host": address,
        "port": port,
        "family": family,
        "proto": 0,
        "flags": socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
    }


def _redirected(source: URL, location: str, allow_private: bool) -> URL:
    from yarl import URL

    try:
        target = str(source.join(URL(location)))
    except ValueError as error:
        raise ToolError(f"{str(source)!r} redirects to {location!r}, which is not a valid URL") from error
    try:
        return checked_url(target, allow_private=allow_private)
    except ToolError as error:
        raise ToolError(f"{str(source)!r} redirects to {target!r}, which was not followed: {error}") from error


async def _result(response: ClientResponse, url: URL, max_bytes: int) -> ToolResult:
    body = await _read(response, max_bytes)
    encoding = response.headers.get("Content-Encoding", "")
    content_type = response.headers.get("Content-Type", "")
    text = await run_in_thread(functools.partial(_text, body, encoding, content_type, str(url), max_bytes))
    if response.status >= 400:
        shown = text if len(text) <= _MAX_ERROR_CHARACTERS else f"{text[:_MAX_ERROR_CHARACTERS]} …"
        status = f"HTTP {response.status} {response.reason or ''}".strip()
        return ToolResult(f"{status} from {url}\n\n{shown}".strip(), is_error=True)
    return ToolResult(f"{url}\n\n{text}")


def _text(body: bytes, encoding: str, content_type: str, url: str, max_bytes: int) -> str:
    plain = decompressed(body, encoding, max_bytes + 1)
    text = body_text(plain[:max_bytes], content_type, url)
    return f"{text}\n[only the first {max_bytes:,} bytes were read]" if len(plain) > max_bytes else text


async def _read(response: ClientResponse, limit: int) -> bytes:
    """The body as it was sent, and of a longer one the first ``limit`` + 1 bytes."""
    body = bytearray()
    async for chunk in response.content.iter_any():
        body += chunk
        if len(body) > limit:
            break
    return bytes(body[: limit + 1])


def _reason(error: Any) -> str:
    return str(error).strip() or type(error).__name__
