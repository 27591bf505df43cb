from __future__ import annotations

from typing import Any

import pytest

from actloop.llm.arguments import UnreadableArguments, fit_arguments, parse_arguments


def schema(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


@pytest.mark.parametrize("raw", ["", None, " \n", "null", "{}", '""', "\ufeff", {}])
def test_nothing_is_no_arguments(raw: Any) -> None:
    assert parse_arguments(raw) == {}


@pytest.mark.parametrize(
    "raw",
    [
        '{"city": "Riga", "days": 3}',
        {"city": "Riga", "days": 3},
        '"{\\"city\\": \\"Riga\\", \\"days\\": 3}"',
        "{'city': 'Riga', 'days': 3,}",
        '```json\n{"city": "Riga", "days": 3}\n```',
        '\ufeff {"city": "Riga", /* how long */ "days": 3}\n',
    ],
)
def test_an_object_is_read_in_every_dress(raw: Any) -> None:
    assert parse_arguments(raw) == {"city": "Riga", "days": 3}


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        ('["Riga", 3]', "not an array"),
        ("3", "not a number"),
        ("true", "not true or false"),
        ('"Riga"', "not a string"),
        ([1], "not an array"),
        ('{"action": listt_windows"}', "expected a value at character 12"),
        ('{"a": 1} {"a": 1}', "nothing else"),
        ('Here: {"a": 1}', "expected a value at character 1"),
        ('{"a": 1, "a": 2}', "'a' twice"),
        ('{"f": {"a": 1, "a": 1}}', "'a' twice"),
        ('{"a": 1}}', "nothing else"),
        ("[" * 300, "200 levels"),
    ],
)
def test_what_is_no_single_object_is_refused_and_the_message_says_why(raw: Any, says: str) -> None:
    with pytest.raises(UnreadableArguments) as caught:
        parse_arguments(raw)
    assert says in str(caught.value)
    assert "cut off" not in str(caught.value)
    assert not caught.value.ran_out


@pytest.mark.parametrize("raw", ['{"a": 1', '{"a": "x', '{"a', "{", '{"a": [1, 2], "b": tr'])
def test_text_that_really_ran_out_is_said_to_be_cut_off(raw: str) -> None:
    with pytest.raises(UnreadableArguments, match="cut off") as caught:
        parse_arguments(raw)
    assert caught.value.ran_out


def test_text_within_is_decoded_only_where_the_schema_asks_for_it() -> None:
    raw = '{"todos": "[\\"a\\", \\"b\\"]", "title": "[draft]", "body": "{\\"x\\": 1}"}'
    wanted = schema(
        todos={"type": "array", "items": {"type": "string"}}, title={"type": "string"}, body={"type": "string"}
    )
    assert parse_arguments(raw, wanted) == {"todos": ["a", "b"], "title": "[draft]", "body": '{"x": 1}'}


def test_arguments_that_do_not_fit_are_refused_with_the_place() -> None:
    with pytest.raises(UnreadableArguments, match="days: expected an integer, got"):
        parse_arguments('{"days": "soon"}', schema(days={"type": "integer"}))


def test_problems_name_path_wish_and_value() -> None:
    wanted = schema(filters={"type": "array", "items": schema(min={"type": "number"})}) | {"required": ["q"]}
    fitted = fit_arguments({"filters": [{"min": "low"}]}, wanted, trim=False)
    assert sorted(str(problem) for problem in fitted.problems) == [
        'filters[0].min: expected a number, got "low"',
        "q: is required, but missing",
    ]


def test_unknown_keys_are_trimmed_on_demand_only() -> None:
    wanted = schema(a={"type": "integer"}) | {"additionalProperties": False}
    assert fit_arguments({"a": "1", "b": 2}, wanted, trim=True).value == {"a": 1}
    assert fit_arguments({"a": "1", "b": 2}, wanted, trim=True).problems == ()
    assert [str(problem) for problem in fit_arguments({"a": "1", "b": 2}, wanted, trim=False).problems] == [
        "b: is not a known key"
    ]
