"""How many tokens messages cost, without a tokenizer: an estimate, and its calibration by what the model reports.

The weights were fitted to the tokenizers of Qwen2.5 and SmolLM2 over English, code, JSON, HTML, CSV and log lines, with
four letters a token and one and a half CJK characters a token as fixed points; they then lie within a sixth of the
truth. Tokenizers differ most in scripts other than Latin, so the calibration knows two factors: one for ASCII, one for
the rest.
"""

from __future__ import annotations

import functools
import json
import re
import string
from collections import deque
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from actloop.messages import AssistantMessage, ImagePart, Message, ToolSpec, text_of

__all__ = ["Calibration", "TokenCount", "count_message", "count_text", "count_tools", "estimate_tokens", "total_count"]

_LETTER, _DIGIT, _SYMBOL, _NEWLINE = 0.25, 1.0, 0.6, 1.5
_SPACE_BETWEEN_WORDS = -0.12
"""A space belongs to the token of the word after it, and text with spaces is made of words that tokenizers know."""
_LEAST_PER_CHARACTER = 1 / 64
"""Long runs of blanks become few tokens, but some."""
_CJK, _ALPHABET, _OTHER = 1 / 1.5, 0.4, 1.2
"""Han, kana and hangul; Latin with accents, Greek, Cyrillic, Hebrew, Arabic; all else, emoji among it."""

_TOKENS_PER_MESSAGE = 4
_TOKENS_PER_TOOL = 8
_TOKENS_PER_IMAGE = 1_000

_LETTERS = string.ascii_letters.encode()
_DIGITS = string.digits.encode()
_BLANKS = b" \t\r"
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_CJK_CHARACTERS = re.compile(
    "[\u1100-\u11ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]+"
)
_ALPHABETIC = re.compile("[\u0080-\u077f\u1e00-\u1fff]+")


class TokenCount(NamedTuple):
    """An estimate in tokens, split by what the calibration may scale.

    narrow: of ASCII text. wide: of all other text. flat: images, which no text factor concerns.
    """

    narrow: float = 0.0
    wide: float = 0.0
    flat: int = 0

    def plus(self, other: TokenCount) -> TokenCount:
        """Both together."""
        return TokenCount(self.narrow + other.narrow, self.wide + other.wide, self.flat + other.flat)


def total_count(counts: Iterable[TokenCount]) -> TokenCount:
    """All ``counts`` together."""
    return functools.reduce(TokenCount.plus, counts, TokenCount())


def estimate_tokens(text: str) -> int:
    """About how many tokens ``text`` is for a model of which nothing is known."""
    count = count_text(text)
    return round(count.narrow + count.wide)


def count_text(text: str) -> TokenCount:
    """The estimate for a piece of text."""
    return TokenCount(*_weights(text))


def _weights(text: str) -> tuple[float, float]:
    """The tokens of the ASCII part of a text, and of the rest."""
    if text.isascii():
        return _narrow(text), 0.0
    ascii_text = _NOT_ASCII.sub("", text)
    no_cjk = _CJK_CHARACTERS.sub("", text)
    neither = _ALPHABETIC.sub("", no_cjk)
    cjk, alphabetic, other = len(text) - len(no_cjk), len(no_cjk) - len(neither), len(neither) - len(ascii_text)
    return _narrow(ascii_text), cjk * _CJK + alphabetic * _ALPHABET + other * _OTHER


def _narrow(text: str) -> float:
    raw = text.encode()
    no_letters = raw.translate(None, _LETTERS)
    no_words = no_letters.translate(None, _DIGITS)
    marks = no_words.translate(None, _BLANKS)
    letters, digits = len(raw) - len(no_letters), len(no_letters) - len(no_words)
    newlines = marks.count(b"\n")
    lone_spaces = max(0, len(no_words) - len(marks) - 2 * raw.count(b"  "))
    tokens = letters * _LETTER + digits * _DIGIT + (len(marks) - newlines) * _SYMBOL + newlines * _NEWLINE
    return max(tokens + min(lone_spaces, letters) * _SPACE_BETWEEN_WORDS, len(raw) * _LEAST_PER_CHARACTER)


def count_message(message: Message) -> TokenCount:
    """The estimate for one message, kept in its memo: a message is counted once in its life.

    Of plain ASCII, which most messages are, the bare number is kept: it takes a quarter of the memory.
    """
    kept: TokenCount | float | None = message.memo.get("tokens")
    if kept is None:
        count = _count_message(message)
        message.memo["tokens"] = count if count.wide or count.flat else count.narrow
        return count
    return TokenCount(kept) if isinstance(kept, float) else kept


