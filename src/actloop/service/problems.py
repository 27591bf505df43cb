"""What goes wrong, as RFC 9457 problem details: what happened and what to do, nothing of our insides.

Under ``/v1`` errors have the form of the OpenAI API, which its clients read.
"""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from actloop.errors import ConfigError
from actloop.service.runs.runner import RunElsewhere, TooManyRuns, TooManyWaiting
from actloop.service.store.database import StoreError
from actloop.service.store.replacing import NotTheLastRun
from actloop.service.store.runs import ConversationGone, RunActive
from actloop.service.wire_json import clean_object, encode_data

__all__ = ["OPENAI_RESPONSES", "PROBLEM_RESPONSES", "Problem", "handle_problems", "problem_response"]

_logger = logging.getLogger(__name__)


_TEXT = {"type": "string"}
_FIELD = {"type": "object", "properties": {"field": _TEXT, "message": _TEXT}, "required": ["field", "message"]}

PROBLEM_RESPONSES: dict[int | str, dict[str, Any]] = {
    "default": {
        "description": "What went wrong, as RFC 9457 says it.",
        "content": {
            "application/problem+json": {
                "schema": {
                    "type": "object",
                    "title": "ProblemDetails",
                    "properties": {
                        "type": _TEXT,
                        "title": _TEXT,
                        "status": {"type": "integer"},
                        "detail": _TEXT,
                        "errors": {"type": "array", "items": _FIELD},
                    },
                    "required": ["type", "title", "status", "detail"],
                }
            }
        },
    }
}
"""For the OpenAPI document: what every address answers when it cannot do what is asked."""

_NULLABLE = {"type": ["string", "null"]}

OPENAI_RESPONSES: dict[int | str, dict[str, Any]] = {
    "default": {
        "description": "What went wrong, as the OpenAI API says it.",
        "content": {
            "application/json": {
                "schema": {
                    "type": "object",
                    "properties": {
                        "error": {
                            "type": "object",
                            "properties": {"message": _TEXT, "type": _TEXT, "param": _NULLABLE, "code": _NULLABLE},
                            "required": ["message", "type", "param", "code"],
                        }
                    },
                    "required": ["error"],
                }
            }
        },
    }
}


class Problem(Exception):
    """A request that cannot be done. detail: a sentence for the reader."""

    def __init__(self, status: int, detail: str, *, code: str | None = None, headers: dict[str, str] | None = None):
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.code = code
        self.headers = headers


def problem_response(
    path: str,
    status: int,
    detail: str,
    *,
    code: str | None = None,
    errors: list[dict[str, str]] | None = None,
    headers: dict[str, str] | None = None,
) -> Response:
    """Return the response for a problem on ``path``. errors: what is wrong where, as ``field`` and ``message``."""
    if path.startswith("/v1/"):
        message = "; ".join([detail, *(f"{item['field']}: {item['message']}" for item in errors or ())])
        kind = "invalid_request_error" if status < 500 else "server_error"
        body: dict[str, object] = {"error": {"message": message, "type": kind, "param": None, "code": code}}
        media_type = "application/json"
    else:
        body = {"type": "about:blank", "title": _phrase(status), "status": status, "detail": detail}
        if errors:
            body["errors"] = errors
        media_type = "application/problem+json"
    return Response(encode_data(clean_object(body)), status, headers, media_type)


def handle_problems(app: FastAPI) -> None:
    """Have every error of a route answered."""

    @app.exception_handler(Problem)
    async def known(request: Request, error: Problem) -> Response:
        return problem_response(request.url.path, error.status, error.detail, code=error.code, headers=error.headers)

    @app.exception_handler(HTTPException)
    async def of_the_framework(request: Request, error: HTTPException) -> Response:
        headers = dict(error.headers) if error.headers else None
        return problem_response(request.url.path, error.status_code, _sentence(error), headers=headers)

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        if _is_no_json(request, error):
            detail = "The body was not sent as JSON; say so with the header Content-Type: application/json."
            return problem_response(request.url.path, 415, detail)
        # What was sent is not repeated: it may be huge, secret, or nothing that JSON can say.
        errors = [
            {"field": ".".join(str(part) for part in item["loc"])[:_FIELD_CHARACTERS], "message": str(item["msg"])}
            for item in error.errors()[:_MOST_ERRORS]
        ]
        status = 400 if request.url.path.startswith("/v1/") else 422
        return problem_response(request.url.path, status, "The request is not what this address takes.", errors=errors)

    @app.exception_handler(StoreError)
    async def unavailable(request: Request, error: StoreError) -> Response:
        _logger.error("the database cannot be used now: %s", error.reason or error)
        detail = "The database cannot be used now; ask again a little later."
        return problem_response(request.url.path, 503, detail, headers={"Retry-After": "5"})

    @app.exception_handler(RunActive)
    async def active(request: Request, error: RunActive) -> Response:
        detail = "This conversation has a run that has not ended; wait for it, interrupt it or cancel it."
        return problem_response(request.url.path, 409, detail)

    @app.exception_handler(NotTheLastRun)
    async def not_the_last(request: Request, error: NotTheLastRun) -> Response:
        return problem_response(request.url.path, 409, str(error))

    @app.exception_handler(ConversationGone)
    async def gone(request: Request, error: ConversationGone) -> Response:
        return problem_response(request.url.path, 404, "This conversation has been deleted.")

    @app.exception_handler(TooManyWaiting)
    async def waiting(request: Request, error: TooManyWaiting) -> Response:
        return problem_response(request.url.path, 429, str(error), headers={"Retry-After": "5"})

    @app.exception_handler(TooManyRuns)
    async def busy(request: Request, error: TooManyRuns) -> Response:
        return problem_response(request.url.path, 503, str(error), headers={"Retry-After": "5"})

    @app.exception_handler(RunElsewhere)
    async def elsewhere(request: Request, error: RunElsewhere) -> Response:
        return problem_response(request.url.path, 409, str(error))

    @app.exception_handler(Exception)
    async def ours(request: Request, error: Exception) -> Response:
        # uvicorn logs what it was
        return problem_response(request.url.path, 500, "Something went wrong inside the service; its log says what.")

    @app.exception_handler(ConfigError)
    async def misnamed(request: Request, error: ConfigError) -> Response:
        return problem_response(request.url.path, 422, str(error))


_MOST_ERRORS = 20
_FIELD_CHARACTERS = 200


def _is_no_json(request: Request, error: RequestValidationError) -> bool:
    """Whether a body was left as bytes because its type is another (curl's own is a form's)."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    whole = [item for item in error.errors() if item["loc"] == ("body",) and item["type"] != "missing"]
    return bool(whole) and kind != "application/json" and not kind.endswith("+json")


def _sentence(error: HTTPException) -> str:
    match error.status_code:
        case 400:
            return "The body is not the JSON that this address takes."
        case 404:
            return "There is nothing at this address."
        case 408:
            return "The body did not come in time."
        case 413:
            return "The body is larger than this service takes."
        case 405:
            return "This address does not take this method."
        case _:
            return _phrase(error.status_code)


_PHRASES = {status.value: status.phrase for status in HTTPStatus}


def _phrase(status: int) -> str:
    return _PHRASES.get(status, "Error")
