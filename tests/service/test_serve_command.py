"""`actloop serve` as a process: a real local model, a shutdown, a crash, a restart."""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from actloop.cli.serve import has_screen
from actloop.service import server

_SETTINGS = """
[model]
name = "local:smollm2-135m-instruct"
max_tokens = 12
abilities = { tool_call = true }
[agent]
max_iterations = 1
[agents.short]
tools = []
instructions = "Answer in one word."
"""


@contextmanager
def started(
    directory: Path, *arguments: str, environ: Mapping[str, str] | None = None
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The process, and its address once it listens."""
    environ = {
        **(environ or {}),
        "PATH": os.environ["PATH"],
        "HOME": str(directory),
        "ACTLOOP_DATA_DIR": str(directory),
        "ACTLOOP_THREADS": "1",
    }
    command = [sys.executable, "-c", "from actloop.cli.main import main; main()", "serve", "--port", "0", *arguments]
    process = subprocess.Popen(command, cwd=directory, env=environ, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        said = ""
        while (address := re.search(r"Serving .* at (http://\S+)", said)) is None:
            line = process.stderr.readline()
            assert line, f"it ended: {said}"
            said += line
        yield process, address.group(1)
    finally:
        process.kill()
        process.communicate()


def ask(url: str, path: str, body: object = None) -> tuple[dict[str, str], str]:
    """Send a request; return the headers and the whole body."""
    content = None if body is None else json.dumps(body).encode()
    with urlopen(Request(url + path, content, {"Content-Type": "application/json"}), timeout=50) as response:
        return dict(response.headers), response.read().decode()


@pytest.mark.timeout(240)  # a real model on a busy machine
def test_one_question_to_a_real_local_model_streams_its_events(tmp_path: Path) -> None:
    (tmp_path / "actloop.toml").write_text(_SETTINGS)
    with started(tmp_path) as (process, url):
        headers, text = ask(url, "/api/ask", {"query": "Say hi.", "agent": "short"})
        text = text.replace(": ping\n\n", "")  # on a slow machine
        assert headers["content-type"].startswith("text/event-stream")
        names = re.findall(r"^event: (\w+)$", text, re.MULTILINE)
        assert names[0] == "step"
        assert names[-1] == "done"
        assert names.count("done") == 1
        done = json.loads(text.rsplit("data: ", 1)[1])
        deltas = [json.loads(line[6:]) for line in text.splitlines() if line.startswith('data: {"status":"delta"')]
        assert "".join(delta["content"] for delta in deltas) == done["answer"] != ""
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
    with started(tmp_path) as (process, url):
        again = ask(url, f"/api/runs/{headers['actloop-run']}/events?after=1")[1]
        assert again == text[text.index("id: 2\n") :]


def test_after_a_kill_the_run_ends_as_interrupted_and_the_conversation_goes_on(tmp_path: Path) -> None:
    (tmp_path / "actloop.toml").write_text(_SETTINGS.replace("max_tokens = 12", "max_tokens = 400"))
    with started(tmp_path) as (process, url):
        conversation = json.loads(ask(url, "/api/conversations", {})[1])["id"]
        run = json.loads(ask(url, f"/api/conversations/{conversation}/runs", {"query": "Tell a long story."})[1])
        process.kill()
        process.wait(10)
    with started(tmp_path) as (process, url):
        state = json.loads(ask(url, f"/api/conversations/{conversation}")[1])
        assert [item["status"] for item in state["runs"]] == ["interrupted"]
        assert state["messages"][0]["content"] == "Tell a long story."
        events = ask(url, run["events"])[1]
        assert events.endswith('"stop_reason":"interrupted"}\n\n')


def test_it_refuses_a_network_without_a_key_and_takes_it_with_one(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="actloop keys add"), started(tmp_path, "--host", "0.0.0.0"):
        pass


def test_the_page_is_opened_where_somebody_sees_it(tmp_path: Path) -> None:
    (tmp_path / "actloop.toml").write_text(_SETTINGS)
    opened = tmp_path / "opened"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {opened}.part && mv {opened}.part {opened}\n')
    browser.chmod(0o755)
    environ = {"DISPLAY": ":99", "BROWSER": f"{browser} %s"}
    with started(tmp_path, "--open", environ=environ) as (_, url):
        while not opened.exists():
            time.sleep(0.02)
        assert opened.read_text().strip() == url


@pytest.mark.parametrize(
    ("environ", "platform", "seen"),
    [
        ({"DISPLAY": ":0"}, "linux", True),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", True),
        ({}, "linux", False),
        ({}, "darwin", True),
        ({"DISPLAY": ":10", "SSH_CONNECTION": "10.0.0.1 5 10.0.0.2 22"}, "linux", False),
    ],
)
def test_a_browser_is_opened_only_on_a_screen_of_this_machine(
    environ: dict[str, str], platform: str, seen: bool
) -> None:
    assert has_screen(environ, platform) is seen


def test_it_takes_as_many_connections_as_the_system_lets_it() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, 500), hard))
    try:
        server._allow_many_connections()
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (min(hard, 65_536), hard)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
