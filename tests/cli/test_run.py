"""`actloop run`: the real command against a real server that answers by a script."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from tests.cli.command import actloop, finished, start
from tests.support.fake_openai import FakeOpenAI, Fault, call

TOOLS_FILE = Path(__file__).parents[2] / "examples" / "tools_file.py"

NOISY_TOOL = """
from actloop.tools import tool

@tool
def shout() -> str:
    'Shout.'
    print('LOUD')
    return 'done'
"""


def model(server: FakeOpenAI) -> tuple[str, ...]:
    return "--model", "openai:scripted", "--base-url", server.url


@pytest.mark.asyncio
async def test_a_pipe_gets_the_answer_alone_and_the_steps_go_to_standard_error(tmp_path: Path) -> None:
    async with FakeOpenAI(call("stock", item="apples"), "Twelve.", "There are **12** apples.\n\x1b[2J") as server:
        done = await actloop(tmp_path, "run", "How many apples?", *model(server), "--tools", str(TOOLS_FILE))
    assert (done.code, done.out) == (0, "There are **12** apples.\n")
    steps = done.err.splitlines()
    assert steps[0].startswith('✓ stock(item="apples") ')
    assert steps[1].startswith("2 iterations · 30 tokens in · 15 tokens out · ")
    assert server.refused == []


@pytest.mark.asyncio
async def test_json_is_one_event_a_line_and_what_tools_print_is_not_among_them(tmp_path: Path) -> None:
    tools = tmp_path / "noisy.py"
    tools.write_text(NOISY_TOOL)
    async with FakeOpenAI(call("shout"), "ok", "All\u2028done.") as server:
        done = await actloop(tmp_path, "run", "Shout", *model(server), "--tools", str(tools), "--json")
    lines = [json.loads(line) for line in done.out.splitlines()]
    answer = "".join(line["data"].get("content", "") for line in lines if line["event"] == "answer")
    assert [line["event"] for line in lines if line["event"] != "answer"] == [*["step"] * 7, "done"]
    assert answer == lines[-1]["data"]["answer"] == "All\u2028done."
    assert (done.code, done.err) == (0, "LOUD\n")


@pytest.mark.asyncio
async def test_a_question_may_come_from_standard_input_and_a_key_from_the_environment(tmp_path: Path) -> None:
    async with FakeOpenAI("ok", "Hello.") as server:
        environment = {"ACTLOOP_MODEL": "openai:m", "ACTLOOP_BASE_URL": server.url, "OPENAI_API_KEY": "secret-key"}
        done = await actloop(tmp_path, "run", "-", stdin="Say\nhello\n", **environment)
    assert (done.code, done.out) == (0, "Hello.\n")
    assert server.requests[0]["messages"][-1]["content"] == "Say\nhello"
    assert server.headers[0]["Authorization"] == "Bearer secret-key"


@pytest.mark.asyncio
async def test_a_model_that_refuses_is_exit_1_with_a_sentence_and_no_key(tmp_path: Path) -> None:
    async with FakeOpenAI(Fault(status=401, body={"error": {"message": "wrong key secret-key"}})) as server:
        done = await actloop(tmp_path, "run", "Hi", *model(server), ACTLOOP_API_KEY="secret-key")
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("! ")
    assert "401" in done.err
    assert "secret-key" not in done.err + done.out
    assert "Traceback" not in done.err


@pytest.mark.asyncio
async def test_ctrl_c_ends_a_run_at_once(tmp_path: Path) -> None:
    async with FakeOpenAI(Fault(then="hang")) as server:
        process = await start(tmp_path, "run", "Hi", *model(server))
        await server.until(lambda it: len(it.requests) == 1)
        process.send_signal(signal.SIGINT)
        done = await finished(process)
        await server.until(lambda it: it.gone == 1)
    assert (done.code, done.out, done.err) == (130, "", "! interrupted\n")


@pytest.mark.asyncio
async def test_a_reader_that_goes_away_is_no_crash(tmp_path: Path) -> None:
    async with FakeOpenAI("ok", "word " * 20_000) as server:
        process = await start(tmp_path, "run", "Hi", *model(server), "--json")
        assert process.stdout is not None
        assert b'"event"' in await process.stdout.readline()
        process._transport.get_pipe_transport(1).close()  # type: ignore[attr-defined]  # as `head -1` does
        done = await finished(process)
    assert done.code == 1
    assert done.err == ""
