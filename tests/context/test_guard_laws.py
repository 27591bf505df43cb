"""What holds for any history, any budget and any hint."""

from __future__ import annotations

import asyncio
import copy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actloop.context import ContextGuard
from actloop.context.pinned import latest_query
from actloop.context.summariser import HINTS
from actloop.errors import ContextTooSmall
from actloop.messages import Message, SystemMessage, ToolSpec, broken_rule, valid_history
from actloop.testing import ScriptedLLM
from tests.context.histories import histories, texts

_TOOLS = (ToolSpec("look", "Look something up.", {"type": "object", "properties": {"q": {"type": "string"}}}),)

summarisers = st.one_of(
    st.none(),
    texts.map(lambda text: ScriptedLLM(lambda messages: text)),
    st.just(ScriptedLLM([])),  # raises on every call
)


@settings(max_examples=150, deadline=None)
@given(
    history=histories,
    budget=st.one_of(st.integers(1, 600), st.integers(600, 8_000)),
    hint=st.sampled_from(sorted(HINTS)),
    tools=st.sampled_from([(), _TOOLS]),
    llm=summarisers,
    query=st.booleans(),
)
def test_the_result_is_valid_and_fits_and_keeps_prompt_and_question(
    history: list[Message],
    budget: int,
    hint: str,
    tools: tuple[ToolSpec, ...],
    llm: ScriptedLLM | None,
    query: bool,
) -> None:
    guard = ContextGuard(budget, compact_llm=llm)
    before = copy.deepcopy(history)
    try:
        after = asyncio.run(guard.check_and_compact(history, hint=hint, tools=tools))
    except ContextTooSmall:
        system = [message for message in history if isinstance(message, SystemMessage)]
        valid = valid_history(history)
        position = latest_query(valid)
        asked = [] if position is None else [valid[position]]
        assert ContextGuard(10**9).tokens([*system, *asked], tools) >= budget - 1
        return
    finally:
        assert history == before, "the given history was changed"

    assert guard.tokens(after, tools) <= budget
    if after is history:
        return
    assert broken_rule(after) is None
    assert [m for m in after if isinstance(m, SystemMessage)] == [m for m in history if isinstance(m, SystemMessage)]
    position = latest_query(valid_history(history))
    if position is not None:
        assert valid_history(history)[position] in after
    assert asyncio.run(guard.check_and_compact(after, hint=hint, tools=tools)) is after


@pytest.mark.parametrize("budget", [0, -5])
def test_a_budget_of_nothing_is_refused(budget: int) -> None:
    with pytest.raises(Exception, match="at least 1 token"):
        ContextGuard(budget)
