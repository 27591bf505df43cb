"""What is reported while a model is being fetched, and how fetching fails."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from actloop.errors import ActloopError

__all__ = ["FetchError", "FetchProgress", "FetchStage", "OnProgress", "SourceUnreachable"]

FetchStage = Literal["downloading", "unpacking", "verifying"]


@dataclass(frozen=True, slots=True)
class FetchProgress:
    """How far a fetch is.

    model: the catalogue name of the model.
    done: bytes so far, those of an earlier, broken-off attempt included.
    total: bytes in all.
    """

    model: str
    stage: FetchStage
    done: int
    total: int


OnProgress = Callable[[FetchProgress], None]
"""Called in the event loop, often; it must not block."""


class FetchError(ActloopError):
    """A model could not be fetched. What had arrived safely is kept, and the next attempt goes on from there."""


class SourceUnreachable(FetchError):
    """The place a model comes from could not be reached, or did not give the file: another source may still work."""
