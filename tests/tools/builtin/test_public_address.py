"""Which URLs may be fetched."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actloop.errors import ToolError
from actloop.tools.builtin.public_address import checked_url, is_public, url_allowed

NAMES = {
    "ok.test": ["93.184.216.34", "2606:4700::1111"],
    "intranet.test": ["192.168.0.9"],
    "mixed.test": ["93.184.216.34", "10.0.0.5"],
    "metadata.test": ["169.254.169.254"],
    "six.test": ["::1"],
    "empty.test": [],
}


async def resolve(host: str, port: int) -> Sequence[str]:
    if host not in NAMES:
        raise OSError("no such host")
    return NAMES[host]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "url",
    [
        "https://ok.test/",
        "HTTP://OK.TEST:8080/a?b#c",
        " https://ok.test ",
        "http://8.8.8.8/",
        "http://[2606:4700::1111]/",
        "http://[64:ff9b::808:808]/",
        "http://ok.test#@127.0.0.1/",
    ],
)
async def test_a_public_host_is_allowed(url: str) -> None:
    assert await url_allowed(url, resolve)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "url",
    [
        *[
            "http://127.0.0.1/",
            "http://10.1.2.3/",
            "http://169.254.169.254/latest",
            "http://100.64.0.1/",
            "http://0.0.0.0/",
        ],
        *[
            "http://224.0.0.1/",
            "http://255.255.255.255/",
            "http://192.0.2.1/",
            "http://198.18.0.1/",
            "http://240.0.0.1/",
        ],
        *[
            "http://168.63.129.16/",
            "http://192.88.99.1/",
            "http://[::1]/",
            "http://[::]/",
            "http://[::ffff:127.0.0.1]/",
        ],
        *["http://[::127.0.0.1]/", "http://[64:ff9b::7f00:1]/", "http://[64:ff9b:1::1]/", "http://[2002:7f00:1::]/"],
        *["http://[2001:0:1::1]/", "http://[fe80::1%25eth0]/", "http://[fd00:ec2::254]/", "http://[fec0::1]/"],
        *["http://[ff02::1]/", "http://[2001:db8::1]/"],
        *["http://127.1/", "http://2130706433/", "http://0x7f.1/", "http://0x7f000001/", "http://0177.0.0.1/"],
        *["http://127.0.0.1./", "http://①②⑦.0.0.1/", "http://127。0。0。1/"],
        *["http://intranet.test/", "http://mixed.test/", "http://METADATA.test/", "http://six.test/"],
        *["http://empty.test/", "http://unknown.test/", "http://localhost/"],
        *["http://user:pass@ok.test/", "http://ok.test@127.0.0.1/", "http://ok.test\\@127.0.0.1/"],
        *["file:///etc/passwd", "gopher://ok.test/", "javascript:alert(1)", "data:text/plain,x", "//ok.test/"],
        *["http://", "http:///x", "http://ok.test:99999/", "http://[/", "http://a\0b/", "", "http://" + "a" * 9_000],
    ],
)
async def test_everything_else_is_refused(url: str) -> None:
    assert not await url_allowed(url, resolve)


def test_the_maker_may_allow_private_hosts_but_no_other_schemes() -> None:
    assert checked_url("http://127.0.0.1:8000/", allow_private=True).port == 8_000
    with pytest.raises(ToolError, match="only http"):
        checked_url("file:///etc/passwd", allow_private=True)


@given(st.ip_addresses(v=4))
def test_an_address_inside_an_ipv6_address_is_judged_alike(address: object) -> None:
    assert is_public(f"::ffff:{address}") == is_public(str(address))


@given(st.text(max_size=40) | st.text(alphabet="htps:/[]@%.0123456789abcx#?\\ ", max_size=40).map("http://".__add__))
def test_of_any_text_only_web_addresses_without_credentials_pass(url: str) -> None:
    try:
        checked = checked_url(url)
    except ToolError:
        return
    assert checked.scheme in ("http", "https")
    assert checked.host
    assert checked.user is None
