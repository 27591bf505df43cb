"""Response bodies as text."""

from __future__ import annotations

import gzip
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actloop.errors import ToolError
from actloop.tools.builtin.page_text import body_text, decompressed


def test_a_page_becomes_markdown_without_scripts_and_with_absolute_links() -> None:
    page = b"<html><head><title>T</title><script>evil()</script></head><body><h1>Hi</h1><a href='/x'>there</a></body>"
    assert body_text(page, "text/html", "https://a.test/b/") == "# Hi\n\n[there](https://a.test/x)"


@pytest.mark.parametrize(
    ("body", "content_type", "text"),
    [
        (b'{"a": 1}', "application/json", '{"a": 1}'),
        (b'{"a": 1}', "application/problem+json; charset=utf-8", '{"a": 1}'),
        ("grüße".encode("latin-1"), "text/plain; charset=ISO-8859-1", "grüße"),
        ("grüße".encode("cp1252"), "text/plain", "grüße"),
        ("„grüße“".encode("cp1252"), "text/plain; charset=latin1", "„grüße“"),
        ("日本".encode("shift_jis"), 'text/plain; charset="Shift_JIS"', "日本"),
        ("日本".encode("euc-jp"), "text/html", "日本"),
        ("grüße".encode("utf-16"), "text/plain", "grüße"),
        ("grüße".encode(), "text/plain; charset=nonsense", "grüße"),
        (b"abc", "text/plain; charset=punycode", "abc"),
        ("grüß".encode()[:-1], "text/plain", "grü\ufffd"),
        (b"caf\xe9", "text/plain", "café"),
        (b"\x89PNG\0", "image/png", "[The content is image/png, 5 bytes, and not text.]"),
        (b"\0\1", "", "[The content is application/octet-stream, 2 bytes, and not text.]"),
        (b"<!DOCTYPE html><p>Hi", "", "Hi"),
        (b"", "text/html", "[The page has no text.]"),
    ],
)
def test_a_body_is_decoded_as_its_type_says(body: bytes, content_type: str, text: str) -> None:
    if content_type == "text/html" and body:
        body = b'<meta charset="euc-jp"><p>' + body
    assert body_text(body, content_type, "https://a.test/") == text


def test_a_compressed_body_is_cut_at_the_limit_before_it_fills_the_memory() -> None:
    bomb = gzip.compress(b"\0" * 50_000_000)
    assert len(decompressed(bomb, "gzip", 1_000)) == 1_000
    assert decompressed(zlib.compress(b"abc"), "deflate", 10) == b"abc"
    assert decompressed(zlib.compress(b"abc", wbits=-15), "deflate", 10) == b"abc"
    assert decompressed(b"abc", "identity", 2) == b"ab"


@pytest.mark.parametrize(
    ("body", "encoding"), [(b"no", "gzip"), (b"no", "deflate"), (b"x", "br"), (b"x", "gzip, gzip")]
)
def test_a_body_that_cannot_be_decompressed_is_told(body: bytes, encoding: str) -> None:
    with pytest.raises(ToolError, match="compressed"):
        decompressed(body, encoding, 10)


@given(st.binary(max_size=300), st.text(max_size=40) | st.sampled_from(["text/html", "text/plain; charset=utf-7"]))
def test_any_body_becomes_text(body: bytes, content_type: str) -> None:
    assert isinstance(body_text(body, content_type, "https://a.test/"), str)
