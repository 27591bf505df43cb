"""Conversations: begin, list, look, rename, delete."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from pydantic import AwareDatetime, Field

from actloop.service.problems import Problem
from actloop.service.routes.common import Body, Caller, FoundConversation, Reply, Service, moment
from actloop.service.routes.runs import RunState
from actloop.service.store.conversations import Conversation, Place
from actloop.service.store.message_json import message_data

__all__ = ["router"]

router = APIRouter(prefix="/api/conversations", tags=["conversations"])

Title = Annotated[str, Field(max_length=200)]


class NewConversation(Body):
    """A conversation to begin; without a title it gets the first question as one."""

    title: Title = ""


class ConversationChange(Body):
    """What can be changed."""

    title: Title


class ConversationState(Reply):
    """A conversation without its messages."""

    id: str
    title: str
    created_at: AwareDatetime
    updated_at: AwareDatetime


class WholeConversation(ConversationState):
    """A conversation. messages: what the next run will know; runs: in the order they began."""

    messages: list[dict[str, Any]]
    runs: list[RunState]


class ConversationPage(Reply):
    """Conversations, the last changed first. next: pass it as ``before`` to get the following ones."""

    conversations: list[ConversationState]
    next: str | None


@router.post("", status_code=201)
async def create(service: Service, caller: Caller, body: NewConversation | None = None) -> ConversationState:
    """Begin a conversation."""
    return _state(await service.conversations.create(caller, body.title if body else ""))


@router.get("")
async def list_conversations(
    service: Service,
    caller: Caller,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    before: Annotated[str | None, Query(max_length=100, description="What ``next`` of a page said.")] = None,
    q: Annotated[str, Query(max_length=200, description="Only those with this in their title or a question.")] = "",
) -> ConversationPage:
    """List the caller's conversations."""
    place = None if before is None else Place.of(before)
    if before is not None and place is None:
        raise Problem(422, "'before' is not what 'next' of a page said.")
    page = await service.conversations.of_owner(caller, limit=limit + 1, after=place, text=q)
    last = page[limit - 1] if len(page) > limit else None
    following = None if last is None else str(Place(last.updated_at, last.id))
    return ConversationPage(conversations=[_state(item) for item in page[:limit]], next=following)


@router.get("/{conversation_id}")
async def get(service: Service, conversation: FoundConversation) -> WholeConversation:
    """Return a conversation with its messages and runs."""
    messages = await service.conversations.history(conversation.id)
    runs = await service.runs.of_conversation(conversation.id)
    return WholeConversation(
        **_state(conversation).model_dump(),
        messages=[message_data(message) for message in messages],
        runs=[RunState.of(run) for run in runs],
    )


@router.patch("/{conversation_id}")
async def change(
    service: Service, caller: Caller, conversation: FoundConversation, body: ConversationChange
) -> ConversationState:
    """Rename a conversation."""
    await service.conversations.rename(conversation.id, body.title)
    return _state(await service.conversations.get(conversation.id, caller) or conversation)


@router.delete("/{conversation_id}", status_code=204)
async def delete(service: Service, conversation: FoundConversation) -> Response:
    """Delete a conversation with its runs, events and artifacts; a run at work is cancelled first."""
    async with service.runner.forgetting(conversation.id):
        await service.conversations.delete(conversation.id)
    return Response(status_code=204)


def _state(conversation: Conversation) -> ConversationState:
    return ConversationState(
        id=conversation.id,
        title=conversation.title,
        created_at=moment(conversation.created_at),
        updated_at=moment(conversation.updated_at),
    )
