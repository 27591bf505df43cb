"""Numbers and arguments that cannot work are refused where they are given."""

from __future__ import annotations

from typing import Any

import pytest

from actloop.agent import AgentSettings, InterruptQueue, ReActAgent
from actloop.errors import ConfigError
from actloop.testing import ScriptedLLM


@pytest.mark.parametrize(
    "numbers",
    [
        {"self_check_every": 0},
        {"max_parallel_calls": 0},
        {"answer_attempts": 0},
        {"tool_timeout": -1.0},
        {"answer_stall_timeout": float("nan")},
        {"completion_check_calls": -1},
    ],
)
def test_a_number_out_of_range_is_refused_by_its_name(numbers: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=next(iter(numbers))):
        AgentSettings(**numbers)


def test_what_is_never_is_zero() -> None:
    assert AgentSettings(max_calls_only_turns=0, tool_selection_threshold=0).max_calls_only_turns == 0


@pytest.mark.parametrize("llm", [None, "openai:gpt-4o"])
def test_what_is_no_model_is_refused_with_what_it_lacks(llm: Any) -> None:
    with pytest.raises(ConfigError, match=r"load_llm.*has no abilities"):
        ReActAgent(llm)


@pytest.mark.parametrize("iterations", [0, 2.5, float("nan"), "5", None])
def test_only_a_whole_number_of_turns_is_possible(iterations: Any) -> None:
    with pytest.raises(ConfigError, match="max_iterations"):
        ReActAgent(ScriptedLLM([]), max_iterations=iterations)


@pytest.mark.asyncio
@pytest.mark.parametrize("query", ["", " \n", None, 5])
async def test_a_question_is_a_text(query: Any) -> None:
    with pytest.raises(ConfigError, match="the question"):
        await ReActAgent(ScriptedLLM(["never asked"])).run(query)


def test_a_message_to_an_agent_is_a_text() -> None:
    queue = InterruptQueue()
    with pytest.raises(TypeError, match="None"):
        queue.put(None)  # type: ignore[arg-type]
    assert queue.drain() == []
