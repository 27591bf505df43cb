"""What every route needs: the parts of the service, who is calling, and the caller's own things by id."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, cast

from fastapi import Depends, Path, Request
from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field

from actloop.messages import clean_text
from actloop.service.parts import Parts
from actloop.service.problems import Problem
from actloop.service.store.conversations import Conversation
from actloop.service.store.runs import Run

__all__ = ["Body", "Caller", "FoundConversation", "FoundRun", "Reply", "Service", "Text", "moment"]

MOST_CHARACTERS = 500_000
"""Of one text. A model's window is smaller, and the limit of the body is another."""


async def _service(request: Request) -> Parts:
    return cast("Parts", request.app.state.parts)


async def _caller(request: Request) -> str:
    return cast("str", request.state.owner)


Service = Annotated[Parts, Depends(_service)]
Caller = Annotated[str, Depends(_caller)]
"""Who is calling: the owner of what is created, and of all that can be seen."""


def _not_blank(text: str) -> str:
    text = clean_text(text)
    if not text.strip():
        raise ValueError("the text is empty")
    return text


Text = Annotated[str, Field(min_length=1, max_length=MOST_CHARACTERS), AfterValidator(_not_blank)]
"""What a person says: not blank, and valid Unicode."""


class Body(BaseModel):
    """A request body. Unknown fields are refused, since they are misspelt ones."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Reply(BaseModel):
    """A response body."""


def moment(seconds: float) -> AwareDatetime:
    """A time as it is shown: UTC."""
    return datetime.fromtimestamp(seconds, UTC)


async def _conversation(service: Service, caller: Caller, conversation_id: Annotated[str, Path()]) -> Conversation:
    conversation = await service.conversations.get(conversation_id, caller)
    if conversation is None:
        raise Problem(404, f"There is no conversation {conversation_id!r}.")
    return conversation


async def _run(service: Service, caller: Caller, run_id: Annotated[str, Path()]) -> Run:
    run = await service.runs.get(run_id, caller)
    if run is None:
        raise Problem(404, f"There is no run {run_id!r}.")
    return run


FoundConversation = Annotated[Conversation, Depends(_conversation)]
"""The conversation of the path, if it is the caller's; else the answer is 404."""

FoundRun = Annotated[Run, Depends(_run)]
"""The run of the path, if it is the caller's; else the answer is 404."""
