"""The client against servers that are written byte by byte."""

import asyncio
import shutil
import ssl
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TypeAlias

import pytest

from actloop.errors import LLMError, LLMTimeout
from actloop.llm.adapters.http import HttpClient, parse_url

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
Reader: TypeAlias = asyncio.StreamReader
Writer: TypeAlias = asyncio.StreamWriter


@asynccontextmanager
async def serving(
    handle: Callable[[Reader, Writer], Awaitable[None]], *, tls: ssl.SSLContext | None = None, timeout: float = 10.0
) -> AsyncIterator[HttpClient]:
    """A client of a server that lets ``handle`` speak on each connection, until the client hangs up."""
    handling: set[asyncio.Task[None] | None] = set()

    async def connected(reader: Reader, writer: Writer) -> None:
        handling.add(asyncio.current_task())
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            await handle(reader, writer)
            await reader.read()
        writer.close()

    async with await asyncio.start_server(connected, "127.0.0.1", 0, ssl=tls) as server:
        url = parse_url(
            f"http{'s' if tls else ''}://user:p%40ss@127.0.0.1:{server.sockets[0].getsockname()[1]}/v1?x=%25"
        )
        client = HttpClient(url, headers={"User-Agent": "actloop"}, provider="p", where="Model 'm'", timeout=timeout)
        try:
            yield client
        finally:
            await client.aclose()
            await asyncio.gather(*[task for task in handling if task is not None])


async def asked(reader: Reader) -> bytes:
    """The head of the next request; its body is read too."""
    head = await reader.readuntil(b"\r\n\r\n")
    await reader.readexactly(int(head.lower().partition(b"content-length:")[2].split()[0]))
    return head


@pytest.mark.asyncio
async def test_a_request_says_where_to_who_asks_and_how_long_it_is() -> None:
    heads: list[bytes] = []

    async def handle(reader: Reader, writer: Writer) -> None:
        heads.append(await asked(reader))
        writer.write(OK)

    async with serving(handle) as client:
        assert (await client.post(b"{}")).body == b"ok"
    lines = heads[0].decode().split("\r\n")
    assert lines[0] == "POST /v1?x=%25 HTTP/1.1"
    assert lines[1].startswith("Host: 127.0.0.1:")
    assert {"Content-Length: 2", "User-Agent: actloop", "Authorization: Basic dXNlcjpwQHNz"} <= set(lines)


@pytest.mark.asyncio
async def test_a_connection_that_the_server_ended_meanwhile_is_not_used_again() -> None:
    connections = 0
    idle = asyncio.Event()
    ended = asyncio.Event()

    async def handle(reader: Reader, writer: Writer) -> None:
        nonlocal connections
        connections += 1
        await asked(reader)
        writer.write(OK)
        await idle.wait()
        writer.write_eof()
        await reader.read()  # until the client has hung up
        ended.set()

    async with serving(handle) as client:
        await client.post(b"{}")
        idle.set()
        await ended.wait()
        assert (await client.post(b"{}")).body == b"ok"
    assert connections == 2


@pytest.mark.asyncio
async def test_side_by_side_requests_have_a_connection_each_and_share_them_later() -> None:
    connections = 0

    async def handle(reader: Reader, writer: Writer) -> None:
        nonlocal connections
        connections += 1
        while True:
            await asked(reader)
            writer.write(OK)

    async with serving(handle) as client:
        for _ in range(3):
            await asyncio.gather(*[client.post(b"{}") for _ in range(5)])
    assert connections == 5


@pytest.mark.asyncio
async def test_a_server_is_held_back_while_nobody_reads() -> None:
    sent = asyncio.Event()

    async def handle(reader: Reader, writer: Writer) -> None:
        await asked(reader)
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        for _ in range(64):
            writer.write(bytes(1 << 20))
            await writer.drain()
        sent.set()
        writer.close()

    async with serving(handle) as client, client.stream(b"{}") as stream:
        deadline = asyncio.get_running_loop().time() + 20
        size = len(await stream.read(deadline))
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(sent.wait(), 0.3)
        while piece := await stream.read(deadline):
            size += len(piece)
    assert size == 64 << 20


@pytest.mark.asyncio
async def test_a_server_that_falls_silent_in_its_answer_is_given_up() -> None:
    async def handle(reader: Reader, writer: Writer) -> None:
        await asked(reader)
        writer.write(OK[:-1])

    async with serving(handle, timeout=0.1) as client:
        with pytest.raises(LLMTimeout, match="did not answer within"):
            await client.post(b"{}")


@pytest.fixture
def tls(tmp_path: Path) -> ssl.SSLContext:
    """A server's side of TLS, with a certificate that nobody knows."""
    if shutil.which("openssl") is None:
        pytest.skip("the certificate is made with openssl")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    options = ["-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=127.0.0.1", "-keyout", str(key)]
    subprocess.run(["openssl", "req", "-x509", *options, "-out", str(certificate)], check=True, capture_output=True)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)
    return context


@pytest.mark.asyncio
async def test_a_server_that_cannot_prove_who_it_is_gets_nothing(tls: ssl.SSLContext) -> None:
    async def handle(reader: Reader, writer: Writer) -> None:
        raise AssertionError("it must not get as far as this")

    async with serving(handle, tls=tls) as client:
        with pytest.raises(LLMError, match="cannot be reached securely") as caught:
            await client.post(b"{}")
    assert not caught.value.retryable
