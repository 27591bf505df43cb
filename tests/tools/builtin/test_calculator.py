"""Arithmetic as people and models write it."""

from __future__ import annotations

import contextlib
import time
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actloop.errors import ToolError
from actloop.tools.builtin import calculator_tool
from actloop.tools.builtin.arithmetic import evaluate
from actloop.tools.builtin.calculator import shown


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("0.1 + 0.2", "0.3"),
        ("-2**2", "-4"),
        ("2^3^2", "512"),
        ("2**-2", "0.25"),
        ("7 // 2 + -7 // 2", "-1"),
        ("7 % 3", "1"),
        ("7 % -3", "-2"),
        ("15% of 80", "12"),
        ("50% - 0.1", "0.4"),
        ("5% * 2", "0.1"),
        ("1,234.5 * 2", "2469"),
        ("max(1,234)", "234"),
        ("(1,299.99 * 3) / 7", "557.138571428571 (rounded; exactly 389997/700)"),
        ("10 ÷ 4 − 1 × 2", "0.5"),
        ("2² + 3⁻¹", "4.33333333333333 (rounded; exactly 13/3)"),
        ("１＋２", "3"),
        ("2 + 2 = ?", "4"),
        ("5!", "120"),
        ("√16 + 1", "5"),
        ("math.sqrt(9/16)", "0.75"),
        ("sqrt(2)", "1.4142135623731 (rounded)"),
        ("round(2.675, 2)", "2.68"),
        ("round(-2.5)", "-3"),
        ("sin(pi)", "0 (rounded)"),
        ("log(8, 2) + log10(1000)", "6"),
        ("2^100", "1267650600228229401496703205376"),
        ("1e15 * sqrt(2)", "1.4142135623731E+15 (rounded)"),
        ("mean(1, 2, 3, 4)", "2.5"),
        ("gcd(12, 18) + lcm(4, 6)", "18"),
        ("1_000 + 1.50", "1001.5"),
    ],
)
def test_an_expression_has_its_value(expression: str, result: str) -> None:
    assert shown(evaluate(expression)) == result


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("1/0", "division by zero"),
        ("5 % 0", "division by zero"),
        ("0 ** -1", "division by zero"),
        ("9**9**9", "more than 3,000 digits"),
        ("1e999", "exponent in '1e999' is too large"),
        ("1e99999999999", "too large"),
        ("factorial(5000)", "from 0 to 1,000"),
        ("exp(1000)", "too large"),
        ("comb(10**9, 5)", "from 0 to 5,000"),
        ("(" * 60 + "1" + ")" * 60, "more than 50 deep"),
        ("-" * 100 + "1", "more than 50 deep"),
        ("1" * 2_001, "at most 2,000"),
        ("sqrt(-1)", "not a real number"),
        ("(-8) ^ 0.5", "not a real number"),
        ("log(0)", "above 0"),
        ("2(3)", "operator is missing between '2' and '('"),
        ("1 +", "stops too early"),
        ("", "stops too early"),
        ("(1", "expected ')'"),
        ("abs", "abs is a function"),
        ("foo(2)", "'foo' is not known"),
        ("max()", "takes 1 or more"),
        ("1.234,5", "',' cannot stand there"),
        ("__import__('os')", "'_' is not arithmetic"),
        ("'a' * 9", "is not arithmetic"),
        ("factorial(2.5)", "whole numbers only"),
    ],
)
def test_what_has_no_value_is_told_why_at_once(expression: str, reason: str) -> None:
    began = time.process_time()
    with pytest.raises(ToolError) as raised:
        evaluate(expression)
    assert reason in str(raised.value)
    assert time.process_time() - began < 0.5


@given(st.fractions(), st.fractions(), st.sampled_from("+-*/"))
def test_exact_arithmetic_agrees_with_fractions(left: Fraction, right: Fraction, sign: str) -> None:
    expression = f"({left}) {sign} ({right})"
    if sign == "/" and right == 0:
        with pytest.raises(ToolError):
            evaluate(expression)
    else:
        expected = {"+": left + right, "-": left - right, "*": left * right}.get(sign)
        assert evaluate(expression) == (left / right if expected is None else expected)


@given(st.text(alphabet="0123456789+-*/%^!(),.eE √²pisqrtlogmaxfactorialof", max_size=60) | st.text(max_size=60))
def test_any_text_has_a_value_or_a_reason_soon(text: str) -> None:
    began = time.process_time()
    with contextlib.suppress(ToolError):
        shown(evaluate(text))
    assert time.process_time() - began < 2


@pytest.mark.asyncio
async def test_the_tool_takes_an_expression() -> None:
    calculator = calculator_tool()
    assert list(calculator.parameters["properties"]) == ["expression"]
    assert (await calculator.run({"expression": "6 * 7"})).content == "42"
