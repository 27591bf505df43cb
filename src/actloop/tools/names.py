"""What a tool may be called. Providers refuse a whole request because of one bad name, so it is checked early."""

from __future__ import annotations

import re

from actloop.errors import ConfigError

__all__ = ["checked_name"]

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def checked_name(name: object) -> str:
    """Return ``name`` if every provider accepts it as a tool's name, else raise `ConfigError`.

    The rule is that of the OpenAI API for function names: letters, digits, ``_`` and ``-``, at most 64 of them.
    """
    if isinstance(name, str) and _NAME.fullmatch(name):
        return name
    raise ConfigError(
        f"a tool cannot be called {name!r}: use 1 to 64 of the letters a-z and A-Z, digits, '_' and '-', "
        "for example tool(function, name='find_trains')"
    )
