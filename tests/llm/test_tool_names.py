from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actloop.llm.tool_names import provider_tool_names, resolve_tool_name

OFFERED = ["search_notes", "view", "view_all", "functions.raw"]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("view", "view"),
        ("functions.search_notes", "search_notes"),
        ("default_api:view", "view"),
        ("default_api.view_all", "view_all"),
        ("tool.view", "view"),
        ("functions.functions.view", "view"),
        (" search_notes\n", "search_notes"),
        ("search_notes<|channel|>commentary", "search_notes"),
        ("view<｜tool▁sep｜>", "view"),
        ('"view"', "view"),
        ("`view`", "view"),
        ("view()", "view"),
        ("functions.view()", "view"),
        ("functions.view:0", "view"),
        ("to=functions.view", "view"),
        ("functions.raw", "functions.raw"),
    ],
)
def test_a_name_is_freed_of_what_models_put_around_it(written: str, meant: str) -> None:
    assert resolve_tool_name(written, OFFERED) == meant


@pytest.mark.parametrize(
    "written",
    ["", "nope", "View", "views", "vie", "view_al", "search-notes", "raw", "my.view", "view(1)"],
)
def test_a_name_is_never_guessed(written: str) -> None:
    assert resolve_tool_name(written, OFFERED) is None


def test_one_letter_more_or_less_is_another_tool() -> None:
    for written in ("delete_events", "list_event", "remove_event"):
        assert resolve_tool_name(written, ["delete_event", "list_events"]) is None


def test_long_names_stay_apart_within_the_limit_of_providers() -> None:
    server = "customer-relations onprem.production-eu-central"
    pairs = [
        (server, "list_open_opportunities_by_account_owner"),
        (server, "list_open_opportunities_by_account_region"),
        ("a", "list"),
    ]
    names = provider_tool_names(pairs)
    assert names["a", "list"] == "a_list"
    assert len(set(names.values())) == 3
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name) for name in names.values())
    assert provider_tool_names(pairs[::-1]) == names


def test_names_that_read_alike_get_a_hash_each() -> None:
    names = provider_tool_names([("a", "b_c"), ("a_b", "c"), ("", "d")])
    assert names["a", "b_c"].startswith("a_b_c_")
    assert names["a_b", "c"].startswith("a_b_c_")
    assert names["a", "b_c"] != names["a_b", "c"]
    assert names["", "d"] == "d"


PARTS = st.one_of(st.text(max_size=80), st.text(alphabet="ab_-. é", max_size=5))


@given(st.lists(st.tuples(PARTS, PARTS), max_size=12))
def test_every_pair_has_a_legal_name_of_its_own(pairs: list[tuple[str, str]]) -> None:
    names = provider_tool_names(pairs)
    assert set(names) == set(pairs)
    assert len(set(names.values())) == len(names)
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name) for name in names.values())
    assert provider_tool_names(sorted(pairs)) == names


@given(st.text(alphabet="vie w.:()'\"<|functions", max_size=40))
def test_resolving_any_text_gives_an_offered_name_or_none(written: str) -> None:
    assert resolve_tool_name(written, OFFERED) in (*OFFERED, None)
