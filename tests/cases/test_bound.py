"""No statement of a case goes unchecked, and nothing is pending any longer than it must."""

from __future__ import annotations

from collections import Counter

from tests.cases.keeping import kept_statements
from tests.cases.loading import own_cases, pending_ids
from tests.cases.parts import missing_part


def test_every_statement_of_a_case_is_kept_by_a_test() -> None:
    said = {(case.id, statement) for case in own_cases() for statement in case.statements}
    kept = set(kept_statements())
    assert {statement for statement in said - kept if statement[0] not in pending_ids()} == set()
    assert kept - said == set(), "tests keep statements that no case makes"


def test_pending_are_exactly_the_cases_whose_part_does_not_exist() -> None:
    missing = {case.id for case in own_cases() if missing_part(case)}
    assert pending_ids() - missing == set(), (
        "their part exists: bind them in the adapter and to tests, and strike them out"
    )
    assert missing - pending_ids() == set()


def test_no_two_cases_have_the_same_id() -> None:
    assert [id for id, times in Counter(case.id for case in own_cases()).items() if times > 1] == []
