"""The `current_time` tool."""

from __future__ import annotations

import datetime as dt
import difflib
import re
import zoneinfo
from collections.abc import Callable

from actloop.errors import ToolError
from actloop.tools.base import Tool
from actloop.tools.decorator import tool

__all__ = ["current_time_tool"]

_OFFSET = re.compile(r"(?:UTC|GMT)?([+-])(\d{1,2})(?::?(\d{2}))?", re.IGNORECASE)


def current_time_tool(now: Callable[[], dt.datetime] = lambda: dt.datetime.now(dt.UTC)) -> Tool:
    """A tool with one parameter, ``timezone``. ``now`` gives the time, with its time zone."""

    async def current_time(timezone: str = "UTC") -> str:
        """Get the current date, time and day of the week.

        Args:
            timezone: An IANA name like "Europe/Berlin", an offset like "+05:30", "UTC", or "local" for this machine's.
        """
        moment = now().astimezone(_zone(timezone.strip())).replace(microsecond=0)
        return f"{moment.isoformat()}, {_DAYS[moment.weekday()]} ({moment.tzname()})"

    return tool(current_time, idempotent=True)


_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def _zone(name: str) -> dt.tzinfo | None:
    """The time zone called ``name``; None is the machine's own."""
    if name.lower() in ("utc", "z", "gmt", ""):
        return dt.UTC
    if name.lower() == "local":
        return None
    if match := _OFFSET.fullmatch(name):
        offset = dt.timedelta(hours=int(match[2]), minutes=int(match[3] or 0))
        if offset < dt.timedelta(days=1):
            return dt.timezone(offset if match[1] == "+" else -offset)
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ToolError(_unknown(name)) from error


def _unknown(name: str) -> str:
    known = sorted(zoneinfo.available_timezones())
    if not known:
        return (
            f"this machine has no time zones to look up {name!r}: install the Python package 'tzdata', or use an offset"
        )
    wanted = name.replace(" ", "_").rpartition("/")[2].lower()
    near = [zone for zone in known if zone.rpartition("/")[2].lower() == wanted]
    near += difflib.get_close_matches(name, known, n=3)
    hint = f"; did you mean {', '.join(dict.fromkeys(near[:5]))}?" if near else "."
    return f"there is no time zone {name!r}{hint} Use an IANA name like 'Europe/Berlin' or an offset like '+02:00'"
