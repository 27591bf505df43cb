"""What an answer says is shown by the page, in a real browser, and does nothing else."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Locator, expect

from tests.cases.keeping import keeps
from tests.cases.loading import own_cases
from tests.support.browsing import Desk, open_browser
from tests.support.directed_llm import DirectedLLM


def told(text: str, number: int) -> str:
    """A text of the case as an answer that says where it begins and ends."""
    return f"begin{number}\n\n{text}\n\nend{number}"


async def the_image_is_a_link(answer: Locator) -> None:
    await expect(answer.get_by_role("link", name="Image at evil.test, not loaded")).to_be_visible()
    await nothing_survives(answer)


async def nothing_survives(answer: Locator) -> None:
    await expect(answer.locator("img, svg[onload], script, iframe")).to_have_count(0)
    handlers = "all => all.flatMap(each => each.getAttributeNames()).filter(name => name.startsWith('on'))"
    assert await answer.locator("*").evaluate_all(handlers) == []


async def the_link_is_text(answer: Locator) -> None:
    await expect(answer.get_by_role("link")).to_have_count(0)
    await expect(answer).to_contain_text("click")


async def the_image_is_shown(answer: Locator) -> None:
    await expect(answer.get_by_role("img", name="ok")).to_have_attribute("src", "/api/files/7.png")


async def the_text_is_readable(answer: Locator) -> None:
    await expect(answer).to_contain_text("a bold & x<y")


@keeps(
    "C127",
    "for 1-3 the output makes no request to evil.test without a click",
    "4: no event handler attribute and no script survives",
    "5: no javascript: link survives",
    "6: the own file is shown",
    "7: the text 'x<y' is readable",
)
@pytest.mark.asyncio
async def test_what_an_answer_says_is_shown_and_does_nothing(tmp_path: Path) -> None:
    checks = {
        1: the_image_is_a_link,
        2: the_image_is_a_link,
        3: nothing_survives,
        4: nothing_survives,
        5: the_link_is_text,
        6: the_image_is_shown,
        7: the_text_is_readable,
    }
    texts = next(case for case in own_cases() if case.id == "C127").input["texts"]
    replies = [said for number, text in enumerate(texts, 1) for said in ("brief", told(text, number))]
    async with open_browser() as browser, Desk(browser, tmp_path).open(DirectedLLM(*replies)) as tab:
        for number, text in enumerate(texts, 1):
            await tab.ask(f"Question {number}: {len(text)} characters")
            await tab.answered(f"end{number}")
            await checks[number](tab.answers.filter(has_text=f"begin{number}"))
        asked = {urlsplit(url).netloc for url in tab.requests}
        assert asked == {urlsplit(tab.service.url).netloc}
        tab.forgive("404")  # the service of this test has no such file
