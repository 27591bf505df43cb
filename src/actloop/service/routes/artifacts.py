"""Artifacts: content that tools made, so delivered that a browser cannot be made to run it as ours."""

from __future__ import annotations

from urllib.parse import quote

from fastapi import APIRouter, Response

from actloop.service.problems import Problem
from actloop.service.routes.common import Caller, Service

__all__ = ["router"]

router = APIRouter(prefix="/api/artifacts", tags=["artifacts"])

_SHOWN = {"image/gif", "image/jpeg", "image/png", "image/webp", "text/csv", "text/markdown", "text/plain"}
"""What a browser may show as what it is. Anything else (HTML, SVG, PDF …) could run scripts in our name."""


@router.get("/{artifact_id}", response_class=Response)
async def get(service: Service, caller: Caller, artifact_id: str) -> Response:
    """Return an artifact's content.

    Types that a browser might execute come as ``application/octet-stream``, always as an attachment and sandboxed; the
    page shows them in a frame of its own.
    """
    artifact = await service.artifacts.get(artifact_id, caller)
    if artifact is None:
        raise Problem(404, f"There is no artifact {artifact_id!r}.")
    kind = artifact.media_type.partition(";")[0].strip().lower()
    headers = {
        "Content-Disposition": f"attachment; filename*=UTF-8''{quote(artifact.name, safe='')}",
        "Content-Security-Policy": "sandbox; default-src 'none'",
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "private, max-age=31536000, immutable",
    }
    return Response(artifact.content, 200, headers, _type(kind))


def _type(kind: str) -> str:
    if kind not in _SHOWN:
        return "application/octet-stream"
    return f"{kind}; charset=utf-8" if kind.startswith("text/") else kind
