"""The page in a real browser, and everything in it that went wrong or went elsewhere."""

from __future__ import annotations

import os
import re
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest
from playwright.async_api import Browser, BrowserContext, Locator, Page, Playwright, Request, async_playwright, expect
from playwright.async_api import Error as PlaywrightError

from actloop.llm import LLM
from actloop.service.page import BUILT
from actloop.tools import Tool
from scripts.browser import find_browser, how_to_get_one
from tests.support.directed_llm import DirectedLLM
from tests.support.service import ScriptedAgents, TestedService, serving, settings_in
from tests.support.stories import STORIES

__all__ = ["Desk", "Tab", "another_tab", "open_browser"]

PATIENCE = 30_000
"""How many milliseconds a test waits for what it wants to see."""

_FLAGS = (
    "--headless=new",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-quic",
    "--disable-gpu",
)
"""Chromium's own, so that it asks the network for nothing by itself."""

_TELL_VIOLATIONS = """
addEventListener("securitypolicyviolation", (event) =>
  console.error(`against the policy: ${event.effectiveDirective} ${event.blockedURI}`));
"""


@asynccontextmanager
async def open_browser() -> AsyncIterator[Browser]:
    """The browser of this machine; the test fails, and says what to do, where there is none or no page to show."""
    program = find_browser()
    if program is None:
        pytest.fail(f"There is no browser for the tests of the page: `make browser`. {how_to_get_one()}", pytrace=False)
    if not (BUILT / "index.html").is_file():
        pytest.fail("The page has not been built: `make page`.", pytrace=False)
    expect.set_options(timeout=PATIENCE)
    async with async_playwright() as playwright, await _launched(playwright, program) as browser:
        yield browser


async def _launched(playwright: Playwright, program: str) -> Browser:
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []  # Chromium has none for root
    return await playwright.chromium.launch(executable_path=program, args=[*_FLAGS, *sandbox])


class Tab:
    """A tab with the page.

    requests: the address of all it asked for, but for what its policy kept it from asking for. problems: errors in its
    console, exceptions, breaches of its policy.
    """

    def __init__(self, page: Page, service: TestedService) -> None:
        self.page = page
        self.service = service
        self.requests: list[str] = []
        self.problems: list[str] = []
        page.set_default_timeout(PATIENCE)
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("requestfailed", self._failed)
        page.on("pageerror", lambda error: self.problems.append(f"exception: {error}"))
        page.on("console", lambda said: self.problems.append(said.text) if said.type in {"error", "warning"} else None)

    def _failed(self, request: Request) -> None:
        if request.failure == "csp":
            self.requests.remove(request.url)

    @property
    def composer(self) -> Locator:
        """Where one writes."""
        return self.page.get_by_role("textbox", name="Message")

    @property
    def answers(self) -> Locator:
        """The answers on the screen."""
        return self.page.get_by_role("group", name="Answer", exact=True)

    @property
    def turns(self) -> Locator:
        """Each question with all that came of it."""
        return self.page.get_by_role("region", name="Conversation", exact=True).locator("> div > div > div > article")

    @property
    def side(self) -> Locator:
        """The side bar."""
        return self.page.get_by_role("complementary", name="Conversations")

    def call(self, name: str) -> Locator:
        """A tool call's card; what it is called says its state, too."""
        return self.page.get_by_role("article", name=re.compile(rf"^{re.escape(name)}: "))

    def opener(self, artifact: str) -> Locator:
        """What opens an artifact."""
        return self.page.get_by_role("button", name=re.compile(rf"^Open {re.escape(artifact)}"))

    def button(self, name: str | re.Pattern[str]) -> Locator:
        """A button by its name."""
        return self.page.get_by_role("button", name=name, exact=isinstance(name, str))

    async def ask(self, question: str) -> None:
        """Write something and send it."""
        await self.composer.fill(question)
        await self.composer.press("Enter")

    async def answered(self, text: str) -> None:
        """Wait until the last run has ended with an answer that has this in it."""
        await expect(self.answers.last).to_contain_text(text)
        await expect(self.page.get_by_role("group", name="About this answer").last).to_be_visible()

    def forgive(self, pattern: str, *, at_least: int = 1) -> None:
        """Take out problems that belong to the test."""
        rest = [problem for problem in self.problems if not re.search(pattern, problem)]
        assert len(self.problems) - len(rest) >= at_least, f"nothing like {pattern!r} in {self.problems}"
        self.problems = rest

    def check(self) -> None:
        """Fail if anything went wrong or to another origin."""
        origin = urljoin(self.page.url, "/")
        elsewhere = [url for url in self.requests if not url.startswith((origin, f"blob:{origin}", "data:"))]
        assert elsewhere == [], elsewhere
        assert self.problems == [], self.problems


class Desk:
    """Where a test sits: a browser, and a folder for a service's database."""

    def __init__(self, browser: Browser, folder: Path) -> None:
        self.browser = browser
        self.folder = folder

    @asynccontextmanager
    async def open(self, llm: DirectedLLM, *tools: Tool, **options: Any) -> AsyncIterator[Tab]:
        """A service with this model and these tools, and the page in a tab. options: of the browser's context."""
        async with self.serve(llm, *tools) as service, self.visit(service, **options) as tab:
            yield tab

    def serve(self, llm: LLM, *tools: Tool, **settings: Any) -> AbstractAsyncContextManager[TestedService]:
        """A service with this model and these tools."""
        agents = ScriptedAgents(llm, tools)
        return serving(settings_in(self.folder, **settings), agents, key=settings.get("server_key"))

    @asynccontextmanager
    async def played(self, name: str, *, settings: dict[str, Any] | None = None, **options: Any) -> AsyncIterator[Tab]:
        """One of the stories of the recordings, played to its end, and the page that shows it."""
        story = STORIES[name]()
        given = settings_in(self.folder, **(settings or {}))
        async with serving(given, story.agents, key=given.server_key) as service:
            conversation = await service.conversation()
            run = await service.start(conversation, story.query)
            await story.play(service, run)
            async with self.visit(service, f"/c/{conversation}", **options) as tab:
                if given.server_key is not None:
                    await tab.page.get_by_label("Key", exact=True).fill(given.server_key)
                    await tab.page.keyboard.press("Enter")
                await expect(tab.page.get_by_role("group", name="About this answer")).to_be_visible()
                yield tab

    @asynccontextmanager
    async def visit(self, service: TestedService, path: str = "/", **options: Any) -> AsyncIterator[Tab]:
        """A person with a browser profile of their own, at the page of a service. options: of the browser's context."""
        context = await self.browser.new_context(**{"locale": "en-GB", "base_url": service.url, **options})
        try:
            await context.add_init_script(_TELL_VIOLATIONS)
            async with another_tab(context, service, path) as tab:
                yield tab
        finally:
            await context.close()


@asynccontextmanager
async def another_tab(context: BrowserContext, service: TestedService, path: str = "/") -> AsyncIterator[Tab]:
    """One more tab of the same person. Whoever leaves it without an exception leaves it without problems."""
    tab = Tab(await context.new_page(), service)
    await tab.page.goto(path)
    try:
        yield tab
    except BaseException as error:
        error.add_note(f"problems: {tab.problems}")
        with suppress(PlaywrightError):  # it may be closed
            error.add_note(await tab.page.locator("body").aria_snapshot(timeout=5_000))
        raise
    tab.check()
