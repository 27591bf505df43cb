"""The registry: names, lookups, copies."""

from __future__ import annotations

from typing import Any

import pytest

from actloop.errors import ConfigError
from actloop.tools import Tool, ToolRegistry, ToolResult, spec_of, tool


def alpha(x: int) -> int:
    """First."""
    return x


def beta() -> None:
    """Second."""


class Handmade:
    name = "hand-made"
    description = "By hand."
    parameters: dict[str, Any] = {"type": "object"}  # noqa: RUF012 - the protocol asks for a plain attribute
    timeout: float | None = None
    idempotent = False
    requires_approval = False

    async def run(self, arguments: object) -> ToolResult:
        return ToolResult(str(arguments))


def test_functions_and_tools_are_found_by_name_in_order() -> None:
    registry = ToolRegistry([beta, tool(alpha), Handmade()])
    assert registry.names == ("beta", "alpha", "hand-made")
    assert [item.name for item in registry] == list(registry.names)
    assert len(registry) == 3
    assert "alpha" in registry
    assert isinstance(registry.get("beta"), Tool)
    assert registry.get("gamma") is None


def test_specs_are_the_same_object_until_a_tool_comes() -> None:
    registry = ToolRegistry([alpha])
    first = registry.specs()
    assert registry.specs() is first
    registry.register(beta)
    assert [spec.name for spec in registry.specs()] == ["alpha", "beta"]
    assert first[0] == spec_of(registry.get("alpha") or Handmade())


def test_a_selection_keeps_the_order_and_does_not_see_later_tools() -> None:
    registry = ToolRegistry([alpha, beta])
    chosen = registry.select(["beta", "alpha"])
    registry.register(Handmade())
    assert chosen.names == ("alpha", "beta")
    assert registry.select([]).names == ()
    with pytest.raises(ConfigError, match="'gamma'; there are: alpha, beta"):
        registry.select(["alpha", "gamma"])


def test_registering_while_others_iterate_is_safe() -> None:
    registry = ToolRegistry([alpha, beta])
    seen = []
    for item in registry:
        registry.register(tool(alpha, name=f"copy_of_{item.name}"))
        seen.append(item.name)
    assert seen == ["alpha", "beta"]
    assert len(registry) == 4


class Shop:
    @tool
    def buy(self, item: str) -> str:
        return item


class BadName(Handmade):
    name = "two words"


@pytest.mark.parametrize(
    ("items", "words"),
    [
        ([alpha, tool(beta, name="alpha")], "called 'alpha' already"),
        ([BadName()], "'two words'"),
        ([3], "3 is not a tool"),
        ([Shop.buy], "instance.buy"),
        (["alpha"], "'alpha' is not a tool"),
    ],
)
def test_what_cannot_be_registered_is_named(items: list[Any], words: str) -> None:
    with pytest.raises(ConfigError) as raised:
        ToolRegistry(items)
    assert words in str(raised.value)


def test_a_tool_keeps_its_spec_in_every_registry_until_it_changes() -> None:
    @tool
    def look() -> str:
        """Look."""
        return ""

    first = ToolRegistry([look]).specs()[0]
    assert ToolRegistry([look]).specs()[0] is first
    look.description = "Look closely."
    assert ToolRegistry([look]).specs()[0].description == "Look closely."


@pytest.mark.parametrize("parameters", [None, True, {"type": "nonsense"}, {"$ref": "https://elsewhere.test/schema"}])
def test_a_tool_class_with_a_schema_that_is_none_is_refused_when_it_is_registered(parameters: Any) -> None:
    class Odd:
        name, description, timeout, idempotent, requires_approval = "odd", "", None, False, False

        def __init__(self) -> None:
            self.parameters = parameters

        async def run(self, arguments: Any) -> ToolResult:
            return ToolResult("")

    with pytest.raises(ConfigError, match="odd"):
        ToolRegistry([Odd()])
