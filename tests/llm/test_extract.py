from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actloop.llm.extract import Found, Malformed, RanOut, extract_json, extract_json_value

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
PROSE = st.text(
    alphabet=st.characters(exclude_characters="{}[]<>`~\"'“”„‘’‚/#", exclude_categories=["Cs"]), max_size=40
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ('\ufeff{"a": 1}', {"a": 1}),
        ('Sure.\n{"city": "Lyon"}\n\nShout if {"city", "temp"} should go.', {"city": "Lyon"}),
        ('Filling the pattern {name}/{date} gives:\n{"name": "Ada"}', {"name": "Ada"}),
        ('{"code": "```python\\nx = 1\\n```"}', {"code": "```python\nx = 1\n```"}),
        ('Here: {"code": "\n```json\n{}\n```\n"}', {"code": "\n```json\n{}\n```\n"}),
        ('<think>Could be {"answer": 1}.</think>\n{"answer": 2}', {"answer": 2}),
        ('{"t": "<think>x</think>"}', {"t": "<think>x</think>"}),
        ('so:\r\n    ```JSON\r\n    {\r\n "a": 1}\r\n    ```\r\n', {"a": 1}),
        ('Not {"a": 1} but\n```json\n{"a": 2}\n```', {"a": 2}),
        ('```python\n{"a": 1}\n```\n```json\n{"a": 2}\n```', {"a": 2}),
        ('~~~json\n{"a": 1}\n~~~', {"a": 1}),
        ('{"a": 1}\n{"a": 2}', {"a": 1}),
        ('As in [1] and [2, 3]: {"a": 1}', {"a": 1}),
        ('{"a": oops} {"b": 2}', {"b": 2}),
        ('{"a": {"b": 1}, oops} then {"c": 3}', {"c": 3}),
        ('He wrote {" and then {"a": 1}', {"a": 1}),
        ('Use {{ name }} here: {"a": 1}', {"a": 1}),
        ('{{"a": {{"b": 1}}}}', {"a": {"b": 1}}),
        ('{{"a": {"b": 1}}', {"a": {"b": 1}}),
        ('{"a": 1} and then {"b":', {"a": 1}),
        ('Input: {"e": "{\'k\': 0.5} and }", "o": {"er": "{"}} -- all', {"e": "{'k': 0.5} and }", "o": {"er": "{"}}),
    ],
)
def test_the_object_is_found(text: str, value: dict[str, Any]) -> None:
    assert extract_json(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no JSON at all",
        "42",
        '"{}"',
        "[1, 2]",
        '[{"a": 1}, {"a": 2}]',
        '{"filter": {"days": 30}, "note": "only if',
        '[{"a": 1}, {"b": 2',
        'Example {"a": 1}, now:\n```json\n{"b":',
        '{"a": {"b": 1}, "c": tru',
        '{"a": {"b": 1}, "c": 1.',
        '{"a": {"b": 1}, "c": -',
        '{"a": {"b": 1}, // the',
        '{"a": {"b": 1}, /* the',
        '{"a": {"b": 1}',
        '{"a": "b\\',
        '<think>{"a": 1}',
        '{"a": {"b": 1} "c": 2}',
        '{"a" 1}',
        "{a: 1}",
        '{"a": 012}',
        '{"a": .5}',
        '{"a": undefined}',
        '{"a",}',
        '{"a": 1,,}',
        "{,}",
    ],
)
def test_there_is_no_object(text: str) -> None:
    assert extract_json(text) is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{'ok': True, 'no': False, 'x': None, 'n': \"O'Neil\"}", {"ok": True, "no": False, "x": None, "n": "O'Neil"}),
        ("{'n': 'O\\'Neil', 'e': '\\x1b['}", {"n": "O'Neil", "e": "\x1b["}),
        ('{"a": [1, 2,], "b": {"c": "x,}",}, "d": ",]",}', {"a": [1, 2], "b": {"c": "x,}"}, "d": ",]"}),
        ('{\n// one\n"u": "http://e.org//b", /* two */ "n": 3 // three\n}', {"u": "http://e.org//b", "n": 3}),
        ('{"a": 1, # one\n "b": "#2"}', {"a": 1, "b": "#2"}),
        ('{"t": "one\ntwo\tthree\x01"}', {"t": "one\ntwo\tthree\x01"}),
        ('{"p": "C:\\dir\\Q", "r": "\\d+\\u12"}', {"p": "C:\\dir\\Q", "r": "\\d+\\u12"}),
        ('{“a”: “it\'s "b"”, ‘c’: 1}', {"a": 'it\'s "b"', "c": 1}),
        ('{"a": NaN, "b": Infinity, "c": -Infinity, "d": "NaN"}', {"a": None, "b": None, "c": None, "d": "NaN"}),
        ('{"a": 1e999, "b": -1e999, "c": 1e308}', {"a": None, "b": None, "c": 1e308}),
        ('{"s": "\\ud800 \\ud83d\\ude00", "\\udfff": 1}', {"s": "\ufffd \U0001f600", "\ufffd": 1}),
        ('{"s": "\ud800"}', {"s": "\ufffd"}),
        ('{"a": "1", "b": "{\\"c\\": 1}"}', {"a": "1", "b": '{"c": 1}'}),
        ('{"a": [0, -0, 0.5, 1E2, -1.5e-3, ""], "b": [[], {}]}', {"a": [0, 0, 0.5, 100.0, -0.0015, ""], "b": [[], {}]}),
    ],
)
def test_slips_are_forgiven(text: str, value: dict[str, Any]) -> None:
    assert extract_json(text) == value
    assert extract_json(f"So: {text}") == value
    json.dumps(extract_json(text), allow_nan=False).encode()


