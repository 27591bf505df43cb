"""The parts of a user message that is more than text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Content", "ContentPart", "ImagePart", "TextPart", "text_of"]


@dataclass(frozen=True, slots=True)
class TextPart:
    """A piece of text."""

    text: str


@dataclass(frozen=True, slots=True)
class ImagePart:
    """An image, as an ``https:`` or ``data:`` URL. Models without ``abilities["vision"]`` get a note in its place."""

    url: str


ContentPart = TextPart | ImagePart
Content = str | Sequence[ContentPart]


def text_of(content: Content) -> str:
    """The text of a content; an image becomes ``[image]``."""
    if isinstance(content, str):
        return content
    return "\n".join(part.text if isinstance(part, TextPart) else "[image]" for part in content)
