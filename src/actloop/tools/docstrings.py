"""What a docstring says about a function and its parameters, in Google, NumPy, reST or Epydoc style."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

__all__ = ["FunctionDocs", "read_docstring"]


@dataclass(frozen=True, slots=True)
class FunctionDocs:
    """The text before the first section, and a text for each parameter that has one."""

    description: str = ""
    parameters: dict[str, str] = field(default_factory=dict)


def read_docstring(text: str, parameters: Collection[str]) -> FunctionDocs:
    """Read the docstring ``text`` of a function that has ``parameters``.

    An entry that is not one of ``parameters`` belongs to the text of the entry before it: people list the values of a
    parameter (``fast: rough numbers``) below it, also without indenting them.
    """
    if not text.strip():
        return FunctionDocs()
    from docstring_parser import ParseError, parse

    try:
        parsed = parse(text)
    except ParseError:
        return FunctionDocs(text.strip())
    texts: dict[str, str] = {}
    names: list[str] = []
    for entry in parsed.params:
        described = [part.strip().lstrip("*") for part in entry.arg_name.split(",")]
        if set(described) <= set(parameters):
            names = described
            texts |= dict.fromkeys(names, (entry.description or "").strip())
        else:
            line = f"{entry.arg_name}: {entry.description or ''}".rstrip(": ")
            texts |= {name: f"{texts[name]}\n{line}".strip() for name in names}
    return FunctionDocs((parsed.description or "").strip(), {name: text for name, text in texts.items() if text})
