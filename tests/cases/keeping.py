"""The statements of the cases, and the hand-written tests that keep them."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from actloop.llm import Reply
from tests.cases.loading import own_cases
from tests.cases.openai_form import reply_from

__all__ = ["keeps", "kept_statements", "turns"]

Test = TypeVar("Test", bound=Callable[..., Any])


def keeps(case_id: str, *statements: str) -> Callable[[Test], Test]:
    """Mark a test as the check of these `assert` statements of a case, word for word."""

    def mark(test: Test) -> Test:
        kept = getattr(test, "keeps", ())
        test.keeps = (*kept, *((case_id, statement) for statement in statements))  # type: ignore[attr-defined]
        return test

    return mark


def kept_statements() -> Iterator[tuple[str, str]]:
    """What the tests of this directory keep, as case id and statement."""
    for path in sorted(Path(__file__).parent.glob("test_*.py")):
        module = importlib.import_module(f"tests.cases.{path.stem}")
        yield from _kept_in(module)


def _kept_in(module: ModuleType) -> Iterator[tuple[str, str]]:
    for name, item in vars(module).items():
        if name.startswith("test_"):
            yield from getattr(item, "keeps", ())


def turns(case_id: str) -> list[Reply]:
    """The replies of the model that a case tells as messages of the API, as the adapter reads them."""
    case = next(case for case in own_cases() if case.id == case_id)
    return [reply_from(turn) for turn in case.input["model_turns"]]
