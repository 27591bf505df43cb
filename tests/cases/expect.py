"""Compare an outcome with what a case expects of it. Every difference is a sentence; no sentence means it holds."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tests.cases.outcome import Outcome

__all__ = ["differences"]

RECORDS = ("calls", "decoded", "events", "messages", "tool_calls", "tools", "usage")
"""Results made of records; keys of theirs that `expected` does not name are free."""

_MISSING = object()


def differences(expected: Mapping[str, Any], outcome: Outcome, seconds: float) -> list[str]:
    """What `outcome`, which took `seconds`, does not keep of `expected`; `assert` is not looked at."""
    found: list[str] = []
    for key, wanted in expected.items():
        if key == "assert":
            continue
        check = _CHECKS.get(key, _result(key))
        found += check(wanted, outcome, seconds)
    return found


_Check = Callable[[Any, Outcome, float], Iterator[str]]


def _result(key: str) -> _Check:
    """A plain result key: equal as JSON."""

    def check(wanted: Any, outcome: Outcome, seconds: float) -> Iterator[str]:
        if key not in outcome.results:
            known = ", ".join(sorted(outcome.results)) or "none"
            reason = f", but an error: {outcome.error!r}" if outcome.error is not None else f" (there are: {known})"
            yield f"there is no result {key!r}{reason}"
        elif not _agree(key, wanted, outcome.results[key]):
            yield f"{key}: expected {_shown(wanted)}, got {_shown(outcome.results[key])}"

    return check


def _agree(key: str, wanted: Any, got: Any) -> bool:
    if key == "call_result" and not isinstance(wanted, str):
        got = _parsed(got)
    if key in RECORDS:
        return _records_agree(wanted, got)
    return _same(_trimmed(wanted), _trimmed(got))


def _records_agree(wanted: Any, got: Any) -> bool:
    if isinstance(wanted, list) and isinstance(got, list):
        return len(wanted) == len(got) and all(map(_records_agree, wanted, got))
    if isinstance(wanted, dict) and isinstance(got, dict):
        return all(_fields_agree(key, value, got.get(key, _MISSING)) for key, value in wanted.items())
    return _same(_trimmed(wanted), _trimmed(got))


def _fields_agree(key: str, wanted: Any, got: Any) -> bool:
    if key == "arguments" and (isinstance(wanted, str) or isinstance(got, str)):  # JSON as text; none at all is {}
        return wanted == got or _same(_parsed(wanted or "{}"), _parsed(got or "{}"))
    return _same(_trimmed(wanted), _trimmed(got))


def _same(left: Any, right: Any) -> bool:
    """Whether both are the same JSON: the order of keys is free, true is not 1, and 1 is not 1.0."""
    try:
        return _canonical(left) == _canonical(right)
    except (TypeError, ValueError):
        return False  # no JSON at all


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, allow_nan=False)


def _trimmed(value: Any) -> Any:
    return value.strip() if isinstance(value, str) else value


def _parsed(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value


def _shown(value: Any) -> str:
    text = ascii(value)
    return text if len(text) <= 400 else f"{text[:400]}…"


def _none(wanted: Any, outcome: Outcome, seconds: float) -> Iterator[str]:
    if bool(wanted) is not (outcome.results.get("value") is None):
        yield f"none: expected {wanted!r}, got {_shown(outcome.results.get('value'))}"


def _error(wanted: Any, outcome: Outcome, seconds: float) -> Iterator[str]:
    if bool(wanted) is not (outcome.error is not None):
        got = f"the error {outcome.error!r}" if outcome.error is not None else f"no error: {_shown(outcome.results)}"
        yield f"error: expected {wanted!r}, got {got}"
    elif isinstance(wanted, str) and wanted not in (outcome.error or ""):
        yield f"error: {wanted!r} does not occur in {outcome.error!r}"


def _one_of(wanted: Any, outcome: Outcome, seconds: float) -> Iterator[str]:
    value = outcome.results.get("value")
    for option in wanted:
        is_value = outcome.error is None and _same(_trimmed(option), _trimmed(value))
        if is_value or (isinstance(option, dict) and option and not differences(option, outcome, seconds)):
            return
    got = outcome.results if outcome.error is None else f"the error {outcome.error!r}"
    yield f"one_of: expected one of {_shown(wanted)}, got {_shown(got)}"


def _no_exception(wanted: Any, outcome: Outcome, seconds: float) -> Iterator[str]:
    return iter(())  # an outcome is there, so nothing was raised


def _max_seconds(wanted: Any, outcome: Outcome, seconds: float) -> Iterator[str]:
    if seconds > wanted:
        yield f"max_seconds: expected at most {wanted}, took {seconds:.2f}"


def _instances(verdict: bool) -> _Check:
    def check(wanted: Any, outcome: Outcome, seconds: float) -> Iterator[str]:
        if outcome.accepts is None:
            yield f"there is no schema, but {outcome.error!r}"
            return
        for instance in wanted:
            if outcome.accepts(instance) is not verdict:
                yield f"the schema {'rejects' if verdict else 'accepts'} {_shown(instance)}"

    return check


def _text_contains(wanted: Any, outcome: Outcome, seconds: float) -> Iterator[str]:
    text = outcome.text or outcome.error or ""
    for part in [wanted] if isinstance(wanted, str) else wanted:
        if part not in text:
            yield f"text_contains: {part!r} does not occur in {_shown(text)}"


def _param_text_contains(wanted: Any, outcome: Outcome, seconds: float) -> Iterator[str]:
    for name, parts in wanted.items():
        text = outcome.param_texts.get(name, "")
        for part in [parts] if isinstance(parts, str) else parts:
            if part not in text:
                yield f"param_text_contains: {part!r} does not occur in the text of {name!r}: {_shown(text)}"


def _ranges(wanted: Any, outcome: Outcome, seconds: float) -> Iterator[str]:
    estimates = outcome.results.get("estimates", ())
    if len(estimates) != len(wanted):
        yield f"ranges: expected {len(wanted)} estimates, got {_shown(estimates)}"
        return
    for number, ((low, high), estimate) in enumerate(zip(wanted, estimates, strict=True), start=1):
        if not low <= estimate <= high:
            yield f"ranges: estimate {number} is {estimate}, not within {low} and {high}"


_CHECKS: dict[str, _Check] = {
    "accepts": _instances(True),
    "error": _error,
    "max_seconds": _max_seconds,
    "no_exception": _no_exception,
    "none": _none,
    "one_of": _one_of,
    "param_text_contains": _param_text_contains,
    "ranges": _ranges,
    "rejects": _instances(False),
    "text_contains": _text_contains,
}
