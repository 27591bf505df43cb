"""The numbers, constants and functions of the calculator, each within bounds (pure)."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from actloop.errors import ToolError

__all__ = ["CONSTANTS", "FUNCTIONS", "Number", "bounded", "factorial", "power", "square_root"]

Number = Fraction | float
"""A `Fraction` is exact; a float has about 15 correct digits."""

_MAX_BITS = 10_000
_ANY = 1_000


def bounded(value: Number) -> Number:
    """``value``, or `ToolError` if it is not finite or has more than about 3,000 digits."""
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ToolError("the result is not a finite number")
        return value
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > _MAX_BITS:
        raise ToolError("a number gets more than 3,000 digits, which is too many")
    return value


def power(base: Number, exponent: Number) -> Number:
    """``base`` to the ``exponent``: exact for whole exponents, and for square roots that come out even."""
    if isinstance(exponent, Fraction) and exponent.denominator == 1 and isinstance(base, Fraction):
        bits = max(base.numerator.bit_length(), base.denominator.bit_length())
        if bits > 1 and (bits - 1) * abs(exponent.numerator) > _MAX_BITS:
            raise ToolError("a power gets more than 3,000 digits, which is too many")
        if abs(exponent.numerator) > _MAX_BITS:  # of 0, 1 or -1
            exponent = Fraction(2 - exponent.numerator % 2) * (1 if exponent > 0 else -1)
        exact: Fraction = base**exponent.numerator
        return exact
    if exponent == Fraction(1, 2):
        return square_root(base)
    if base < 0 and float(exponent) % 1:
        raise ToolError("a negative number to a broken power is not a real number")
    return math.pow(base, exponent)


def square_root(value: Number) -> Number:
    """The square root, exact where it is a fraction."""
    if value < 0:
        raise ToolError("the square root of a negative number is not a real number")
    if isinstance(value, Fraction):
        top, bottom = math.isqrt(value.numerator), math.isqrt(value.denominator)
        if top * top == value.numerator and bottom * bottom == value.denominator:
            return Fraction(top, bottom)
    return math.sqrt(value)


def factorial(value: Number) -> Number:
    """``value!`` for whole numbers up to 1,000."""
    return Fraction(math.factorial(_whole(value, "factorial", 1_000)))


def _whole(value: Number, function: str, most: int | None = None) -> int:
    if value != int(value):
        raise ToolError(f"{function}() takes whole numbers only")
    if most is not None and not 0 <= value <= most:
        raise ToolError(f"{function}() takes whole numbers from 0 to {most:,} here")
    return int(value)


def _rounded(value: Number, digits: Number = Fraction(0)) -> Number:
    """Round as in commerce: a half goes away from zero."""
    places = _whole(digits if digits >= 0 else -digits, "round", 300) * (1 if digits >= 0 else -1)
    scale = Fraction(10) ** places
    scaled = abs(Fraction(value)) * scale
    return (1 if value >= 0 else -1) * Fraction(math.floor(scaled + Fraction(1, 2))) / scale


def _logarithm(value: Number, base: Number | None = None) -> float:
    if value <= 0 or (base is not None and (base <= 0 or base == 1)):
        raise ToolError("a logarithm is taken of a number above 0, to a base above 0 other than 1")
    if base is None:
        return _natural(value)
    if base in (2, 10):
        return _in_base(value, math.log2 if base == 2 else math.log10)
    return _natural(value) / _natural(base)


def _natural(value: Number) -> float:
    return _in_base(value, math.log)


def _in_base(value: Number, logarithm: Callable[[float], float]) -> float:
    if isinstance(value, Fraction) and not 1e-300 < value < 1e300:  # beyond what a float holds
        return logarithm(value.numerator) - logarithm(value.denominator)
    return logarithm(float(value))


def _real(function: Callable[..., float], name: str) -> Callable[..., Number]:
    def call(*values: Number) -> Number:
        try:
            return function(*map(float, values))
        except ValueError as error:
            raise ToolError(f"{name}() has no value there") from error

    return call


def _trigonometric(function: Callable[[float], float], name: str) -> Callable[..., Number]:
    """To 15 decimals: sin(pi) is 0 to everyone but a float."""
    real = _real(function, name)
    return lambda value: round(float(real(value)), 15)


def _wholes(function: Callable[..., int], name: str, most: int | None = None) -> Callable[..., Number]:
    return lambda *values: Fraction(function(*(_whole(value, name, most) for value in values)))


def _total(*values: Number) -> Number:
    result: Number = Fraction(0)
    for value in values:
        result += value
    return result


CONSTANTS: dict[str, Number] = {"pi": math.pi, "π": math.pi, "e": math.e, "tau": math.tau, "τ": math.tau}

FUNCTIONS: dict[str, tuple[Callable[..., Number], int, int]] = {
    "abs": (abs, 1, 1),
    "round": (_rounded, 1, 2),
    "floor": (lambda value: Fraction(math.floor(value)), 1, 1),
    "ceil": (lambda value: Fraction(math.ceil(value)), 1, 1),
    "trunc": (lambda value: Fraction(math.trunc(value)), 1, 1),
    "min": (min, 1, _ANY),
    "max": (max, 1, _ANY),
    "sum": (_total, 1, _ANY),
    "mean": (lambda *values: _total(*values) / len(values), 1, _ANY),
    "sqrt": (square_root, 1, 1),
    "cbrt": (_real(math.cbrt, "cbrt"), 1, 1),
    "pow": (power, 2, 2),
    "mod": (lambda left, right: left % right, 2, 2),
    "exp": (_real(math.exp, "exp"), 1, 1),
    "ln": (_logarithm, 1, 1),
    "log": (_logarithm, 1, 2),
    "log2": (lambda value: _logarithm(value, 2), 1, 1),
    "log10": (lambda value: _logarithm(value, 10), 1, 1),
    "sin": (_trigonometric(math.sin, "sin"), 1, 1),
    "cos": (_trigonometric(math.cos, "cos"), 1, 1),
    "tan": (_trigonometric(math.tan, "tan"), 1, 1),
    "asin": (_real(math.asin, "asin"), 1, 1),
    "acos": (_real(math.acos, "acos"), 1, 1),
    "atan": (_real(math.atan, "atan"), 1, 1),
    "atan2": (_real(math.atan2, "atan2"), 2, 2),
    "sinh": (_real(math.sinh, "sinh"), 1, 1),
    "cosh": (_real(math.cosh, "cosh"), 1, 1),
    "tanh": (_real(math.tanh, "tanh"), 1, 1),
    "degrees": (_real(math.degrees, "degrees"), 1, 1),
    "radians": (_real(math.radians, "radians"), 1, 1),
    "hypot": (_real(math.hypot, "hypot"), 1, _ANY),
    "factorial": (factorial, 1, 1),
    "comb": (_wholes(math.comb, "comb", 5_000), 2, 2),
    "perm": (_wholes(math.perm, "perm", 1_000), 1, 2),
    "gcd": (_wholes(math.gcd, "gcd"), 1, _ANY),
    "lcm": (_wholes(math.lcm, "lcm"), 1, _ANY),
}
"""For each function what computes it, and the fewest and most numbers it takes."""
