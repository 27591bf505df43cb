"""What is remembered of a model instance."""

from __future__ import annotations

import gc
from dataclasses import dataclass, field
from typing import Any, cast

from actloop.llm import LLM, observed
from actloop.testing import ScriptedLLM


def test_each_instance_has_a_record_of_its_own() -> None:
    one, other = ScriptedLLM([]), ScriptedLLM([])
    observed(one).leaked_runs = 2
    assert observed(one).leaked_runs == 2
    assert observed(other).leaked_runs == 0


def test_models_that_compare_by_value_are_still_two() -> None:
    @dataclass
    class Custom:  # a dataclass has no hash
        abilities: dict[str, bool] = field(default_factory=dict)

    one, other = cast(LLM, Custom()), cast(LLM, Custom())
    observed(one).refused.add("tool_call")
    assert observed(one).refused == {"tool_call"}
    assert observed(other).refused == set()


def test_a_model_that_cannot_be_referenced_weakly_has_a_record_too() -> None:
    class Custom:
        __slots__ = ("abilities",)

    one = cast(LLM, Custom())
    observed(one).leaked_runs = 1
    assert observed(one).leaked_runs == 1


def test_a_record_ends_with_its_model_so_that_no_other_inherits_it() -> None:
    def used() -> int:
        llm: Any = ScriptedLLM([])
        observed(llm).leaked_runs = 9
        return id(llm)

    seen = {used() for _ in range(3)}
    gc.collect()
    again = [ScriptedLLM([]) for _ in range(50)]
    assert all(observed(llm).leaked_runs == 0 for llm in again), seen
