"""Artifacts: content a tool makes for the person, of which the model only hears the name."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Artifact"]


@dataclass(frozen=True, slots=True)
class Artifact:
    """A piece of content for the person: HTML, markdown, an image, a CSV …

    name: a file name to show. media_type: for example ``text/html``. content: text, or bytes for binary types.
    """

    name: str
    media_type: str
    content: str | bytes
