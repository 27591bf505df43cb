"""The `calculator` tool: exact arithmetic, with a note where a result had to be rounded."""

from __future__ import annotations

from decimal import Context, Decimal

from actloop.tools.base import Tool
from actloop.tools.builtin.arithmetic import evaluate
from actloop.tools.builtin.math_functions import Number
from actloop.tools.decorator import tool

__all__ = ["calculator_tool", "shown"]

_ROUNDED_DIGITS = 15
_EXACT_DECIMALS = 50
_FRACTION_CHARACTERS = 40


def calculator_tool() -> Tool:
    """A tool with one parameter, ``expression``."""
    return tool(calculator, idempotent=True)


async def calculator(expression: str) -> str:
    """Evaluate an arithmetic expression exactly. Use it for every calculation.

    Args:
        expression: For example "(1,299.99 * 3) / 7", "15% of 80", "2^10" or "round(sqrt(2), 4)". + - * / // (whole
            division), % (percent behind a number, remainder between two), ^ or ** (power), ! (factorial), parentheses,
            pi and e. Functions: sqrt, round, floor, ceil, abs, min, max, sum, mean, exp, ln, log, log10, sin, cos, tan
            (in radians), factorial, gcd, lcm, comb and more.
    """
    return shown(evaluate(expression))


def shown(value: Number) -> str:
    """``value`` as text: whole or decimal where that is exact, else rounded to 15 digits and marked as rounded."""
    if isinstance(value, float):
        text = _rounded(Decimal(repr(value)))
        return text if "." not in text and "E" not in text and value != 0 else f"{text} (rounded)"
    if value.denominator == 1:
        return str(value.numerator)
    if (decimals := _decimals(value.denominator)) is not None:
        digits = str(abs(value.numerator) * 10**decimals // value.denominator).rjust(decimals + 1, "0")
        return f"{'-' if value < 0 else ''}{digits[:-decimals]}.{digits[-decimals:]}"
    context = Context(prec=_ROUNDED_DIGITS)
    text = _rounded(context.divide(Decimal(value.numerator), Decimal(value.denominator)))
    exact = f"{value.numerator}/{value.denominator}"
    return f"{text} (rounded; exactly {exact})" if len(exact) <= _FRACTION_CHARACTERS else f"{text} (rounded)"


def _decimals(denominator: int) -> int | None:
    """How many decimals a fraction with this denominator has, or None if they never end or are more than 50."""
    twos = fives = 0
    while denominator % 2 == 0 and twos <= _EXACT_DECIMALS:
        denominator //= 2
        twos += 1
    while denominator % 5 == 0 and fives <= _EXACT_DECIMALS:
        denominator //= 5
        fives += 1
    decimals = max(twos, fives)
    return decimals if denominator == 1 and decimals <= _EXACT_DECIMALS else None


def _rounded(value: Decimal) -> str:
    rounded = Context(prec=_ROUNDED_DIGITS).plus(value)
    if -7 <= rounded.adjusted() < _ROUNDED_DIGITS:
        text = f"{rounded:f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    return f"{rounded.normalize():E}"
