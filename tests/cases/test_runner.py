"""`python -m tests.cases` on files it has never seen."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.cases.loading import Case, cases_of
from tests.cases.verdicts import Verdict, verdict_on
from tests.cases.worker import Worker, shortcomings

ROOT = Path(__file__).parents[2]


def verdict(given: Mapping[str, Any], **expected: Any) -> Verdict:
    return verdict_on(Case("N1", "new", dict(given), expected), shortcomings)


def test_the_terminal_says_what_failed_and_what_was_skipped(tmp_path: Path) -> None:
    good = {"id": "N1", "input": {"fn": "extract_json", "text": '{"a": 1}'}, "expected": {"value": {"a": 1}}}
    bad = {"id": "N2", "input": {"fn": "extract_json", "text": '{"a": 1}'}, "expected": {"value": {"a": True}}}
    prose = {"id": "N3", "input": {"scenario": "run", "script": "…"}, "expected": {"assert": ["all is well"]}}
    file = tmp_path / "new.jsonl"
    file.write_text("\n".join([*map(json.dumps, (good, bad, prose)), "no case"]))

    command = [sys.executable, "-m", "tests.cases", str(file), str(tmp_path / "missing.jsonl")]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=50, check=False)

    *told, last = ran.stdout.splitlines()
    assert [line.split(": ")[0] for line in told] == [
        "FAILED N2",
        "SKIPPED N3",
        "FAILED new.jsonl:4",
        f"FAILED {tmp_path / 'missing.jsonl'}",
    ]
    assert "True" in told[0]
    assert last == "1 passed, 3 failed, 1 skipped"
    assert ran.returncode == 1


def test_a_case_that_hangs_or_ends_its_process_fails_and_the_next_one_runs() -> None:
    def source(body: str) -> dict[str, Any]:
        return {"fn": "tool_schema", "name": "f", "source": f"{body}\ndef f() -> None: ..."}

    worker = Worker(seconds=2)
    try:
        assert worker.shortcomings(source("while True: pass"), {"name": "f"}) == ["did not end within 2 s"]
        assert worker.shortcomings(source("import os; os._exit(3)"), {"name": "f"}) == ["the process that ran it died"]
        assert worker.shortcomings(source(""), {"name": "f"}) == []
    finally:
        worker.stop()


@pytest.mark.parametrize(
    ("given", "expected", "reason"),
    [
        ({"fn": "fly"}, {"value": 1}, "unknown fn 'fly'"),
        ({"scenario": "dream"}, {"value": 1}, "unknown scenario 'dream'"),
        ({"fn": "extract_json", "text": "{}"}, {"flavour": 1}, "no result 'flavour'"),
        ({"fn": "extract_json"}, {"value": 1}, "KeyError"),
        ({"fn": "extract_json", "text_py": "open_all()"}, {"value": 1}, "NameError"),
        ({"scenario": "run", "script": "the model sleeps"}, {"answer": "x"}, "prose"),
        ({"scenario": "run", "tools": {"t": "dances"}, "model_turns": []}, {"answer": "x"}, "dances"),
        ({"fn": "sql_read_only", "statements": []}, {"allowed": []}, "part does not exist"),
    ],
)
def test_what_cannot_be_run_or_compared_fails_and_says_why(
    given: dict[str, Any], expected: dict[str, Any], reason: str
) -> None:
    judged = verdict(given, **expected)
    assert judged.state == "failed"
    assert reason in judged.reason


def test_the_machine_keys_of_a_mixed_case_are_checked() -> None:
    judged = verdict({"fn": "extract_json", "text": "{}"}, value={"a": 1}, **{"assert": ["all is well"]})
    assert judged.state == "failed"


@pytest.mark.parametrize(
    ("text", "expected", "state"),
    [
        ('{"a": 1}', {"value": {"a": 1}}, "passed"),
        ('{"a": 1}', {"value": {"a": True}}, "failed"),
        ('{"a": 1}', {"value": {"a": 1.0}}, "failed"),
        ('{"a": 1}', {"none": True}, "failed"),
        ("no", {"none": True}, "passed"),
        ("no", {"value": None}, "failed"),
        ('{"a": 1}', {"one_of": [{"b": 1}, {"value": {"a": 1}}]}, "passed"),
        ('{"a": 1}', {"one_of": [{"a": 1}, {"none": True}]}, "passed"),
        ('{"a": 1}', {"one_of": [{"none": True}, {"error": True}]}, "failed"),
        ('{"a": 1}', {"error": True}, "failed"),
        ('{"a": 1}', {"no_exception": True, "max_seconds": 2}, "passed"),
        ('{"a": 1}', {"max_seconds": 0}, "failed"),
    ],
)
def test_values_are_compared_as_json(text: str, expected: dict[str, Any], state: str) -> None:
    assert verdict({"fn": "extract_json", "text": text}, **expected).state == state


@pytest.mark.parametrize(
    ("expected", "state"),
    [
        ({"tool_calls": [{"name": "f"}]}, "passed"),
        ({"tool_calls": [{"name": "f", "arguments": '{"x":1}'}]}, "passed"),
        ({"tool_calls": [{"name": "f", "arguments": {"x": 1}}]}, "passed"),
        ({"tool_calls": [{"name": "f", "arguments": '{"x": 2}'}]}, "failed"),
        ({"tool_calls": [{"name": "g"}]}, "failed"),
        ({"tool_calls": []}, "failed"),
    ],
)
def test_keys_of_records_that_are_not_named_are_free(expected: dict[str, Any], state: str) -> None:
    call = {"index": 0, "id": "a", "function": {"name": "f", "arguments": '{"x": 1}'}}
    chunks = [{"choices": [{"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": "tool_calls"}]}]
    assert verdict({"fn": "accumulate_stream", "chunks": chunks}, **expected).state == state


def test_a_line_that_is_no_case_says_where_it_stands(tmp_path: Path) -> None:
    file = tmp_path / "odd.jsonl"
    file.write_text('[]\n\n{"id": "N1"}\n{"id": "N2", "input": {}, "expected": {}}\n')
    assert [(case.id, bool(case.fault)) for case in cases_of(file)] == [
        ("odd.jsonl:1", True),
        ("N1", True),
        ("N2", True),
    ]
