"""On a small screen."""

from __future__ import annotations

import pytest
from playwright.async_api import Page, expect

from tests.support.browsing import Desk
from tests.support.directed_llm import DirectedLLM, HeldTool, calls

pytestmark = pytest.mark.asyncio(loop_scope="session")

PHONE = {"viewport": {"width": 320, "height": 640}, "has_touch": True, "is_mobile": True}
WIDE = (
    f"A {'very' * 40}longword and `{'code' * 40}`.\n\n"
    + "| "
    + " | ".join(f"column {number}" for number in range(12))
    + " |\n"
    + "|---" * 12
    + "|\n"
    + "| some words " * 12
    + "|\n\n```python\n"
    + "print('x')  # " * 20
    + "\n```\n\n$$ "
    + " + ".join(f"x_{{{number}}}" for number in range(60))
    + " $$\n\nhttps://example.test/"
    + "path/" * 40
)


async def assert_fits(page: Page) -> None:
    """Nothing makes the page wider than the screen."""
    widths = "[document.documentElement.scrollWidth, document.body.scrollWidth]"
    assert max(await page.evaluate(widths)) <= 320


async def test_nothing_makes_the_page_wider_than_the_screen(desk: Desk) -> None:
    search = HeldTool("a_tool_with_a_rather_long_name_that_somebody_gave_it")
    turn = calls((search.tool.name, {"topic": "t" * 200}), (search.tool.name, {"topic": "short"}))
    async with desk.open(DirectedLLM(turn, "brief", WIDE), search.tool, **PHONE) as tab:
        await expect(tab.composer).to_be_visible()
        await assert_fits(tab.page)
        await tab.ask("Q" * 300)
        cards = tab.call(search.tool.name)
        await expect(cards).to_have_count(2)
        first, second = [box for card in await cards.all() if (box := await card.bounding_box())]
        assert second["y"] >= first["y"] + first["height"], "they stand one below the other"
        await assert_fits(tab.page)
        await cards.first.get_by_role("button", expanded=False).click()
        search.end("t" * 200, "r" * 500)
        search.end("short")
        await tab.answered("longword")
        await expect(tab.answers.locator(".katex-html")).to_be_visible()
        await assert_fits(tab.page)


async def test_the_conversations_are_in_a_drawer(desk: Desk) -> None:
    async with desk.open(DirectedLLM("brief", "About tea."), **PHONE) as tab:
        page = tab.page
        await tab.ask("How is tea made?")
        await tab.answered("About tea.")
        link = page.get_by_role("link", name="How is tea made?")
        await expect(link).to_be_hidden()
        await tab.button("Open the list of conversations").click()
        await expect(link).to_be_in_viewport()
        await assert_fits(page)
        await page.keyboard.press("Escape")
        await expect(link).not_to_be_in_viewport()
        await tab.button("Open the list of conversations").click()
        await page.get_by_role("link", name="New conversation").click()
        await expect(page.get_by_role("heading", name="What shall we find out?")).to_be_visible()
        await expect(link).not_to_be_in_viewport()
        await tab.button("Open the list of conversations").click()
        await link.click()
        await tab.answered("About tea.")
        await expect(link).not_to_be_in_viewport()


async def test_what_a_finger_must_hit_is_large_enough(desk: Desk) -> None:
    async with desk.open(DirectedLLM("brief", "About tea."), **PHONE) as tab:
        await tab.ask("How is tea made?")
        await tab.answered("About tea.")
        for button in await tab.page.get_by_role("main").get_by_role("button").all():
            box = await button.bounding_box()
            assert box is None or min(box["width"], box["height"]) >= 24, await button.inner_text()
