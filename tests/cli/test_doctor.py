"""`actloop doctor` finds what keeps actloop from answering, and says what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import actloop
from tests.support.fake_openai import FakeOpenAI, call


@pytest.mark.asyncio
async def test_a_model_that_answers_is_all_it_takes(tmp_path: Path) -> None:
    async with FakeOpenAI("o", call("probe"), "It returned ok.") as server:
        options = ("--model", "openai:m", "--base-url", server.url)
        done = await actloop(tmp_path, "doctor", *options, OPENAI_API_KEY="secret", ACTLOOP_MODLE="x")
    assert done.code == 0
    assert f"✓ model: openai:m at {server.url} (set)" in done.out
    assert "✓ the model answers" in done.out
    assert "the model and tools" not in done.out
    assert "keys in the environment: OPENAI_API_KEY" in done.out
    assert "- the environment variable 'ACTLOOP_MODLE' means nothing to actloop" in done.out
    assert "extra 'serve' is installed, " in done.out
    assert "secret" not in done.out
    assert server.requests[0]["messages"][-1]["role"] == "user"


@pytest.mark.asyncio
async def test_what_a_model_does_not_do_as_it_says_is_told(tmp_path: Path) -> None:
    leaked = '{"name": "probe", "arguments": {}}'
    for answers, told in (
        (("o", leaked, "It returned ok."), "- the model and tools: it wrote tool calls as text in 1 runs"),
        (("o", "I will not."), "- the model and tools: it did not call the tool it was asked to call"),
    ):
        async with FakeOpenAI(*answers) as server:
            done = await actloop(tmp_path, "doctor", "--model", "openai:m", "--base-url", server.url)
        assert done.code == 0
        assert told in done.out


@pytest.mark.asyncio
async def test_everything_is_looked_at_even_when_much_is_wrong(tmp_path: Path) -> None:
    options = ("--model", "openai:m", "--base-url", "http://127.0.0.1:9/v1", "--tools", "nowhere.py")
    done = await actloop(tmp_path, "doctor", *options, ACTLOOP_MAX_RETRIES="0")
    assert done.code == 1
    assert "✗ tools: the tools file 'nowhere.py' cannot be read" in done.out
    assert "✗ the model does not answer: " in done.out
    assert done.out.endswith("Something above (✗) keeps actloop from answering.\n")
    assert done.err == ""


@pytest.mark.asyncio
async def test_wrong_settings_are_a_finding(tmp_path: Path) -> None:
    (tmp_path / "actloop.toml").write_text("[modle]\n")
    done = await actloop(tmp_path, "doctor")
    assert done.code == 1
    assert "✗ settings: " in done.out
    assert "unknown key 'modle'; did you mean 'model'" in done.out
