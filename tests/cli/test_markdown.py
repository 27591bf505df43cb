"""Markdown that still arrives is cut only where nothing can change any more."""

from __future__ import annotations

import io
import itertools

from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from actloop.cli.markdown import MarkdownBlock, split_finished

ANSWER = """# Title

Text with **bold** and <b>tags</b>
over two lines.

1. one

2. two
   - inner

```python
x = 1

y = 2
```
| a | b |
|---|---|
| 1 | 2 |

The end."""


def shown(*blocks: str) -> str:
    console = Console(file=io.StringIO(), width=60, force_terminal=False)
    for block in blocks:
        console.print(MarkdownBlock(block))
    assert isinstance(console.file, io.StringIO)
    return "\n".join(line.rstrip() for line in console.file.getvalue().split("\n") if line.strip())


@given(st.lists(st.integers(1, len(ANSWER) - 1)))
def test_an_answer_in_pieces_looks_like_the_whole(cuts: list[int]) -> None:
    finished_blocks, tail = [], ""
    edges = [0, *sorted(cuts), len(ANSWER)]
    for start, end in itertools.pairwise(edges):
        finished, tail = split_finished(tail + ANSWER[start:end])
        finished_blocks.append(finished)
    assert "".join(finished_blocks) + tail == ANSWER
    assert shown(*finished_blocks, tail) == shown(ANSWER)


def test_a_block_is_finished_when_the_next_one_has_begun() -> None:
    assert split_finished("one\n\ntwo") == ("", "one\n\ntwo")
    assert split_finished("one\n\ntwo\n") == ("one\n\n", "two\n")
    assert split_finished("- a\n\n- b\n\n- c\n") == ("", "- a\n\n- b\n\n- c\n")
    assert split_finished("```\na\n\nb\n") == ("", "```\na\n\nb\n")


def test_html_and_markup_of_the_console_are_shown_as_text() -> None:
    assert shown("a <script>x</script> [red]b[/red]") == "a <script>x</script> [red]b[/red]"
    assert shown("<div>\nblock\n</div>") == "<div> block </div>"


def test_a_link_shows_where_it_leads() -> None:
    assert shown("[bank](https://evil.example)") == "bank (https://evil.example)"
