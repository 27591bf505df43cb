"""The model chooses URLs, and a web page may choose them for the model: only public addresses are asked.

A public server cannot be had in a test, so 127.0.0.1 stands for a public address here and 127.0.0.2 for a private one.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

import pytest
import pytest_asyncio
from aiohttp import web

from actloop.errors import ToolError
from actloop.tools.builtin import http_get_tool, public_address
from tests.cases.keeping import keeps


@pytest.fixture(autouse=True)
def one_public_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(public_address, "is_public", lambda address: address == "127.0.0.1")


@pytest_asyncio.fixture
async def port() -> AsyncIterator[int]:
    """Where a server listens that greets at `/` and sends clients elsewhere at `/away`."""

    async def greet(request: web.Request) -> web.Response:
        return web.Response(text="hello")

    async def send_away(request: web.Request) -> web.Response:
        return web.Response(status=302, headers={"Location": f"http://127.0.0.2:{request.url.port}/"})

    app = web.Application()
    app.router.add_get("/", greet)
    app.router.add_get("/away", send_away)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield runner.addresses[0][1]
    await runner.cleanup()


@keeps("C128", "a redirect from https://ok.test/ to http://127.0.0.1/ is refused")
@pytest.mark.asyncio
async def test_a_redirect_to_a_private_address_is_not_followed(port: int) -> None:
    async def resolve(host: str, port: int) -> Sequence[str]:
        return ["127.0.0.1"]

    with pytest.raises(ToolError, match="not followed"):
        await http_get_tool(resolve=resolve).run({"url": f"http://ok.test:{port}/away"})


@keeps("C128", "if the name resolves to another address at connect time, the checked address is used")
@pytest.mark.asyncio
async def test_the_address_that_was_checked_is_the_one_that_is_asked(port: int) -> None:
    answers = [["127.0.0.1"], ["127.0.0.2"]]

    async def resolve(host: str, port: int) -> Sequence[str]:
        return answers.pop(0)

    result = await http_get_tool(resolve=resolve).run({"url": f"http://ok.test:{port}/"})
    assert "hello" in result.content
    assert answers == [["127.0.0.2"]], "the name was looked up once"
