"""Tool names at the border to models: what a model wrote becomes an offered name, what we offer becomes a legal one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence

__all__ = ["provider_tool_names", "resolve_tool_name"]

_LEAKED_TOKENS = re.compile(r"<[|｜].*", re.DOTALL)
_PREFIX = re.compile(r"(?:functions?|tools?|default_api|default_tools|assistant|to)[.:/=]\s*", re.IGNORECASE)
_SUFFIX = re.compile(r"(?:\(\)|:[0-9]{1,3})\Z")  # a call without arguments; the number of a call, as Kimi K2 writes it
_AROUND = " \t\r\n\"'`*:,;."

_LONGEST = 64
_ILLEGAL = re.compile(r"[^a-zA-Z0-9_-]+")
_HASH_LENGTH = 8


def resolve_tool_name(name: str, offered: Collection[str]) -> str | None:
    """Return the offered name that ``name`` is, or None.

    An exact name is taken as it is. Otherwise what models and servers are known to put around it goes: white space,
    quotes, a namespace such as ``functions.`` or ``default_api:``, tokens of the chat template (``<|channel|>…``), and
    a trailing ``()`` or ``:0``. What is left must be an offered name to the letter; a similar one is never guessed.
    """
    if name in offered:
        return name
    cleaned = _LEAKED_TOKENS.sub("", name).strip(_AROUND)
    while True:
        if cleaned in offered:
            return cleaned
        shorter = _SUFFIX.sub("", cleaned).strip(_AROUND)
        if shorter == cleaned:
            prefix = _PREFIX.match(cleaned)
            if prefix is None:
                return None
            shorter = cleaned[prefix.end() :]
        cleaned = shorter


def provider_tool_names(pairs: Sequence[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Return a name for each (server, tool) that every provider accepts: ``^[a-zA-Z0-9_-]{1,64}$``, and all distinct.

    A name depends only on its own pair and on what collides with it, never on the order. It ends in a hash of the pair
    only where ``server_tool`` is too long, or reads like another pair's.
    """
    distinct = list(dict.fromkeys(pairs))
    plain = {pair: _ILLEGAL.sub("_", "_".join(part for part in pair if part)) for pair in distinct}
    uses = Counter(plain.values())
    named = {pair: name for pair, name in plain.items() if name and len(name) <= _LONGEST and uses[name] == 1}
    taken = set(named.values())
    for pair in sorted(pair for pair in distinct if pair not in named):
        named[pair] = _hashed(pair, plain[pair], taken)
        taken.add(named[pair])
    return {pair: named[pair] for pair in distinct}


def _hashed(pair: tuple[str, str], plain: str, taken: Collection[str]) -> str:
    """``plain`` cut to length, with a hash of the pair; longer hashes until the name is free."""
    from hashlib import sha256  # loads OpenSSL

    digest = sha256("\0".join(pair).encode("utf-8", "surrogatepass")).hexdigest()
    for length in range(_HASH_LENGTH, len(digest)):
        name = f"{plain[: _LONGEST - 1 - length]}_{digest[:length]}"[-_LONGEST:]
        if name not in taken:
            return name
    raise AssertionError("sixty-three digits of a hash collided")
