"""Clean text at the borders: to the model, to the browser, to the store."""

from __future__ import annotations

import re

__all__ = ["clean_text", "shorten"]

_SURROGATE_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def clean_text(text: str) -> str:
    """Return ``text`` so that it encodes to UTF-8: surrogate pairs are joined, lone surrogates become U+FFFD."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        paired = _SURROGATE_PAIR.sub(_join, text)
        return _LONE_SURROGATE.sub("\ufffd", paired)
    return text


def _join(pair: re.Match[str]) -> str:
    return pair.group().encode("utf-16", "surrogatepass").decode("utf-16")


def shorten(text: str, limit: int, *, marker: str = "\n[… {cut} characters left out …]\n") -> str:
    """Return ``text`` whole if it has at most ``limit`` characters; else its head and tail around a marker.

    Three quarters of what is kept is head. The marker says how many characters went and is not counted in ``limit``.
    """
    if len(text) <= limit:
        return text
    head = limit * 3 // 4
    tail = limit - head
    return text[:head] + marker.format(cut=len(text) - limit) + (text[-tail:] if tail else "")
