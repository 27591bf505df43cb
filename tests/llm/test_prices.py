"""What models cost, and the cost limit."""

from __future__ import annotations

import pytest

from actloop.agent import Limits, ReActAgent
from actloop.errors import ConfigError
from actloop.llm import FallbackLLM, load_llm, price_of
from actloop.messages import Usage
from actloop.testing import ScriptedLLM
from tests.agent.helpers import call


def test_a_known_model_has_a_price_that_grows_with_its_tokens() -> None:
    price = price_of("openai:gpt-4o")
    assert price is not None
    assert 0 == price(Usage()) < price(Usage.of_call(1_000, 10)) < price(Usage.of_call(1_000, 1_000))


def test_an_unknown_model_has_none() -> None:
    assert price_of("openai:my-own-model") is None
    assert price_of("") is None


def test_the_price_is_found_through_the_wrappers_of_a_model() -> None:
    llm = load_llm("openai:gpt-4o", api_key="k")
    ReActAgent(llm, limits=Limits(max_cost=1.0))
    ReActAgent(FallbackLLM(llm, llm), limits=Limits(max_cost=1.0))


def test_a_cost_limit_without_a_price_is_refused_at_once() -> None:
    with pytest.raises(ConfigError, match="no price"):
        ReActAgent(ScriptedLLM([]), limits=Limits(max_cost=1.0))


@pytest.mark.asyncio
async def test_a_cost_limit_ends_the_run_with_an_answer() -> None:
    def script(messages: object) -> object:
        return "that is all" if "Stop here" in str(messages) else call("nothing")

    limits = Limits(max_cost=10.0, price=lambda usage: float(usage.calls))
    result = await ReActAgent(ScriptedLLM(script), limits=limits, rules=()).run("q")
    assert (result.stop_reason, result.answer) == ("max_cost", "that is all")
    assert result.usage.calls <= 10
