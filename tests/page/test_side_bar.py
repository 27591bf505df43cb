"""The conversations beside the page: new ones, searched, renamed, deleted."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import expect

from tests.support.browsing import Desk, another_tab
from tests.support.directed_llm import DirectedLLM

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_conversations_are_found_again(desk: Desk) -> None:
    async with desk.open(DirectedLLM("brief", "About tea.", "brief", "About cups.")) as tab:
        side = tab.side
        await expect(side.get_by_text("No conversations yet")).to_be_visible()
        await tab.ask("How is tea made?")
        await tab.answered("About tea.")
        await side.get_by_role("link", name="New conversation").click()
        await expect(tab.page).to_have_url(re.compile(r"/$"))
        await tab.ask("Who made the first cup?")
        await tab.answered("About cups.")
        links = side.get_by_role("navigation").get_by_role("link")
        await expect(links).to_have_text(["Who made the first cup?", "How is tea made?"])
        await expect(links.first).to_have_attribute("aria-current", "page")

        await side.get_by_role("searchbox").fill("TEA")
        await expect(links).to_have_text(["How is tea made?"])
        await links.click()
        await tab.answered("About tea.")
        await side.get_by_role("searchbox").fill("100%")
        await expect(side.get_by_text("Nothing found for “100%”")).to_be_visible()
        await tab.button("Clear the search").click()
        await expect(links).to_have_count(2)
        await tab.page.go_back()
        await tab.answered("About cups.")


async def test_a_conversation_gets_another_name(desk: Desk) -> None:
    async with desk.open(DirectedLLM("brief", "About tea.")) as tab:
        await tab.ask("How is tea made?")
        await tab.answered("About tea.")
        await tab.button("Actions for “How is tea made?”").click()
        await tab.page.get_by_role("menuitem", name="Rename").click()
        field = tab.page.get_by_role("textbox", name="Title")
        await expect(field).to_be_focused()
        await field.fill("Tea <b>party</b>")
        await field.press("Enter")
        await expect(tab.side.get_by_role("link", name="Tea <b>party</b>")).to_be_visible()
        await expect(tab.page.get_by_role("heading", level=1)).to_have_text("Tea <b>party</b>")
        await expect(tab.page).to_have_title(re.compile("Tea <b>party</b>"))
        await tab.page.reload()
        await expect(tab.page.get_by_role("heading", level=1)).to_have_text("Tea <b>party</b>")


async def test_a_conversation_is_deleted_after_a_question(desk: Desk) -> None:
    async with desk.open(DirectedLLM("brief", "About tea.")) as tab:
        await tab.ask("How is tea made?")
        await tab.answered("About tea.")
        address = tab.page.url
        actions = tab.button("Actions for “How is tea made?”")
        await actions.click()
        await tab.page.get_by_role("menuitem", name="Delete").click()
        dialog = tab.page.get_by_role("dialog", name="Delete this conversation?")
        await dialog.get_by_role("button", name="Cancel").click()
        await expect(dialog).to_be_hidden()
        await actions.click()
        await tab.page.get_by_role("menuitem", name="Delete").click()
        await dialog.get_by_role("button", name="Delete").click()
        await expect(tab.page).to_have_url(re.compile(r"/$"))
        await expect(tab.side.get_by_text("No conversations yet")).to_be_visible()
        await tab.page.goto(address)
        await expect(tab.page.get_by_text("This conversation does not exist")).to_be_visible()
        tab.forgive("404")


async def test_another_tab_hears_of_it(desk: Desk) -> None:
    async with (
        desk.open(DirectedLLM("brief", "About tea.")) as tab,
        another_tab(tab.page.context, tab.service) as second,
    ):
        await expect(second.side.get_by_text("No conversations yet")).to_be_visible()
        await tab.page.bring_to_front()
        await tab.ask("How is tea made?")
        await tab.answered("About tea.")
        await second.page.bring_to_front()
        await second.page.evaluate("dispatchEvent(new Event('visibilitychange'))")
        await expect(second.side.get_by_role("link", name="How is tea made?")).to_be_visible()