def test_numbers_too_long_to_print_become_null() -> None:
    value = extract_json('{"n": ' + "9" * 5000 + ', "m": [' + "1" * 4299 + "]}")
    assert value == {"n": None, "m": [int("1" * 4299)]}
    json.dumps(value, allow_nan=False)


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("42", Found(42)),
        ("'x'", Found("x")),
        ("None", Found(None)),
        ('"a\ud800"', Found("a\ufffd")),
        ("[1, 2]", Found([1, 2])),
        ("```\n[1, 2]\n```", Found([1, 2])),
        ("So [1, 2] it is", Found([1, 2])),
        ('As in [1]: {"a": 1}', Found({"a": 1})),
        ("no JSON", Malformed()),
        ("[one]", Malformed()),
        ("so [1, 2", RanOut()),
        ('{"a": [1', RanOut()),
    ],
)
def test_a_value_of_any_kind_is_found_or_it_is_said_why_not(text: str, outcome: object) -> None:
    assert extract_json_value(text) == outcome


LABEL = {"type": "object", "properties": {"label": {"enum": ["a", "b"]}}, "required": ["label"]}
NAMES = {"type": "array", "items": {"type": "string"}}
COUNT = {"type": "integer"}


@pytest.mark.parametrize(
    ("text", "schema", "outcome"),
    [
        ('As noted in [1], the cities are:\n["Oslo", "Bergen"]', NAMES, Found(["Oslo", "Bergen"])),
        ('For example {"label": "<a or b>"}.\nFinal: {"label": "b"}', LABEL, Found({"label": "b"})),
        ('{"label": "c"} {"label": "a"} {"label": "b"}', LABEL, Found({"label": "a"})),
        ('{"label": "a"}\n```json\n{"label": "b"}\n```', LABEL, Found({"label": "b"})),
        ('Final: {"label": "B "}', LABEL, Found({"label": "b"})),
        ('{"label": "c"}', LABEL, Malformed()),
        ('{"label": "c"} or {"label": "', LABEL, RanOut()),
        ("3", COUNT, Found(3)),
        ('"3"', COUNT, Found(3)),
        ("```json\n3\n```", COUNT, Found(3)),
        ("The answer is 3.", COUNT, Found(3)),
        ("There are 1.5 of them, so 2.", COUNT, Found(2)),
        ('I choose "b".', {"enum": ["a", "b"]}, Found("b")),
        ("That is true.", {"type": "boolean"}, Found(True)),
        ("Version 1.2.3 has none.", {"type": "number"}, Malformed()),
        ("none", COUNT, Malformed()),
    ],
)
def test_the_schema_chooses_among_several_values(text: str, schema: dict[str, Any], outcome: object) -> None:
    assert extract_json_value(text, schema=schema) == outcome


