"""Everything without a mouse, and with an input method."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import expect

from tests.support.browsing import Desk
from tests.support.directed_llm import DirectedLLM, HeldTool, calls

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_walk_through_the_page_by_keyboard(desk: Desk) -> None:
    search = HeldTool()
    model = DirectedLLM(calls(("search_web", {"topic": "cups"})), "Three.", "Three pages so far.")
    async with desk.open(model, search.tool) as tab:
        page, keys = tab.page, tab.page.keyboard
        await expect(tab.composer).to_be_focused()
        skip = page.get_by_role("link", name="Skip to the message field")
        await expect(page.locator("a, button, input, textarea").first).to_have_text("Skip to the message field")
        await skip.focus()
        await expect(skip).to_be_in_viewport()
        await keys.press("Enter")
        await expect(tab.composer).to_be_focused()

        await keys.type("Read everything")
        await keys.press("Shift+Enter")
        await keys.type("about cups.")
        await keys.press("Enter")
        await expect(page.get_by_role("group", name="You asked")).to_contain_text("Read everything\nabout cups.")
        await expect(tab.call("search_web")).to_have_accessible_name("search_web: Running")
        await expect(tab.composer).to_be_focused()
        async with page.expect_response("**/stop"):
            await keys.press("Escape")
        await expect(page.get_by_role("button", name=re.compile("^Stopping"))).to_be_visible()
        search.end("cups")
        await tab.answered("Three pages so far.")

        await expect(tab.composer).to_be_focused()
        await keys.press("ArrowUp")
        field = page.get_by_role("textbox", name="Edit the question")
        await expect(field).to_be_focused()
        await keys.press("Escape")
        await expect(field).to_be_hidden()
        await expect(tab.composer).to_be_focused()

        await keys.press("Control+k")
        box = page.get_by_role("searchbox", name="Search conversations")
        await expect(box).to_be_focused()
        await keys.type("everything")
        await keys.press("Tab")  # its button to clear it
        await keys.press("Tab")
        await expect(tab.side.get_by_role("navigation").get_by_role("link")).to_be_focused()

        await keys.press("Control+Shift+O")
        await expect(page).to_have_url(re.compile(r"/$"))
        await expect(tab.composer).to_be_focused()


async def test_a_menu_and_a_dialog_give_the_focus_back(desk: Desk) -> None:
    async with desk.open(DirectedLLM("brief", "About tea.")) as tab:
        keys = tab.page.keyboard
        await tab.ask("How is tea made?")
        await tab.answered("About tea.")
        actions = tab.button("Actions for “How is tea made?”")
        await actions.focus()
        await keys.press("Enter")
        await expect(tab.page.get_by_role("menuitem", name="Rename")).to_be_focused()
        await keys.press("ArrowDown")
        await expect(tab.page.get_by_role("menuitem", name="Delete")).to_be_focused()
        await keys.press("Escape")
        await expect(actions).to_be_focused()
        await keys.press("Enter")
        await keys.press("Enter")
        await expect(tab.page.get_by_role("textbox", name="Title")).to_be_focused()
        await keys.press("Escape")
        await expect(tab.page.get_by_role("dialog")).to_be_hidden()
        await expect(actions).to_be_focused()


async def test_enter_that_ends_a_composition_does_not_send(desk: Desk) -> None:
    async with desk.open(DirectedLLM("brief", "はい。")) as tab:
        await expect(tab.composer).to_be_focused()
        session = await tab.page.context.new_cdp_session(tab.page)
        composed = {"text": "日本", "selectionStart": 2, "selectionEnd": 2}
        await session.send("Input.imeSetComposition", composed)
        await expect(tab.composer).to_have_value("日本")
        enter = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 229}
        await session.send("Input.dispatchKeyEvent", {"type": "rawKeyDown", **enter})
        await session.send("Input.insertText", {"text": "日本"})
        await session.send("Input.dispatchKeyEvent", {"type": "keyUp", **enter})
        await expect(tab.composer).to_have_value("日本")
        await expect(tab.page).to_have_url(re.compile(r"/$"))
        await tab.composer.press("Enter")
        await tab.answered("はい。")


async def test_who_reads_above_is_not_pulled_down(desk: Desk) -> None:
    search = HeldTool()
    long = "\n\n".join(f"Paragraph {number}." for number in range(80))
    model = DirectedLLM("brief", long, calls(("search_web", {"topic": "cups"})), "done", long)
    async with desk.open(model, search.tool) as tab:
        await tab.ask("Tell me much.")
        await tab.answered("Paragraph 79.")
        await expect(tab.answers.get_by_text("Paragraph 79.")).to_be_in_viewport()
        await tab.ask("And more.")
        await expect(tab.call("search_web")).to_be_in_viewport()
        await tab.page.get_by_role("region", name="Conversation", exact=True).hover()
        await tab.page.mouse.wheel(0, -1500)
        jump = tab.button("Jump to the latest")
        await expect(jump).to_be_visible()
        search.end("cups")
        await expect(tab.page.get_by_role("group", name="About this answer").last).to_be_attached()
        await expect(jump).to_be_visible()
        await jump.click()
        await expect(tab.answers.last.get_by_text("Paragraph 79.")).to_be_in_viewport()
        await expect(jump).to_be_hidden()
