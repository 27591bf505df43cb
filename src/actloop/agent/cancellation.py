"""Telling a cancellation that somebody asked for from one that a tool or a model raised by itself."""

from __future__ import annotations

import asyncio

__all__ = ["cancelled_from_outside"]


def cancelled_from_outside() -> bool:
    """Whether somebody asked to cancel the current task (`Task.cancelling`), so that a `CancelledError` must go on."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
