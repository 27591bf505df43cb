"""The page's files over HTTP: what a browser may do with them, and that nothing else is reached through them."""

from __future__ import annotations

import gzip
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import aiohttp
import pytest

from tests.support.service import TestedService, serving, settings_in
from tests.support.sse_client import open_stream

SCRIPT = "export const page = 1;\n" * 200


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "page"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text("<!doctype html><title>actloop</title>")
    (folder / "assets" / "index-3fa9.js").write_text(SCRIPT)
    (folder / "icon.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    (folder / "third-party-licences.txt").write_text("MIT")
    (tmp_path / "secret.txt").write_text("secret")
    monkeypatch.setattr("actloop.service.app.BUILT", folder)
    return folder


@asynccontextmanager
async def page_served(tmp_path: Path, *, key: str | None = None) -> AsyncIterator[TestedService]:
    async with serving(replace(settings_in(tmp_path), server_key=key), []) as service:
        yield service


@pytest.mark.asyncio
async def test_every_address_of_the_page_gives_the_page_and_it_is_asked_for_anew(built: Path, tmp_path: Path) -> None:
    async with page_served(tmp_path) as service:
        for path in ("/", "/c/conv_" + "0" * 32, "/?q=1"):
            answer = await service.ask("GET", path)
            assert (answer.status, answer.text) == (200, "<!doctype html><title>actloop</title>")
            assert answer.headers["content-type"] == "text/html; charset=utf-8"
            assert answer.headers["cache-control"] == "no-cache"
        etag = (await service.ask("GET", "/")).headers["etag"]
        again = await service.ask("GET", "/", headers={"If-None-Match": etag})
        assert (again.status, again.text) == (304, "")


@pytest.mark.asyncio
async def test_nothing_but_our_own_files_may_run_or_load_in_the_page(built: Path, tmp_path: Path) -> None:
    async with page_served(tmp_path) as service:
        headers = (await service.ask("GET", "/")).headers
    policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert {policy[name] for name in ("script-src", "style-src", "connect-src", "font-src", "frame-src")} == {"'self'"}
    assert policy["img-src"] == "'self' data: blob:"
    assert {policy[name] for name in ("form-action", "base-uri", "frame-ancestors")} == {"'none'"}
    assert policy["require-trusted-types-for"] == "'script'"
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


@pytest.mark.asyncio
async def test_the_frame_of_previews_is_cut_off_from_everything(built: Path, tmp_path: Path) -> None:
    async with page_served(tmp_path) as service:
        answer = await service.ask("GET", "/frame.html")
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("sandbox allow-scripts; default-src 'none'; ")
    assert "allow-same-origin" not in policy
    assert "http" not in policy
    assert policy.endswith("frame-ancestors 'self'")


@pytest.mark.asyncio
async def test_a_built_file_is_kept_for_ever_and_sent_packed_to_who_understands(built: Path, tmp_path: Path) -> None:
    async with page_served(tmp_path) as service:
        path = "/assets/index-3fa9.js"
        plain = await service.ask("GET", path, headers={"Accept-Encoding": "identity"})
        assert plain.text == SCRIPT
        assert plain.headers["content-type"] == "text/javascript; charset=utf-8"
        assert plain.headers["cache-control"] == "public, max-age=31536000, immutable"
        asked = {"Accept-Encoding": "br, gzip"}
        async with (
            aiohttp.ClientSession(auto_decompress=False) as client,
            client.get(service.url + path, headers=asked) as packed,
        ):
            body = await packed.read()
        assert (packed.headers["content-encoding"], packed.headers["vary"]) == ("gzip", "Accept-Encoding")
        assert len(body) < len(SCRIPT) / 10
        assert gzip.decompress(body).decode() == SCRIPT
        head = await service.ask("HEAD", path)
        assert (head.status, head.text) == (200, "")
        assert (await service.ask("GET", "/icon.svg")).headers["content-type"] == "image/svg+xml"
        assert (await service.ask("GET", "/third-party-licences.txt")).text == "MIT"
        assert (await service.ask("POST", "/", {})).status == 405


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "path",
    [
        "/assets/gone-1234.js",
        "/assets/",
        "/assets/../../secret.txt",
        "/assets/..%2f..%2fsecret.txt",
        "/assets/%2e%2e/%2e%2e/secret.txt",
        "/assets/..\\..\\secret.txt",
        "/assets//etc/passwd",
        "/assets/\x00",
        "/icon/../../secret.txt",
        "/index.html",
        "/c/a/b",
        "/favicon.ico",
    ],
)
async def test_what_is_no_file_of_the_page_is_not_there(built: Path, tmp_path: Path, path: str) -> None:
    async with page_served(tmp_path) as service, open_stream(service.port, path.replace("\x00", "%00")) as answer:
        assert answer.status == 404
        assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.asyncio
async def test_the_page_opens_without_a_key_and_what_it_asks_for_does_not(built: Path, tmp_path: Path) -> None:
    async with page_served(tmp_path, key="a-long-server-key") as service:
        for path in ("/", "/c/conv_1", "/assets/index-3fa9.js", "/icon.svg", "/frame.html"):
            assert (await service.ask("GET", path)).status == 200
        for path in ("/api/models", "/api/conversations", "/metrics", "/c", "/assetsx", "/unknown"):
            assert (await service.ask("GET", path)).status == 401
        rebound = await service.ask("GET", "/", headers={"Origin": "https://evil.test"})
        assert rebound.status == 403


@pytest.mark.asyncio
async def test_readers_of_the_page_do_not_use_up_what_the_servers_key_may_ask(built: Path, tmp_path: Path) -> None:
    settings = settings_in(tmp_path, server_key="a-long-server-key", rate_limit=1)
    async with serving(settings, []) as service:
        answers = [(await service.ask("GET", "/")).status for _ in range(12)]
        assert 429 in answers
        assert (await service.ask("GET", "/api/models", key="a-long-server-key")).status == 200


@pytest.mark.asyncio
async def test_a_page_that_was_not_built_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("actloop.service.app.BUILT", tmp_path / "nothing")
    async with page_served(tmp_path) as service:
        answer = await service.ask("GET", "/")
        assert answer.status == 503
        assert "make page" in answer.text
        assert answer.headers["cache-control"] == "no-store"
        assert (await service.ask("GET", "/healthz")).status == 200
