"""What axe finds in each face of the page (the rules of WCAG 2.2 up to AA), and what a screen reader is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, expect

from tests.page.test_phone import PHONE
from tests.support.browsing import Desk
from tests.support.directed_llm import DirectedLLM, HeldTool, Pieces, calls

pytestmark = pytest.mark.asyncio(loop_scope="session")

AXE = Path(__file__).parents[2] / "web/node_modules/axe-core/axe.min.js"
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
NOT_RULES = {"image-redundant-alt": {"enabled": False}}
"""Takes a dialog for a part of the list entry that opened it."""

ANSWER = (
    "## Cups\n\nThere are **12** [cups](https://example.test/), see `stock.txt`."
    "\n\n| item | units |\n|---|--:|\n| cups | 12 |"
    "\n\n```python\nprint(7 + 12)  # nineteen\n```\n\n- [x] counted\n\n> So it is.\n\n$7 + 12 = 19$\n\n![x](https://evil.test/)"
)


async def assert_accessible(page: Page, scheme: str = "light") -> None:
    """Axe finds nothing; in the dark only colours can be different."""
    rules = TAGS if scheme == "light" else ["color-contrast"]
    await page.evaluate(AXE.read_text(encoding="utf-8"))
    options = {"runOnly": rules, "resultTypes": ["violations"], "rules": NOT_RULES}
    found: dict[str, Any] = await page.evaluate(f"axe.run(document, {json.dumps(options)})")
    told = [
        f"{violation['id']}: {violation['help']}\n  " + "\n  ".join(node["html"][:200] for node in violation["nodes"])
        for violation in found["violations"]
    ]
    assert told == [], "\n".join(told)


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_a_conversation_is_accessible_in_each_of_its_states(desk: Desk, scheme: str) -> None:
    search, answer = HeldTool(), Pieces("# One\n\nTwo", " three.")
    turn = calls(("search_web", {"topic": "cups"}), ("search_web", {"topic": "tea"}), reasoning="I look it up.")
    model = DirectedLLM("brief", ANSWER, turn, "brief", answer)
    async with desk.open(model, search.tool, color_scheme=scheme) as tab:
        page = tab.page
        await expect(page.get_by_role("heading", name="What shall we find out?")).to_be_visible()
        await assert_accessible(page, scheme)
        await tab.ask("How many cups are there?")
        await tab.answered("So it is.")
        await expect(tab.answers.locator(".katex-html")).to_be_visible()
        await assert_accessible(page, scheme)
        await tab.ask("And tea?")
        await expect(tab.call("search_web")).to_have_count(2)
        await tab.ask("Green tea only.")
        await expect(page.get_by_role("list", name="Waiting to be read by the agent")).to_be_visible()
        await tab.call("search_web").first.get_by_role("button", expanded=False).click()
        search.fail("cups", "There are none.")
        await expect(tab.call("search_web").first).to_have_accessible_name("search_web: Failed")
        await assert_accessible(page, scheme)
        search.end("tea")
        await expect(tab.answers.last).to_contain_text("Two")
        await assert_accessible(page, scheme)
        answer.finish()
        await tab.answered("Two three.")
        await page.get_by_title("Figures of this run").last.click()
        await assert_accessible(page, scheme)
        await page.keyboard.press("Escape")


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_dialogs_and_menus_are_accessible(desk: Desk, scheme: str) -> None:
    async with desk.played("artifacts", color_scheme=scheme) as tab:
        page = tab.page
        await tab.button("Settings").click()
        await expect(page.get_by_role("dialog", name="Settings")).to_be_visible()
        await assert_accessible(page, scheme)
        await page.keyboard.press("Escape")
        for name in ("report.html", "stock.csv", "chart.png"):
            await tab.opener(name).click()
            await expect(page.get_by_role("dialog", name=name)).to_be_visible()
            await assert_accessible(page, scheme)
            await page.keyboard.press("Escape")
        await tab.side.get_by_role("button", name="Actions for").click()
        await expect(page.get_by_role("menuitem", name="Rename")).to_be_visible()
        await assert_accessible(page, scheme)
        await page.get_by_role("menuitem", name="Delete").click()
        await expect(page.get_by_role("dialog", name="Delete this conversation?")).to_be_visible()
        await assert_accessible(page, scheme)


@pytest.mark.parametrize("story", ["demotion", "compaction", "failed", "cancelled-within-the-answer"])
async def test_what_can_happen_in_a_run_is_accessible(desk: Desk, story: str) -> None:
    async with desk.played(story) as tab:
        for folded in await tab.page.get_by_role("main").get_by_role("button", expanded=False).all():
            if await folded.is_visible() and await folded.get_attribute("aria-haspopup") is None:
                await folded.click()
        await assert_accessible(tab.page)


async def test_a_phone_is_accessible(desk: Desk) -> None:
    async with desk.open(DirectedLLM("brief", ANSWER), **PHONE) as tab:
        await tab.ask("How many cups are there?")
        await tab.answered("So it is.")
        await assert_accessible(tab.page)
        await tab.button("Open the list of conversations").click()
        await expect(tab.page.get_by_role("link", name="New conversation")).to_be_in_viewport()
        await assert_accessible(tab.page)


async def test_asking_for_a_key_is_accessible(desk: Desk) -> None:
    async with desk.serve(DirectedLLM(), server_key="a-long-server-key") as service, desk.visit(service) as tab:
        await expect(tab.page.get_by_role("dialog")).to_be_visible()
        await assert_accessible(tab.page)
        tab.forgive("401")


async def test_a_screen_reader_hears_the_answer_once_and_whole(desk: Desk) -> None:
    answer = Pieces("There are ", "**twelve** ", "cups.")
    async with desk.open(DirectedLLM("brief", answer)) as tab:
        await tab.ask("How many cups are there?")
        await expect(tab.answers).to_have_text("There are")
        log = tab.page.get_by_role("log")
        await expect(log).to_have_text("The agent is at work.")
        await log.evaluate("""log => {
          window.heard = [];
          new MutationObserver(() => heard.push(log.textContent)).observe(log, {childList: true, subtree: true,
            characterData: true});
        }""")
        answer.go_on()
        await expect(tab.answers).to_have_text("There are twelve")
        answer.finish()
        await tab.answered("There are twelve cups.")
        await expect(log).to_contain_text("The agent answered")
        heard = [said for said in await tab.page.evaluate("heard") if said]
        assert len(heard) == 1, heard
        assert " ".join(heard[0].split()) == "The agent answered: There are twelve cups."


async def test_who_wants_less_motion_gets_none(desk: Desk) -> None:
    search = HeldTool()
    model = DirectedLLM(calls(("search_web", {"topic": "cups"})), "brief", "Done.")
    async with desk.open(model, search.tool, reduced_motion="reduce") as tab:
        await tab.ask("Find cups.")
        await expect(tab.call("search_web")).to_have_accessible_name("search_web: Running")
        moving = """document.getAnimations().filter(each => {
          const {duration, iterations} = each.effect.getComputedTiming();
          return each.playState === "running" && (duration > 50 || iterations === Infinity);
        }).map(each => `${each.animationName} ${each.effect.target?.className}`)"""
        assert await tab.page.evaluate(moving) == []
        search.end("cups")
        await tab.answered("Done.")
