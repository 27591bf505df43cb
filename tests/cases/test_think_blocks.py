"""Reasoning that is streamed never shows a piece of its tags."""

from __future__ import annotations

from actloop.llm import ReasoningSplitter
from tests.cases.keeping import keeps


@keeps("C052", "no emitted piece contains '<thi', '</th' or 'ink>'", "joined pieces equal the two values")
def test_tags_that_are_cut_between_chunks_are_not_shown() -> None:
    splitter = ReasoningSplitter()
    chunks = ["<thi", "nk>a <", "b", "></th", "ink>b", " <", "c>"]
    pieces = [piece for chunk in chunks for piece in splitter.feed(chunk)] + splitter.close()

    assert not any(part in text for _, text in pieces for part in ("<thi", "</th", "ink>"))
    assert "".join(text for kind, text in pieces if kind == "reasoning") == "a <b>"
    assert "".join(text for kind, text in pieces if kind == "text") == "b <c>"
