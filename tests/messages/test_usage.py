"""Usage adds up, and unknown stays unknown."""

from __future__ import annotations

from actloop.messages import Usage


def test_counts_add_up_over_calls() -> None:
    total = Usage.total([Usage.of_call(10, 5, cached_tokens=4), Usage.of_call(20, 7)])
    assert (total.prompt_tokens, total.completion_tokens, total.cached_tokens, total.calls) == (30, 12, 4, 2)
    assert total.total_tokens == 42
    assert total.complete


def test_what_nobody_reported_is_none_and_not_zero() -> None:
    total = Usage.total([Usage.of_call(), Usage.of_call()])
    assert total.prompt_tokens is None
    assert total.total_tokens is None
    assert not total.complete


def test_a_sum_with_a_missing_count_says_that_it_is_a_lower_bound() -> None:
    total = Usage.of_call(10, 5) + Usage.of_call(None, 7)
    assert (total.prompt_tokens, total.completion_tokens, total.complete) == (10, 12, False)


def test_no_call_at_all_is_complete_and_unknown() -> None:
    assert Usage.total([]) == Usage()
    assert Usage().complete
