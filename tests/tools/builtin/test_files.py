"""Reading, listing and searching below one directory, and nowhere else."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actloop.errors import ConfigError, ToolError
from actloop.tools import ToolRegistry
from actloop.tools.builtin import file_tools
from actloop.tools.builtin.workspace import Workspace, resolve_inside


@pytest.fixture
def root(tmp_path: Path) -> Path:
    inside = tmp_path / "agent"
    (inside / "notes").mkdir(parents=True)
    (inside / "notes" / "a.txt").write_text("Hello\nworld\n")
    (inside / "many.txt").write_text("".join(f"line {n}\n" for n in range(1, 1_001)))
    neighbour = tmp_path / "agent-2"
    neighbour.mkdir()
    (neighbour / "secret.txt").write_text("Hello secret")
    (inside / "in").symlink_to("notes")
    (inside / "out").symlink_to(neighbour)
    (inside / "leak.txt").symlink_to(neighbour / "secret.txt")
    return inside


async def said(root: Path, name: str, **arguments: Any) -> str:
    tool = ToolRegistry(file_tools(root)).get(name)
    assert tool is not None
    return (await tool.run(arguments)).content


@pytest.mark.asyncio
async def test_a_file_is_read_whole_or_by_lines(root: Path) -> None:
    assert await said(root, "read_file", path="notes/a.txt") == "Hello\nworld\n"
    assert await said(root, "read_file", path="in/../in/a.txt") == "Hello\nworld\n"
    assert await said(root, "read_file", path=str(root / "notes/a.txt")) == "Hello\nworld\n"
    assert await said(root, "read_file", path="many.txt", offset=5, limit=2) == (
        "line 5\nline 6\n[lines 5 to 6; there is more: go on with offset=7]"
    )
    assert await said(root, "read_file", path="many.txt", offset=999) == (
        "line 999\nline 1000\n[lines 999 to 1000; the end of the file]"
    )
    assert await said(root, "read_file", path="many.txt", offset=2_000) == "'many.txt' has only 1000 lines."


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "path",
    ["../agent-2/secret.txt", "out/secret.txt", "leak.txt", "/etc/passwd", "../../../../../etc/passwd", "out/../x"],
)
async def test_no_way_leads_out(root: Path, path: str) -> None:
    for name in ("read_file", "list_files"):
        with pytest.raises(ToolError, match="leads out of the directory"):
            await said(root, name, path=path)


@pytest.mark.asyncio
async def test_a_search_does_not_follow_links_out(root: Path) -> None:
    assert await said(root, "search_files", text="hello") == "notes/a.txt:1: Hello"
    assert await said(root, "list_files", pattern="*secret*") == "No file below '.' matches '*secret*'."


LINKS = {"/ws/agent/link": "/etc", "/ws/agent/in": "/ws/agent/notes", "/ws/agent/up": "/ws"}


def resolve_links(path: str) -> str:
    """What `os.path.realpath` does, on a file system of which only `LINKS` is known."""
    real = "/"
    for part in path.split("/"):
        real = os.path.normpath(os.path.join(real, part))
        real = LINKS.get(real, real)
    return real


def test_the_core_of_the_rule_works_on_any_resolver() -> None:
    assert resolve_inside("/ws/agent", "in/a.txt", resolve=resolve_links) == "/ws/agent/notes/a.txt"
    assert resolve_inside("/", "etc", resolve=resolve_links) == "/etc"
    for path in ("link/passwd", "/ws/agent-2/x", "..", "a\0b", "up/agent-2"):
        with pytest.raises(ToolError):
            resolve_inside("/ws/agent", path, resolve=resolve_links)


@given(st.lists(st.sampled_from(["..", ".", "notes", "in", "link", "up", "agent", "agent-2", "", "etc"]), max_size=8))
def test_whatever_resolves_lies_inside(parts: list[str]) -> None:
    try:
        target = resolve_inside("/ws/agent", "/".join(parts), resolve=resolve_links)
    except ToolError:
        return
    assert (target + "/").startswith("/ws/agent/")


@pytest.mark.skipif(os.open not in os.supports_dir_fd, reason="needs openat")
def test_a_directory_swapped_for_a_link_after_the_check_is_not_followed(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = Workspace(root)
    (root / "notes" / "secret.txt").write_text("fine")
    opened = os.open

    def swap_first(*args: Any, **kwargs: Any) -> int:
        if args[0] == "notes":
            (root / "notes").rename(root / "old")
            (root / "notes").symlink_to(root.parent / "agent-2")
        return opened(*args, **kwargs)

    monkeypatch.setattr(os, "open", swap_first)
    monkeypatch.setattr(os, "supports_dir_fd", {swap_first})
    with pytest.raises(ToolError, match="cannot be read"):
        workspace.open("notes/secret.txt")


@pytest.mark.asyncio
async def test_what_is_no_text_file_is_described_or_refused(root: Path) -> None:
    (root / "data.bin").write_bytes(b"a\0b")
    os.mkfifo(root / "pipe")
    assert await said(root, "read_file", path="data.bin") == "'data.bin' is a binary file of 3 bytes, not text."
    for path, words in [
        ("pipe", "a pipe or a device"),
        ("notes", "is a directory"),
        ("many.tx", "there is 'many.txt'"),
        ("many.txt/x", "Not a directory"),
    ]:
        with pytest.raises(ToolError) as raised:
            await said(root, "read_file", path=path)
        assert words in str(raised.value)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("grüße\n".encode(), "grüße\n"),
        ("grüße\n".encode("utf-8-sig"), "grüße\n"),
        ("grüße\n".encode("utf-16"), "grüße\n"),
        ("grüße\n".encode("cp1252"), "grüße\n"),
        (b"x" * 8_191 + "ü".encode(), "x" * 2_000 + " [… 6,192 characters of this line left out …]\n"),
        (b"x" * 2_000 + b"\nend", "x" * 2_000 + "\nend"),
        (b"a\r\nb", "a\nb"),
        (b"caf\xe9", "café"),
        (b"", "'file' is empty."),
    ],
)
async def test_encodings_and_long_lines_are_read(root: Path, raw: bytes, text: str) -> None:
    (root / "file").write_bytes(raw)
    assert await said(root, "read_file", path="file") == text


@pytest.mark.asyncio
async def test_a_part_of_a_long_file_is_bounded_in_characters(root: Path) -> None:
    (root / "wide.txt").write_text(("y" * 1_000 + "\n") * 1_000)
    text = await said(root, "read_file", path="wide.txt", limit=1_000)
    assert len(text) < 21_000
    assert text.endswith("[lines 1 to 19; there is more: go on with offset=20]")


@pytest.mark.asyncio
async def test_listings_tell_kinds_and_sizes(root: Path) -> None:
    assert await said(root, "list_files") == ("in (link)\nleak.txt (link)\nmany.txt (8,893 bytes)\nnotes/\nout (link)")
    for pattern in ("a.*", "**/a.txt", "notes/*", "notes/**/*.txt"):
        assert await said(root, "list_files", pattern=pattern) == "notes/a.txt (12 bytes)"
    assert await said(root, "list_files", pattern="*.csv") == "No file below '.' matches '*.csv'."


@pytest.mark.asyncio
async def test_a_listing_is_bounded(root: Path) -> None:
    for number in range(510):
        (root / "notes" / f"{number}.x").touch()
    assert (await said(root, "list_files", path="notes")).endswith("[11 more left out]")


@pytest.mark.asyncio
async def test_a_search_is_bounded_and_says_so(root: Path) -> None:
    found = await said(root, "search_files", text="LINE", pattern="*.txt")
    assert found.startswith("many.txt:1: line 1\n")
    assert len(found.splitlines()) == 101
    assert "there are more" in found
    assert await said(root, "search_files", text="(a+)+$") == "No file below '.' contains '(a+)+$'."
    with (root / "big.log").open("wb") as big:
        big.truncate(6_000_000)
    assert "big.log was not searched" in await said(root, "search_files", text="world")
    with pytest.raises(ToolError, match="is empty"):
        await said(root, "search_files", text=" ")


@pytest.mark.asyncio
async def test_a_search_that_takes_too_long_stops(root: Path) -> None:
    seconds = iter(range(0, 1_000, 20))
    search = ToolRegistry(file_tools(root, clock=lambda: next(seconds))).get("search_files")
    assert search is not None
    assert "took too long" in (await search.run({"text": "nothing of the kind"})).content


def test_a_root_that_is_no_directory_is_a_mistake_of_the_maker(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="is not a directory"):
        file_tools(tmp_path / "missing")
