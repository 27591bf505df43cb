"""Fetching over real HTTP, from a server on this machine."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import AsyncIterator, Sequence

import pytest
import pytest_asyncio
from aiohttp import web
from aiohttp.test_utils import TestServer

from actloop.errors import ToolError
from actloop.tools import Tool
from actloop.tools.builtin import http_get_tool
from actloop.tools.builtin.http_get import system_resolve


async def page(request: web.Request) -> web.Response:
    return web.Response(text=f"<h1>Hi {request.host}</h1>", content_type="text/html")


async def redirect(request: web.Request) -> web.Response:
    return web.Response(status=302, headers={"Location": request.query["to"]})


async def again(request: web.Request) -> web.Response:
    return web.Response(status=301, headers={"Location": "/again"})


async def bomb(request: web.Request) -> web.Response:
    return web.Response(
        body=gzip.compress(b"y" * 30_000_000), content_type="text/plain", headers={"Content-Encoding": "gzip"}
    )


async def endless(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "text/plain"})
    await response.prepare(request)
    while True:
        await response.write(b"z" * 10_000)


async def silent(request: web.Request) -> web.Response:
    await asyncio.Event().wait()
    return web.Response()


async def missing(request: web.Request) -> web.Response:
    return web.Response(status=404, text="no " * 5_000)


async def headers(request: web.Request) -> web.Response:
    return web.json_response(dict(request.headers))


@pytest_asyncio.fixture
async def server() -> AsyncIterator[TestServer]:
    app = web.Application()
    for handler in (page, redirect, again, bomb, endless, silent, missing, headers):
        app.router.add_get(f"/{handler.__name__}", handler)
    async with TestServer(app) as running:
        assert isinstance(running, TestServer)
        yield running


async def said(tool: Tool, url: object) -> str:
    return (await tool.run({"url": str(url)})).content


@pytest.mark.asyncio
async def test_a_page_is_fetched_as_markdown_below_its_address(server: TestServer) -> None:
    url = server.make_url("/page")
    assert await said(http_get_tool(allow_private=True), url) == f"{url}\n\n# Hi {url.authority}"


@pytest.mark.asyncio
async def test_a_redirect_is_followed_and_its_goal_named(server: TestServer) -> None:
    fetched = await said(http_get_tool(allow_private=True), server.make_url("/redirect").with_query(to="page"))
    assert fetched.startswith(f"{server.make_url('/page')}\n")


@pytest.mark.asyncio
async def test_by_default_nothing_on_this_machine_is_reached(server: TestServer) -> None:
    for url in (server.make_url("/page"), f"http://localhost:{server.port}/page"):
        with pytest.raises(ToolError, match="not on the public internet"):
            await said(http_get_tool(), url)


@pytest.mark.asyncio
@pytest.mark.parametrize("goal", ["file:///etc/passwd", "http://u:p@a.test/", "http://[", "ftp://a.test/"])
async def test_a_redirect_to_what_may_not_be_fetched_is_refused(server: TestServer, goal: str) -> None:
    with pytest.raises(ToolError, match="redirects to"):
        await said(http_get_tool(allow_private=True), server.make_url("/redirect").with_query(to=goal))


@pytest.mark.asyncio
async def test_a_public_host_that_redirects_to_this_machine_is_refused(
    server: TestServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The name's address counts as public here, although the server is ours: only so can a public host answer offline.
    from actloop.tools.builtin import public_address

    really_public = public_address.is_public
    monkeypatch.setattr(public_address, "is_public", lambda address: address == "127.0.0.1" or really_public(address))

    async def resolve(host: str, port: int) -> Sequence[str]:
        return {"ok.test": ["127.0.0.1"], "inner.test": ["10.0.0.1"]}[host]

    tool = http_get_tool(resolve=resolve)
    base = f"http://ok.test:{server.port}"
    assert await said(tool, f"{base}/page") == f"{base}/page\n\n# Hi ok.test:{server.port}"
    for goal in ("http://[::1]/", "http://10.0.0.1/"):
        with pytest.raises(ToolError, match="not followed: the host"):
            await said(tool, f"{base}/redirect?to={goal}")
    with pytest.raises(ToolError, match=r"'inner\.test' is not on the public internet"):
        await said(tool, f"{base}/redirect?to=http://inner.test/")


@pytest.mark.asyncio
async def test_the_address_that_was_checked_is_the_one_connected_to(server: TestServer) -> None:
    answers = iter([["127.0.0.1"]])  # a second look-up would find nothing

    async def resolve(host: str, port: int) -> Sequence[str]:
        return next(answers)

    tool = http_get_tool(allow_private=True, resolve=resolve)
    assert "Hi rebind.test" in await said(tool, f"http://rebind.test:{server.port}/page")


@pytest.mark.asyncio
async def test_redirects_come_to_an_end(server: TestServer) -> None:
    with pytest.raises(ToolError, match="redirects more than 5 times"):
        await said(http_get_tool(allow_private=True), server.make_url("/again"))


@pytest.mark.asyncio
@pytest.mark.parametrize("path", ["/bomb", "/endless"])
async def test_a_body_is_read_up_to_the_limit(server: TestServer, path: str) -> None:
    fetched = await said(http_get_tool(allow_private=True, max_bytes=100_000), server.make_url(path))
    assert len(fetched) < 100_200
    assert fetched.endswith("[only the first 100,000 bytes were read]")


@pytest.mark.asyncio
async def test_a_server_that_does_not_answer_is_given_up(server: TestServer) -> None:
    with pytest.raises(ToolError, match=r"did not answer within 0\.05 seconds"):
        await said(http_get_tool(allow_private=True, timeout=0.05), server.make_url("/silent"))


@pytest.mark.asyncio
async def test_an_error_status_is_an_error_with_the_beginning_of_the_body(server: TestServer) -> None:
    url = server.make_url("/missing")
    result = await http_get_tool(allow_private=True).run({"url": str(url)})
    assert result.is_error
    assert result.content.startswith(f"HTTP 404 Not Found from {url}\n\nno no")
    assert len(result.content) < 2_200


@pytest.mark.asyncio
async def test_a_host_that_is_not_there_is_told() -> None:
    async def resolve(host: str, port: int) -> Sequence[str]:
        raise OSError("no such host")

    with pytest.raises(ToolError, match=r"the host 'nowhere\.test' was not found"):
        await said(http_get_tool(resolve=resolve), "https://nowhere.test/")
    with pytest.raises(ToolError, match="could not be fetched"):
        await said(http_get_tool(allow_private=True), "http://127.0.0.1:1/")


@pytest.mark.asyncio
async def test_proxies_and_cookies_of_the_environment_play_no_part(
    server: TestServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    fetched = await said(http_get_tool(allow_private=True), server.make_url("/headers"))
    assert '"Accept-Encoding": "identity"' in fetched
    assert "Cookie" not in fetched


@pytest.mark.asyncio
async def test_the_system_knows_this_machine() -> None:
    assert "127.0.0.1" in await system_resolve("127.0.0.1", 80)
