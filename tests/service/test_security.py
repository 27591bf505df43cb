"""Who may do what: keys, owners, names and origins, limits, and what is told to nobody."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actloop.errors import ConfigError, LLMError
from actloop.service import auth, connection, gate
from actloop.service.logs import JsonFormatter
from actloop.service.parts import running_parts
from actloop.service.rate_limit import RateLimit
from actloop.service.store.database import Database
from actloop.service.store.keys import KeyStore
from actloop.service.store.schema import migrate
from actloop.testing import ScriptedLLM
from tests.support.databases import contents
from tests.support.paced_llm import PacedLLM
from tests.support.service import ScriptedAgents, TestedService, serving, settings_in
from tests.support.sse_client import open_stream

ADDRESSES = [
    ("GET", "/api/conversations/{conversation}", None),
    ("PATCH", "/api/conversations/{conversation}", {"title": "mine now"}),
    ("DELETE", "/api/conversations/{conversation}", None),
    ("POST", "/api/conversations/{conversation}/runs", {"query": "go"}),
    ("GET", "/api/runs/{run}", None),
    ("GET", "/api/runs/{run}/events", None),
    ("POST", "/api/runs/{run}/interrupts", {"content": "hi"}),
    ("PATCH", "/api/runs/{run}/interrupts/int_1", {"content": "hi"}),
    ("DELETE", "/api/runs/{run}/interrupts/int_1", None),
    ("POST", "/api/runs/{run}/stop", None),
    ("POST", "/api/runs/{run}/cancel", None),
    ("POST", "/api/runs/{run}/calls/call_1/cancel", None),
    ("GET", "/api/artifacts/{artifact}", None),
]
"""Every address with an id of somebody."""


@asynccontextmanager
async def with_keys(directory: Path, replies: list[Any], *names: str) -> AsyncIterator[tuple[TestedService, list[str]]]:
    """A service whose callers need keys, and the keys."""
    settings = settings_in(directory)
    database = Database(settings.database_url)
    await migrate(database)
    keys = [await KeyStore(database).add(name) for name in names]
    await database.aclose()
    async with serving(settings, replies, key=keys[0]) as service:
        yield service, keys


@pytest.mark.asyncio
async def test_nothing_of_one_caller_is_there_for_another(tmp_path: Path) -> None:
    async with with_keys(tmp_path, ["brief", "Answer."], "anna", "bert") as (service, (_, berts)):
        conversation = await service.conversation()
        run = await service.start(conversation)
        before = await service.events(run)
        for method, path, body in ADDRESSES:
            path = path.format(conversation=conversation, run=run, artifact="art_" + "0" * 32)
            answer = await service.ask(method, path, body, key=berts)
            assert answer.status == 404, (method, path)
            assert answer.headers["content-type"] == "application/problem+json"
        assert (await service.ask("GET", "/api/conversations", key=berts)).data["conversations"] == []
        assert await service.events(run) == before
        assert (await service.ask("GET", f"/api/conversations/{conversation}")).data["title"] == "go"


@pytest.mark.asyncio
async def test_every_address_but_the_health_checks_wants_a_key_where_there_are_keys(tmp_path: Path) -> None:
    async with with_keys(tmp_path, [], "anna") as (service, _):
        document = (await service.ask("GET", "/openapi.json")).data
        for path, methods in document["paths"].items():
            for method in methods:
                answer = await service.ask(method.upper(), path, headers={"Authorization": "Bearer wrong"})
                expected = 200 if path in {"/healthz", "/readyz"} else 401
                assert answer.status == expected, (method, path)
        wrong = await service.ask("GET", "/api/models", headers={"Authorization": "Basic YTpi"})
        assert (wrong.status, wrong.headers["www-authenticate"]) == (401, "Bearer")


@pytest.mark.asyncio
async def test_a_removed_key_stops_working_at_once(tmp_path: Path) -> None:
    async with with_keys(tmp_path, [], "anna", "bert") as (service, (_, berts)):
        assert (await service.ask("GET", "/api/models", key=berts)).status == 200
        await service.parts.keys.remove("bert")
        assert (await service.ask("GET", "/api/models", key=berts)).status == 401


@pytest.mark.asyncio
async def test_the_servers_own_key_works_and_nothing_near_it(tmp_path: Path) -> None:
    settings = settings_in(tmp_path, server_key="a-long-server-key")
    async with serving(settings, []) as service:
        assert (await service.ask("GET", "/api/models", key="a-long-server-key")).status == 200
        for key in ("a-long-server-ke", "a-long-server-keyy", "A-LONG-SERVER-KEY"):
            assert (await service.ask("GET", "/api/models", key=key)).status == 401


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "example.test", ""])
def test_it_does_not_listen_to_a_network_without_a_key(host: str) -> None:
    with pytest.raises(ConfigError, match="actloop keys add"):
        auth.check_address(host, locked=False)
    auth.check_address(host, locked=True)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "localhost", "LOCALHOST", "::1", "[::1]"])
def test_it_listens_to_this_machine_without_a_key(host: str) -> None:
    auth.check_address(host, locked=False)


@pytest.mark.parametrize(
    ("host", "trusted"),
    [
        ("127.0.0.1:8000", True),
        ("localhost", True),
        ("[::1]:8000", True),
        ("agent.example:443", True),
        ("evil.example", False),
        ("localhost.evil.example", False),
        ("127.0.0.1.evil.example:8000", False),
        ("evil.example@localhost", True),
        ("localhost@evil.example", False),
        ("", False),
        (None, False),
        ("[::1", False),
        ("192.168.0.1", False),
    ],
)
def test_a_name_that_leads_here_without_being_ours_is_turned_away(host: str | None, trusted: bool) -> None:
    assert auth.trusted_host(host, ("agent.example",)) is trusted


@given(st.text() | st.text("[]:/@#?%.0a", max_size=8), st.text() | st.text("htp:/[].@#?%0a", max_size=12))
def test_no_header_can_break_the_checks(host: str, origin: str) -> None:
    assert isinstance(auth.trusted_host(host, ()), bool)
    assert isinstance(auth.same_origin(origin, host), bool)


@pytest.mark.asyncio
async def test_a_page_of_another_origin_cannot_call(tmp_path: Path) -> None:
    async with serving(settings_in(tmp_path), []) as service:
        for origin in ("https://evil.example", "null", f"http://localhost:{service.port}", "http://127.0.0.1", ""):
            answer = await service.ask("POST", "/api/conversations", {}, headers={"Origin": origin})
            assert answer.status == 403, origin
        own = await service.ask("POST", "/api/conversations", {}, headers={"Origin": service.url})
        assert own.status == 201
        rebound = await service.ask("GET", "/api/models", headers={"Host": f"evil.example:{service.port}"})
        assert rebound.status == 403
        assert "access-control-allow-origin" not in own.headers


@pytest.mark.asyncio
async def test_bodies_and_headers_have_a_limit_also_without_a_length(tmp_path: Path) -> None:
    async with serving(settings_in(tmp_path, max_body_bytes=10_000), []) as service:
        large = await service.ask("POST", "/api/ask", {"query": "x" * 20_000})
        assert large.status == 413
        headers = {"Transfer-Encoding": "chunked", "Content-Type": "application/json"}
        reader, writer = await asyncio.open_connection("127.0.0.1", service.port)
        lines = [f"{name}: {value}" for name, value in {**headers, "Host": f"127.0.0.1:{service.port}"}.items()]
        writer.write(("\r\n".join(["POST /api/ask HTTP/1.1", *lines, "", ""])).encode())
        writer.write(b"4e20\r\n" + b"x" * 20_000 + b"\r\n0\r\n\r\n")
        assert b" 413 " in await reader.readline()
        writer.close()
        async with open_stream(service.port, "/healthz", headers={"X-Large": "x" * 20_000}) as stream:
            assert stream.status == 431


@pytest.mark.asyncio
async def test_a_caller_who_asks_too_often_is_put_off(tmp_path: Path) -> None:
    async with serving(settings_in(tmp_path, rate_limit=0.2), []) as service:
        answers = [await service.ask("GET", "/api/models") for _ in range(3)]
        assert [answer.status for answer in answers] == [200, 200, 429]
        assert int(answers[-1].headers["retry-after"]) in {4, 5}


def test_a_bucket_fills_again_with_time_and_is_each_callers_own() -> None:
    now = 0.0
    limit = RateLimit(2.0, clock=lambda: now)
    assert [limit.wait("anna") for _ in range(20)] == [0.0] * 20
    assert limit.wait("anna") == 0.5
    assert limit.wait("bert") == 0.0
    now = 0.5
    assert limit.wait("anna") == 0.0
    assert limit.wait("anna") == 0.5


@pytest.mark.asyncio
async def test_what_goes_wrong_inside_is_told_without_our_insides(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with serving(settings_in(tmp_path), []) as service:

        async def broken(*args: object) -> None:
            raise RuntimeError("secret-internal-detail")

        service.parts.conversations.create = broken  # type: ignore[method-assign, assignment]  # a fault of ours
        answer = await service.ask("POST", "/api/conversations", {})
        assert answer.status == 500
        assert "secret-internal-detail" not in answer.text
        assert answer.data["title"] == "Internal Server Error"


@pytest.mark.asyncio
async def test_no_key_is_in_a_log_an_event_an_error_or_a_row(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    llm = ScriptedLLM([LLMError("the provider refused", provider="openai", status=401)])
    settings = settings_in(tmp_path, server_key="sk-server-SECRET-1")
    async with serving(settings, ScriptedAgents(llm), key="sk-server-SECRET-1") as service:
        await service.events(await service.run())
        wrong = {"Authorization": "Bearer sk-wrong-SECRET-3"}
        await service.ask("GET", "/api/models?key=sk-query-SECRET-2", headers=wrong)
        shown = [JsonFormatter().format(record) for record in caplog.records if record.name.startswith("actloop")]
    kept = contents(tmp_path)
    assert shown
    assert "SECRET" not in "\n".join(shown)
    assert not any(b"SECRET" in content for content in kept)
    assert "SECRET" not in repr(settings)


@pytest.mark.asyncio
async def test_log_lines_are_json_with_the_id_of_the_run(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    async with serving(settings_in(tmp_path), ["brief", "Answer."]) as service:
        run = await service.run()
        await service.events(run)
    lines = [json.loads(JsonFormatter().format(record)) for record in caplog.records]
    told = [(line["message"], line.get("status")) for line in lines if line.get("run_id") == run]
    assert told == [("run started", None), ("run ended", "finished")]
    access = next(line for line in lines if line["message"] == "POST /api/conversations 201")
    assert access["owner"] == "local"
    assert access["milliseconds"] > 0


@pytest.mark.asyncio
async def test_a_service_that_cannot_start_says_why_without_wrapping(tmp_path: Path) -> None:
    settings = settings_in(tmp_path, host="0.0.0.0")
    with pytest.raises(ConfigError, match="without a key"):
        async with running_parts(settings, ScriptedAgents(ScriptedLLM([]))) as parts:
            auth.check_address(settings.host, locked=parts.locked)


@pytest.mark.asyncio
async def test_no_second_origin_or_host_and_no_broken_one_slips_through(tmp_path: Path) -> None:
    async with serving(settings_in(tmp_path), []) as service:
        ours, evil = f"Host: 127.0.0.1:{service.port}", "Host: evil.example"
        for hosts in ([ours, evil], [evil, ours], [ours, ours]):
            reader, writer = await asyncio.open_connection("127.0.0.1", service.port)
            writer.write("\r\n".join(["GET /api/models HTTP/1.1", *hosts, "", ""]).encode())
            assert b" 400 " in await reader.readline(), hosts
            writer.close()
        for origins in ([service.url, "https://evil.example"], ["http://["], ["http://[::1"], ["http://]"]):
            reader, writer = await asyncio.open_connection("127.0.0.1", service.port)
            lines = [f"Host: 127.0.0.1:{service.port}", *(f"Origin: {origin}" for origin in origins)]
            writer.write("\r\n".join(["GET /api/models HTTP/1.1", *lines, "", ""]).encode())
            assert b" 403 " in await reader.readline(), origins
            writer.close()


@pytest.mark.asyncio
async def test_a_body_that_does_not_come_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "_BODY_SECONDS", 0.05)
    async with serving(settings_in(tmp_path), []) as service:
        reader, writer = await asyncio.open_connection("127.0.0.1", service.port)
        lines = [f"Host: 127.0.0.1:{service.port}", "Content-Type: application/json", "Content-Length: 20"]
        writer.write("\r\n".join(["POST /api/ask HTTP/1.1", *lines, "", '{"query": ']).encode())
        assert b" 408 " in await reader.readline()
        assert (await reader.read()).endswith(b'"detail":"The body did not come in time."}')
        writer.close()


@pytest.mark.asyncio
async def test_a_body_that_is_not_said_to_be_json_is_refused_with_what_to_do(tmp_path: Path) -> None:
    async with serving(settings_in(tmp_path), []) as service:
        for kind in ("application/x-www-form-urlencoded", "text/plain"):
            answer = await service.ask("POST", "/api/ask", {"query": "go"}, headers={"Content-Type": kind})
            assert answer.status == 415
            assert "Content-Type: application/json" in answer.data["detail"]
        long = await service.ask("POST", "/api/ask", {"query": "go", "x" * 10_000: 1})
        assert long.status == 422
        assert len(long.text) < 1_000


@pytest.mark.asyncio
async def test_a_head_that_does_not_come_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "_HEAD_SECONDS", 0.05)
    async with serving(settings_in(tmp_path), []) as service:
        whole = f"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{service.port}\r\n\r\n".encode()
        for sent in (b"", b"GET / HT", whole + b"GET / HTTP/1.1\r\nX-Slow: "):
            reader, writer = await asyncio.open_connection("127.0.0.1", service.port)
            writer.write(sent)
            answers = await reader.read()
            assert answers.startswith(b"HTTP/1.1 200 OK" if sent.startswith(whole) else b""), sent
            writer.close()
        assert (await service.ask("GET", "/healthz")).status == 200


@pytest.mark.asyncio
async def test_a_head_without_end_is_refused_before_it_fills_the_memory(tmp_path: Path) -> None:
    beginnings = (
        b"GET /healthz",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: ",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Long",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5;",
    )
    async with serving(settings_in(tmp_path), []) as service:
        for beginning in beginnings:
            reader, writer = await asyncio.open_connection("127.0.0.1", service.port)
            writer.write(beginning)
            refused = asyncio.ensure_future(reader.read())
            for _ in range(1_000):
                writer.write(b"x" * 1_000)
                await asyncio.sleep(0)
                if refused.done():
                    break
            with contextlib.suppress(ConnectionError):
                assert (await refused)[:12] in {b"HTTP/1.1 400", b"HTTP/1.1 404", b"HTTP/1.1 405", b""}, beginning
            assert refused.done()
            writer.close()
        assert (await service.ask("GET", "/healthz")).status == 200


@pytest.mark.asyncio
async def test_what_comes_during_an_answer_is_bounded_too(tmp_path: Path) -> None:
    async with serving(settings_in(tmp_path), PacedLLM("Done.")) as service:
        run = await service.run()
        reader, writer = await asyncio.open_connection("127.0.0.1", service.port)
        writer.write(f"GET /api/runs/{run}/events HTTP/1.1\r\nHost: 127.0.0.1:{service.port}\r\n\r\n".encode())
        await reader.readuntil(b"event: ")
        writer.write(b"GET / HTTP/1.1\r\nX-Long: " + b"x" * 100_000)
        with contextlib.suppress(ConnectionError):
            await reader.read()
        writer.close()
        await service.until(lambda: len(service.parts.streams) == 0)


@pytest.mark.asyncio
async def test_a_stream_is_not_taken_for_a_head_that_does_not_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "_HEAD_SECONDS", 0.05)
    llm = PacedLLM("Done.")
    async with serving(settings_in(tmp_path, heartbeat=0.1), llm) as service:
        run = await service.run()
        async with open_stream(service.port, f"/api/runs/{run}/events") as stream:
            events = stream.events()
            await anext(events)
            await asyncio.sleep(0.2)
            llm.finish()
            assert [event.name async for event in events][-1] == "done"
