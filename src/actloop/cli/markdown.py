"""Markdown from a model, for a terminal: rendered safely, and cut into blocks while it still arrives (pure)."""

from __future__ import annotations

from functools import cache

from markdown_it import MarkdownIt
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import Markdown
from rich.segment import Segment

from actloop.cli.safe_text import safe_text

__all__ = ["MarkdownBlock", "split_finished"]

_CODE_THEME = "ansi_dark"
"""Colours of the terminal's own palette, so that code is readable on a dark and on a light background."""


@cache
def _parser() -> MarkdownIt:
    """CommonMark with tables and strikethrough. HTML stays text: rich would drop it from the answer."""
    return MarkdownIt("commonmark", {"html": False}).enable("strikethrough").enable("table")


class MarkdownBlock:
    """Markdown as a renderable, without blank lines around it.

    Links show their address: what a link says and where it leads may differ.
    """

    def __init__(self, text: str) -> None:
        self._markdown = Markdown("", code_theme=_CODE_THEME, hyperlinks=False)
        self._markdown.parsed = _parser().parse(safe_text(text))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lines = console.render_lines(self._markdown, options, pad=False)
        inked = [number for number, line in enumerate(lines) if any(not part.text.isspace() for part in line)]
        for line in lines[inked[0] : inked[-1] + 1] if inked else []:
            yield from line
            yield Segment.line()


def split_finished(text: str) -> tuple[str, str]:
    """Cut ``text`` into blocks that nothing can change any more, and the rest that may still grow.

    All blocks but the last are finished. Lines that have not ended yet are left out of the decision, for the first
    character of ``2. two`` alone would look like a paragraph that ends the list before it.
    """
    whole_lines = text[: text.rfind("\n") + 1]
    starts = [token.map[0] for token in _parser().parse(whole_lines) if token.level == 0 and token.map]
    if len(set(starts)) < 2:
        return "", text
    lines = whole_lines.split("\n")
    finished = "\n".join(lines[: starts[-1]]) + "\n"
    return finished, text[len(finished) :]
