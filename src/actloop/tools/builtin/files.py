"""The tools `read_file`, `list_files` and `search_files`, for the files below one directory."""

from __future__ import annotations

import codecs
import fnmatch
import io
import itertools
import os
import time
from collections.abc import Callable, Iterator

from actloop.errors import ToolError
from actloop.tools.base import Tool
from actloop.tools.builtin.workspace import Entry, Workspace
from actloop.tools.decorator import tool

__all__ = ["file_tools"]

_MAX_READ_CHARACTERS = 20_000
_MAX_LINE_CHARACTERS = 2_000
_MAX_FILE_CHARACTERS = 100_000_000
_MAX_LISTED = 500
_MAX_WALKED = 50_000
_MAX_MATCHES = 100
_MAX_SEARCHED_BYTES = 5_000_000
_MAX_SEARCH_SECONDS = 10.0
_MAX_NOTES = 5
_SAMPLE_BYTES = 8_192

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def file_tools(root: str | os.PathLike[str], *, clock: Callable[[], float] = time.monotonic) -> list[Tool]:
    """Tools that read, list and search the files below ``root``, and nothing else.

    ``clock`` gives seconds; a search takes at most ten of them. Raises `ConfigError` when ``root`` is no directory.
    """
    workspace = Workspace(root)

    def read_file(path: str, offset: int = 1, limit: int = 500) -> str:
        """Read a text file, or a part of it.

        Args:
            path: The file, relative to the root directory.
            offset: The first line to read, counted from 1.
            limit: How many lines to read at the most.
        """
        return _read(workspace, path, max(offset, 1), max(limit, 1))

    def list_files(path: str = ".", pattern: str | None = None) -> str:
        """List what is in a directory, or find files below it by name.

        Args:
            path: The directory, relative to the root directory.
            pattern: With a pattern like "*.csv" or "reports/*", all files below the directory that match it are listed.
        """
        return _list(workspace, path, pattern)

    def search_files(text: str, path: str = ".", pattern: str = "*") -> str:
        """Find the lines that contain a text, in all files below a directory. Upper and lower case are the same.

        Args:
            text: The text to look for, as it is: not a regular expression.
            path: The directory, relative to the root directory.
            pattern: Which files to search, by name, for example "*.py".
        """
        return _search(workspace, text, path, pattern, clock)

    return [tool(function, idempotent=True) for function in (read_file, list_files, search_files)]


def _read(workspace: Workspace, path: str, offset: int, limit: int) -> str:
    with _opened(workspace, path) as binary:
        sample = binary.peek(_SAMPLE_BYTES)[:_SAMPLE_BYTES]
        size = os.fstat(binary.fileno()).st_size
        encoding = _encoding(sample)
        if encoding is None:
            return f"{path!r} is a binary file of {size:,} bytes, not text."
        with io.TextIOWrapper(binary, encoding, errors="replace") as text:
            lines = _lines(text)
            skipped = _skip(lines, offset - 1)
            taken, more = _take(lines, limit)
    if not taken:
        return f"{path!r} is empty." if not skipped else f"{path!r} has only {skipped} lines."
    if offset == 1 and not more:
        return "".join(taken)
    last = offset + len(taken) - 1
    rest = f"there is more: go on with offset={last + 1}" if more else "the end of the file"
    return f"{''.join(taken).rstrip()}\n[lines {offset} to {last}; {rest}]"


def _take(lines: Iterator[str], limit: int) -> tuple[list[str], bool]:
    """The next ``limit`` lines, or as many as 20,000 characters hold, and whether there are more."""
    taken: list[str] = []
    characters = 0
    for line in lines:
        characters += len(line)
        if len(taken) == limit or (taken and characters > _MAX_READ_CHARACTERS):
            return taken, True
        taken.append(line)
    return taken, False


def _opened(workspace: Workspace, path: str) -> io.BufferedReader:
    return io.BufferedReader(io.FileIO(workspace.open(path), "rb"), buffer_size=_SAMPLE_BYTES)


