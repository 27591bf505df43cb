"""How one turn is asked for, read and answered: what differs between native and JSON mode.

A dialect is pure: it makes requests and reads replies; the loop does the asking.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol

from actloop.llm import Reply, ResponseFormat
from actloop.messages import AssistantMessage, Message, ToolCall, ToolSpec
from actloop.tools import Artifact

__all__ = [
    "ActionForm",
    "Allowed",
    "AnswerTurn",
    "CallsTurn",
    "Dialect",
    "Outcome",
    "Request",
    "Turn",
    "UnreadableTurn",
]

ActionForm = Literal["written", "worded", "plain"]
"""How JSON mode asks for an action: written out as an example; in words, where the output is bound to a schema; or, for
weak models bound to a schema, with nothing in the object but the call or the answer."""

Allowed = Literal["any", "calls", "answer"]
"""What the next turn may be: a call or an answer, only a call, only an answer."""


class Request(NamedTuple):
    """What one turn sends to the model. ``messages`` may grow until the model has taken it."""

    messages: list[Message]
    tools: Sequence[ToolSpec] | None = None
    response_format: ResponseFormat | None = None


class CallsTurn(NamedTuple):
    """The model asks for tools.

    message: goes into the history; its calls, or in JSON mode its text, are what the results answer.
    refused: when set, no call runs and this text answers each of them.
    cut_off: whether the reply broke off in the middle of a call.
    leaked: how the call came when it was recovered from text in native mode, else None.
    """

    message: AssistantMessage
    calls: Sequence[ToolCall]
    reasoning: str = ""
    refused: str | None = None
    cut_off: bool = False
    leaked: bool = False


class AnswerTurn(NamedTuple):
    """The model answers."""

    message: AssistantMessage
    text: str
    reasoning: str = ""


class UnreadableTurn(NamedTuple):
    """The reply is neither a call nor an answer; ``request`` asks for it again.

    leaked: whether it is the text of a call, though of none that could run.
    """

    message: AssistantMessage
    request: str
    reasoning: str = ""
    cut_off: bool = False
    leaked: bool = False


Turn = CallsTurn | AnswerTurn | UnreadableTurn


class Outcome(NamedTuple):
    """What came of one tool call; ``elapsed`` is in seconds."""

    call: ToolCall
    observation: str
    error: str | None = None
    elapsed: float = 0.0
    artifacts: tuple[Artifact, ...] = ()


class Dialect(Protocol):
    """One of the two modes."""

    drains_before_tools: bool
    """Whether interrupts may stand between an assistant message and the results of its calls."""
    trims_arguments: bool
    """Whether argument keys that the schema does not know are dropped before a call."""
    forces_calls: bool
    """Whether a failed call takes the answer branch away from the next turn."""

    @property
    def ends_on_repeats(self) -> bool:
        """Whether a call that asks once more for what is known means that there is nothing left to find."""
        ...

    def request(self, messages: list[Message], specs: Sequence[ToolSpec], allowed: Allowed) -> Request:
        """What to send for the next turn of a valid history."""
        ...

    def read(self, reply: Reply, specs: Sequence[ToolSpec], allowed: Allowed) -> Turn:
        """What a reply means."""
        ...

    def phrase(self, outcomes: Sequence[Outcome]) -> list[Message]:
        """The messages that tell the model what came of its calls, in call order."""
        ...
