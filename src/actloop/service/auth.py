"""Who is calling, and from where (pure): keys, host names and origins."""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Collection, Mapping
from urllib.parse import urlsplit

from actloop.errors import ConfigError
from actloop.service.store.keys import digest_of

__all__ = ["LOCAL_OWNER", "bearer_key", "check_address", "is_loopback", "is_servers_key", "same_origin", "trusted_host"]

LOCAL_OWNER = "local"
"""Who everything belongs to when no key is needed, and what is done with the server's own key."""


def is_loopback(host: str) -> bool:
    """Whether ``host`` (a name or an address, as one listens on it) is this machine alone."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def check_address(host: str, *, locked: bool) -> None:
    """Raise `ConfigError` when the service would be open to the network without a key."""
    if not locked and not is_loopback(host):
        raise ConfigError(
            f"without a key anybody who reaches {host!r} could use this agent and its tools. Make a key with "
            "'actloop keys add NAME', or set ACTLOOP_SERVER_KEY, or listen on 127.0.0.1."
        )


def bearer_key(headers: Mapping[str, str]) -> str | None:
    """The key of the header ``Authorization: Bearer KEY`` (RFC 6750), or None."""
    scheme, _, key = headers.get("authorization", "").partition(" ")
    return key.strip() or None if scheme.lower() == "bearer" else None


def is_servers_key(key: str, server_key: str | None) -> bool:
    """Whether ``key`` is the one of ACTLOOP_SERVER_KEY, in a time that tells nothing about it."""
    return server_key is not None and hmac.compare_digest(digest_of(key), digest_of(server_key))


def trusted_host(host: str | None, allowed: Collection[str]) -> bool:
    """Whether the header ``Host`` names this machine or one of ``allowed``.

    A page of somebody else's can have its own name lead to 127.0.0.1 (DNS rebinding) and would then be of the same
    origin as we; its name in the header gives it away.
    """
    if not host:
        return False
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return False
    return is_loopback(name) or name in allowed


def same_origin(origin: str | None, host: str | None) -> bool:
    """Whether a request comes from our own page, or from no page at all (no header ``Origin``)."""
    if origin is None:
        return True
    try:
        return host is not None and urlsplit(origin).netloc.lower() == host.lower()
    except ValueError:
        return False
