"""Read the JSON of a server, fast where it is what it should be."""

from __future__ import annotations

import json
from typing import Any

import jiter

__all__ = ["read_json"]


def read_json(data: bytes) -> Any:
    """The value in ``data``. What the fast reader refuses (a BOM, lone surrogates, much nesting), `json` has a look at.

    Raises `ValueError` or `RecursionError`.
    """
    try:
        return jiter.from_json(data)
    except ValueError:
        return json.loads(data)
