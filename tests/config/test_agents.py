"""Agents by name, built from the settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from actloop import tool
from actloop.config.agents import ConfiguredAgents
from actloop.errors import ConfigError
from actloop.llm import ModelRegistry
from actloop.testing import ScriptedLLM
from tests.config.test_settings import settings_of


@tool
def look() -> str:
    """Look."""
    return "seen"


@tool
def order() -> str:
    """Order."""
    return "ordered"


@pytest.mark.asyncio
async def test_a_named_agent_has_its_model_its_instructions_and_its_tools(tmp_path: Path) -> None:
    file = '[agents.reader]\nmodel = "fast"\ninstructions = "Name the file."\ntools = ["look"]\n'
    general, fast = ScriptedLLM(["brief"]), ScriptedLLM(["brief"])
    agents = ConfiguredAgents(
        settings_of(tmp_path, file=file), [look, order], ModelRegistry({"general": general, "fast": fast})
    )
    await agents.build(agent="reader", instructions="Be short.").run("go")
    system = str(fast.requests[0].messages[0].content)
    assert "Name the file." in system
    assert "Be short." in system
    assert [spec.name for spec in fast.requests[0].tools or ()] == ["look"]
    await agents.build().run("go")
    assert [spec.name for spec in general.requests[0].tools or ()] == ["look", "order"]
    await agents.aclose()
    assert (general.closed, fast.closed) == (True, True)


def test_what_is_not_there_is_told(tmp_path: Path) -> None:
    models = ModelRegistry({"general": ScriptedLLM([])})
    agents = ConfiguredAgents(settings_of(tmp_path), [look], models)
    with pytest.raises(ConfigError, match="there is no agent 'x'"):
        agents.build(agent="x")
    with pytest.raises(ConfigError, match="there is no model 'smart'; there are: general"):
        agents.build(model="smart")
    for wrong, told in (('model = "smart"', "models.smart"), ('tools = ["lok"]', "no tool 'lok'")):
        with pytest.raises(ConfigError, match=told):
            ConfiguredAgents(settings_of(tmp_path, file=f"[agents.a]\n{wrong}\n"), [look], models)
