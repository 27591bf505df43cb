"""The schema of a tool is plain JSON, whatever the function's types and defaults are."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Literal, Optional

from actloop.tools import tool
from tests.cases.keeping import keeps


class Tone(StrEnum):
    WARM = "warm"
    COOL = "cool"


@keeps("C103", "json.dumps(schema) works")
def test_the_schema_of_optional_parameters_is_json() -> None:
    def find_trains(origin: str, stops: Optional[int] = None, cabin: str | None = None) -> list[str]:  # noqa: UP045
        return []

    schema = json.loads(json.dumps(tool(find_trains).parameters, allow_nan=False))
    assert list(schema["properties"]) == ["origin", "stops", "cabin"]


@keeps("C105", "json.dumps(schema) works although the default is an enum member")
def test_the_schema_of_a_parameter_with_an_enum_default_is_json() -> None:
    def restyle(text: str, tone: Tone = Tone.WARM, size: Literal["s", "m"] = "m") -> str:
        return tone.value

    schema = json.loads(json.dumps(tool(restyle).parameters, allow_nan=False))
    assert schema["properties"]["tone"]["default"] == "warm"
