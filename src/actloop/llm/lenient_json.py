"""Read one JSON value as models write it: the grammar of RFC 8259 with a few forgivable slips.

Forgiven are comments (``//``, ``/* */``, ``#``), trailing commas, Python's literals and quotes, raw control characters
and invalid escapes in strings, typographic quotes as delimiters, and doubled braces (``{{"a": 1}}``, what a prompt
template teaches weak models). NaN, the infinities and numbers that overflow become null. Nothing is ever completed for
the model, and lone surrogates become U+FFFD. Knows one value at one place; where to look is `json_scan`'s business.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

from actloop.llm.strict_json import FastReader
from actloop.messages import clean_text

__all__ = ["MAX_DEPTH", "Broken", "Complete", "LenientReader", "Reading", "Short", "read_value"]

MAX_DEPTH = 200
"""Deepest nesting that is read, as in jiter. Deeper text is malformed, so that no recursion limit is ever in reach."""

_MAX_DIGITS = 4300  # CPython refuses to print longer integers: sys.int_info.default_max_str_digits


@dataclass(frozen=True, slots=True)
class Complete:
    """A whole value, the position after it, and a key that one of its objects holds twice, if any."""

    value: Any
    end: int
    duplicate_key: str | None = None


@dataclass(frozen=True, slots=True)
class Broken:
    """No JSON: what stands at ``at`` cannot go on from what came before it.

    open_containers: how many objects and arrays were open there.
    begun: whether a first member had been read, so that this is a spoiled value rather than prose with a brace in it.
    too_deep: whether the only fault is nesting deeper than `MAX_DEPTH`.
    """

    at: int
    expected: str
    open_containers: int = 0
    begun: bool = False
    too_deep: bool = False


@dataclass(frozen=True, slots=True)
class Short:
    """Fine so far, but the text ended before the value did."""


Reading = Complete | Broken | Short

_GAP = re.compile(r"(?:[\s\ufeff]++|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/|(?<=[\s,])#[^\n]*+)*+")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*+)(\.[0-9]++)?([eE][+-]?[0-9]++)?(?![\w.])")
_NUMBER_BEGUN = re.compile(r"-?(?:0|[1-9][0-9]*+)?(?:\.[0-9]*+)?(?:[eE][+-]?[0-9]*+)?\Z")
_PLAIN_ITEMS = re.compile(r"""(?:\s*+(?:-?[1-9][0-9]{0,15}|"[^"\\\ud800-\udfff]*+")\s*+,(?=\s*+["0-9-]))++""")
_WORD = re.compile(r"-?[A-Za-z]++")
_WORDS: dict[str, Any] = {
    "true": True,
    "false": False,
    "null": None,
    "True": True,
    "False": False,
    "None": None,
    "NaN": None,
    "Infinity": None,
    "-Infinity": None,
    "nan": None,
    "inf": None,
    "-inf": None,
}
_QUOTES = {
    **dict.fromkeys('"', '"'),
    **dict.fromkeys("'", "'"),
    **dict.fromkeys("“”„", "“”"),
    **dict.fromkeys("‘’‚", "‘’"),
}
_BODIES = {ends: re.compile(rf"[^{ends}\\]*+(?:\\.[^{ends}\\]*+)*+", re.DOTALL) for ends in set(_QUOTES.values())}
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))", re.DOTALL)
_ESCAPES = {'"': '"', "'": "'", "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_NO_GAP = frozenset("{}[],:\"'-0123456789")


def read_value(text: str, start: int = 0) -> Reading:
    """Read the value that begins at ``start``, leading space and comments allowed. Never raises; linear in the text."""
    return LenientReader(text).read(start)


class _RanOutError(Exception):
    pass


class _BrokenError(Exception):
    def __init__(self, at: int, expected: str, *, too_deep: bool = False) -> None:
        self.at = at
        self.expected = expected
        self.too_deep = too_deep


@dataclass(slots=True)
class _Container:
    """An object or array that is being read; ``key`` is where the next member of an object goes."""

    close: str
    value: dict[str, Any] | list[Any]
    key: str = field(default="", init=False)


class LenientReader:
    """Reads values at any place of one text; a stack in place of recursion bounds the depth."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._fast = FastReader(text)
        self._position = 0
        self._stack: list[_Container] = []
        self._begun = False
        self._duplicate_key: str | None = None

    def read(self, start: int) -> Reading:
        """Read the value that begins at ``start``, leading space and comments allowed. Never raises."""
        self._position = start
        self._stack.clear()
        self._begun = False
        self._duplicate_key = None
        try:
            value = self._value()
        except _RanOutError:
            return Short()
        except _BrokenError as error:
            return Broken(error.at, error.expected, len(self._stack), self._begun, error.too_deep)
        return Complete(value, self._position, self._duplicate_key)

    def _value(self) -> Any:
        while True:
            character = self._peek()
            if character in "{[":
                strict = self._fast.read(self._position, MAX_DEPTH - len(self._stack))
                if strict is None:
                    container = self._open(character)
                    if not self._closes(container):
                        self._read_key(container)
                        continue
                    value: Any = self._stack.pop().value
                else:
                    value, self._position = strict
            else:
                self._read_plain_items()
                value = self._scalar(self._peek())
            while self._stack and self._add(value):
                value = self._stack.pop().value
            if not self._stack:
                return value

    def _peek(self) -> str:
        """The next character that is neither space nor comment; the position moves there."""
        character = self.text[self._position : self._position + 1]
        if character in _NO_GAP:
            return character
        gap = _GAP.match(self.text, self._position)
        assert gap is not None  # the pattern also matches nothing
        self._position = gap.end()
        left = len(self.text) - self._position
        if left == 0 or self._at("/*") or (left == 1 and self._at("/")):
            raise _RanOutError
        return self.text[self._position]

    def _at(self, token: str) -> bool:
        return self.text.startswith(token, self._position)

    def _open(self, character: str) -> _Container:
        doubled = self._at("{{")
        if len(self._stack) == MAX_DEPTH:
            raise _BrokenError(self._position, f"nesting of at most {MAX_DEPTH} levels", too_deep=True)
        container = _Container("]", []) if character == "[" else _Container("}}" if doubled else "}", {})
        self._stack.append(container)
        self._position += len(container.close)
        if doubled and self._peek() not in _QUOTES:  # `{{}}` and `{{ name }}` are templates, not values
            raise _BrokenError(self._position, "a key in quotes")
        return container

    def _closes(self, container: _Container) -> bool:
        self._peek()
        closes = self._at(container.close)
        if closes:
            self._position += len(container.close)
        return closes

    def _add(self, value: Any) -> bool:
        """Put a member into the innermost container and read what follows; whether that closes the container."""
        container = self._stack[-1]
        self._begun = True
        if isinstance(container.value, dict):
            container.value[container.key] = value
        else:
            container.value.append(value)
        if self._closes(container):
            return True
        if not self._at(","):
            raise _BrokenError(self._position, f"`,` or `{container.close}`")
        self._position += 1
        if self._closes(container):
            return True
        self._read_key(container)
        return False

    def _read_plain_items(self) -> None:
        """Read the items of an array up to the last plain one at once: long lists are many plain items."""
        container = self._stack[-1] if self._stack else None
        if container is None or not isinstance(container.value, list):
            return
        items = _PLAIN_ITEMS.match(self.text, self._position)
        if items is not None:
            container.value += json.loads(f"[{items.group()[:-1]}]", strict=False)
            self._begun = True
            self._position = items.end()

    def _read_key(self, container: _Container) -> None:
        if not isinstance(container.value, dict):
            return
        character = self._peek()
        if character not in _QUOTES:
            raise _BrokenError(self._position, "a key in quotes")
        key = self._string(character)
        if self._peek() != ":":
            raise _BrokenError(self._position, f"`:` after the key {key[:60]!r}")
        self._position += 1
        self._begun = True
        if key in container.value:
            self._duplicate_key = key
        container.key = key

    def _scalar(self, character: str) -> Any:
        if character in _QUOTES:
            return self._string(character)
        word = _WORD.match(self.text, self._position)
        if word is not None:
            return self._literal(word)
        number = _NUMBER.match(self.text, self._position)
        if number is not None:
            self._position = number.end()
            return _number(number)
        if character in "-0123456789" and _NUMBER_BEGUN.match(self.text, self._position):
            raise _RanOutError
        raise _BrokenError(self._position, "a value")

    def _literal(self, word: re.Match[str]) -> Any:
        text = word.group()
        if text in _WORDS and not self.text[word.end() : word.end() + 1].isalnum():
            self._position = word.end()
            return _WORDS[text]
        if word.end() == len(self.text) and any(known.startswith(text) for known in _WORDS):
            raise _RanOutError
        raise _BrokenError(self._position, "a value")

    def _string(self, quote: str) -> str:
        body = _BODIES[_QUOTES[quote]].match(self.text, self._position + 1)
        assert body is not None  # the pattern also matches nothing
        if body.end() == len(self.text) or self.text[body.end()] == "\\":
            raise _RanOutError
        self._position = body.end() + 1
        value = body.group()
        if "\\" in value:
            value = _ESCAPE.sub(_python_unescaped if quote == "'" else _unescaped, value)
        return clean_text(value)


def _unescaped(escape: re.Match[str]) -> str:
    if escape[1]:
        return chr(int(escape[1], 16))
    if escape[3]:
        return _ESCAPES.get(escape[3], escape.group())
    return escape.group()


def _python_unescaped(escape: re.Match[str]) -> str:
    return chr(int(escape[2], 16)) if escape[2] else _unescaped(escape)


def _number(match: re.Match[str]) -> int | float | None:
    digits = match.group()
    if match[1] is None and match[2] is None:
        return int(digits) if len(digits) < _MAX_DIGITS else None
    value = float(digits)
    return value if isfinite(value) else None
