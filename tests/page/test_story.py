"""The whole way from a question to its answer."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import expect

from tests.support.browsing import Desk
from tests.support.directed_llm import DirectedLLM, Held, HeldTool, Pieces, calls

pytestmark = pytest.mark.asyncio(loop_scope="session")

ANSWER = (
    "There are **12 cups**.\n\n| item | units |\n|---|--:|\n",
    "| tea | 7 |\n| cups | 12 |\n\nSo $7 + 12",
    " = 19$ in all:\n\n```python\nprint(7 +",
    " 12)\n```\n",
)


async def test_a_question_is_worked_on_before_ones_eyes_and_answered(desk: Desk) -> None:
    search, thought, answer = HeldTool(), Held("twelve"), Pieces(*ANSWER)
    turn = Held(calls(("search_web", {"topic": "cups"}), reasoning="The stock will tell."))
    async with desk.open(DirectedLLM(turn, thought, answer), search.tool) as tab:
        page = tab.page
        await expect(page.get_by_role("heading", name="What shall we find out?")).to_be_visible()
        await expect(tab.composer).to_be_focused()
        await tab.ask("How many cups are left?")
        await expect(page).to_have_url(re.compile(r"/c/conv_\w+$"))
        await expect(page.get_by_role("group", name="You asked")).to_have_text("How many cups are left?")
        await expect(page.get_by_text("Thinking …")).to_be_visible()
        turn.release()

        card = tab.call("search_web")
        await expect(card).to_have_accessible_name("search_web: Running")
        await expect(page.get_by_text("The stock will tell.")).to_be_visible()
        await expect(card).to_contain_text("cups")
        timer = await card.inner_text()
        await expect(card).not_to_have_text(timer)  # it runs
        search.end("cups", "There are 12 cups in the stock.")
        await expect(card).to_have_accessible_name("search_web: Done")
        await expect(card).to_contain_text("There are 12 cups in the stock.")
        thought.release()

        shown = tab.answers
        await expect(shown.locator("strong")).to_have_text("12 cups")
        await expect(shown).to_have_attribute("aria-busy", "true")
        answer.go_on()
        await expect(shown.get_by_role("cell", name="12")).to_be_visible()
        answer.go_on()
        await expect(shown.locator(".katex-mathml annotation")).to_have_text("7 + 12 = 19")
        answer.finish()
        await expect(shown.get_by_role("figure", name="python").locator("code")).to_have_text("print(7 + 12)")
        await expect(shown).to_have_attribute("aria-busy", "false")

        footer = page.get_by_role("group", name="About this answer")
        await expect(footer).to_contain_text("2 steps")
        await expect(footer).to_contain_text(re.compile(r"Answered.*k tokens in.*\d out"))
        await footer.get_by_title("Figures of this run").click()
        await expect(page.get_by_text("Requests to the model")).to_be_visible()
        await page.keyboard.press("Escape")
        summary = page.get_by_role("button", name=re.compile(r"^Worked for .* · 2 steps · 1 tool call$"))
        await expect(card).to_be_hidden()
        await summary.click()
        await card.get_by_role("button", expanded=False).click()
        await expect(card).to_contain_text('"topic": "cups"')
        await expect(page).to_have_title(re.compile("How many cups are left"))
        await expect(tab.side.get_by_role("link", name="How many cups are left?")).to_be_visible()