@given(JSON)
def test_valid_json_comes_back_as_it_is(value: Any) -> None:
    assert extract_json_value(json.dumps(value)) == Found(value)
    assert extract_json_value(json.dumps(value, ensure_ascii=False, indent=1)) == Found(value)


@given(PROSE, st.dictionaries(st.text(), JSON, max_size=4), PROSE)
def test_any_object_comes_back_out_of_prose(before: str, value: dict[str, Any], after: str) -> None:
    assert extract_json(f"{before}\n{json.dumps(value)}\n{after}") == value
    assert extract_json(f"{before}\n```json\n{json.dumps(value, indent=2)}\n```\n{after}") == value


@given(PROSE, st.dictionaries(st.text(), JSON, min_size=1, max_size=4), st.data())
def test_no_piece_of_a_cut_object_is_taken_for_it(before: str, value: dict[str, Any], data: st.DataObject) -> None:
    whole = json.dumps(value)
    cut = data.draw(st.integers(1, len(whole) - 1))
    assert extract_json_value(f"{before}\n{whole[:cut]}") == RanOut()


@given(st.text(alphabet="{}[]\"'\\:,1atrue/*#`json\n <>think-“”", max_size=80))
def test_no_text_breaks_the_search(text: str) -> None:
    outcome = extract_json_value(text)
    if isinstance(outcome, Found):
        json.dumps(outcome.value, allow_nan=False).encode()
    extract_json_value(text, schema=LABEL)
    extract_json_value(text, schema=COUNT)


HOSTILE = [
    *'{["\\`',
    '{"',
    '["',
    "[1,",
    '{"a":',
    '{"a":x ',
    '{"a":x} ',
    '\\"',
    "[/*",
    "[// ",
    '{{"a":1 ',
    "[] ",
    "[1 ",
    "{'",
    "{   ",
    "<think>",
    "[[1,x",
    "[1, #",
    "```json\n",
    '{"a":[1,2,{"b":1}],x ',
]


@pytest.mark.parametrize("unit", HOSTILE)
def test_hostile_text_takes_linear_time(unit: str) -> None:
    text = unit * (100_000 // len(unit))
    start = time.process_time()
    extract_json(text)
    extract_json_value(text, schema=LABEL)
    extract_json_value(text, schema=COUNT)
    assert time.process_time() - start < 4


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000 + "]" * 100_000,
        '{"a": [' * 80 + "1," * 500_000 + "x",
        "[" + '{"a": 1},' * 100_000,
        '["' + "\\u12" * 200_000,
        "[" + "1" * 1_000_000,
    ],
)
def test_a_megabyte_without_an_end_takes_no_longer(text: str) -> None:
    start = time.process_time()
    assert extract_json(text) is None
    assert time.process_time() - start < 3


def test_depth_is_bounded() -> None:
    deep = '{"a":' * 200 + "1" + "}" * 200
    assert extract_json(deep) is not None
    assert extract_json("So: " + deep) is not None
    assert extract_json("{'a':" + deep + "}") is None
    assert extract_json('{"a":' * 50 + deep + "}" * 50) is None
    assert extract_json("So: " + '{"a":' * 50 + deep + "}" * 50) is None
