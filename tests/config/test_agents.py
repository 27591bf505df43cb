"""Agents by name, built from the settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from actloop import tool
from actloop.agent import RunFinished
from actloop.config.agents import ConfiguredAgents
from actloop.errors import ConfigError
from actloop.llm import ModelRegistry
from actloop.testing import EventRecorder, ScriptedLLM
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


def test_models_are_called_by_their_own_name(tmp_path: Path) -> None:
    file = '[model]\nname = "openai:gpt-4o"\n[models.fast]\nname = "local:qwen2.5-0.5b-instruct"\n'
    models = ModelRegistry({"general": ScriptedLLM([]), "fast": ScriptedLLM([])})
    agents = ConfiguredAgents(settings_of(tmp_path, file=file), [], models)
    assert agents.model_names == {"general": "gpt-4o", "fast": "qwen2.5-0.5b-instruct"}
    assert agents.default_role in agents.roles


@pytest.mark.asyncio
async def test_a_run_of_a_model_with_a_known_price_says_its_cost(tmp_path: Path) -> None:
    class Priced(ScriptedLLM):
        name = "openai:gpt-4o"

    recorder = EventRecorder()
    agents = ConfiguredAgents(settings_of(tmp_path), [], ModelRegistry({"general": Priced(["hi"])}))
    await agents.build().run("go", on_event=recorder)
    (cost,) = [event.cost for event in recorder.of(RunFinished)]
    assert cost is not None
    assert 0 < cost < 0.01
