"""The tools in a Python file of the user's: run it, and collect what it defines."""

from __future__ import annotations

import importlib.util
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any

from actloop.errors import ConfigError
from actloop.tools import Tool, ToolRegistry

__all__ = ["load_tools_file"]

_MODULE = "actloop_tools_file"


def load_tools_file(path: Path) -> list[Tool]:
    """Run the file and return its tools: every `Tool` at its top level, and what stands in its list ``tools``, if any.

    The file runs with all rights of this process. Raises `ConfigError` when it cannot be read, fails (with the line in
    it), has no tools, or two of one name.
    """
    module = _run(path)
    found = [value for value in vars(module).values() if isinstance(value, Tool) and not isinstance(value, type)]
    listed = getattr(module, "tools", [])
    if not isinstance(listed, list | tuple):
        raise ConfigError(f"{str(path)!r}: 'tools' must be a list of tools, not {type(listed).__name__}.")
    unique: dict[int, Any] = {id(item): item for item in [*found, *listed]}
    if not unique:
        raise ConfigError(f"{str(path)!r} defines no tool. Mark a function with @tool (from actloop import tool).")
    try:
        return list(ToolRegistry(unique.values()))
    except ConfigError as error:
        raise ConfigError(f"{str(path)!r}: {error}") from error


def _run(path: Path) -> ModuleType:
    """Run the file as a module. Its directory joins the end of the import path: it may import its neighbours."""
    try:
        source = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"the tools file {str(path)!r} cannot be read: {error.strerror}.") from error
    spec = importlib.util.spec_from_loader(_MODULE, loader=None, origin=str(path))
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    module.__file__ = str(path)
    sys.modules[_MODULE] = module  # dataclasses and pydantic look their module up
    directory = str(path.resolve().parent)
    if directory not in sys.path:
        sys.path.append(directory)
    try:
        exec(compile(source, str(path), "exec"), module.__dict__)
    except (Exception, SystemExit) as error:  # the file is the user's: it may do anything
        raise ConfigError(f"the tools file {str(path)!r} failed{_place(path, error)}: {_words(error)}") from error
    return module


def _place(path: Path, error: BaseException) -> str:
    """`` in line N``: where in the file the error came up, if the traceback knows."""
    if isinstance(error, SyntaxError) and error.filename == str(path):
        return f" in line {error.lineno}"
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    return f" in line {lines[-1]}" if lines else ""


def _words(error: BaseException) -> str:
    text = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
