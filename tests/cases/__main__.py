"""`python -m tests.cases [FILE.jsonl …]`: run case files, the repository's own when none is named.

Prints the id and the reason of every failed and skipped case, then `N passed, N failed, N skipped`. The exit code is 1
if any case failed or none passed.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tests.cases.loading import Case, cases_of, own_cases, pending_ids
from tests.cases.verdicts import verdict_on
from tests.cases.worker import Worker

SECONDS_PER_CASE = 20.0


def main(arguments: Sequence[str]) -> int:
    """Run the files and return the exit code."""
    cases: list[Case] = [case for name in arguments for case in cases_of(Path(name))] if arguments else own_cases()
    pending = pending_ids()
    count: Counter[str] = Counter()
    worker = Worker(SECONDS_PER_CASE)
    try:
        for case in cases:
            verdict = verdict_on(case, worker.shortcomings, pending=pending)
            count[verdict.state] += 1
            if verdict.state != "passed":
                _say(f"{verdict.state.upper()} {case.id}: {verdict.reason}")
    finally:
        worker.stop()
    _say(f"{count['passed']} passed, {count['failed']} failed, {count['skipped']} skipped")
    return 1 if count["failed"] or not count["passed"] else 0


def _say(line: str) -> None:
    encoding = sys.stdout.encoding or "ascii"
    print(" ".join(line.split("\n")).encode(encoding, "backslashreplace").decode(encoding))  # noqa: T201


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
