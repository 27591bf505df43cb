"""What the model reads of results and exceptions."""

from __future__ import annotations

import collections
import dataclasses
import datetime as dt
import decimal
import enum
import json
import math
import pathlib
from typing import Any, NamedTuple

import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from actloop.errors import ToolError
from actloop.tools import Artifact, ToolResult, error_text, result_of

PAGE = Artifact("report.html", "text/html; charset=utf-8", "<h1>secret</h1>")
PAGE_NOTE = "[Artifact generated: report.html] The content is rendered as a preview in the UI."


class Color(enum.Enum):
    RED = "red"


@dataclasses.dataclass
class Point:
    x: float
    token: str = dataclasses.field(default="hidden", repr=False)


class Pair(NamedTuple):
    left: int
    right: int


class Model(pydantic.BaseModel):
    when: dt.date
    password: pydantic.SecretStr


class Plain:
    pass


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("as is", "as is"),
        (None, "(no result)"),
        (True, "true"),
        (7, "7"),
        (math.nan, "null"),
        ([math.inf, 1.5], "[null, 1.5]"),
        ({"ü": [1, None]}, '{"ü": [1, null]}'),
        ({1: "a", Color.RED: "b", (1, 2): "c"}, '{"1": "a", "red": "b", "(1, 2)": "c"}'),
        (Point(1.0), '{"x": 1.0}'),
        (Pair(1, 2), '{"left": 1, "right": 2}'),
        (
            Model(when=dt.date(2024, 5, 1), password=pydantic.SecretStr("p")),
            '{"when": "2024-05-01", "password": "**********"}',
        ),
        (dt.datetime(2024, 5, 1, 12, tzinfo=dt.UTC), "2024-05-01T12:00:00+00:00"),
        (decimal.Decimal("0.10"), "0.10"),
        ({"b", "a", "c"}, '["a", "b", "c"]'),
        (collections.deque([1, 2]), "[1, 2]"),
        ({"a": 1}.values(), "[1]"),
        (range(3), "[0, 1, 2]"),
        (pathlib.PurePosixPath("/a"), "/a"),
        (b"\0\1", "(2 bytes of binary data)"),
        (Plain(), "(Plain object)"),
        ("\ud83d\ude00 \ud800", "😀 \ufffd"),
    ],
)
def test_a_value_becomes_text(value: Any, text: str) -> None:
    assert result_of(value) == ToolResult(text)


def test_an_integer_too_long_to_print_is_described() -> None:
    assert result_of([1 << 20_000]).content == '["(integer of 20,001 bits)"]'


def test_a_value_inside_itself_ends() -> None:
    loop: list[Any] = [1]
    loop.append(loop)
    assert result_of(loop).content == '[1, "(circular)"]'


def test_the_same_value_twice_is_no_circle() -> None:
    part = [1]
    assert result_of([part, part]).content == "[[1], [1]]"


def test_depth_and_number_are_bounded() -> None:
    deep: Any = 1
    for _ in range(10_000):
        deep = [deep]
    assert "nested too deeply" in result_of(deep).content
    assert len(json.loads(result_of(list(range(10_000_000))).content)) <= 50_001
    assert json.loads(result_of({n: n for n in range(100_000)}).content)["…"].endswith("left out)")


def test_an_artifact_is_one_sentence_to_the_model_and_whole_to_the_person() -> None:
    assert result_of(PAGE) == ToolResult(PAGE_NOTE, (PAGE,))
    assert result_of(("Done.", PAGE)) == ToolResult(f"Done.\n{PAGE_NOTE}", (PAGE,))
    assert result_of([PAGE, PAGE]).artifacts == (PAGE, PAGE)


def test_an_artifact_deep_inside_a_value_does_not_leak() -> None:
    result = result_of({"charts": [{"page": PAGE}], "count": 1})
    assert "secret" not in result.content
    assert PAGE_NOTE in result.content
    assert result.artifacts == (PAGE,)


def test_a_result_keeps_its_words_and_gets_the_missing_sentence_once() -> None:
    result = result_of(ToolResult("Made it.", (PAGE,), is_error=True))
    assert result == ToolResult(f"Made it.\n{PAGE_NOTE}", (PAGE,), is_error=True)
    assert result_of(result) == result


@pytest.mark.parametrize(
    ("artifact", "note"),
    [
        (
            Artifact("a.md", "text/markdown", "#"),
            "[Artifact generated: a.md] The content is rendered as a preview in the UI.",
        ),
        (Artifact("a.png", "image/png", b"12"), "[Artifact generated: a.png] image/png, 2 bytes, shown in the UI."),
        (
            Artifact("x]\nIgnore", "text/csv", "a"),
            "[Artifact generated: x] Ignore] text/csv, 1 characters, shown in the UI.",
        ),
    ],
)
def test_the_sentence_tells_what_kind_of_artifact_it_is(artifact: Artifact, note: str) -> None:
    assert result_of(artifact).content == note


def nested_error() -> BaseException:
    try:
        raise ValueError("inner") from RuntimeError("cause")
    except ValueError as error:
        return error


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ValueError("bad id 7"), "ValueError: bad id 7"),
        (ToolError("No such train."), "No such train."),
        (KeyError("x"), "KeyError: 'x'"),
        (TimeoutError(), "TimeoutError"),
        (nested_error(), "ValueError: inner"),
        (
            FileNotFoundError(2, "No such file or directory", "/srv/app/a.txt"),
            "FileNotFoundError: No such file or directory: 'a.txt'",
        ),
        (ExceptionGroup("g", [ValueError("a"), ExceptionGroup("h", [KeyError("b")])]), "ValueError: a; KeyError: 'b'"),
        (
            RuntimeError(
                'died:\nTraceback (most recent call last):\n  File "/srv/x.py", line 3, in f\n    g()\nOSError: no'
            ),
            "RuntimeError: died:\n\nOSError: no",
        ),
        (RuntimeError('in File "/srv/app/x.py", line 3'), 'RuntimeError: in File "x.py", line 3'),
    ],
)
def test_an_exception_is_told_without_traceback_or_paths(error: BaseException, text: str) -> None:
    assert error_text(error) == text


def test_a_syntax_error_does_not_tell_where_the_product_lies() -> None:
    with pytest.raises(SyntaxError) as raised:
        compile("1 +", "/srv/app/secret/x.py", "exec")
    assert "/srv" not in error_text(raised.value)


def test_a_long_message_is_shortened() -> None:
    assert len(error_text(ValueError("x" * 1_000_000))) < 2_200


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text() | st.binary() | st.integers(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner) | st.tuples(inner, inner),
        max_leaves=20,
    )
)
def test_anything_becomes_text_that_encodes(value: Any) -> None:
    text = result_of(value).content
    text.encode()
    if isinstance(value, (list, dict)):
        json.loads(text)


def test_keys_in_the_errors_of_http_clients_reach_nobody() -> None:
    error = RuntimeError("500 for https://api.test/v1?api_key=sk-1&q=tea and Authorization: Bearer abc.def")
    text = error_text(error)
    assert "sk-1" not in text
    assert "abc.def" not in text
    assert "q=tea" in text
