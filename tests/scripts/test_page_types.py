"""The types that the page is written against are those of this service."""

from __future__ import annotations

import pytest

from scripts.page_types import FOLDER, page_types

FILES = page_types()


@pytest.mark.parametrize("name", FILES)
def test_the_page_knows_the_events_and_bodies_of_this_service(name: str) -> None:
    assert (FOLDER / name).read_text(encoding="utf-8") == FILES[name], "`make page-types` renews it"


def test_a_form_becomes_an_interface_with_its_words_and_optional_fields() -> None:
    assert (
        "/** A phase begins. `total_tools` comes with `selecting_tools`, `reason` with `demoted`. */\n"
        "export interface PhaseData {\n"
        "  readonly phase: string;\n"
        "  readonly total_tools?: number;\n"
        "  readonly reason?: string;\n"
        "}\n"
    ) in FILES["events.ts"]


def test_events_are_told_apart_by_their_name() -> None:
    assert '  | { readonly event: "step"; readonly data: StepData }\n' in FILES["events.ts"]
    assert "export type StepData = ThinkingStartData | ThinkingDoneData" in FILES["events.ts"]


def test_only_the_bodies_of_the_page_are_among_them() -> None:
    assert "export interface RunState {" in FILES["api.ts"]
    assert "ChatRequest" not in FILES["api.ts"]
