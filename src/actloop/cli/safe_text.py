"""Text from a model, a tool or a server, made harmless for a terminal (pure).

A terminal obeys what is written to it: escape sequences can move the cursor, change the window's title or fill the
clipboard. Words for the person pass, orders for the terminal do not.
"""

from __future__ import annotations

import re

from actloop.messages import clean_text

__all__ = ["one_line", "safe_text"]

_ESCAPE_SEQUENCE = re.compile(
    r"""
    (?: \x1b\[ | \x9b ) [0-?]* [ -/]* [@-~]                             # CSI: colours, cursor, modes
    | (?: \x1b[\]PX^_] | [\x9d\x90\x98\x9e\x9f] ) [^\x07\x1b\x9c]*      # OSC, DCS, SOS, PM, APC: a string …
      (?: \x07 | \x1b\\ | \x9c )                                        # … and its end
    | \x1b [ -/]+ [0-~]                                                 # character sets
    """,
    re.VERBOSE,
)
"""ECMA-48 §5.3, 5.4, 5.6 and 8.3.89; BEL as the end of an OSC string is xterm's habit."""

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202d\u202e]")
"""C0 but tab and line feed, DEL, C1, Unicode's line ends, and the two characters that turn the reading order around."""


def safe_text(text: str) -> str:
    """Return ``text`` without escape sequences and control characters; line ends become ``\\n``."""
    text = clean_text(text).replace("\r\n", "\n")
    if "\x1b" in text or not text.isascii():
        text = _ESCAPE_SEQUENCE.sub("", text)
    return _CONTROL.sub(_replacement, text)


def _replacement(match: re.Match[str]) -> str:
    return "\n" if match.group() in "\r\u0085\u2028\u2029" else ""


def one_line(text: str, limit: int) -> str:
    """Return the harmless text on one line of at most ``limit`` characters, with ``…`` where something was cut."""
    line = " ".join(safe_text(text[: 4 * limit]).split())
    if len(line) <= limit and len(text) <= 4 * limit:
        return line
    return line[: limit - 1] + "…"
