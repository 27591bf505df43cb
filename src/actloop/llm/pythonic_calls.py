"""Tool calls written as Python, as the chat templates of Llama 3.2 and 4 teach: ``[lookup(q="tea"), clock()]``."""

from __future__ import annotations

import ast

from actloop.llm.call_shapes import WrittenCall

__all__ = ["pythonic_calls"]

_LONGEST = 20_000


def pythonic_calls(source: str) -> list[WrittenCall]:
    """The calls in ``source``, one call or a list of them with literal keyword arguments; empty if it is anything else.

    Llama 3's built-in tools are written ``brave_search.call(query="…")``: the ``.call`` goes. Nothing is evaluated but
    literals.
    """
    if len(source) > _LONGEST:
        return []
    try:
        expression = ast.parse(source.strip(), mode="eval").body
        written = expression.elts if isinstance(expression, ast.List) else [expression]
        calls = [_call(node) for node in written]
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):  # all of them say: no such expression
        return []
    found = [call for call in calls if call is not None]
    return found if len(found) == len(calls) else []


def _call(node: ast.expr) -> WrittenCall | None:
    if not isinstance(node, ast.Call) or node.args:
        return None
    names = [keyword.arg for keyword in node.keywords]
    if None in names or len(set(names)) < len(names):
        return None
    name = ast.unparse(node.func).removesuffix(".call")
    return name, {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in node.keywords}