def _count_message(message: Message) -> TokenCount:
    text = text_of(message.content) if message.content else ""
    pieces, images = 1, 0
    if isinstance(message, AssistantMessage):
        for call in message.tool_calls:
            # Python's own form is as long as the JSON, and a good deal quicker to make
            text += f"{call.name}{call.arguments}"  # what could not be read is not sent again
        pieces += len(message.tool_calls)
        if message.reasoning_state is not None:  # only then does reasoning go back to the provider
            text += message.reasoning
    elif not isinstance(message.content, str):
        images = sum(isinstance(part, ImagePart) for part in message.content)
    narrow, wide = _weights(text)
    return TokenCount(narrow + pieces * _TOKENS_PER_MESSAGE, wide, images * _TOKENS_PER_IMAGE)


def count_tools(tools: Iterable[ToolSpec]) -> TokenCount:
    """The estimate for tool schemas that go along with a request."""
    return total_count(map(_count_tool, tools))


def _count_tool(tool: ToolSpec) -> TokenCount:
    """The estimate for one schema. A tool has the same spec object in every run: it is counted once."""
    kept = _counted_tools.get(id(tool))
    if kept is not None and kept[0] is tool:
        return kept[1]
    schema = json.dumps(tool.parameters, ensure_ascii=False, default=str)
    count = count_text(f"{tool.name} {tool.description} {schema}").plus(TokenCount(_TOKENS_PER_TOOL))
    if len(_counted_tools) >= _MOST_COUNTED_TOOLS:
        _counted_tools.clear()
    _counted_tools[id(tool)] = tool, count
    return count


_MOST_COUNTED_TOOLS = 2_048
_counted_tools: dict[int, tuple[ToolSpec, TokenCount]] = {}
"""By id, with the tool itself, so that its id is not taken over meanwhile."""


class _Report(NamedTuple):
    narrow: float
    wide: float
    tokens: float

    @property
    def estimated(self) -> float:
        return self.narrow + self.wide


class Calibration:
    """Turns estimates into the tokens of one model, and learns from every reported prompt size.

    The two factors are those that explain the latest reports best (least squares of the relative errors, with a slight
    pull towards 1 where the reports say nothing, as about Chinese in an English conversation). Reports that no
    tokenizer could give, such as those of a server that leaves cached tokens out, are ignored.
    """

    def __init__(self) -> None:
        self._reports: deque[_Report] = deque(maxlen=_REPORTS)
        self._narrow = self._wide = 1.0

    def tokens(self, count: TokenCount) -> float:
        """The tokens that ``count`` stands for, as far as is known now."""
        return count.narrow * self._narrow + count.wide * self._wide + count.flat

    def observe(self, count: TokenCount, reported: int | None) -> None:
        """Learn that a request estimated as ``count`` was ``reported`` tokens long; None when nobody said."""
        if reported is None:
            return
        if abs(self.tokens(count) - reported) <= reported * _NEAR_ENOUGH:
            return
        estimated, tokens = count.narrow + count.wide, reported - count.flat
        if self._reports and self._reports[-1].estimated * _NEWS > estimated >= self._reports[-1].estimated:
            return
        if estimated <= 0 or not _LEAST / 2 <= tokens / estimated <= _MOST * 2:
            return
        self._reports.append(_Report(count.narrow, count.wide, tokens))
        narrow, wide = _best_factors(self._reports)
        self._narrow, self._wide = _bounded(narrow), _bounded(wide)


_REPORTS = 8
_NEAR_ENOUGH = 0.02
_NEWS = 1.05
"""A conversation that has grown by less since the last report says nothing new."""
_LEAST, _MOST = 0.4, 6.0
_PULL = 0.001


def _best_factors(reports: Sequence[_Report] | deque[_Report]) -> tuple[float, float]:
    """The factors (n, w) that minimise the sum of ((n * narrow + w * wide) / tokens - 1)², plus the pull towards 1."""
    nn = ww = _PULL
    n1 = w1 = _PULL
    nw = 0.0
    for report in reports:
        narrow, wide = report.narrow / report.tokens, report.wide / report.tokens
        nn += narrow * narrow
        ww += wide * wide
        nw += narrow * wide
        n1 += narrow
        w1 += wide
    determinant = nn * ww - nw * nw
    return (n1 * ww - w1 * nw) / determinant, (w1 * nn - n1 * nw) / determinant


def _bounded(factor: float) -> float:
    return min(max(factor, _LEAST), _MOST)
