"""What an answer says in HTML's names for characters is shown, though a page under our policy may parse no HTML."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.support.browsing import Desk
from tests.support.directed_llm import DirectedLLM

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_named_characters_are_shown(desk: Desk) -> None:
    async with desk.open(
        DirectedLLM(
            "brief", "AT&amp;T &copy; 2026, caf&eacute; &nope; `&lt;b&gt;` [&auml;](https://example.test/?a=1&amp;b=2)"
        )
    ) as tab:
        await tab.ask("Which characters?")
        await expect(tab.answers).to_contain_text("AT&T © 2026, café &nope; &lt;b&gt; ä")
        link = tab.answers.get_by_role("link")
        await expect(link).to_have_attribute("href", "https://example.test/?a=1&b=2")
