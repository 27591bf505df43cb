"""A place in a JSON Schema: the schema that holds there, with references inside the document resolved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from actloop.llm.json_schema import fits

__all__ = ["SchemaNode"]

_MOST_HOPS = 20


@dataclass(frozen=True, slots=True)
class SchemaNode:
    """The part of ``root`` at the JSON pointer ``pointer``; ``schema`` is empty where anything goes."""

    root: dict[str, Any]
    pointer: str
    schema: dict[str, Any]

    @classmethod
    def of(cls, root: dict[str, Any]) -> SchemaNode:
        """The whole of ``root``."""
        return cls(root, "", root)

    def child(self, *steps: str | int) -> SchemaNode:
        """The part that ``steps`` lead to from here, for example ``child("anyOf", 0)``."""
        value: Any = self.schema
        pointer = self.pointer
        for step in steps:
            value = value[step]
            pointer += "/" + str(step).replace("~", "~0").replace("/", "~1")
        return SchemaNode(self.root, pointer, value if isinstance(value, dict) else {})

    def resolved(self) -> SchemaNode:
        """Where a ``$ref`` that stands here leads; this node itself if there is none, or it leads nowhere."""
        if "$ref" not in self.schema:
            return self
        from urllib.parse import unquote

        node = self
        for _ in range(_MOST_HOPS):
            reference = node.schema.get("$ref")
            if not isinstance(reference, str) or not reference.startswith("#"):
                return node
            target = self._find(unquote(reference[1:]))
            if target is None:
                return node
            node = target
        return self

    def _find(self, pointer: str) -> SchemaNode | None:
        value: Any = self.root
        for step in pointer.split("/")[1:]:
            step = step.replace("~1", "/").replace("~0", "~")
            if isinstance(value, list) and step.isdecimal() and int(step) < len(value):
                value = value[int(step)]
            elif isinstance(value, dict) and step in value:
                value = value[step]
            else:
                return None
        if pointer and not pointer.startswith("/"):
            return None  # an `$anchor`
        return SchemaNode(self.root, pointer, value) if isinstance(value, dict) else None

    def accepts(self, value: Any) -> bool:
        """Whether ``value`` fits what stands here."""
        from urllib.parse import quote

        return fits(value, self.root, quote(self.pointer, safe="/~$"))

    def types(self) -> tuple[str, ...]:
        """The types that ``type`` names here; none when it does not say."""
        named = self.schema.get("type")
        if isinstance(named, str):
            return (named,)
        return tuple(name for name in named if isinstance(name, str)) if isinstance(named, list) else ()

    def branches(self) -> list[SchemaNode]:
        """The alternatives of ``anyOf`` or ``oneOf`` here."""
        for keyword in ("anyOf", "oneOf"):
            if isinstance(self.schema.get(keyword), list):
                return [self.child(keyword, number) for number in range(len(self.schema[keyword]))]
        return []
