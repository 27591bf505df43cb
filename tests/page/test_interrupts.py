"""What one says to an agent at work, and its receipts."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.support.browsing import Desk
from tests.support.directed_llm import DirectedLLM, Held, HeldTool, Pieces, calls

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_message_is_queued_changed_delivered_and_answered(desk: Desk) -> None:
    search, last, answer = HeldTool(), Held("Three blue ones."), Pieces("There are three ", "blue ones.")
    model = DirectedLLM(calls(("search_web", {"topic": "cups"})), last, answer)
    async with desk.open(model, search.tool) as tab:
        await tab.ask("Find cups.")
        await expect(tab.call("search_web")).to_have_accessible_name("search_web: Running")
        await tab.ask("Only red ones.")
        waiting = tab.page.get_by_role("list", name="Waiting to be read by the agent").get_by_role("listitem")
        await expect(waiting).to_contain_text("Only red ones.")
        await expect(tab.composer).to_have_value("")
        await tab.ask("Please hurry.")
        await expect(waiting).to_have_count(2)

        await waiting.filter(has_text="hurry").get_by_role("button", name="Take back").click()
        await expect(waiting).to_have_count(1)
        await waiting.get_by_role("button", name="Edit", exact=True).click()
        field = tab.page.get_by_role("textbox", name="Edit the message")
        await field.fill("Only blue ones.")
        await field.press("Enter")
        await expect(waiting).to_contain_text("Only blue ones.")

        search.end("cups")
        said = tab.page.get_by_role("group", name="You added").filter(has_text="Only blue ones.")
        await expect(said).to_contain_text("Read by the agent")
        await expect(waiting).to_have_count(0)
        last.release()
        answer.finish()
        await expect(said).to_contain_text("Taken into account")
        await tab.answered("There are three blue ones.")
        await expect(said).to_be_visible()
        assert "Only blue ones." in str(model.requests[1].messages)
        assert "hurry" not in str(model.requests[1].messages)


async def test_a_message_that_comes_too_late_is_the_next_question(desk: Desk) -> None:
    answer = Pieces("Cups hold ", "tea.")
    async with desk.open(DirectedLLM("tea", answer, "soup", "Bowls hold soup.")) as tab:
        await tab.ask("What are cups for?")
        await expect(tab.answers).to_have_text("Cups hold")
        await tab.ask("And bowls?")
        await expect(tab.page.get_by_role("main").get_by_text("And bowls?").first).to_be_visible()
        answer.finish()
        await expect(tab.turns).to_have_count(2)
        await expect(tab.page.get_by_role("group", name="You asked").last).to_have_text("And bowls?")
        await tab.answered("Bowls hold soup.")
        await expect(tab.answers.first).to_have_text("Cups hold tea.")
