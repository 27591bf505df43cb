"""Each case of the repository through the adapter."""

from __future__ import annotations

import pytest

from tests.cases.loading import Case, own_cases, pending_ids
from tests.cases.verdicts import verdict_on
from tests.cases.worker import shortcomings


@pytest.mark.parametrize("case", own_cases(), ids=lambda case: case.id)
def test_the_case_holds(case: Case) -> None:
    verdict = verdict_on(case, shortcomings, pending=pending_ids())
    if verdict.state == "skipped":
        pytest.skip(verdict.reason)
    assert verdict.state == "passed", verdict.reason
