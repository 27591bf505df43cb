from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from actloop.llm.local_models import find_ollama


@asynccontextmanager
async def answering(body: str, content_type: str = "application/json", status: int = 200) -> AsyncGenerator[str]:
    async def handler(_: web.Request) -> web.Response:
        return web.Response(text=body, content_type=content_type, status=status)

    app = web.Application()
    app.router.add_get("/api/tags", handler)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield "http://{}:{}".format(*runner.addresses[0][:2])
    finally:
        await runner.cleanup()


@pytest.mark.asyncio
async def test_an_ollama_that_answers_names_its_models() -> None:
    async with answering('{"models": [{"name": "llama3.2:3b", "size": 1}, {"name": "qwen2.5:7b"}]}') as url:
        assert await find_ollama(url, timeout=10) == ["llama3.2:3b", "qwen2.5:7b"]


@pytest.mark.asyncio
@pytest.mark.parametrize("body", ["[]", "null", "{}", '{"models": null}', '{"models": [1, {"name": 2}]}', "{"])
async def test_another_answer_is_no_ollama(body: str) -> None:
    async with answering(body) as url:
        assert await find_ollama(url, timeout=10) == []


@pytest.mark.asyncio
async def test_a_web_page_or_an_error_is_no_ollama() -> None:
    async with answering("<html>", "text/html") as url:
        assert await find_ollama(url, timeout=10) == []
    async with answering('{"models": [{"name": "x"}]}', status=500) as url:
        assert await find_ollama(url, timeout=10) == []


@pytest.mark.asyncio
async def test_nobody_there_and_a_silent_server_are_no_ollama() -> None:
    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()
        await writer.wait_closed()
        left.set()

    left = asyncio.Event()
    server = await asyncio.start_server(silent, "127.0.0.1", 0)
    url = "http://{}:{}".format(*server.sockets[0].getsockname())
    async with server, asyncio.timeout(20):
        assert await find_ollama(url, timeout=0.1) == []
        await left.wait()
    assert await find_ollama(url) == []
