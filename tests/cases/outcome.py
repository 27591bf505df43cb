"""What came of a case's input, in a form that `expect` can compare."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["CannotRun", "Outcome"]


class CannotRun(Exception):
    """The adapter does not know how to run this input; the message says why. Such a case fails."""


@dataclass(frozen=True)
class Outcome:
    """The outcome of one job or scenario.

    results: the plain result keys, `value` among them when there is a value.
    error: what the model would read, when the outcome is an error.
    text: what `text_contains` looks into.
    param_texts: the description of each parameter.
    accepts: whether the produced schema accepts an instance.
    """

    results: Mapping[str, Any] = field(default_factory=dict)
    error: str | None = None
    text: str = ""
    param_texts: Mapping[str, str] = field(default_factory=dict)
    accepts: Callable[[Any], bool] | None = None
