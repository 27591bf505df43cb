"""The JSON Schema of one JSON-mode action: a branch for each tool, and one for the answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from actloop.agent.dialect import Allowed
from actloop.llm import ResponseFormat
from actloop.messages import ToolSpec

__all__ = ["action_format", "action_schema"]


def action_format(specs: Sequence[ToolSpec], allowed: Allowed, *, plain: bool = False) -> ResponseFormat:
    """The ``response_format`` that constrains a reply to `action_schema`.

    ``strict`` is left off: OpenAI's strict mode demands that every property is required, which tools' schemas rarely
    keep (OpenAI docs, "Structured Outputs", supported schemas).
    """
    return {
        "type": "json_schema",
        "json_schema": {"name": "action", "schema": action_schema(specs, allowed, plain=plain), "strict": False},
    }


def action_schema(specs: Sequence[ToolSpec], allowed: Allowed, *, plain: bool = False) -> dict[str, Any]:
    """One branch for each tool with its own argument schema, and one for the answer, as far as they are allowed.

    Properties stand in the order a model should write them: constrained decoders keep it, so that it reasons first.

    plain: only the call or the answer. A weak model that has to write the type first mostly takes the answer and makes
        it up: of 28 first turns Qwen2.5-Coder-0.5B began all with the right call when its objects were plain.
    """
    branches: list[dict[str, Any]] = []
    definitions: dict[str, Any] = {}
    if allowed != "answer":
        branches += [_call_branch(spec, definitions, plain) for spec in specs]
    if allowed != "calls" or not branches:
        branches.append(_branch({**_opening("final_answer", plain), "answer": _TEXT}))
    # OpenAI refuses a schema whose root is not of type "object" (guide "Structured Outputs")
    schema: dict[str, Any] = branches[0] if len(branches) == 1 else {"type": "object", "anyOf": branches}
    return {**schema, "$defs": definitions} if definitions else schema


_TEXT = {"type": "string"}


def _call_branch(spec: ToolSpec, definitions: dict[str, Any], plain: bool) -> dict[str, Any]:
    arguments = _hoisted(spec, definitions)
    return _branch({**_opening("tool_call", plain), "tool_name": {"const": spec.name}, "tool_args": arguments})


def _opening(kind: str, plain: bool) -> dict[str, Any]:
    return {} if plain else {"type": {"const": kind}, "reasoning": _TEXT}


def _branch(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _hoisted(spec: ToolSpec, definitions: dict[str, Any]) -> dict[str, Any]:
    """The tool's schema, or where it refers to parts of itself a reference to it as one of the ``definitions``."""
    body = {key: value for key, value in spec.parameters.items() if key != "$schema"}
    root = f"#/$defs/{spec.name}"
    rebased = _rebased(body, root)
    assert isinstance(rebased, dict)
    if rebased == body:
        return body
    definitions[spec.name] = rebased
    return {"$ref": root}


def _rebased(value: Any, root: str) -> Any:
    """``value`` with every reference into its own document led below ``root``, where that document stands now."""
    if isinstance(value, list):
        return [_rebased(item, root) for item in value]
    if not isinstance(value, dict):
        return value
    result = {key: _rebased(item, root) for key, item in value.items()}
    reference = value.get("$ref")
    if isinstance(reference, str) and reference.startswith("#"):
        result["$ref"] = f"{root}{reference[1:]}"
    return result
