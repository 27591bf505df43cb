"""The page: the files that `make page` built, and what a browser may do with them.

Everything is read once. What is not among the files that were found is not there, so that no path leads elsewhere. The
page itself tells nothing about anybody, and needs no key; what it asks for does.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import mimetypes
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from fastapi import FastAPI, Request
from starlette.responses import Response

from actloop.service.problems import Problem

__all__ = ["BUILT", "add_page", "is_of_the_page"]

BUILT = Path(__file__).parent.parent / "page"
"""Where the build puts its files, in a checkout as well as in an installed package."""

_PAGE_POLICY = (
    "default-src 'none'; "
    "script-src 'self'; "
    "style-src 'self'; "
    "img-src 'self' data: blob:; "
    "font-src 'self'; "
    "connect-src 'self'; "
    "frame-src 'self'; "
    "form-action 'none'; "
    "base-uri 'none'; "
    "frame-ancestors 'none'; "
    "require-trusted-types-for 'script'"
)
"""Nothing but our own files, whatever an answer says. ``frame-src`` also keeps a frame from going elsewhere itself."""

_FRAME_POLICY = (
    "sandbox allow-scripts; "
    "default-src 'none'; "
    "script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; "
    "img-src data: blob:; "
    "font-src data:; "
    "form-action 'none'; "
    "base-uri 'none'; "
    "frame-ancestors 'self'"
)
"""An artifact's scripts run, in an origin of their own, and reach nothing: no network, no storage, nothing of ours."""

_FRAME = b"""<!doctype html>
<html>
  <head>
    <meta charset="utf-8">
    <title>Preview</title>
    <script>
      for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection"]) delete window[name];
      addEventListener("message", (event) => {
        if (event.source !== parent || typeof event.data !== "string") return;
        document.open();
        document.write(event.data);
        document.close();
      });
      parent.postMessage("ready", "*");
    </script>
  </head>
  <body></body>
</html>
"""
"""Shows what the page posts into it. It says "ready" when it listens.

No policy that browsers know governs WebRTC, so it is taken away here. A frame within the frame would still have it.
"""

_NOT_BUILT = """The service works, but its page has not been built.

In a checkout, `make page` builds it (that needs Node); then start the service again. The packages have it.
Programs need no page: see /openapi.json.
"""

_COMMON = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_FOR_EVER = "public, max-age=31536000, immutable"
"""For files whose name has a hash of their content in it."""

_PACKED = ("text/", "application/json", "image/svg+xml")
_TOP = frozenset({"/", "/frame.html", "/favicon.ico", "/third-party-licences.txt"})


@dataclass(frozen=True)
class _File:
    content: bytes
    media_type: str

    @cached_property
    def etag(self) -> str:
        return f'W/"{hashlib.sha256(self.content).hexdigest()[:32]}"'

    @cached_property
    def packed(self) -> bytes | None:
        """Its content as gzip, where that is worth while."""
        if len(self.content) < 1024 or not self.media_type.startswith(_PACKED):
            return None
        return gzip.compress(self.content, 6, mtime=0)


def is_of_the_page(path: str) -> bool:
    """Whether a path is one of the page itself, which is open to whoever can reach the service."""
    return path in _TOP or path.startswith(("/c/", "/assets/", "/icon"))


def add_page(app: FastAPI, directory: Path) -> None:
    """Add the page in ``directory`` to ``app``: ``/``, ``/c/{conversation}``, ``/frame.html``, and the built files."""
    files = _files(directory)
    index = files.get("/index.html")

    async def page(request: Request) -> Response:
        if index is None:
            return Response(_NOT_BUILT, 503, {**_COMMON, "Cache-Control": "no-store"}, "text/plain; charset=utf-8")
        return await _answer(request, index, {"Content-Security-Policy": _PAGE_POLICY, "Cache-Control": "no-cache"})

    async def frame(request: Request) -> Response:
        headers = {"Content-Security-Policy": _FRAME_POLICY, "Cache-Control": "no-cache"}
        return await _answer(request, _File(_FRAME, "text/html; charset=utf-8"), headers)

    async def file(request: Request) -> Response:
        found = files.get(request.url.path)
        if found is None:
            raise Problem(404, "There is nothing at this address.", headers={"Cache-Control": "no-store"})
        lasting = _FOR_EVER if request.url.path.startswith("/assets/") else "no-cache"
        headers = {"Content-Security-Policy": "default-src 'none'", "Cache-Control": lasting}
        return await _answer(request, found, headers)

    for path, route in (
        ("/", page),
        ("/c/{conversation_id}", page),
        ("/frame.html", frame),
        ("/assets/{name:path}", file),
        ("/favicon.ico", file),
        ("/third-party-licences.txt", file),
        ("/icon{name:path}", file),
    ):
        app.add_route(path, route, ["GET", "HEAD"], include_in_schema=False)


def _files(directory: Path) -> dict[str, _File]:
    """What there is to serve, by its path on the web."""
    return {
        f"/{path.relative_to(directory).as_posix()}": _File(path.read_bytes(), _media_type(path.name))
        for path in sorted(directory.rglob("*"))
        if path.is_file()
    }


_TYPES = {".js": "text/javascript", ".css": "text/css", ".html": "text/html", ".svg": "image/svg+xml"}
"""Said here, since a machine's own table may say something else, and then no script runs."""


def _media_type(name: str) -> str:
    kind = _TYPES.get(Path(name).suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"
    return f"{kind}; charset=utf-8" if kind.startswith("text/") else kind


async def _answer(request: Request, file: _File, headers: dict[str, str]) -> Response:
    headers = {**_COMMON, **headers, "ETag": file.etag, "Vary": "Accept-Encoding"}
    if file.etag in request.headers.get("if-none-match", ""):
        return Response(None, 304, headers)
    if "gzip" in request.headers.get("accept-encoding", ""):
        packed = await asyncio.to_thread(lambda: file.packed)  # the first time it takes a tenth of a second
        if packed is not None:
            return Response(packed, 200, {**headers, "Content-Encoding": "gzip"}, file.media_type)
    return Response(file.content, 200, headers, file.media_type)
