"""Ask again, the same or something else, and copy."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.support.browsing import Desk, Tab
from tests.support.directed_llm import DirectedLLM, Pieces

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def copied(tab: Tab) -> str:
    """What is on the clipboard."""
    return str(await tab.page.evaluate("navigator.clipboard.readText()"))


async def test_asking_again_replaces_the_last_answer(desk: Desk) -> None:
    model = DirectedLLM("one", "First.", "two", "Second.", "three", Pieces("Thi", "rd."))
    async with desk.open(model) as tab:
        await tab.ask("Where does it begin?")
        await tab.answered("First.")
        await tab.ask("And then?")
        await tab.answered("Second.")
        await expect(tab.button("Ask again")).to_have_count(1)
        await tab.button("Ask again").click()
        await expect(tab.answers.last).to_have_text("Thi")
        await expect(tab.turns).to_have_count(2)
        await tab.page.reload()
        await expect(tab.answers.last).to_have_text("Thi")
        await expect(tab.turns).to_have_count(2)
        await expect(tab.page.get_by_role("group", name="You asked").last).to_have_text("And then?")
        last = str(model.requests[-1].messages)
        assert "First." in last
        assert "Second." not in last


async def test_a_question_is_changed_and_asked_again(desk: Desk) -> None:
    model = DirectedLLM("one", "About cups.", "two", "About bowls.")
    async with desk.open(model) as tab:
        await tab.ask("Tell me about cups.")
        await tab.answered("About cups.")
        await tab.button("Edit and ask again").click()
        field = tab.page.get_by_role("textbox", name="Edit the question")
        await expect(field).to_have_value("Tell me about cups.")
        await field.fill("Tell me about bowls.")
        await field.press("Enter")
        await tab.answered("About bowls.")
        await expect(tab.turns).to_have_count(1)
        await expect(tab.page.get_by_role("group", name="You asked")).to_have_text("Tell me about bowls.")
        assert "cups" not in str(model.requests[-1].messages)


async def test_questions_answers_and_code_are_copied_as_they_were_written(desk: Desk) -> None:
    answer = "Do **this**:\n\n```sh\nmake run\n```\n"
    permissions = ["clipboard-read", "clipboard-write"]
    async with desk.open(DirectedLLM("brief", answer), permissions=permissions) as tab:
        await tab.ask("How does it start?")
        await tab.answered("make run")
        await tab.button("Copy answer").click()
        await expect(tab.button("Copied")).to_be_visible()
        assert await copied(tab) == answer
        await tab.button("Copy code").click()
        await expect(tab.button("Copied")).to_have_count(2)
        assert await copied(tab) == "make run"
        await tab.page.get_by_role("group", name="You asked").get_by_role("button", name="Copy").click()
        await expect(tab.button("Copied")).to_have_count(3)
        assert await copied(tab) == "How does it start?"
