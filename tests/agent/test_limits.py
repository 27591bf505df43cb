"""The cost of a run has a bound too, with a reserve for the answer."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest

from actloop.agent import Limits, ReActAgent, RunFinished
from actloop.llm import Reply
from actloop.messages import AssistantMessage, Usage
from actloop.testing import EventRecorder, ScriptedLLM
from actloop.tools import tool
from tests.agent.helpers import call


@pytest.mark.asyncio
async def test_the_cost_limit_leaves_room_for_two_more_requests_like_those_so_far() -> None:
    numbers = itertools.count()

    @tool
    def poll() -> int:
        """Different each time."""
        return next(numbers)

    llm = ScriptedLLM(lambda messages: "best" if messages[-1].role == "user" and len(messages) > 2 else call("poll"))
    limits = Limits(max_cost=4, price=lambda usage: float(usage.calls))
    result = await ReActAgent(llm, [poll], limits=limits).run("q")
    assert (result.answer, result.stop_reason) == ("best", "max_cost")
    assert len(llm.requests) == 3  # two turns and the last request; the synthesis would be the fourth


@pytest.mark.asyncio
async def test_a_price_of_somebodys_own_is_asked_only_about_numbers() -> None:
    asked: list[Usage] = []

    def price(usage: Usage) -> float:
        asked.append(usage)
        assert usage.prompt_tokens is not None
        assert usage.completion_tokens is not None
        return usage.prompt_tokens * 1e-6 + usage.completion_tokens * 1e-5

    llm = ScriptedLLM([Reply(AssistantMessage(" ")), "fine"])
    result = await ReActAgent(llm, limits=Limits(max_cost=1, price=price)).run("q")
    assert (result.answer, result.stop_reason) == ("fine", "answer")
    assert asked[0].calls == 1


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("usage", "price", "cost"),
    [
        (Usage.of_call(100, 10), lambda usage: float(usage.total_tokens), 110.0),
        (Usage.of_call(100, None), lambda usage: float(usage.total_tokens), None),
        (Usage.of_call(100, 10), None, None),
    ],
    ids=["known", "tokens not reported", "no price"],
)
async def test_a_run_says_what_it_cost_if_that_is_known(
    usage: Usage, price: Callable[[Usage], float] | None, cost: float | None
) -> None:
    recorder = EventRecorder()
    llm = ScriptedLLM([Reply(AssistantMessage("fine"), usage)])
    await ReActAgent(llm, rules=(), limits=Limits(price=price)).run("q", on_event=recorder)
    assert [event.cost for event in recorder.of(RunFinished)] == [cost]
