"""The JSON Schema of every event on the wire, from which clients in other languages make their types (pure)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import TypeAdapter

from actloop.service import wire

__all__ = ["add_wire_schema", "wire_schema"]

_FORMS: dict[wire.EventName, Any] = {
    "phase": wire.PhaseData,
    "step": wire.StepData,
    "answer": wire.AnswerData,
    "compact": wire.CompactData,
    "inject": wire.InjectData,
    "error": wire.ErrorData,
    "done": wire.DoneData,
    "reset": wire.ResetData,
}


def wire_schema(prefix: str = "#/$defs/") -> dict[str, Any]:
    """Return a JSON Schema for ``{"event": NAME, "data": {…}}``, the union over all events, with its ``$defs``.

    prefix: where the definitions will be, for documents that keep them elsewhere.
    """
    definitions: dict[str, Any] = {}
    arms: list[dict[str, Any]] = []
    for name, form in _FORMS.items():
        schema = TypeAdapter(form).json_schema(ref_template=f"{prefix}{{model}}")
        definitions |= schema.pop("$defs", {})
        data_name = f"{name.capitalize()}Data"
        definitions[data_name] = schema
        properties = {"event": {"const": name}, "data": {"$ref": f"{prefix}{data_name}"}}
        arms.append({"type": "object", "properties": properties, "required": ["event", "data"]})
    return {"title": "WireEvent", "oneOf": arms, "$defs": definitions}


def add_wire_schema(document: dict[str, Any]) -> dict[str, Any]:
    """Return an OpenAPI document with the schema ``WireEvent`` among its components, and event streams that say so.

    An event of a stream is described as OpenAPI 3.2 does (spec.openapis.org/oas/v3.2.0, "Server-Sent Event Streams").
    """
    schema = wire_schema("#/components/schemas/")
    components = document.setdefault("components", {}).setdefault("schemas", {})
    components |= schema.pop("$defs")
    components["WireEvent"] = schema
    for operation in _operations(document):
        for response in operation["responses"].values():
            if _STREAM in response.get("content", {}):
                response["content"][_STREAM] = {"itemSchema": {"oneOf": [_sent(name) for name in _FORMS]}}
    return document


_STREAM = "text/event-stream"


def _operations(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for path in document.get("paths", {}).values():
        yield from path.values()


def _sent(name: str) -> dict[str, Any]:
    """An event as it comes out of a stream; its data is a text that holds JSON."""
    data = {"$ref": f"#/components/schemas/{name.capitalize()}Data"}
    properties = {
        "id": {"type": "string"},
        "event": {"const": name},
        "data": {"type": "string", "contentMediaType": "application/json", "contentSchema": data},
    }
    return {"type": "object", "properties": properties, "required": ["event", "data"]}
