"""Runs cases in a process of their own, so that one that hangs or crashes is a failure and not the end."""

from __future__ import annotations

import multiprocessing
import sys
import time
import traceback
from collections.abc import Mapping
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from tests.cases.expect import differences
from tests.cases.outcome import CannotRun

__all__ = ["Worker", "shortcomings"]


def shortcomings(given: Mapping[str, Any], expected: Mapping[str, Any]) -> list[str]:
    """Run one input in this process; what is wrong with its outcome, nothing when all holds.

    The time of a job is what it computes, so that a busy machine is no finding; a scenario may also wait.
    """
    from tests.cases.adapter import outcome_of

    clock = time.process_time if "fn" in given else time.perf_counter
    began = clock()
    try:
        outcome = outcome_of(given)
        return differences(expected, outcome, clock() - began)
    except CannotRun as error:
        return [str(error)]
    except Exception as error:  # noqa: BLE001 - whatever the code under test raises is a failure of this case
        place = traceback.extract_tb(error.__traceback__)[-1]
        return [f"raised {type(error).__name__}: {error!s:.300} ({place.filename}:{place.lineno})"]


class Worker:
    """One process at a time; a new one when the last had to be killed."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._context = multiprocessing.get_context("spawn")
        self._process: BaseProcess | None = None
        self._pipe: Connection[Any, Any] | None = None

    def shortcomings(self, given: Mapping[str, Any], expected: Mapping[str, Any]) -> list[str]:
        """As the function of that name, within the time."""
        try:
            pipe = self._pipe or self._start()
            pipe.send((given, expected))
            if not pipe.poll(self._seconds):
                self.stop()
                return [f"did not end within {self._seconds:g} s"]
            found: list[str] = pipe.recv()
        except (EOFError, BrokenPipeError):
            self.stop()
            return ["the process that ran it died"]
        return found

    def stop(self) -> None:
        """End the process, also one that hangs."""
        if self._process is not None and self._pipe is not None:
            self._pipe.close()
            self._process.kill()
            self._process.join()
        self._process = self._pipe = None

    def _start(self) -> Connection[Any, Any]:
        self._pipe, theirs = self._context.Pipe()
        self._process = self._context.Process(target=_serve, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()
        self._pipe.send(None)
        self._pipe.recv()  # it has started and imported everything: from here on the time counts
        return self._pipe


def _serve(pipe: Connection[Any, Any]) -> None:
    sys.setrecursionlimit(1_000)
    import tests.cases.adapter  # noqa: F401 - so that the first case does not pay for it

    while True:
        try:
            job = pipe.recv()
        except EOFError:
            return
        if job is None:
            pipe.send([])
            continue
        given, expected = job
        pipe.send(shortcomings(given, expected))
