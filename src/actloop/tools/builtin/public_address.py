"""Which URLs a model may make this machine ask for: public ones (the guard against server-side request forgery).

The model chooses the URL, and a web page may choose it for the model. So only ``http`` and ``https`` to addresses that
everybody can reach: never this machine, its network, or a cloud's metadata service.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from actloop.errors import ToolError

if TYPE_CHECKING:
    from yarl import URL

__all__ = ["Resolve", "checked_url", "is_public", "public_addresses", "url_allowed"]

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""All addresses of a host name and port; raises `OSError` when there are none."""

_MAX_URL_CHARACTERS = 8_000
_NUMBER = re.compile(r"(?:0x[0-9a-f]*|[0-9]+)\.?", re.IGNORECASE)
_NAT64 = ipaddress.ip_network("64:ff9b::/96")  # RFC 6052: the IPv4 address is in the last 32 bits
_NOT_PUBLIC = tuple(
    map(
        ipaddress.ip_network,
        (
            "168.63.129.16/32",  # Azure's virtual public address of the host, which serves metadata
            "192.88.99.0/24",  # 6to4 relays (RFC 7526)
            "2001::/32",  # Teredo, and
            "2002::/16",  # 6to4: tunnels that can lead to any IPv4 address
            "64:ff9b:1::/48",  # local NAT64 (RFC 8215)
            "fec0::/10",  # site-local, deprecated
        ),
    )
)


def is_public(address: str) -> bool:
    """Whether an IP address is one that everybody on the internet can reach; False for anything that is none."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(ip, ipaddress.IPv6Address):
        inner = ip.ipv4_mapped or (ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF) if ip in _NAT64 else None)
        if inner is not None:
            return is_public(str(inner))
    if any(ip.version == network.version and ip in network for network in _NOT_PUBLIC):
        return False
    return ip.is_global and not (ip.is_multicast or ip.is_reserved or ip.is_unspecified or ip.is_loopback)


def checked_url(url: str, *, allow_private: bool = False) -> URL:
    """Parse ``url`` and judge what can be judged without asking for addresses. Raises `ToolError` with the reason.

    The parser is the one that the HTTP client uses, so both see the same host. Hosts written as a number other than a
    plain address (``0x7f.1``, ``2130706433``) are refused: systems read them as addresses in ways that differ.
    """
    from yarl import URL

    if len(url) > _MAX_URL_CHARACTERS:
        raise ToolError(f"the URL has {len(url):,} characters; at most {_MAX_URL_CHARACTERS:,} are allowed")
    try:
        parsed = URL(url.strip())
        host, port = parsed.host, parsed.port
    except (ValueError, TypeError) as error:
        raise ToolError(f"{url!r} is not a valid URL: {error}") from error
    if parsed.scheme not in ("http", "https"):
        raise ToolError(f"{url!r} cannot be fetched: only http:// and https:// URLs can")
    if not host or not port:
        raise ToolError(f"{url!r} names no host")
    if parsed.user is not None or parsed.password is not None:
        raise ToolError("a URL with a user name or password in it cannot be fetched")
    if _is_address(host):
        if not allow_private and not is_public(host):
            raise ToolError(_refusal(host))
    elif _NUMBER.fullmatch(host.rstrip(".").rpartition(".")[2]):
        raise ToolError(f"the host {host!r} is a number: write a name, or an address like 93.184.216.34")
    return parsed.with_fragment(None)


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return True


async def public_addresses(host: str, port: int, resolve: Resolve, *, allow_private: bool = False) -> list[str]:
    """The addresses of ``host``, all of them public; one that is not makes the name suspect, and raises `ToolError`."""
    try:
        addresses = list(await resolve(host, port))
    except (OSError, UnicodeError) as error:
        raise ToolError(f"the host {host!r} was not found") from error
    if not addresses:
        raise ToolError(f"the host {host!r} was not found")
    if not allow_private and not all(map(is_public, addresses)):
        raise ToolError(_refusal(host))
    return addresses


async def url_allowed(url: str, resolve: Resolve) -> bool:
    """Whether ``url`` may be fetched, going by the addresses that its host has now."""
    try:
        parsed = checked_url(url)
        host = parsed.host or ""
        if not _is_address(host):
            await public_addresses(host, parsed.port or 0, resolve)
    except ToolError:
        return False
    return True


def _refusal(host: str) -> str:
    return f"the host {host!r} is not on the public internet; only public addresses can be fetched"
