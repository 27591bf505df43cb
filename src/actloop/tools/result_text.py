"""What a tool returned or raised, as the text a model reads and the artifacts a person sees."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from actloop.errors import ToolError
from actloop.messages import clean_text, shorten
from actloop.tools.artifacts import Artifact
from actloop.tools.base import ToolResult

__all__ = ["artifact_note", "error_text", "result_of"]

NO_RESULT = "(no result)"
_MAX_ERROR_CHARACTERS = 2_000
_PREVIEWED = ("text/html", "text/markdown")
_TRACEBACK = re.compile(r"Traceback \(most recent call last\):.*(?=\n\S)", re.DOTALL)
_SECRET = re.compile(
    r"([?&](?:[\w-]*key|[\w-]*token|[\w-]*secret|password|sig|signature|auth)=|\bBearer\s+)[^\s&'\"<>)]+", re.IGNORECASE
)
"""What errors of HTTP clients print of their URL and headers; a key must reach neither model nor events."""
_SOURCE_FILE = re.compile(r'File "[^"\n]*[/\\]([^"\n/\\]+)"|\([^()\n]*[/\\]([^()\n/\\]+\.py)(?=, line)')


def result_of(value: object) -> ToolResult:
    """Phrase what a tool returned.

    A string stays as it is; None is ``(no result)``; other values become JSON (dates in ISO form, NaN as null, what
    JSON cannot hold as its ``str``). Of an artifact, alone or anywhere inside the value, the model reads one sentence,
    never its content. A `ToolResult` keeps its own text, with the sentences of its artifacts added.
    """
    if type(value) is str:
        return ToolResult(clean_text(value))
    if isinstance(value, ToolResult):
        if not value.artifacts and clean_text(value.content) is value.content:
            return value
        notes = [note for artifact in value.artifacts if (note := artifact_note(artifact)) not in value.content]
        content = "\n".join(part for part in (value.content, *notes) if part)
        return ToolResult(clean_text(content), value.artifacts, value.is_error)
    from actloop.tools.plain_data import PlainData  # most tools return text

    data = PlainData(artifact_note)
    if isinstance(value, Artifact) or (isinstance(value, (list, tuple)) and _mixed(value)):
        parts = list(value) if isinstance(value, (list, tuple)) else [value]
        content = "\n".join(_text(data.of(part)) for part in parts if part is not None)
    elif value is None:
        content = NO_RESULT
    else:
        content = _text(data.of(value))
    return ToolResult(clean_text(content), tuple(data.artifacts))


def _mixed(parts: Sequence[object]) -> bool:
    return any(isinstance(part, Artifact) for part in parts)


def _text(plain: object) -> str:
    if isinstance(plain, str):
        return plain
    return json.dumps(plain, ensure_ascii=False, allow_nan=False)


def artifact_note(artifact: Artifact) -> str:
    """The sentence that stands for an artifact in the model's context."""
    name = " ".join(shorten(artifact.name, 200, marker="…").split()) or "unnamed"
    media_type = artifact.media_type.partition(";")[0].strip().lower()
    if media_type in _PREVIEWED:
        return f"[Artifact generated: {name}] The content is rendered as a preview in the UI."
    unit = "bytes" if isinstance(artifact.content, bytes) else "characters"
    return f"[Artifact generated: {name}] {media_type}, {len(artifact.content):,} {unit}, shown in the UI."


def error_text(error: BaseException) -> str:
    """What a model reads about an exception: its kind and message, without a traceback or paths of source files.

    A `ToolError` speaks for itself; of a group of exceptions each one is told.
    """
    if isinstance(error, BaseExceptionGroup):
        return shorten("; ".join(error_text(inner) for inner in error.exceptions), _MAX_ERROR_CHARACTERS)
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        message = f"{error.strerror}: {_last_part(error.filename)!r}"
    else:
        message = str(error).strip()
    message = _TRACEBACK.sub("", message).strip()
    message = _SECRET.sub(r"\1…", message)
    message = _SOURCE_FILE.sub(lambda match: f'File "{match[1]}"' if match[1] else f"({match[2]}", message)
    if not isinstance(error, ToolError):
        message = f"{type(error).__name__}: {message}" if message else type(error).__name__
    return clean_text(shorten(message or "the tool failed", _MAX_ERROR_CHARACTERS))


def _last_part(filename: object) -> str:
    text = filename.decode(errors="replace") if isinstance(filename, bytes) else str(filename)
    return re.split(r"[/\\]", text.rstrip("/\\"))[-1]
