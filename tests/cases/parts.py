"""Which part of the product a case needs, and whether it exists yet."""

from __future__ import annotations

import importlib

from tests.cases.loading import Case

__all__ = ["missing_part"]

_BY_INPUT = {
    "compact": "actloop.context:ContextGuard",
    "estimate_tokens": "actloop.context:estimate_tokens",
    "mcp": "actloop.tools.connectors.mcp",
    "mcp_tool_schema": "actloop.tools.connectors.mcp",
    "openapi_tools": "actloop.tools.connectors.openapi",
    "render_markdown": "actloop.service.page",
    "select_tools": "actloop.agent.selection",
    "server": "actloop.service.app",
    "sql_read_only": "actloop.tools.connectors.sql_safety",
    "sse_decode": "actloop.service.sse",
    "sse_roundtrip": "actloop.service.sse",
    "structured": "actloop.llm:structured_llm_call",
    "dag": "actloop.dag",
    "validate_plan": "actloop.dag",
}
_BY_ID = {
    "C087": "actloop.context:ContextGuard",
    "C130": "actloop.tools.connectors.openapi",
}


def missing_part(case: Case) -> str | None:
    """The part that `case` needs and that does not exist, as `module` or `module:name`; None when all is there."""
    job = str(case.input.get("fn") or case.input.get("scenario"))
    part = _BY_ID.get(case.id) or _BY_INPUT.get(job)
    return part if part is not None and not _exists(part) else None


def _exists(part: str) -> bool:
    module, _, name = part.partition(":")
    try:
        found = importlib.import_module(module)
    except ModuleNotFoundError:
        return False
    return not name or hasattr(found, name)
