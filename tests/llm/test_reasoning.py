from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from actloop.llm.reasoning import PieceKind, ReasoningSplitter, split_reasoning


def stream(pieces: list[str], *, starts_inside: bool = False) -> list[tuple[PieceKind, str]]:
    splitter = ReasoningSplitter(starts_inside=starts_inside)
    return [said for piece in pieces for said in splitter.feed(piece)] + list(splitter.close())


def joined(said: list[tuple[PieceKind, str]]) -> tuple[str, str]:
    return "".join(text for kind, text in said if kind == "reasoning"), "".join(t for kind, t in said if kind == "text")


@pytest.mark.parametrize(
    ("text", "reasoning", "answer"),
    [
        ("<think>two and two</think>4", "two and two", "4"),
        ("<thinking>\nhm\n</thinking>\n\nYes.", "hm\n", "Yes."),
        ("\n <THINK>loud</Think> Yes.", "loud", "Yes."),
        ("<think></think>\n\nYes.", "", "Yes."),
        ("<think>\n</think>\nYes.", "", "Yes."),
        ("<think>never closed {", "never closed {", ""),
        ("<think>once</think>Part one.\n<think>twice</think>\nPart two.", "once\n\ntwice", "Part one.\nPart two."),
        ("<think><think>doubled</think>Yes.", "doubled", "Yes."),
        ("<think>He asks about `</think>` tags.</think>They end it.", "He asks about `</think>` tags.", "They end it."),
        ("<think>a < b, <b>, </thin</think>c", "a < b, <b>, </thin", "c"),
        ("Yes, then.\n<think>more</think>", "more", "Yes, then.\n"),
    ],
)
def test_reasoning_between_tags_is_split_off(text: str, reasoning: str, answer: str) -> None:
    assert split_reasoning(text) == (reasoning, answer)


@pytest.mark.parametrize(
    ("text", "reasoning", "answer"),
    [
        ('compare both {options}\n</think>\n{"pick": "b"}', "compare both {options}\n", '{"pick": "b"}'),
        ('so it is b.</think>{"pick": "b"}', "so it is b.", '{"pick": "b"}'),
        ("so it is b. </think> Take b.", "so it is b. ", "Take b."),
        ("</think>\n\nTake b.", "", "Take b."),
        ("first a ``` fence\n```\ncode\n</think>\nTake b.", "first a ``` fence\n```\ncode\n", "Take b."),
    ],
)
def test_a_closing_tag_alone_ends_a_reasoning_that_the_template_opened(text: str, reasoning: str, answer: str) -> None:
    assert split_reasoning(text) == (reasoning, answer)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n ",
        "  plain text\n",
        "Wrap notes in `<think>` tags, for example `<think>draft</think>`.",
        "The <think> tag opens and the </think> tag closes.",
        "Close it with `</think>` when done.",
        "Close it with </think> and go on.",
        'It ends with "</think>".',
        "```xml\n<think>draft</think>\n```\nThat is the form.",
        "~~~\n<think>\n~~~\n",
        "In a fence:\n```\ndraft\n</think>\n```\nDone.",
        "<thin> lines, <thinker>s and <b>bold</b>",
        "a <",
        "<thi",
        "</div>",
    ],
)
def test_text_that_only_mentions_a_tag_stays_as_it_is(text: str) -> None:
    assert split_reasoning(text) == ("", text)


def test_a_tag_cut_into_pieces_is_never_shown() -> None:
    said = stream(["<thi", "nk>a <", "b", "></th", "ink>b", " <", "c>"])
    assert joined(said) == ("a <b>", "b <c>")
    assert not [text for _, text in said if "<thi" in text or "</th" in text or "ink>" in text]


def test_pieces_come_as_soon_as_they_cannot_be_a_tag() -> None:
    splitter = ReasoningSplitter()
    assert splitter.feed("<thi") == []
    assert splitter.feed("s is") == [("text", "<this is")]
    assert splitter.feed(" fine") == [("text", " fine")]
    assert splitter.close() == []


def test_a_stream_can_begin_inside_the_reasoning() -> None:
    assert joined(stream(["hm", "</th", "ink>\n", "\nYes."], starts_inside=True)) == ("hm", "Yes.")
    assert joined(stream(["<thi", "nk>hm</think>", "Yes."], starts_inside=True)) == ("hm", "Yes.")
    assert joined(stream(["hm"], starts_inside=True)) == ("hm", "")


TOKENS = [
    "<think>",
    "</think>",
    "<thinking>",
    "</thinking>",
    "<",
    "think",
    ">",
    "`",
    "```",
    "~~~",
    "\n",
    " ",
    "a",
    "/",
    '"',
]


@given(st.lists(st.sampled_from(TOKENS), max_size=30), st.lists(st.integers(0, 200), max_size=8), st.booleans())
@example(["<think>", "`", "</think>"], [14], False)
def test_no_cut_of_a_stream_changes_what_it_says(tokens: list[str], cuts: list[int], starts_inside: bool) -> None:
    text = "".join(tokens)
    edges = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    pieces = [text[left:right] for left, right in pairwise(edges)]
    whole = joined(stream([text], starts_inside=starts_inside))
    assert joined(stream(pieces, starts_inside=starts_inside)) == whole
    assert joined(stream(list(text), starts_inside=starts_inside)) == whole


@given(st.text(alphabet="ab<>/`\n think", max_size=60))
def test_text_without_a_closing_or_opening_tag_is_unchanged(text: str) -> None:
    if "think>" not in text:
        assert split_reasoning(text) == ("", text)
        assert joined(stream(list(text))) == ("", text)


@pytest.mark.parametrize(
    "unit", ["<think>", "</think>", "<", "`</think>`", "\n", " \n<think", "```\n", "<think>a</think>\n"]
)
def test_hostile_text_takes_linear_time(unit: str) -> None:
    text = unit * (400_000 // len(unit))
    start = time.process_time()
    split_reasoning(text)
    split_reasoning("<think>" + text)
    stream(list(text[:100_000]))
    assert time.process_time() - start < 4
