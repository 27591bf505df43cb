"""`EventRecorder`: collects the events of a run, to look at afterwards."""

from __future__ import annotations

from typing import TypeVar

from actloop.agent import AgentEvent

__all__ = ["EventRecorder"]

_Event = TypeVar("_Event", bound=AgentEvent)


class EventRecorder:
    """Pass it as ``on_event``; `events` then holds everything in order."""

    def __init__(self) -> None:
        self.events: list[AgentEvent] = []

    def __call__(self, event: AgentEvent) -> None:
        self.events.append(event)

    def of(self, kind: type[_Event]) -> list[_Event]:
        """The events of one kind, in order."""
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def kinds(self) -> list[str]:
        """The class names of all events, in order: a short form for comparing whole runs."""
        return [type(event).__name__ for event in self.events]
