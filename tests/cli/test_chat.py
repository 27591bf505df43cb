"""`actloop chat`: in a pipe, and with a person at a terminal."""

from __future__ import annotations

import asyncio
import os
import pty
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.cli.command import COMMAND, actloop, clean_environment
from tests.support.fake_openai import Answer, FakeOpenAI, Fault, call


def model(server: FakeOpenAI) -> tuple[str, ...]:
    return "--model", "openai:scripted", "--base-url", server.url


@pytest.mark.asyncio
async def test_lines_from_a_pipe_are_questions_of_one_conversation(tmp_path: Path) -> None:
    async with FakeOpenAI("ok", "First answer.", "ok", "Second answer.") as server:
        done = await actloop(tmp_path, "chat", *model(server), stdin="First?\n\nSecond?\n")
    assert (done.code, done.out) == (0, "First answer.\nSecond answer.\n")
    said = [message["content"] for message in server.requests[2]["messages"] if message["role"] != "system"]
    assert said == ["First?", "First answer.", "Second?"]


@pytest.mark.asyncio
async def test_an_input_that_ends_at_once_is_told_what_would_be_served(tmp_path: Path) -> None:
    done = await actloop(tmp_path, "chat", "--model", "openai:m")
    assert done.code == 0
    assert "would serve openai:m with" in done.out
    assert "  calculator " in done.out


class Terminal:
    """The command at a pseudo-terminal: what it shows, and somebody who types."""

    def __init__(self, fd: int, process: asyncio.subprocess.Process) -> None:
        self._fd = fd
        self._process = process
        self._shown = ""
        self._more = asyncio.Event()
        asyncio.get_running_loop().add_reader(fd, self._read)

    def _read(self) -> None:
        try:
            data = os.read(self._fd, 65536)
        except OSError:  # the other side is closed
            data = b""
        if not data:
            asyncio.get_running_loop().remove_reader(self._fd)
        self._shown += data.decode(errors="replace")
        self._more.set()

    async def sees(self, text: str) -> None:
        """Wait until ``text`` is shown; what comes after it is still to be seen."""
        while text not in self._shown:
            self._more.clear()
            await self._more.wait()
        self._shown = self._shown.partition(text)[2]

    def types(self, keys: str) -> None:
        os.write(self._fd, keys.encode())

    async def exit_code(self) -> int:
        return await self._process.wait()


TAKE_TERMINAL = "import fcntl, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
"""Only the terminal that a session belongs to sends it Ctrl-C."""

AT_ITS_TERMINAL = (*COMMAND[:2], TAKE_TERMINAL + COMMAND[2])


@asynccontextmanager
async def at_a_terminal(home: Path, *arguments: str) -> AsyncIterator[Terminal]:
    ours, theirs = pty.openpty()
    process = await asyncio.create_subprocess_exec(
        *AT_ITS_TERMINAL,
        *arguments,
        cwd=home,
        env=clean_environment(home),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    try:
        yield Terminal(ours, process)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
        asyncio.get_running_loop().remove_reader(ours)
        os.close(ours)


@pytest.mark.asyncio
async def test_ctrl_c_stops_the_answer_and_the_conversation_goes_on(tmp_path: Path) -> None:
    script: list[Answer] = ["ok", "The first answer.", Fault(then="hang"), "ok", "The third answer."]
    async with FakeOpenAI(*script) as server, at_a_terminal(tmp_path, "chat", *model(server)) as terminal:
        await terminal.sees("› ")
        terminal.types("First?\n")
        await terminal.sees("The first answer.")
        await terminal.sees("› ")
        terminal.types("Second?\n")
        await server.until(lambda it: len(it.requests) == 3)
        terminal.types("\x03")
        await terminal.sees("interrupted")
        await terminal.sees("› ")
        terminal.types("Third?\n")
        await terminal.sees("The third answer.")
        await terminal.sees("› ")
        terminal.types("\x04")
        assert await terminal.exit_code() == 0
    assert server.refused == []


@pytest.mark.asyncio
async def test_what_is_typed_while_the_agent_works_reaches_it(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW_TOOL)
    script: list[Answer] = [call("wait_for_file", path=str(tmp_path / "go")), "ok", "In euros it is 5."]
    arguments = ("chat", "--tools", "slow.py")
    async with FakeOpenAI(*script) as server, at_a_terminal(tmp_path, *arguments, *model(server)) as terminal:
        await terminal.sees("› ")
        terminal.types("How much?\n")
        await terminal.sees("wait_for_file")
        terminal.types("in eurros\x7f\x7f\x7fos\n")
        await terminal.sees("in euros (queued)")
        (tmp_path / "go").touch()
        await terminal.sees("In euros it is 5.")
        await terminal.sees("› ")
        terminal.types("/quit\n")
        assert await terminal.exit_code() == 0
    assert any("in euros" in str(message["content"]) for message in server.requests[1]["messages"])


@pytest.mark.asyncio
async def test_commands_answer_without_asking_the_model(tmp_path: Path) -> None:
    async with FakeOpenAI() as server, at_a_terminal(tmp_path, "chat", *model(server)) as terminal:
        await terminal.sees("› ")
        for command, reply in {
            "/help": "/quit",
            "/tools": "calculator",
            "/model": "The model is openai:scripted",
            "/model nobody:x": "there is no provider 'nobody'",
            "/model openai:other": "The model is openai:other",
            "/new": "A new conversation.",
            "/nonsense": "There is no command '/nonsense'",
        }.items():
            terminal.types(command + "\n")
            await terminal.sees("\n")
            await terminal.sees(reply)
            await terminal.sees("› ")
        terminal.types("\x04")
        assert await terminal.exit_code() == 0
    assert server.requests == []


SLOW_TOOL = """
import asyncio, os
from actloop.tools import tool

@tool
async def wait_for_file(path: str) -> str:
    'Wait until a file is there.'
    while not os.path.exists(path):
        await asyncio.sleep(0.01)
    return 'It is 5.'
"""
