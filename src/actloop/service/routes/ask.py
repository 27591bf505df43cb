"""One call for curl and scripts: a question in, its events out."""

from __future__ import annotations

from contextlib import suppress

from fastapi import APIRouter

from actloop.errors import ActloopError
from actloop.service.event_stream import event_stream
from actloop.service.routes.common import Caller, Service
from actloop.service.routes.runs import Question
from actloop.service.sse_response import SseResponse
from actloop.service.store.database import StoreError

__all__ = ["router"]

router = APIRouter(prefix="/api", tags=["runs"])


@router.post("/ask", response_class=SseResponse)
async def ask(service: Service, caller: Caller, body: Question) -> SseResponse:
    """Ask in a conversation of its own and stream the run's events, as ``GET /api/runs/{run_id}/events`` does.

    The headers ``Actloop-Run`` and ``Actloop-Conversation`` say where to go on.
    """
    conversation = await service.conversations.create(caller)
    try:
        run = await service.runner.start(conversation, body.query, agent=body.agent, model=body.model)
    except ActloopError:
        with suppress(StoreError):
            await service.conversations.delete(conversation.id)
        raise
    return event_stream(service, run, 0, {"Actloop-Run": run.id, "Actloop-Conversation": conversation.id})
