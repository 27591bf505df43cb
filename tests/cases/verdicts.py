"""The verdict on a case: passed, failed or skipped, and why."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from tests.cases.loading import Case
from tests.cases.parts import missing_part

__all__ = ["Verdict", "verdict_on"]

Runner = Callable[[Mapping[str, Any], Mapping[str, Any]], list[str]]
"""Runs an input against what is expected of it and returns what is wrong."""


@dataclass(frozen=True)
class Verdict:
    """How a case ended; `reason` is empty when it passed."""

    case: Case
    state: Literal["passed", "failed", "skipped"]
    reason: str = ""


def verdict_on(case: Case, run: Runner, *, pending: Collection[str] = ()) -> Verdict:
    """Judge one case with `run`.

    Skipped are pending cases, and cases of statements alone, which tests written by hand check. A mixed case is judged
    by what a program can compare.
    """
    if case.fault is not None:
        return Verdict(case, "failed", case.fault)
    part = missing_part(case)
    if part is not None or case.id in pending:
        reason = f"pending: part does not exist ({part})" if part else "pending, although its part exists"
        return Verdict(case, "skipped" if case.id in pending else "failed", reason)
    if not case.machine_keys:
        return Verdict(case, "skipped", "holds statements alone")
    wrong = run(case.input, case.machine_keys)
    return Verdict(case, "failed", "; ".join(wrong)) if wrong else Verdict(case, "passed")
