"""`create_app`: the parts, the gate, the routes and the page, put together; nothing else."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI

from actloop.service.gate import Gate
from actloop.service.page import BUILT, add_page
from actloop.service.parts import Parts
from actloop.service.problems import OPENAI_RESPONSES, PROBLEM_RESPONSES, handle_problems
from actloop.service.routes import artifacts, ask, conversations, health, models, openai, runs
from actloop.service.wire_schema import add_wire_schema

__all__ = ["create_app"]


def create_app(parts: Parts) -> FastAPI:
    """Return the ASGI application over ``parts``, which `running_parts` has begun and ends."""
    app = FastAPI(
        title="actloop",
        version=_version(),
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,  # where to is not ours to say: behind a proxy it would lead out of its encryption
        telemetry={"tracing": False, "metrics": False, "logs": False},
    )
    app.state.parts = parts
    app.add_middleware(Gate, parts=parts)
    handle_problems(app)
    for module in (conversations, runs, ask, models, artifacts, openai, health):
        responses = OPENAI_RESPONSES if module is openai else PROBLEM_RESPONSES
        app.include_router(module.router, responses={**responses})
    add_page(app, BUILT)
    plain = app.openapi

    def openapi() -> dict[str, Any]:
        return add_wire_schema(plain())

    app.openapi = openapi  # type: ignore[method-assign]  # the way FastAPI's documentation extends it
    return app


def _version() -> str:
    from importlib.metadata import version

    return version("actloop")
