"""The body of an HTTP response as text that a model can read (pure)."""

from __future__ import annotations

import codecs
import re
import zlib

from actloop.errors import ToolError

__all__ = ["body_text", "decompressed"]

_META_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.-]{1,40})", re.IGNORECASE)
_TEXT_CODEC = re.compile(
    r"utf-(?:8|16|32)|ascii|iso8859|cp\d|koi8|gb|big5|euc|shift_jis|iso2022|mac|latin|johab|hz|tis"
)
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_TEXT_TYPES = ("application/json", "application/xml", "application/javascript", "application/yaml", "application/toml")


def decompressed(body: bytes, encoding: str, limit: int) -> bytes:
    """``body`` after undoing its ``Content-Encoding``, at most ``limit`` bytes of it, however much there would be.

    Raises `ToolError` for an encoding that was not asked for and is not known, and for broken data.
    """
    match encoding.strip().lower():
        case "" | "identity":
            return body[:limit]
        case "gzip" | "x-gzip" | "deflate" as kind:
            # RFC 9110 8.4.1: "deflate" has the zlib wrapper; some servers leave it out
            raw = kind == "deflate" and body[:1] != b"\x78"
            inflater = zlib.decompressobj(-zlib.MAX_WBITS if raw else zlib.MAX_WBITS | 32)
            try:
                return inflater.decompress(body, limit)
            except zlib.error as error:
                raise ToolError(f"the response says it is compressed with {kind}, but is broken") from error
        case other:
            raise ToolError(f"the response is compressed with {other!r}, which cannot be read here")


def body_text(body: bytes, content_type: str, url: str) -> str:
    """``body`` as text: HTML as markdown, JSON and other text as it is, anything else described in a sentence.

    ``content_type`` is the header's value; ``url`` is what relative links are relative to.
    """
    media_type = content_type.partition(";")[0].strip().lower() or _guessed_type(body)
    if "html" in media_type:
        return _markdown(_decoded(body, content_type, html=True), url)
    if media_type.startswith("text/") or media_type in _TEXT_TYPES or media_type.endswith(("+json", "+xml")):
        return _decoded(body, content_type, html=False)
    return f"[The content is {media_type}, {len(body):,} bytes, and not text.]"


def _guessed_type(body: bytes) -> str:
    if b"\0" in body[:1_000]:
        return "application/octet-stream"
    return "text/html" if body[:1_000].lstrip().lower().startswith((b"<!doctype html", b"<html")) else "text/plain"


def _decoded(body: bytes, content_type: str, *, html: bool) -> str:
    for mark, encoding in _MARKS:
        if body.startswith(mark):
            return body.decode(encoding, errors="replace")
    named = re.search(r"charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.-]{1,40})", content_type, re.IGNORECASE)
    meta = _META_CHARSET.search(body[:4_096]) if html else None
    charset = named[1] if named else meta[1].decode() if meta else None
    if charset and (codec := _text_codec(charset)):
        return body.decode(codec, errors="replace")
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        # cut in the middle of a character after others were fine, or not UTF-8 at all: then what old pages are in
        cut = error.reason == "unexpected end of data" and not body[: error.start].isascii()
        return body.decode("utf-8" if cut else "cp1252", errors="replace")


def _text_codec(charset: str) -> str | None:
    """Python's codec of that name, if it is one for text: ``punycode`` or ``unicode_escape`` are not."""
    try:
        name = codecs.lookup(charset).name
    except LookupError:
        return None
    if name in ("iso8859-1", "ascii"):
        return "cp1252"  # what browsers do, see https://encoding.spec.whatwg.org/#names-and-labels
    return name if _TEXT_CODEC.match(name) else None


def _markdown(html: str, url: str) -> str:
    from html_to_markdown import ConversionOptions, convert

    options = ConversionOptions(extract_metadata=False, skip_images=True, base_url=url)
    return (convert(html, options).content or "").strip() or "[The page has no text.]"
