"""Ids that nobody can guess, and a look at whether a text can be one at all (pure)."""

from __future__ import annotations

import re
import secrets
from typing import Literal

__all__ = ["new_id", "plausible_id"]

Kind = Literal["conv", "run", "art"]

_FORM = re.compile(r"[a-z]{3,4}_[0-9a-f]{32}")


def new_id(kind: Kind) -> str:
    """Return a new id, for example ``run_`` and 128 random bits in hexadecimal."""
    return f"{kind}_{secrets.token_hex(16)}"


def plausible_id(text: str) -> bool:
    """Whether ``text`` has the form of an id; what has not need not be looked up."""
    return _FORM.fullmatch(text) is not None
