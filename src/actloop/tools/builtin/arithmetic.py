"""Evaluate an arithmetic expression as people and models write it: exact where it can be, bounded always (pure).

Numbers are fractions of integers, so ``0.1 + 0.2`` is 0.3; a function with an irrational value gives a float. Nothing
is ever handed to Python's own `eval` or `ast`: the grammar below is all there is.

    sum      = product (("+" | "-") product)*
    product  = signed (("*" | "/" | "//" | "%" | "of") signed)*
    signed   = ("+" | "-" | "√") signed | power
    power    = postfix ("^" signed)?
    postfix  = atom ("!" | "%")*
    atom     = number | constant | function "(" sum ("," sum)* ")" | "(" sum ")"
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from actloop.errors import ToolError
from actloop.tools.builtin.math_functions import CONSTANTS, FUNCTIONS, Number, bounded, factorial, power, square_root

__all__ = ["evaluate"]

_MAX_CHARACTERS = 2_000
_MAX_DEPTH = 50
_MAX_EXPONENT = 308

_SIGNS = str.maketrans(
    {"×": "*", "·": "*", "⋅": "*", "∙": "*", "✕": "*", "÷": "/", "∕": "/", "⁄": "/", "−": "-", "–": "-", "—": "-"}
)
_WIDE = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_SUPERSCRIPT = re.compile("[⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_GROUPED = re.compile("[0-9]{1,3}(?:[,'\u00a0\u2009\u202f][0-9]{3})+(?![0-9])(?:\\.[0-9]+)?")
_PLAIN = re.compile(r"(?:[0-9][0-9_]*(?:\.[0-9]*)?|\.[0-9]+)(?:[eE]([+-]?[0-9]+))?")
_NAME = re.compile(r"(?:math\.)?([A-Za-z][A-Za-z0-9_]*|π|τ)")
_SYMBOL = re.compile(r"\*\*|//|[-+*/%^!(),√]")


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str  # "number", "name", "end", or the symbol itself
    text: str
    spaced: bool
    value: Fraction | None = None


def evaluate(expression: str) -> Number:
    """The value of ``expression``: a `Fraction` where it is exact, else a finite float.

    ``^`` and ``**`` mean power, ``%`` behind a number is a hundredth (``15% of 80``) and between two is the remainder,
    ``!`` is the factorial. ``1,234.5`` is one number, except directly between the arguments of a function. Raises
    `ToolError` for anything else, and for numbers of more than 3,000 digits.
    """
    if len(expression) > _MAX_CHARACTERS:
        raise ToolError(f"the expression has {len(expression):,} characters; at most {_MAX_CHARACTERS:,} are read")
    text = expression.translate(_WIDE).translate(_SIGNS).rstrip(" =?\t\r\n")
    text = _SUPERSCRIPT.sub(lambda match: f"^({match[0].translate(_SUPERSCRIPTS)})", text)
    try:
        return _Parser(_tokens(text)).result()
    except ZeroDivisionError as error:
        raise ToolError(f"division by zero in {text!r}") from error
    except OverflowError as error:
        raise ToolError(f"a number in {text!r} is too large") from error


def _tokens(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    in_call: list[bool] = []
    position = 0
    while True:
        start = position
        while position < len(text) and text[position].isspace():
            position += 1
        spaced = position > start
        if position == len(text):
            tokens.append(_Token("end", "the end", spaced))
            return tokens
        grouped = None if in_call and in_call[-1] else _GROUPED.match(text, position)
        if match := grouped or _PLAIN.match(text, position):
            tokens.append(_Token("number", match[0], spaced, _number(match[0], "" if grouped else match[1])))
        elif match := _NAME.match(text, position):
            tokens.append(_Token("name", match[1], spaced))
        elif match := _SYMBOL.match(text, position):
            symbol = "^" if match[0] == "**" else match[0]
            if symbol == "(":
                in_call.append(bool(tokens) and tokens[-1].kind == "name" and tokens[-1].text != "of")
            elif symbol == ")" and in_call:
                in_call.pop()
            tokens.append(_Token(symbol, match[0], spaced))
        else:
            raise ToolError(f"{text[position]!r} is not arithmetic: use numbers, + - * / // % ^ ( ) and functions")
        position = match.end()


def _number(text: str, exponent: str | None) -> Fraction:
    if exponent and (len(exponent) > 5 or abs(int(exponent)) > _MAX_EXPONENT):
        raise ToolError(f"the exponent in {text!r} is too large: at most {_MAX_EXPONENT}")
    value = Fraction(re.sub("[,'_\u00a0\u2009\u202f]", "", text))
    bounded(value)
    return value


class _Parser:
    def __init__(self, tokens: list[_Token]) -> None:
        self._tokens = tokens
        self._next = 0
        self._depth = 0

    def result(self) -> Number:
        value = self._sum()
        if self._peek().kind != "end":
            raise self._unexpected()
        return value

    def _peek(self) -> _Token:
        return self._tokens[self._next]

    def _take(self, *kinds: str) -> str | None:
        token = self._peek()
        word = token.text if token.kind == "name" else token.kind
        if word not in kinds:
            return None
        self._next += 1
        return word

    def _expect(self, kind: str) -> None:
        if not self._take(kind):
            raise self._unexpected(f"expected {kind!r}")

    def _unexpected(self, hint: str = "") -> ToolError:
        token = self._peek()
        before = self._tokens[self._next - 1] if self._next else None
        if token.kind == "end":
            return ToolError(f"the expression stops too early{f': {hint}' if hint else ''}")
        if before and token.kind in ("number", "name", "(") and before.kind in ("number", ")"):
            return ToolError(f"an operator is missing between {before.text!r} and {token.text!r}, for example *")
        return ToolError(f"{token.text!r} cannot stand there{f': {hint}' if hint else ''}")

    def _sum(self) -> Number:
        value = self._product()
        while sign := self._take("+", "-"):
            right = self._product()
            value = bounded(value + right if sign == "+" else value - right)
        return value

    def _product(self) -> Number:
        value = self._signed()
        while sign := self._take("*", "/", "//", "%", "of"):
            value = bounded(_PRODUCTS[sign](value, self._signed()))
        return value

    def _signed(self) -> Number:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise ToolError(f"the expression is nested more than {_MAX_DEPTH} deep")
        sign = self._take("+", "-", "√")
        value = self._signed() if sign else self._power()
        self._depth -= 1
        if sign == "√":
            return square_root(value)
        return -value if sign == "-" else value

    def _power(self) -> Number:
        base = self._postfix()
        return bounded(power(base, self._signed())) if self._take("^") else base

    def _postfix(self) -> Number:
        value = self._atom()
        while self._peek().kind == "!" or self._at_percent():
            value = factorial(value) if self._take("!") else value / self._hundred()
        return value

    def _hundred(self) -> int:
        self._expect("%")
        return 100

    def _at_percent(self) -> bool:
        """Whether a ``%`` comes that has no right operand: what follows it is no number, or a sign set apart."""
        if self._peek().kind != "%":
            return False
        after = self._tokens[self._next + 1]
        if after.kind in ("+", "-"):
            return after.spaced and not self._peek().spaced
        return after.text == "of" or after.kind not in ("number", "name", "(", "√")

    def _atom(self) -> Number:
        token = self._peek()
        if token.kind == "number" and token.value is not None:
            self._next += 1
            return token.value
        if self._take("("):
            value = self._sum()
            self._expect(")")
            return value
        if token.kind != "name" or token.text == "of":
            raise self._unexpected("a number is missing")
        self._next += 1
        name = token.text.lower()
        if self._take("("):
            return self._call(name)
        if name in FUNCTIONS:
            raise ToolError(f"{name} is a function: write {name}( … )")
        if name not in CONSTANTS:
            raise ToolError(_unknown(token.text))
        return CONSTANTS[name]

    def _call(self, name: str) -> Number:
        if name not in FUNCTIONS:
            raise ToolError(_unknown(name))
        arguments: list[Number] = []
        if not self._take(")"):
            arguments.append(self._sum())
            while self._take(","):
                arguments.append(self._sum())
            self._expect(")")
        function, fewest, most = FUNCTIONS[name]
        if not fewest <= len(arguments) <= most:
            takes = f"{fewest}" if most == fewest else f"{fewest} or more"
            raise ToolError(
                f"{name}() was given {len(arguments)} numbers and takes {takes}; write numbers between the parentheses "
                "of a function without thousands separators"
            )
        return bounded(function(*arguments))


_PRODUCTS: dict[str, Callable[[Number, Number], Number]] = {
    "*": lambda left, right: left * right,
    "of": lambda left, right: left * right,
    "/": lambda left, right: left / right,
    "//": lambda left, right: Fraction(left // right),
    "%": lambda left, right: left % right,
}


def _unknown(name: str) -> str:
    return f"{name!r} is not known here; constants: {', '.join(CONSTANTS)}; functions: {', '.join(FUNCTIONS)}"
