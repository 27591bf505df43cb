"""Reload, a second tab, no network, another life of the service: the page goes on from the log."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from playwright.async_api import expect

from tests.support.browsing import Desk, Tab, another_tab
from tests.support.directed_llm import DirectedLLM, HeldTool, Pieces, calls
from tests.support.line import line_to

pytestmark = pytest.mark.asyncio(loop_scope="session")

NO_CONNECTION = "ERR_(CONNECTION|INCOMPLETE|EMPTY|INTERNET_DISCONNECTED|NETWORK)"
WORDS = ("One two three. ", "Four five six. ", "Seven eight nine.")


def at(tab: Tab) -> str:
    """The path of its page."""
    return urlsplit(tab.page.url).path


async def begun(tab: Tab, search: HeldTool) -> None:
    """Ask something; the tool has come back and the answer has begun."""
    await tab.ask("Count to nine.")
    await expect(tab.call("search_web")).to_have_accessible_name("search_web: Running")
    search.end("numbers", "They are nine.")
    await expect(tab.answers).to_have_text(WORDS[0].strip())


async def test_a_reload_in_the_middle_shows_the_same_and_goes_on(desk: Desk) -> None:
    search, answer = HeldTool(), Pieces(*WORDS)
    model = DirectedLLM(calls(("search_web", {"topic": "numbers"})), "nine", answer)
    async with desk.open(model, search.tool) as tab:
        await tab.ask("Count to nine.")
        await expect(tab.call("search_web")).to_have_accessible_name("search_web: Running")
        await tab.page.reload()
        await expect(tab.call("search_web")).to_have_accessible_name("search_web: Running")
        search.end("numbers", "They are nine.")
        await expect(tab.answers).to_have_text(WORDS[0].strip())
        await tab.page.reload()
        await expect(tab.answers).to_have_text(WORDS[0].strip())
        await expect(tab.call("search_web")).to_have_count(1)
        await expect(tab.call("search_web")).to_have_accessible_name("search_web: Done")
        answer.finish()
        await tab.answered("".join(WORDS))
        await tab.page.reload()
        await tab.answered("".join(WORDS))
        await expect(tab.answers).to_have_text("".join(WORDS))


async def test_a_second_tab_follows_the_same_run(desk: Desk) -> None:
    search, answer = HeldTool(), Pieces(*WORDS)
    model = DirectedLLM(calls(("search_web", {"topic": "numbers"})), "nine", answer, "short", "Another answer.")
    async with desk.open(model, search.tool) as tab:
        await begun(tab, search)
        async with another_tab(tab.page.context, tab.service, at(tab)) as second:
            await expect(second.answers).to_have_text(WORDS[0].strip())
            answer.finish()
            for each in (tab, second):
                await each.answered(WORDS[-1])
            await second.ask("And again?")
            await second.answered("Another answer.")
            await tab.page.bring_to_front()
            await tab.page.evaluate("dispatchEvent(new Event('focus'))")  # as the window is, when it comes to the front
            await tab.answered("Another answer.")


async def test_what_happened_while_the_line_was_cut_is_there_afterwards(desk: Desk) -> None:
    search, answer = HeldTool(), Pieces(*WORDS)
    model = DirectedLLM(calls(("search_web", {"topic": "numbers"})), "nine", answer)
    async with (
        desk.serve(model, search.tool) as service,
        line_to(service.port) as line,
        desk.visit(service, base_url=f"http://127.0.0.1:{line.port}") as tab,
    ):
        await begun(tab, search)
        await line.cut()
        lost = tab.page.get_by_text("Connection lost")
        await expect(lost).to_be_visible()
        await expect(tab.answers).to_have_text(WORDS[0].strip())
        answer.finish()
        await service.until(lambda: not service.parts.runner.active)
        await line.mend()
        await tab.page.evaluate("dispatchEvent(new Event('online'))")  # need not wait for the next attempt
        await tab.answered("".join(WORDS))
        await expect(tab.answers).to_have_text("".join(WORDS))
        await expect(lost).to_be_hidden()
        tab.forgive(NO_CONNECTION)


async def test_a_question_without_a_network_is_kept_in_the_field(desk: Desk) -> None:
    async with desk.open(DirectedLLM("brief", "Here I am.")) as tab:
        await expect(tab.composer).to_be_visible()
        await tab.page.context.set_offline(True)
        await tab.ask("Are you there?")
        await expect(tab.page.get_by_text("The message was not sent.")).to_be_visible()
        await expect(tab.composer).to_have_value("Are you there?")
        await tab.page.context.set_offline(False)
        await tab.composer.press("Enter")
        await tab.answered("Here I am.")
        tab.forgive(NO_CONNECTION)


async def test_a_run_that_a_restart_ends_says_so_and_the_conversation_goes_on(desk: Desk) -> None:
    search = HeldTool()
    model = DirectedLLM(calls(("search_web", {"topic": "numbers"})))
    async with desk.serve(model, search.tool) as service:
        visit = desk.visit(service)
        tab = await visit.__aenter__()
        await tab.ask("Count to nine.")
        await expect(tab.call("search_web")).to_have_accessible_name("search_web: Running")
    await expect(tab.page.get_by_role("group", name="About this answer")).to_contain_text("Interrupted")
    async with desk.serve(DirectedLLM("brief", "Nine."), port=service.port):
        await tab.ask("Once more, please.")
        await tab.answered("Nine.")
        await expect(tab.turns).to_have_count(2)
        tab.forgive(NO_CONNECTION, at_least=0)
        await visit.__aexit__(None, None, None)
