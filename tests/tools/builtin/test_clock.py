"""The current time, by a clock we hand in."""

from __future__ import annotations

import datetime as dt

import pytest

from actloop.errors import ToolError
from actloop.tools.builtin import current_time_tool

NOON = dt.datetime(2024, 2, 29, 12, 0, 0, 999, tzinfo=dt.UTC)


async def told(**arguments: str) -> str:
    return (await current_time_tool(lambda: NOON).run(arguments)).content


@pytest.mark.asyncio
async def test_the_time_is_told_in_the_zone_asked_for() -> None:
    assert await told() == "2024-02-29T12:00:00+00:00, Thursday (UTC)"
    assert await told(timezone="Asia/Tokyo") == "2024-02-29T21:00:00+09:00, Thursday (JST)"
    assert await told(timezone="UTC-12:30") == "2024-02-28T23:30:00-12:30, Wednesday (UTC-12:30)"
    assert await told(timezone="+14") == "2024-03-01T02:00:00+14:00, Friday (UTC+14:00)"


@pytest.mark.asyncio
async def test_the_zone_of_the_machine_is_one_of_them() -> None:
    moment = await told(timezone="local")
    assert dt.datetime.fromisoformat(moment.partition(",")[0]) == NOON.replace(microsecond=0)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("New York", "America/New_York"),
        ("europe/berln", "Europe/Berlin"),
        ("Mars", "Use an IANA name"),
        ("../../etc/passwd", "no time zone"),
        ("/etc/passwd", "no time zone"),
        ("Europe", "no time zone"),
        ("+99:00", "no time zone"),
        ("a\0b", "no time zone"),
    ],
)
async def test_an_unknown_zone_is_answered_with_near_names(name: str, hint: str) -> None:
    with pytest.raises(ToolError, match="there is no time zone") as raised:
        await told(timezone=name)
    assert hint in str(raised.value)
