"""Stop, cancel, and the end of one call."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.support.browsing import Desk
from tests.support.directed_llm import DirectedLLM, HeldTool, Pieces, calls

pytestmark = pytest.mark.asyncio(loop_scope="session")

SEARCH = calls(("search_web", {"topic": "cups"}))


async def test_a_stopped_run_finishes_its_tool_and_answers(desk: Desk) -> None:
    search = HeldTool()
    async with desk.open(DirectedLLM(SEARCH, "Three.", "So far I have found three pages."), search.tool) as tab:
        await tab.ask("Read everything about cups.")
        await expect(tab.call("search_web")).to_have_accessible_name("search_web: Running")
        async with tab.page.expect_response("**/stop"):
            await tab.button("Stop: finish what runs, then answer").click()
        await expect(tab.button("Stopping: what runs is finished, then you get an answer")).to_be_disabled()
        search.end("cups")
        await tab.answered("So far I have found three pages.")
        await expect(tab.page.get_by_role("group", name="About this answer")).to_contain_text("Stopped by you")
        await expect(tab.button("Send")).to_be_visible()


async def test_a_cancelled_run_ends_at_once(desk: Desk) -> None:
    search = HeldTool()
    async with desk.open(DirectedLLM(SEARCH), search.tool) as tab:
        await tab.ask("Read everything about cups.")
        await expect(tab.call("search_web")).to_have_accessible_name("search_web: Running")
        await tab.button("Cancel").click()
        footer = tab.page.get_by_role("group", name="About this answer")
        await expect(footer).to_contain_text("Cancelled by you")
        await tab.page.get_by_role("group", name="What the agent did").get_by_role("button").first.click()
        await expect(tab.call("search_web")).to_have_accessible_name("search_web: Ended with the run")


async def test_an_answer_that_is_cancelled_stays_as_far_as_it_came(desk: Desk) -> None:
    answer = Pieces("Cups hold ", "tea.")
    async with desk.open(DirectedLLM("tea", answer)) as tab:
        await tab.ask("What are cups for?")
        await expect(tab.answers).to_have_text("Cups hold")
        await tab.button("Cancel").click()
        await tab.answered("Cups hold")
        await expect(tab.answers).to_contain_text("The answer ends here")
        await tab.page.reload()
        await tab.answered("Cups hold")


async def test_one_call_is_cancelled_and_the_run_goes_on(desk: Desk) -> None:
    search = HeldTool()
    both = calls(("search_web", {"topic": "cups"}), ("search_web", {"topic": "tea"}))
    async with desk.open(DirectedLLM(both, "Tea only.", "I know about tea only."), search.tool) as tab:
        await tab.ask("Find pages about cups and tea.")
        cups, tea = (tab.call("search_web").filter(has_text=topic) for topic in ("cups", "tea"))
        await cups.get_by_role("button", name="Cancel search_web").click()
        await expect(cups).to_have_accessible_name("search_web: Failed")
        await expect(tea).to_have_accessible_name("search_web: Running")
        search.end("tea")
        await tab.answered("I know about tea only.")
        await expect(tab.page.get_by_role("group", name="About this answer")).not_to_contain_text("Cancelled")
