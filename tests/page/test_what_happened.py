"""What a run's turns, notices and ends look like."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import expect

from tests.support.browsing import Desk, Tab
from tests.support.directed_llm import DirectedLLM, Held, HeldTool, calls

pytestmark = pytest.mark.asyncio(loop_scope="session")

CITIES = ("Oslo", "Kyoto", "Lisbon")


async def unfold(tab: Tab) -> None:
    """Show what the agent did."""
    await tab.page.get_by_role("group", name="What the agent did").get_by_role("button", expanded=False).first.click()


async def test_calls_of_one_turn_stand_side_by_side_and_end_each_by_itself(desk: Desk) -> None:
    weather = HeldTool("weather")
    turn = calls(*(("weather", {"topic": city}) for city in CITIES))
    async with desk.open(DirectedLLM(turn, "Mild.", "It is mild."), weather.tool) as tab:
        await tab.ask("What is the weather like?")
        cards = [tab.call("weather").filter(has_text=city) for city in CITIES]
        for card in cards:
            await expect(card).to_have_accessible_name("weather: Running")
        boxes = [box for card in cards if (box := await card.bounding_box())]
        first, second = boxes[0], boxes[1]
        assert abs(first["y"] - second["y"]) < 2
        assert second["x"] >= first["x"] + first["width"]
        weather.end("Kyoto", "21 degrees")
        await expect(cards[1]).to_have_accessible_name("weather: Done")
        await expect(cards[0]).to_have_accessible_name("weather: Running")
        weather.fail("Oslo", "the station is closed")
        await expect(cards[0]).to_have_accessible_name("weather: Failed")
        await expect(cards[0]).to_contain_text("the station is closed")
        weather.end("Lisbon", "24 degrees")
        await tab.answered("It is mild.")
        summary = tab.page.get_by_role("group", name="What the agent did").get_by_role("button").first
        await expect(summary).to_have_text(re.compile(r"3 tool calls.*1 failed"))


async def test_a_demotion_says_what_changed(desk: Desk) -> None:
    async with desk.played("demotion") as tab:
        await unfold(tab)
        await expect(tab.page.get_by_text("Changed to a simpler way of calling tools")).to_be_visible()
        await expect(tab.page.get_by_text("The run goes on in JSON mode.")).to_be_visible()


async def test_a_divider_says_how_much_was_summarised(desk: Desk) -> None:
    async with desk.played("compaction") as tab:
        text = re.compile(r"^Earlier context \(\d+ messages\) was summarised$")
        await expect(tab.page.get_by_text(text).first).to_be_visible()


async def test_an_answer_that_was_begun_anew_is_shown_once(desk: Desk) -> None:
    async with desk.played("answer-restart") as tab:
        await expect(tab.answers).to_have_text("The whole answer.")


async def test_a_run_that_failed_says_why_and_keeps_what_it_found(desk: Desk) -> None:
    async with desk.played("failed") as tab:
        await expect(tab.page.get_by_text("The run could not be finished")).to_be_visible()
        await expect(tab.page.get_by_text("The model at the provider cannot be reached").first).to_be_visible()
        await expect(tab.page.get_by_role("group", name="About this answer")).to_contain_text("Failed")
        await unfold(tab)
        await expect(tab.call("read_file")).to_have_accessible_name("read_file: Done")


async def test_what_one_reads_does_not_fold_away(desk: Desk) -> None:
    search, last = HeldTool(), Held("Many.")
    model = DirectedLLM(calls(("search_web", {"topic": "lines"})), last, "There are many lines.")
    async with desk.open(model, search.tool) as tab:
        await tab.ask("How many lines?")
        card = tab.call("search_web")
        await card.get_by_role("button", expanded=False).click()
        search.end("lines", "\n".join(f"line {number}" for number in range(1, 101)))
        await expect(card).to_contain_text("line 12")
        await expect(card).not_to_contain_text("line 99")
        await card.get_by_role("button", name="Show all 100 lines").click()
        await expect(card).to_contain_text("line 100")
        last.release()
        await tab.answered("There are many lines.")
        await expect(card).to_contain_text("line 100")
