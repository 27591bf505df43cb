from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actloop.llm.adapters.sse import LineTooLong, SseDecoder, SseEvent


def decode(*chunks: bytes) -> list[SseEvent]:
    decoder = SseDecoder()
    events = [event for piece in chunks for event in decoder.feed(piece)]
    return events + decoder.close()


def data(*chunks: bytes) -> list[str]:
    return [event.data for event in decode(*chunks)]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_all_three_line_ends_end_a_line(end: bytes) -> None:
    assert data(end.join([b"data: one", b"", b"data: two", b"", b""])) == ["one", "two"]


def test_comments_and_unknown_fields_are_no_events() -> None:
    assert data(b": keep-alive\n\nid: 7\nretry: 100\nwhatever: x\njustaword\n\ndata: here\n\n") == ["here"]


def test_the_blank_after_the_colon_is_optional_and_only_one_goes() -> None:
    assert data(b"data:a\n\ndata:  b\n\n") == ["a", " b"]


def test_data_lines_of_one_event_are_joined_by_newlines() -> None:
    assert data(b'data: {\ndata: "a": 1}\n\n') == ['{\n"a": 1}']


def test_an_event_may_carry_a_name() -> None:
    assert decode(b"event: error\ndata: x\n\ndata: y\n\n") == [SseEvent("error", "x"), SseEvent("message", "y")]


def test_an_error_field_counts_as_data_of_an_error_event() -> None:
    assert decode(b'error: {"code": 500}\n\n') == [SseEvent("error", '{"code": 500}')]


def test_a_byte_order_mark_at_the_start_is_dropped() -> None:
    assert data(b"\xef\xbb", b"\xbfdata: x\n\n") == ["x"]


def test_the_last_event_needs_no_blank_line() -> None:
    assert data(b"data: x\n\ndata: [DONE]") == ["x", "[DONE]"]


def test_line_separators_of_unicode_do_not_end_a_line() -> None:
    text = "one\u2028two\u2029three\u0085four\u000bfive\u001csix"
    assert data(f"data: {text}\n\n".encode()) == [text]


def test_a_line_without_end_is_refused() -> None:
    decoder = SseDecoder()
    decoder.feed(b"data: " + b"x" * (15 << 20))
    with pytest.raises(LineTooLong, match="16 MiB"):
        decoder.feed(b"x" * (1 << 20))


STREAM = (
    "\ufeffdata: caf\u00e9 \U0001f600\r\n\r\n: c\n\ndata:1\rdata: 2\n\nevent: e\r\ndata: \u4f60\n\ndata: end".encode()
)


@pytest.mark.parametrize(("so_far", "within"), [(b"", False), (b": ke", False), (b"da", True), (b"data: x\n", True)])
def test_an_event_that_has_begun_to_arrive_is_told_from_a_comment(so_far: bytes, within: bool) -> None:
    decoder = SseDecoder()
    decoder.feed(b"data: before\n\n")
    decoder.feed(so_far)
    assert decoder.within_event is within


@given(st.lists(st.integers(0, len(STREAM)), max_size=12))
def test_any_cut_gives_the_same_events(cuts: list[int]) -> None:
    edges = [0, *sorted(cuts), len(STREAM)]
    assert decode(*(STREAM[a:b] for a, b in pairwise(edges))) == decode(STREAM)


@given(st.lists(st.binary(max_size=40), max_size=8))
def test_no_bytes_make_it_fail(chunks: list[bytes]) -> None:
    assert decode(*chunks) == decode(b"".join(chunks))
