"""For whoever watches over the service: is it alive, can it work, what did it do."""

from __future__ import annotations

from fastapi import APIRouter, Response

from actloop.service.problems import Problem
from actloop.service.routes.common import Reply, Service

__all__ = ["router"]

router = APIRouter(tags=["health"])


class Health(Reply):
    """Fine."""

    status: str = "ok"


@router.get("/healthz")
async def alive() -> Health:
    """Answers as long as the process does."""
    return Health()


@router.get("/readyz")
async def ready(service: Service) -> Health:
    """Answers 503 while the database cannot be used."""
    await service.keys.any()
    if not service.log.healthy:
        raise Problem(503, "Events wait to be stored: the database cannot be written.")
    return Health()


@router.get("/metrics", response_class=Response)
async def metrics(service: Service) -> Response:
    """Counters in Prometheus' text format."""
    text = service.metrics.text(
        active_runs=service.runner.active,
        streams=len(service.streams),
        events_stored=service.log.stored,
        runs=service.runner.ended,
        healthy=service.log.healthy,
    )
    return Response(text, media_type="text/plain; version=0.0.4; charset=utf-8")
