"""Language, colours, and the key of a service that wants one."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import Page, expect

from tests.support.browsing import Desk
from tests.support.directed_llm import DirectedLLM

pytestmark = pytest.mark.asyncio(loop_scope="session")

WORDS = {
    "en": ("Settings", "What shall we find out?"),
    "ja": ("設定", "何を調べましょうか？"),
    "zh-Hans": ("设置", "想了解什么？"),
}


async def background(page: Page) -> int:
    """How light the page is, from 0 to 255."""
    colour = "getComputedStyle(document.documentElement).backgroundColor"
    drawn = f"""(() => {{
      const canvas = document.createElement("canvas").getContext("2d");
      canvas.fillStyle = {colour}; canvas.fillRect(0, 0, 1, 1); return canvas.getImageData(0, 0, 1, 1).data[1];
    }})()"""
    return int(await page.evaluate(drawn))


@pytest.mark.parametrize(("locale", "language"), [("ja-JP", "ja"), ("zh-CN", "zh-Hans"), ("de-DE", "en")])
async def test_the_language_is_that_of_the_browser(desk: Desk, locale: str, language: str) -> None:
    async with desk.serve(DirectedLLM()) as service, desk.visit(service, locale=locale) as tab:
        await expect(tab.page.locator("html")).to_have_attribute("lang", language)
        await expect(tab.button(WORDS[language][0])).to_be_visible()
        await expect(tab.page.get_by_role("heading", level=2)).to_have_text(WORDS[language][1])


async def test_a_language_that_was_chosen_is_kept(desk: Desk) -> None:
    async with desk.open(DirectedLLM("brief", "About tea.")) as tab:
        await tab.ask("How is tea made?")
        await tab.answered("About tea.")
        await tab.button("Settings").click()
        await tab.page.get_by_role("radio", name="日本語").check()
        await expect(tab.page.locator("html")).to_have_attribute("lang", "ja")
        await expect(tab.page.get_by_role("dialog", name="設定")).to_be_visible()
        await tab.page.reload()
        await expect(tab.button("設定")).to_be_visible()
        await expect(tab.page.locator("html")).to_have_attribute("lang", "ja")


async def test_the_colours_are_those_of_the_device_until_one_chooses(desk: Desk) -> None:
    async with desk.serve(DirectedLLM()) as service, desk.visit(service, color_scheme="dark") as tab:
        page = tab.page
        await expect(page.get_by_role("heading", level=2)).to_be_visible()
        assert await background(page) < 60
        await page.emulate_media(color_scheme="light")
        assert await background(page) > 200
        await tab.button("Settings").click()
        await page.get_by_role("radio", name="Dark").check()
        assert await background(page) < 60
        await page.reload()
        await expect(page.get_by_role("heading", level=2)).to_be_visible()
        assert await background(page) < 60


async def test_a_service_with_keys_asks_for_one(desk: Desk) -> None:
    async with (
        desk.serve(DirectedLLM("brief", "You are known."), server_key="a-long-server-key") as service,
        desk.visit(service) as tab,
    ):
        page = tab.page
        dialog = page.get_by_role("dialog", name="This service wants a key")
        field = dialog.get_by_label("Key", exact=True)
        await expect(field).to_be_focused()
        await field.fill("a wrong key")
        await field.press("Enter")
        await expect(dialog.get_by_text("The service does not know this key.")).to_be_visible()
        await field.fill("a-long-server-key")
        await dialog.get_by_role("button", name="Use this key").click()
        await expect(dialog).to_be_hidden()
        await tab.ask("Who am I?")
        await tab.answered("You are known.")
        await page.reload()
        await tab.answered("You are known.")
        await expect(dialog).to_be_hidden()
        kept: dict[str, Any] = await page.evaluate("({...localStorage})")
        assert "a-long-server-key" not in str(kept)
        assert not any("a-long-server-key" in url for url in tab.requests)
        tab.forgive("401")


async def test_images_of_a_service_with_keys_are_shown(desk: Desk) -> None:
    options = {"server_key": "a-long-server-key"}
    async with desk.played("artifacts", settings=options) as tab:
        await tab.opener("chart.png").click()
        image = tab.page.get_by_role("dialog", name="chart.png").get_by_role("img", name="chart.png")
        await expect(image).to_have_js_property("naturalWidth", 64)
        assert str(await image.get_attribute("src")).startswith("blob:")
        tab.forgive("401")