def _encoding(sample: bytes) -> str | None:
    """How a file that begins with ``sample`` is encoded; None for a binary file."""
    for mark, encoding in _MARKS:
        if sample.startswith(mark):
            return encoding
    if b"\0" in sample:
        return None
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample, final=len(sample) < _SAMPLE_BYTES)
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def _lines(text: io.TextIOWrapper) -> Iterator[str]:
    """The lines of a file, each cut to 2,000 characters: a file may be one line of a gigabyte.

    Raises `ToolError` after 100 million characters.
    """
    total = 0
    while line := text.readline(_MAX_LINE_CHARACTERS):
        total += len(line)
        if len(line) == _MAX_LINE_CHARACTERS and not line.endswith("\n"):
            cut = _pass_line(text, _MAX_FILE_CHARACTERS - total)
            total += cut
            line += f" [… {cut:,} characters of this line left out …]\n" if cut else "\n"
        if total >= _MAX_FILE_CHARACTERS:
            raise ToolError(f"the file is too long: only its first {_MAX_FILE_CHARACTERS:,} characters can be read")
        yield line


def _pass_line(text: io.TextIOWrapper, most: int) -> int:
    """Read to the end of the line, or a little more than ``most`` characters; returns how many those were."""
    passed = 0
    while passed <= most and (piece := text.readline(1_000_000)):
        passed += len(piece.rstrip("\n"))
        if piece.endswith("\n"):
            break
    return passed


def _skip(lines: Iterator[str], count: int) -> int:
    """Go past ``count`` lines, or as many as there are; returns how many that were."""
    return sum(1 for _ in itertools.islice(lines, count))


def _list(workspace: Workspace, path: str, pattern: str | None) -> str:
    if pattern:
        walked = itertools.islice(workspace.walk(path), _MAX_WALKED)
        found = [entry for entry in walked if entry.kind != "directory" and _matches(entry, pattern)]
    else:
        found = workspace.entries(path)
    if not found:
        return f"No file below {path!r} matches {pattern!r}." if pattern else f"{path!r} is empty."
    shown = [_described(entry) for entry in found[:_MAX_LISTED]]
    if len(found) > _MAX_LISTED:
        shown.append(f"[{len(found) - _MAX_LISTED:,} more left out]")
    return "\n".join(shown)


def _matches(entry: Entry, pattern: str) -> bool:
    """Whether a pattern fits the name, or, if it has a ``/``, the path from the root; ``**/`` is any depth."""
    path = entry.path.replace(os.sep, "/")
    pattern = pattern.removeprefix("./").removeprefix("**/")
    if "/" not in pattern:
        return fnmatch.fnmatchcase(path.rpartition("/")[2], pattern)
    return any(fnmatch.fnmatchcase(path, pattern.replace("**/", depth)) for depth in ("", "*/"))


def _described(entry: Entry) -> str:
    path = entry.path.replace(os.sep, "/")
    match entry.kind:
        case "directory":
            return f"{path}/"
        case "file":
            return f"{path} ({entry.size:,} bytes)"
        case _:
            return f"{path} ({entry.kind})"


def _search(workspace: Workspace, text: str, path: str, pattern: str, clock: Callable[[], float]) -> str:
    wanted = text.casefold()
    if not wanted.strip():
        raise ToolError("the text to look for is empty")
    deadline = clock() + _MAX_SEARCH_SECONDS
    found: list[str] = []
    notes: list[str] = []
    for entry in itertools.islice(workspace.walk(path), _MAX_WALKED):
        if entry.kind != "file" or not _matches(entry, pattern):
            continue
        if entry.size > _MAX_SEARCHED_BYTES:
            notes.append(f"[{entry.path} was not searched: {entry.size:,} bytes are too many]")
            continue
        found += itertools.islice(_matching_lines(workspace, entry, wanted), _MAX_MATCHES + 1 - len(found))
        if len(found) > _MAX_MATCHES:
            return "\n".join([*found[:_MAX_MATCHES], "[there are more: search for a longer text, or in fewer files]"])
        if clock() > deadline:
            notes.append("[the search took too long and stopped here: search in fewer files]")
            break
    if not found:
        found = [f"No file below {path!r} contains {text!r}."]
    return "\n".join(found + notes[-_MAX_NOTES:])


def _matching_lines(workspace: Workspace, entry: Entry, wanted: str) -> Iterator[str]:
    try:
        binary = _opened(workspace, entry.path)
    except ToolError:  # it went meanwhile, or may not be read
        return
    with binary:
        encoding = _encoding(binary.peek(_SAMPLE_BYTES)[:_SAMPLE_BYTES])
        if encoding is None:
            return
        with io.TextIOWrapper(binary, encoding, errors="replace") as text:
            for number, line in enumerate(_lines(text), start=1):
                if wanted in line.casefold():
                    yield f"{entry.path.replace(os.sep, '/')}:{number}: {line.strip()[:300]}"
