"""One directory that a model may read, and nothing outside it, whatever links and ``..`` say."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from typing import NamedTuple

from actloop.errors import ConfigError, ToolError

__all__ = ["Entry", "Workspace", "resolve_inside"]

_NO_BLOCK = getattr(os, "O_NONBLOCK", 0)  # opening a FIFO must not wait for a writer
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_BINARY = getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


def resolve_inside(root: str, path: str, *, resolve: Callable[[str], str] = os.path.realpath) -> str:
    """The real path of ``path`` (relative to ``root``, or absolute), if it lies in ``root`` or is it.

    ``resolve`` turns a path into one without links and ``..``. Raises `ToolError` for a path that leads elsewhere.
    """
    if "\0" in path:
        raise ToolError(f"the path {path!r} holds a null character")
    base = resolve(root)
    target = resolve(os.path.join(base, path))
    if target != base and not target.startswith(base.rstrip(os.sep) + os.sep):
        raise ToolError(f"the path {path!r} leads out of the directory that may be read; use paths relative to it")
    return target


class Entry(NamedTuple):
    """Something in a directory: its path relative to the root, and what it is."""

    path: str
    kind: str  # "file", "directory", "link" or "other"
    size: int


class Workspace:
    """The directory ``root``. Raises `ConfigError` when there is none."""

    def __init__(self, root: str | os.PathLike[str]) -> None:
        self._root = os.path.realpath(root)
        if not os.path.isdir(self._root):
            raise ConfigError(f"{os.fspath(root)!r} is not a directory: give the directory whose files may be read")

    def open(self, path: str) -> int:
        """Open a regular file for reading; returns a file descriptor, which the caller closes.

        The way is walked from the root directory by directory, following no link: what was checked is what is opened,
        even if somebody swaps a directory for a link meanwhile. Raises `ToolError` for whatever is not a plain file.
        """
        target = resolve_inside(self._root, path)
        try:
            descriptor = self._open(os.path.relpath(target, self._root))
        except OSError as error:
            raise ToolError(f"{path!r} cannot be read: {error.strerror}{self._near(path, target)}") from error
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISREG(mode):
            return descriptor
        os.close(descriptor)
        if stat.S_ISDIR(mode):
            raise ToolError(f"{path!r} is a directory: list it instead")
        raise ToolError(f"{path!r} is a pipe or a device, not a file")

    def _open(self, relative: str) -> int:
        if os.open not in os.supports_dir_fd:
            return os.open(os.path.join(self._root, relative), os.O_RDONLY | _BINARY)
        directory = os.open(self._root, os.O_RDONLY | _BINARY)
        *parents, name = relative.split(os.sep)
        try:
            for parent in parents:
                inner = os.open(parent, os.O_RDONLY | os.O_DIRECTORY | _NO_FOLLOW | _BINARY, dir_fd=directory)
                os.close(directory)
                directory = inner
            return os.open(name, os.O_RDONLY | _NO_FOLLOW | _NO_BLOCK | _BINARY, dir_fd=directory)
        finally:
            os.close(directory)

    def _near(self, path: str, target: str) -> str:
        """Names in the same directory that differ little, for a model that mistyped one."""
        import difflib

        try:
            names = os.listdir(os.path.dirname(target))
        except OSError:
            return ""
        wanted = os.path.basename(path)
        near = difflib.get_close_matches(wanted, [name for name in names[:10_000] if name != wanted], n=3)
        return f"; there is {', '.join(map(repr, near))}" if near else ""

    def entries(self, path: str) -> list[Entry]:
        """What is in a directory, sorted by name. Raises `ToolError` when it cannot be listed."""
        target = resolve_inside(self._root, path)
        try:
            with os.scandir(target) as scan:
                return sorted(self._entry(item) for item in scan)
        except OSError as error:
            raise ToolError(f"{path!r} cannot be listed: {error.strerror}{self._near(path, target)}") from error

    def _entry(self, item: os.DirEntry[str]) -> Entry:
        path = os.path.relpath(item.path, self._root)
        if item.is_symlink():
            return Entry(path, "link", 0)
        if item.is_dir(follow_symlinks=False):
            return Entry(path, "directory", 0)
        if item.is_file(follow_symlinks=False):
            try:
                return Entry(path, "file", item.stat(follow_symlinks=False).st_size)
            except FileNotFoundError:  # it went meanwhile
                return Entry(path, "other", 0)
        return Entry(path, "other", 0)

    def walk(self, path: str) -> Iterator[Entry]:
        """Everything below a directory, level by level; links are not followed, hidden directories not entered.

        A directory below that cannot be listed is left out.
        """
        level = self.entries(path)
        while level:
            yield from level
            below: list[Entry] = []
            for entry in level:
                if entry.kind == "directory" and not os.path.basename(entry.path).startswith("."):
                    try:
                        below += self.entries(entry.path)
                    except ToolError:
                        continue
            level = below
