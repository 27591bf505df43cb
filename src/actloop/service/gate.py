"""What every request passes before a route sees it: host, origin, size, key and rate (plain ASGI: it may stream)."""

from __future__ import annotations

import asyncio
import logging
import math
import time

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from actloop.service import auth
from actloop.service.page import is_of_the_page
from actloop.service.parts import Parts
from actloop.service.problems import problem_response
from actloop.service.rate_limit import RateLimit
from actloop.service.store.database import StoreError

__all__ = ["Gate"]

_logger = logging.getLogger("actloop.service.access")

_OPEN = {"/healthz", "/readyz", "/openapi.json"}
"""Needs no key, and no more does the page: they tell nothing about anybody."""

_HEADER_BYTES = 16 * 1024

_BODY_SECONDS = 60.0
"""Within which a body must have come."""


class Gate:
    """Around the application."""

    def __init__(self, app: ASGIApp, parts: Parts) -> None:
        self._app = app
        self._parts = parts
        self._rate = RateLimit(parts.settings.rate_limit)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Turn a request away, or let it through with ``state.owner`` set."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        parts = self._parts
        began = time.monotonic()
        status = 500

        async def note_status(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._answer(parts, scope, receive, note_status)
        finally:
            parts.metrics.requests[scope["method"] if scope["method"] in _METHODS else "other", status] += 1
            milliseconds = round(1000 * (time.monotonic() - began), 1)
            _logger.info(
                "%s %s %s",
                scope["method"],
                scope["path"],
                status,
                extra={"milliseconds": milliseconds, "owner": scope.get("state", {}).get("owner")},
            )

    async def _answer(self, parts: Parts, scope: Scope, receive: Receive, send: Send) -> None:
        if (refusal := await self._refusal(parts, scope)) is not None:
            status, detail, headers = refusal
            parts.metrics.rejected[_REASONS[status]] += 1
            await problem_response(scope["path"], status, detail, headers=headers)(scope, receive, send)
            return
        await self._app(scope, _limited(receive, parts.settings.max_body_bytes), send)

    async def _refusal(self, parts: Parts, scope: Scope) -> tuple[int, str, dict[str, str] | None] | None:
        settings, headers, path = parts.settings, Headers(scope=scope), scope["path"]
        state = scope.setdefault("state", {})
        if sum(len(name) + len(value) for name, value in scope["headers"]) > _HEADER_BYTES:
            return 431, "The headers are larger than this service takes.", None
        hosts = headers.getlist("host")
        if len(hosts) > 1:  # RFC 9112, section 3.2
            return 400, "A request names one host.", None
        host = hosts[0] if hosts else None
        # a caller's key cannot be had by a page that rebinds its name, so that a name matters only where none is needed
        if (not parts.locked or settings.allowed_hosts) and not auth.trusted_host(host, settings.allowed_hosts):
            return 403, "This name does not lead here; a proxy's name belongs into ACTLOOP_ALLOWED_HOSTS.", None
        if not all(auth.same_origin(origin, host) for origin in headers.getlist("origin")):
            return 403, "Requests from pages of other origins are not taken.", None
        length = headers.get("content-length", "0")
        if length.isdecimal() and int(length[:20]) > settings.max_body_bytes:
            return 413, _too_large(settings.max_body_bytes), None
        peer = scope["client"][0] if scope.get("client") else "unknown"
        keyed = parts.locked and path not in _OPEN and not is_of_the_page(path)
        if keyed:
            try:
                owner = await _owner(parts, auth.bearer_key(headers))
            except StoreError:
                return 503, "The database cannot be used now; ask again a little later.", {"Retry-After": "5"}
            if owner is None:
                wait = self._rate.wait(f"address {peer}")
                if wait:
                    return _too_often(wait)
                return 401, "A key is needed: Authorization: Bearer KEY.", {"WWW-Authenticate": "Bearer"}
        else:
            owner = auth.LOCAL_OWNER
        state["owner"] = owner
        caller = f"key {owner}" if keyed else f"address {peer}"
        wait = self._rate.wait(caller)
        return _too_often(wait) if wait else None


_METHODS = {"GET", "HEAD", "POST", "PATCH", "DELETE", "PUT", "OPTIONS"}
_REASONS = {400: "host", 401: "key", 403: "origin", 413: "body", 429: "rate", 431: "headers", 503: "store"}


async def _owner(parts: Parts, key: str | None) -> str | None:
    if key is None:
        return None
    if auth.is_servers_key(key, parts.settings.server_key):
        return auth.LOCAL_OWNER
    return await parts.keys.owner_of(key)


def _limited(receive: Receive, most_bytes: int) -> Receive:
    """``receive`` for a body that is neither too large nor too slow; what comes after the body is waited for."""
    seen, complete = 0, False
    deadline = asyncio.get_running_loop().time() + _BODY_SECONDS

    async def limited() -> Message:
        nonlocal seen, complete
        if complete:
            return await receive()
        try:
            async with asyncio.timeout_at(deadline):
                message = await receive()
        except TimeoutError:  # FastAPI lets this one kind of exception through
            raise HTTPException(408) from None
        seen += len(message.get("body", b""))
        if seen > most_bytes:  # it was sent without a length
            raise HTTPException(413)
        complete = not message.get("more_body", False)
        return message

    return limited


def _too_large(most: int) -> str:
    return f"The body is larger than {most} bytes."


def _too_often(wait: float) -> tuple[int, str, dict[str, str]]:
    return 429, "Too many requests; ask again a little later.", {"Retry-After": str(math.ceil(wait))}
