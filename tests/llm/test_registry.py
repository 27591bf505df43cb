import pytest

from actloop.errors import ConfigError
from actloop.llm.registry import ModelRegistry
from actloop.testing.scripted_llm import ScriptedLLM

GENERAL, FAST = ScriptedLLM([]), ScriptedLLM([])


def test_a_role_without_a_model_of_its_own_gets_the_general_one() -> None:
    models = ModelRegistry({"general": GENERAL, "fast": FAST})
    assert models.get("fast") is FAST
    assert models.get("general") is models.get("smart") is models.get("no such role") is models.get(None) is GENERAL
    assert models.roles == ("general", "fast")


def test_without_a_general_model_there_is_no_registry() -> None:
    with pytest.raises(ConfigError, match="'general' is missing; roles given: 'fast'"):
        ModelRegistry({"fast": FAST})


@pytest.mark.asyncio
async def test_closing_closes_every_model() -> None:
    first, second = ScriptedLLM([]), ScriptedLLM([])
    await ModelRegistry({"general": first, "fast": second, "smart": second}).aclose()
    assert first.closed
    assert second.closed
