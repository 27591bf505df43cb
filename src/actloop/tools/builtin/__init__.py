"""The tools that come with actloop: each is made by a function, so that nothing can be read or fetched by default."""

from __future__ import annotations

import os

from actloop.tools.base import Tool
from actloop.tools.builtin.calculator import calculator_tool
from actloop.tools.builtin.clock import current_time_tool
from actloop.tools.builtin.files import file_tools
from actloop.tools.builtin.http_get import http_get_tool

__all__ = ["calculator_tool", "current_time_tool", "default_tools", "file_tools", "http_get_tool"]


def default_tools(root: str | os.PathLike[str] | None = None) -> list[Tool]:
    """Calculator, clock, web fetch, and with ``root`` the tools that read the files below that directory.

    Raises `ConfigError` when ``root`` is no directory.
    """
    tools = [calculator_tool(), current_time_tool(), http_get_tool()]
    return tools if root is None else [*tools, *file_tools(root)]
