"""Docstrings in the styles people write."""

from __future__ import annotations

import inspect

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actloop.tools.docstrings import FunctionDocs, read_docstring

EXPECTED = FunctionDocs("Find things.\n\nIn two places.", {"x": "The x\nover lines.", "y": "The y."})


@pytest.mark.parametrize(
    "text",
    [
        """Find things.

        In two places.

        Args:
            x (int): The x
                over lines.
            y: The y.

        Returns:
            Things.
        """,
        """Find things.

        In two places.

        Parameters
        ----------
        x : int, optional
            The x
            over lines.
        y
            The y.

        Returns
        -------
        list
        """,
        """Find things.

        In two places.

        :param int x: The x
            over lines.
        :param y: The y.
        :returns: Things.
        """,
    ],
    ids=["google", "numpy", "rest"],
)
def test_the_same_facts_are_read_from_each_style(text: str) -> None:
    assert read_docstring(inspect.cleandoc(text), {"x", "y"}) == EXPECTED


def test_values_listed_below_a_parameter_belong_to_it_even_unindented() -> None:
    text = "Look.\n\nArgs:\n    mode: One of:\n    fast: rough\n    deep: full\n    city: Where."
    assert read_docstring(text, {"mode", "city"}).parameters == {
        "mode": "One of:\nfast: rough\ndeep: full",
        "city": "Where.",
    }


def test_one_entry_may_speak_of_two_parameters() -> None:
    assert read_docstring("Add.\n\nParameters\n----------\na, b : int\n    A number.", {"a", "b"}).parameters == {
        "a": "A number.",
        "b": "A number.",
    }


@given(st.text(max_size=200) | st.text(alphabet=":param \n-Args x", max_size=200))
def test_any_text_can_be_a_docstring(text: str) -> None:
    assert set(read_docstring(text, {"x"}).parameters) <= {"x"}
