"""Runs: begin one, follow its events, speak into it, end it."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from fastapi import APIRouter, Header, Query, Response
from pydantic import AwareDatetime, Field

from actloop.service.event_stream import event_stream
from actloop.service.problems import Problem
from actloop.service.routes.common import Body, FoundConversation, FoundRun, Reply, Service, Text, moment
from actloop.service.sse import offset_of
from actloop.service.sse_response import SseResponse
from actloop.service.store.runs import Run, Status

__all__ = ["NewRun", "Question", "RunState", "router"]

router = APIRouter(prefix="/api", tags=["runs"])

Mode = Literal["react"]
Name = Annotated[str, Field(min_length=1, max_length=100)]


class Question(Body):
    """A question. model: a role with a model of its own; agent: a named agent of the settings."""

    query: Text
    mode: Mode = "react"
    model: Name | None = None
    agent: Name | None = None


class NewRun(Question):
    """A question in a conversation. model, agent: as in a question of its own.

    replaces: the id of the conversation's last run, which has ended: it goes with everything that was said in it, and
    this one comes in its place.
    """

    replaces: Name | None = None


class Started(Reply):
    """A run that has begun; its events are at ``events``."""

    run_id: str
    events: str


class RunState(Reply):
    """A run. status: ``running``, ``finished``, ``failed``, ``cancelled``, or ``interrupted`` by a restart."""

    id: str
    conversation_id: str
    query: str
    agent: str | None
    model: str | None
    status: Status
    created_at: AwareDatetime
    ended_at: AwareDatetime | None

    @classmethod
    def of(cls, run: Run) -> Self:
        """Show a stored run."""
        return cls(
            id=run.id,
            conversation_id=run.conversation_id,
            query=run.query,
            agent=run.agent,
            model=run.model,
            status=run.status,
            created_at=moment(run.created_at),
            ended_at=None if run.ended_at is None else moment(max(run.ended_at, run.created_at)),
        )


class Interrupt(Body):
    """Something to say to a running agent."""

    content: Text


class InterruptDelivery(Reply):
    """Where a message went. ``run``: the agent reads it between two steps; the receipts are in its events.

    ``next_turn``: the run had ended, or takes nothing more; run_id: the run that answers it, null while the present one
    is still at its answer.
    """

    id: str
    delivery: Literal["run", "next_turn"]
    run_id: str | None


@router.post("/conversations/{conversation_id}/runs", status_code=202)
async def start(service: Service, conversation: FoundConversation, body: NewRun) -> Started:
    """Begin a run. While the conversation has one at work, or when it cannot replace that run, the answer is 409."""
    run = await service.runner.start(
        conversation, body.query, agent=body.agent, model=body.model, replaces=body.replaces
    )
    return Started(run_id=run.id, events=f"/api/runs/{run.id}/events")


@router.get("/runs/{run_id}")
async def get(run: FoundRun) -> RunState:
    """Return the state of a run."""
    return RunState.of(run)


@router.get("/runs/{run_id}/events", response_class=SseResponse)
async def events(
    service: Service,
    run: FoundRun,
    after: Annotated[str | None, Query(description="The number of the last event you have.")] = None,
    last_event_id: Annotated[str | None, Header(description="The same, and counts more.")] = None,
) -> SseResponse:
    """Stream a run's events as server-sent events, from an offset on; ends after ``done``.

    The data of each event is one of the forms in the schema ``WireEvent``.
    """
    return event_stream(service, run, offset_of(last_event_id, after))


@router.post("/runs/{run_id}/interrupts", status_code=202)
async def interrupt(service: Service, run: FoundRun, body: Interrupt) -> InterruptDelivery:
    """Say something to the agent while it works. It is never lost: what comes too late is the next turn."""
    conversation = await service.conversations.get(run.conversation_id, run.owner)
    if conversation is None:
        raise Problem(404, f"There is no run {run.id!r}.")
    delivery = await service.runner.interrupt(run, conversation, body.content)
    return InterruptDelivery(id=delivery.id, delivery=delivery.delivery, run_id=delivery.run_id)


@router.patch("/runs/{run_id}/interrupts/{interrupt_id}", status_code=204)
async def edit_interrupt(service: Service, run: FoundRun, interrupt_id: str, body: Interrupt) -> Response:
    """Replace a message that the agent has not read yet; else the answer is 409."""
    if not await service.runner.edit_interrupt(run, interrupt_id, body.content):
        raise Problem(409, f"No message {interrupt_id!r} waits: it was read already, taken back, or never there.")
    return Response(status_code=204)


@router.delete("/runs/{run_id}/interrupts/{interrupt_id}", status_code=204)
async def take_back_interrupt(service: Service, run: FoundRun, interrupt_id: str) -> Response:
    """Take back a message that the agent has not read yet; else the answer is 409."""
    if not await service.runner.take_back_interrupt(run, interrupt_id):
        raise Problem(409, f"No message {interrupt_id!r} waits: it was read already, taken back, or never there.")
    return Response(status_code=204)


@router.post("/runs/{run_id}/stop", status_code=202)
async def stop(service: Service, run: FoundRun) -> RunState:
    """Let running tools finish, then answer from what is there. An ended run stays as it is."""
    await service.runner.stop(run)
    return RunState.of(run)


@router.post("/runs/{run_id}/cancel", status_code=202)
async def cancel(service: Service, run: FoundRun) -> RunState:
    """End a run at once. An ended run stays as it is."""
    await service.runner.cancel(run)
    return RunState.of(run)


@router.post("/runs/{run_id}/calls/{call_id:path}/cancel", status_code=202)
async def cancel_call(service: Service, run: FoundRun, call_id: str) -> RunState:
    """End one tool call; the agent reads that you did, and goes on. When no such call runs, the answer is 409."""
    if not await service.runner.cancel_call(run, call_id):
        raise Problem(409, f"No call {call_id!r} is running.")
    return RunState.of(run)
