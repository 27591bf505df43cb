"""Case files: one JSON object a line, with `id`, `topic`, `input`, `expected` and `why`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["DATA", "PENDING", "Case", "cases_of", "own_cases", "pending_ids"]

DATA = Path(__file__).parent / "data"
PENDING = Path(__file__).parent / "pending.txt"


@dataclass(frozen=True)
class Case:
    """One case. ``fault`` says why the line holds none; such a case fails."""

    id: str
    topic: str = ""
    input: dict[str, Any] = field(default_factory=dict)
    expected: dict[str, Any] = field(default_factory=dict)
    fault: str | None = None

    @property
    def statements(self) -> tuple[str, ...]:
        """What `assert` says: one check each, written by hand."""
        said = self.expected.get("assert", ())
        return (said,) if isinstance(said, str) else tuple(said)

    @property
    def machine_keys(self) -> dict[str, Any]:
        """What `expected` says in a form that a program can compare."""
        return {key: value for key, value in self.expected.items() if key != "assert"}


def cases_of(path: Path) -> Iterator[Case]:
    """The cases of one file. A line or a file that cannot be read is a case with a fault."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        yield Case(str(path), fault=f"the file cannot be read: {error}")
        return
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield _case(line, f"{path.name}:{number}")


def _case(line: str, place: str) -> Case:
    try:
        record = json.loads(line)
    except ValueError as error:
        return Case(place, fault=f"the line is not JSON: {error}")
    if not isinstance(record, dict):
        return Case(place, fault="the line is not a JSON object")
    id = str(record.get("id") or place)
    given, expected = record.get("input"), record.get("expected")
    if not isinstance(given, dict) or not isinstance(expected, dict) or not expected:
        return Case(id, fault="a case needs the objects 'input' and 'expected'")
    return Case(id, str(record.get("topic", "")), given, expected)


def own_cases() -> list[Case]:
    """Every case of the repository."""
    return [case for path in sorted(DATA.glob("*.jsonl")) for case in cases_of(path)]


def pending_ids() -> frozenset[str]:
    """The ids of the cases whose part does not exist yet."""
    return frozenset(PENDING.read_text(encoding="utf-8").split())
