"""Layer 3a: what a model can do. Knows models' vocabulary (`ToolSpec`), but no model and no agent."""

from actloop.tools.artifacts import Artifact
from actloop.tools.base import Tool, ToolResult, spec_of
from actloop.tools.decorator import FunctionTool, tool
from actloop.tools.names import checked_name
from actloop.tools.registry import ToolRegistry
from actloop.tools.result_text import artifact_note, error_text, result_of
from actloop.tools.threads import run_in_thread

__all__ = [
    "Artifact",
    "FunctionTool",
    "Tool",
    "ToolRegistry",
    "ToolResult",
    "artifact_note",
    "checked_name",
    "error_text",
    "result_of",
    "run_in_thread",
    "spec_of",
    "tool",
]
