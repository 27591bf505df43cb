"""Every text by which `structured_llm_call` asks a model for data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from actloop.llm.schema_text import schema_form, schema_text
from actloop.messages import shorten

__all__ = ["data_request", "form_request", "retry_request", "tool_description"]

_SHARE_OF_WINDOW = 1.0
"""Characters of schema for each token of the context window: at about four to a token, a quarter of it."""


def tool_description(schema: Mapping[str, Any]) -> str:
    """What the virtual tool is for, when native function calling hands over the data."""
    purpose = str(schema.get("description") or "").strip()
    call = "Call this function exactly once, with the complete result of what was asked as its arguments."
    return f"{purpose}\n{call}" if purpose else call


def data_request(schema: Mapping[str, Any], context_size: int) -> str:
    """Asks for one JSON value that fits ``schema``; a schema too long for the window is shortened."""
    shown = shorten(schema_text(schema), int(context_size * _SHARE_OF_WINDOW))
    unknown = "\nUse null for what is not known." if '"null"' in shown else ""
    return f"Reply with JSON that fits this JSON Schema:\n{shown}{unknown}"


def form_request(schema: Mapping[str, Any], context_size: int) -> str:
    """Asks in another way: with the form of the data in place of the schema, which some models read as data."""
    shown = shorten(schema_form(schema), int(context_size * _SHARE_OF_WINDOW))
    return f"Reply with JSON of this form, filled in, and nothing else:\n{shown}\nThen stop."


def retry_request(problem: str) -> str:
    """Asks again after a reply that could not be used, saying what was wrong."""
    return (
        f"Your last reply could not be used: {problem}. Reply again with the complete, corrected JSON and nothing else."
    )
