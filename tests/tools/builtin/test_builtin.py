"""What comes with actloop."""

from __future__ import annotations

from pathlib import Path

from actloop.tools import ToolRegistry
from actloop.tools.builtin import default_tools


def test_files_are_readable_only_where_a_root_is_given(tmp_path: Path) -> None:
    assert ToolRegistry(default_tools()).names == ("calculator", "current_time", "http_get")
    assert ToolRegistry(default_tools(tmp_path)).names == (
        *("calculator", "current_time", "http_get"),
        *("read_file", "list_files", "search_files"),
    )


def test_each_built_in_tool_and_parameter_is_described(tmp_path: Path) -> None:
    for tool in default_tools(tmp_path):
        assert tool.description
        assert all(schema["description"] for schema in tool.parameters["properties"].values())
