"""Much of everything: many turns, a long answer, many tools to choose from."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import expect

from actloop import tool
from actloop.testing import ScriptedLLM
from tests.support.browsing import Desk
from tests.support.directed_llm import DirectedLLM, Held, Pieces, calls

pytestmark = pytest.mark.asyncio(loop_scope="session")

TURNS = 80


async def test_of_many_turns_those_in_sight_are_there(desk: Desk) -> None:
    async with desk.serve(ScriptedLLM(lambda messages: "An answer.\n\nWith two lines.")) as service:
        conversation = await service.conversation(title="Long")
        for number in range(TURNS):
            await service.events(await service.start(conversation, f"Question {number}"))
        async with desk.visit(service, f"/c/{conversation}") as tab:
            scroller = tab.page.get_by_role("region", name="Conversation", exact=True)
            last = tab.page.get_by_role("article", name=f"Question {TURNS - 1}", exact=True)
            await expect(last.get_by_role("group", name="About this answer")).to_be_in_viewport()
            assert await tab.page.get_by_role("article").count() < TURNS / 3
            first = tab.page.get_by_role("article", name="Question 0", exact=True)
            await scroller.focus()
            await tab.page.keyboard.press("Home")
            await expect(first.get_by_role("group", name="Answer", exact=True)).to_contain_text("An answer.")
            await expect(first).to_be_in_viewport()
            asked = [url for url in tab.requests if url.endswith("/events") or "/events?" in url]
            assert len(asked) < TURNS / 2, "what nobody looks at is not asked for"


async def test_a_long_answer_is_whole_and_one_can_write_meanwhile(desk: Desk) -> None:
    part = (
        "## Part {n}\n\nSome *words* about `it`.\n\n| a | b |\n|---|---|\n| {n} | 2 |\n\n```python\nprint({n})\n```\n\n"
    )
    parts = ["".join(part.format(n=n) for n in range(start, start + 80)) for start in range(0, 640, 80)]
    answer = Pieces(*parts, "The end.")
    async with desk.open(DirectedLLM("brief", answer)) as tab:
        await tab.ask("Tell me everything.")
        await expect(tab.answers).to_be_visible()
        for _ in parts:
            answer.go_on()
            await tab.composer.press_sequentially("a")
        await expect(tab.composer).to_have_value("a" * len(parts))
        answer.finish()
        await tab.answered("The end.")
        await expect(tab.answers.get_by_text("The end.")).to_be_in_viewport()
        await tab.page.get_by_role("region", name="Conversation", exact=True).focus()
        await tab.page.keyboard.press("Home")
        await expect(tab.answers.get_by_role("heading", name="Part 0", exact=True)).to_be_in_viewport()


async def test_choosing_among_many_tools_is_told_while_it_lasts(desk: Desk) -> None:
    async def work(topic: str) -> str:
        """Do something with a topic."""
        return f"Done: {topic}."

    tools = [tool(work, name=f"tool_{number}") for number in range(14)]
    choice = Held(calls(("select_tools", {"tools": ["tool_3"]})))
    model = DirectedLLM(choice, calls(("tool_3", {"topic": "tea"})), "brief", "It is done.")
    async with desk.open(model, *tools) as tab:
        await tab.ask("Do something with tea.")
        await expect(tab.page.get_by_text(re.compile(r"^Choosing among \d+ tools …"))).to_be_visible()
        choice.release()
        await tab.answered("It is done.")


async def test_the_agent_that_was_chosen_is_the_one_that_answers(desk: Desk) -> None:
    async with desk.open(DirectedLLM("brief", "Yes.")) as tab:
        await tab.button(re.compile("^Choose model and agent")).click()
        await tab.page.get_by_role("menuitemradio", name="helper").click()
        await tab.ask("Are you the helper?")
        await tab.answered("Yes.")
        conversation = tab.page.url.rsplit("/", 1)[1]
        runs = (await tab.service.ask("GET", f"/api/conversations/{conversation}")).data["runs"]
        assert [run["agent"] for run in runs] == ["helper"]
        await tab.page.reload()
        await expect(tab.button(re.compile("^Choose model and agent: .*helper"))).to_be_visible()
