"""Write the page's types: of the events, and of the bodies over HTTP, as the service describes them itself.

Usage: python -m scripts.page_types
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from actloop.config.service_settings import ServiceSettings
from actloop.service.app import create_app
from actloop.service.parts import Parts
from actloop.service.problems import PROBLEM_RESPONSES
from actloop.service.wire_schema import wire_schema

__all__ = ["FOLDER", "page_types"]

FOLDER = Path(__file__).parent.parent / "web" / "src" / "protocol"

_HEAD = "/* Made by `make page-types` from what the service says of itself; a test compares the two. */\n"
_EVENTS, _BODIES = "events.ts", "api.ts"
_WIDTH = 120
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*")
_PLAIN = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}

Schema = dict[str, Any]


def page_types() -> dict[str, str]:
    """Return the files by name."""
    events = wire_schema()
    names = list(events["$defs"])
    union = "".join(_arm(arm) for arm in events["oneOf"])
    wire = f"{_comment('An event as it is sent: its name and its data.')}export type WireEvent ={union};\n"
    wire += '\nexport type EventName = WireEvent["event"];\n'
    return {
        _EVENTS: "\n".join([_HEAD, *_declarations(events["$defs"]), wire]),
        _BODIES: "\n".join([_HEAD, *_declarations(_bodies(leaving_out=names))]),
    }


def _bodies(leaving_out: list[str]) -> dict[str, Schema]:
    """The bodies of ``/api``, by name."""
    settings = ServiceSettings(database_url="sqlite:///unused.db")
    document = create_app(cast("Parts", SimpleNamespace(settings=settings, locked=False))).openapi()
    schemas: dict[str, Schema] = document["components"]["schemas"]
    paths = {path: item for path, item in document["paths"].items() if path.startswith("/api/")}
    wanted, found = set(_references(paths)), set[str]()
    while wanted:
        found |= wanted
        wanted = {name for parent in wanted for name in _references(schemas[parent])} - found
    problem = PROBLEM_RESPONSES["default"]["content"]["application/problem+json"]["schema"]
    kept = {name: schemas[name] for name in sorted(found - {*leaving_out, "WireEvent"})}
    return {**kept, "Problem": {**problem, "description": "What went wrong, as RFC 9457 says it."}}


def _references(value: object) -> Iterator[str]:
    return (name for name in re.findall(r'"\$ref": "[^"]*/([^"/]+)"', json.dumps(value)))


def _declarations(schemas: dict[str, Schema]) -> Iterator[str]:
    for name, schema in schemas.items():
        head = _comment(schema.get("description", ""))
        if schema.get("properties"):
            yield f"{head}export interface {name} {_object(schema)}\n"
        elif schema.get("type") == "object":
            yield f"{head}export type {name} = Readonly<Record<string, never>>;\n"
        else:
            yield f"{head}export type {name} = {_type(schema)};\n"


def _object(schema: Schema) -> str:
    required = schema.get("required", [])
    fields = (
        _field(f"  readonly {_key(name)}{'' if name in required else '?'}:", _type(field))
        for name, field in schema["properties"].items()
    )
    return f"{{\n{''.join(fields)}}}"


def _field(head: str, type: str) -> str:
    if len(head) + len(type) + 2 > _WIDTH and " | " in type:
        type = "".join(f"\n    | {arm}" for arm in type.split(" | "))
    return f"{head}{'' if type.startswith(chr(10)) else ' '}{type};\n"


def _type(schema: Schema) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema["enum"])
    if arms := schema.get("anyOf") or schema.get("oneOf"):
        return " | ".join(dict.fromkeys(_type(arm) for arm in arms))
    match schema.get("type"):
        case "array":
            inner = _type(schema["items"])
            return f"readonly ({inner})[]" if " | " in inner else f"readonly {inner}[]"
        case "object" if "properties" in schema:
            return _object(schema).replace("\n", "\n  ")
        case "object":
            values = schema.get("additionalProperties")
            return f"Readonly<Record<string, {_type(values) if isinstance(values, dict) and values else 'unknown'}>>"
        case str(name):
            return _PLAIN[name]
        case _:
            return "unknown"


def _arm(schema: Schema) -> str:
    name, data = schema["properties"]["event"]["const"], _type(schema["properties"]["data"])
    return f"\n  | {{ readonly event: {json.dumps(name)}; readonly data: {data} }}"


def _key(name: str) -> str:
    return name if _IDENTIFIER.fullmatch(name) else json.dumps(name)


def _comment(text: str) -> str:
    """What the service says of it, as a comment."""
    text = text.replace("``", "`").replace("*/", "* /").strip()
    if not text:
        return ""
    if len(text) + 7 <= _WIDTH and "\n" not in text:
        return f"/** {text} */\n"
    lines = [line for part in text.split("\n") for line in textwrap.wrap(part, _WIDTH - 3) or [""]]
    return "/**\n" + "".join(f" * {line}".rstrip() + "\n" for line in lines) + " */\n"


def main() -> None:
    """Write the files."""
    for name, text in page_types().items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    main()
