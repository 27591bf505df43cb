from email.utils import formatdate

import pytest

from actloop.llm.adapters.retry_after import retry_after

NOW = 1_700_000_000.0


def test_seconds_and_milliseconds_are_read() -> None:
    assert retry_after({"Retry-After": "2"}) == 2
    assert retry_after({"Retry-After": "0.5"}) == 0.5
    assert retry_after({"retry-after-ms": "1500", "Retry-After": "99"}) == 1.5


def test_a_date_counts_from_now() -> None:
    assert retry_after({"Retry-After": formatdate(NOW + 30, usegmt=True)}, now=NOW) == 30


def test_a_date_in_the_past_means_at_once() -> None:
    assert retry_after({"Retry-After": formatdate(NOW - 30, usegmt=True)}, now=NOW) == 0


@pytest.mark.parametrize(
    "value", ["", "soon", "-1", "nan", "inf", "86400000", "99999999999999999999", "Mon, 99 Foo 2020"]
)
def test_a_mad_value_is_no_answer(value: str) -> None:
    assert retry_after({"Retry-After": value}, now=NOW) is None


def test_without_a_header_there_is_no_answer() -> None:
    assert retry_after({}) is None
