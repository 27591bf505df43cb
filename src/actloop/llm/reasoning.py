"""Split what a model thinks from what it says, when it writes both into one text.

Reasoning stands between ``<think>`` and ``</think>`` (or ``<thinking>``). A tag opens reasoning only at the beginning
of a line outside a code fence: elsewhere it is a mention, and people do ask about these tags. Some chat templates write
the opening tag themselves, so that the model's text holds the closing one alone.
"""

from __future__ import annotations

import re
from typing import Literal

__all__ = ["PieceKind", "ReasoningSplitter", "split_reasoning"]

PieceKind = Literal["reasoning", "text"]

_OPENING = re.compile(r"<think(?:ing)?>", re.IGNORECASE)
_CLOSING = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_OPENINGS = ("<think>", "<thinking>")
_CLOSINGS = ("</think>", "</thinking>")
_LONGEST = len(_CLOSINGS[1])
_FENCES = ("```", "~~~")
_SPACE = re.compile(r"\s*+")
_BEFORE_TAG_OR_FENCE = re.compile(r"\n(?=[^\S\n]*+(?:[<`~]|\Z))")
"""The end of a line after which one may stand, also when the text so far ends there."""
_QUOTING = "`\"'"
_MENTION_AFTER = re.compile(r"[ \t]*(?:[a-z,.;:)`\"'])")


def split_reasoning(text: str) -> tuple[str, str]:
    """Return the reasoning in ``text`` and the answer without it.

    Text without reasoning comes back unchanged. A reasoning that never closes takes the rest of the text.
    """
    if "<" not in text:
        return "", text
    splitter = ReasoningSplitter(starts_inside=_begins_inside(text))
    pieces = splitter.feed(text) + splitter.close()
    reasoning = "".join(piece for kind, piece in pieces if kind == "reasoning")
    return reasoning, "".join(piece for kind, piece in pieces if kind == "text")


def _begins_inside(text: str) -> bool:
    """Whether the template wrote the opening tag: the first tag of the text is a closing one, and is no mention."""
    closing = _CLOSING.search(text)
    if closing is None or _OPENING.search(text, 0, closing.start()):
        return False
    before, after = text[: closing.start()], text[closing.end() :]
    line = before[before.rfind("\n") + 1 :]
    if _is_quoted(line[-1:], after[:1]) or line.count("`") % 2:
        return False
    fences = sum(head.lstrip().startswith(_FENCES) for head in before.split("\n"))
    if fences % 2 and any(head.lstrip().startswith(_FENCES) for head in after.split("\n")[1:]):
        return False
    return not (line.strip() and line[-1].isspace() and _MENTION_AFTER.match(after))


def _is_quoted(before: str, after: str) -> bool:
    return before != "" and before in _QUOTING and after == before


class ReasoningSplitter:
    """Does for a stream what `split_reasoning` does for a whole text; how the stream is cut makes no difference.

    starts_inside: whether the stream begins within the reasoning, because the template wrote the opening tag. Without
    it a closing tag alone stays text: what came before it has been handed out already.
    """

    def __init__(self, *, starts_inside: bool = False) -> None:
        self._inside = starts_inside
        self._waiting = ""  # may become a tag once more text arrives
        self._block_start = True  # only white space so far since the beginning or the last tag
        self._space: list[str] = []  # that white space, as long as it may belong to the text
        self._after_tag = starts_inside
        self._line_start = True
        self._fence = ""
        self._last = ""
        self._has_reasoned = False
        self._pieces: list[tuple[PieceKind, str]] = []

    def feed(self, piece: str) -> list[tuple[PieceKind, str]]:
        """Take the next piece of the stream; return what is now known to be reasoning or text, in order."""
        return self._take(self._waiting + piece, last=False)

    def close(self) -> list[tuple[PieceKind, str]]:
        """End the stream; return what was held back because it might have become a tag."""
        pieces = self._take(self._waiting, last=True)
        if self._space:
            pieces.append(("text", "".join(self._space)))
            self._space.clear()
        return pieces

    def _take(self, text: str, *, last: bool) -> list[tuple[PieceKind, str]]:
        self._pieces = []
        position = 0
        while position < len(text):
            step = self._read_reasoning if self._inside else self._read_text
            end = step(text, position, last)
            if end == position:
                break
            position = end
        self._waiting = text[position:]
        return self._pieces

    def _read_text(self, text: str, start: int, last: bool) -> int:
        """Read up to a line that may begin a tag or fence; return where to go on, ``start`` itself to wait for more."""
        if self._line_start:
            space = _end_of_space(text, start)
            if space > start:
                self._say_space(text[start:space])
                return space
            opening = None if self._fence else _OPENING.match(text, start)
            if opening is not None:
                self._cross(inside=True)
                return opening.end()
            if not last and _may_become(text, start, _FENCES if self._fence else _OPENINGS + _FENCES):
                return start
            self._note_fence(text[start : start + 3])
        before = _BEFORE_TAG_OR_FENCE.search(text, start)
        end = len(text) if before is None else before.end()
        self._say(text[start:end])
        self._line_start = before is not None
        return end

    def _read_reasoning(self, text: str, start: int, last: bool) -> int:
        """Read up to the closing tag; return where to go on, ``start`` itself to wait for more."""
        if self._block_start:
            space = _end_of_space(text, start)
            if space > start:
                return space
            doubled = _OPENING.match(text, start)
            if doubled is not None:
                return doubled.end()
            if not last and _may_become(text, start, _OPENINGS):
                return start
        closing = _CLOSING.search(text, start)
        if closing is None:
            end = len(text)
            tag = text.rfind("<", max(start, end - _LONGEST))
            if not last and tag >= 0 and _may_become(text, tag, _CLOSINGS):
                end = tag
            self._say(text[start:end])
            return end
        before = text[closing.start() - 1] if closing.start() > start else self._last
        after = text[closing.end() : closing.end() + 1]
        if before and before in _QUOTING and not after and not last:
            return start
        if _is_quoted(before, after):
            self._say(text[start : closing.end()])
        else:
            self._say(text[start : closing.start()])
            self._cross(inside=False)
        return closing.end()

    def _cross(self, *, inside: bool) -> None:
        self._inside = inside
        self._block_start = self._after_tag = self._line_start = True
        self._space.clear()
        self._last = ""

    def _note_fence(self, head: str) -> None:
        if head in _FENCES and self._fence in ("", head):
            self._fence = "" if self._fence else head

    def _say_space(self, space: str) -> None:
        """White space right after a tag belongs to nobody; at the very beginning it is text if no tag follows."""
        if not self._block_start:
            self._say(space)
        elif not self._after_tag:
            self._space.append(space)

    def _say(self, words: str) -> None:
        if not words:
            return
        if self._block_start and self._inside and self._has_reasoned:
            words = "\n\n" + words
        elif self._space:
            words = "".join(self._space) + words
            self._space.clear()
        self._block_start = False
        self._has_reasoned = self._has_reasoned or self._inside
        self._last = words[-1]
        self._pieces.append(("reasoning" if self._inside else "text", words))


def _end_of_space(text: str, start: int) -> int:
    space = _SPACE.match(text, start)
    assert space is not None  # the pattern also matches nothing
    return space.end()


def _may_become(text: str, start: int, tags: tuple[str, ...]) -> bool:
    """Whether ``text`` ends in the middle of one of ``tags``."""
    rest = text[start : start + _LONGEST].lower()
    return any(len(rest) < len(tag) and tag.startswith(rest) for tag in tags)
