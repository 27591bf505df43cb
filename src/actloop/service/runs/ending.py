"""How a run ends that did not come to its own end, and what the conversation keeps of it, from its events (pure)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from actloop.messages import (
    AssistantMessage,
    Message,
    ToolCall,
    ToolMessage,
    Usage,
    UserMessage,
    clean_text,
    valid_history,
)
from actloop.service.store.events import StoredEvent
from actloop.service.store.runs import EarlyEnd
from actloop.service.wire import DoneData, usage_data

__all__ = ["Trace", "early_done"]


def early_done(answer: str, iterations: int, elapsed: float, stop_reason: EarlyEnd | Literal["error"]) -> DoneData:
    """The last event of a run that did not come to its own end; ``elapsed`` is in seconds. Its cost is not known."""
    return {
        "answer": clean_text(answer),
        "iterations": iterations,
        "usage": usage_data(Usage()),
        "elapsed": round(elapsed, 3),
        "cost": None,
        "stop_reason": stop_reason,
    }


@dataclass(slots=True)
class Trace:
    """What a run did so far, read from its events one by one."""

    query: str
    text: str = ""
    iterations: int = 0
    last_number: int = 0
    _turns: dict[int, dict[str, ToolCall]] = field(default_factory=dict)
    _results: dict[tuple[int, str], ToolMessage] = field(default_factory=dict)
    _waiting: dict[str, str] = field(default_factory=dict)
    _delivered: dict[int, list[str]] = field(default_factory=dict)

    def see(self, events: Iterable[StoredEvent]) -> None:
        """Take in the next events."""
        for event in events:
            data = json.loads(event.data)
            self.last_number = event.seq
            match event.name, data:
                case "step", {"type": "thinking", "iteration": int(iteration)}:
                    self.iterations = iteration
                case "step", {"type": "iteration"}:
                    self._see_call(data)
                case "answer", {"status": "delta", "content": str(content)}:
                    self.text += content
                case "answer", {"status": "restart"}:
                    self.text = ""
                case "inject", _:
                    self._see_interrupt(data)
                case _:
                    pass

    def undelivered(self) -> list[Message]:
        """What a person said that no turn has read; the next run shall."""
        return [UserMessage(text) for text in self._waiting.values()]

    def messages(self) -> list[Message]:
        """The run as a valid history: the question, the calls with their results, and the text so far."""
        told: list[Message] = [UserMessage(self.query)]
        for iteration in sorted({*self._turns, *self._delivered}):
            calls = self._turns.get(iteration, {})
            if calls:
                told.append(AssistantMessage("", tuple(calls.values())))
                told += [result for id in calls if (result := self._results.get((iteration, id))) is not None]
            told += [UserMessage(text) for text in self._delivered.get(iteration, ())]
        if self.text:
            told.append(AssistantMessage(self.text))
        return valid_history(told)

    def _see_call(self, data: dict[str, Any]) -> None:
        iteration, id, name = data["iteration"], data["call_id"], data["tool_name"]
        if data["status"] == "start":
            self._turns.setdefault(iteration, {})[id] = ToolCall(id, name, data["tool_args"])
        else:
            error = data["error"] is not None
            self._results[iteration, id] = ToolMessage(data["observation"], id, name, is_error=error)

    def _see_interrupt(self, data: dict[str, Any]) -> None:
        match data["status"]:
            case "queued":
                self._waiting[data["id"]] = data["content"]
            case "delivered":
                self._waiting.pop(data["id"], None)
                self._delivered.setdefault(data["iteration"], []).append(data["content"])
            case _:
                self._waiting.pop(data["id"], None)
