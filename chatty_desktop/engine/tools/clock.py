"""clock: the date and time, here or anywhere."""

from __future__ import annotations

import asyncio
from datetime import datetime, tzinfo
from difflib import get_close_matches
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.tools import ToolResult, ToolSpec, ToolUse
from chatty_desktop.engine.tools.contract import Reach, arguments, text


class Clock:
    """Knows every zone of the IANA database, by its name or by that of its city."""

    spec = ToolSpec(
        "clock",
        "Tells the current date, time and day of the week. Use it whenever the answer depends on"
        " today's date or the time now.",
        arguments(timezone=text("Time zone or city, such as Europe/Berlin. Leave out for here.")),
        harmless=True,
    )

    def __init__(self, _reach: Reach) -> None:
        pass

    async def run(self, use: ToolUse) -> ToolResult:
        wanted = str(use.arguments.get("timezone") or "").strip()
        zone = await asyncio.to_thread(_zone, wanted) if wanted else None
        now = datetime.now(zone) if zone else datetime.now().astimezone()
        return ToolResult(told(now, str(zone) if zone else ""))


def told(now: datetime, zone: str) -> str:
    """A moment in words that need no counting: small models are bad at that."""
    offset = now.strftime("%z")
    week = now.isocalendar().week
    return (
        f"{now:%Y-%m-%d %H:%M:%S}, {_DAYS[now.weekday()]}, week {week},"
        f" {zone or now.tzname()} (UTC{offset[:3]}:{offset[3:5]})"
    )


_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def _zone(wanted: str) -> tzinfo:
    name = wanted.replace(" ", "_")
    known = {zone.casefold(): zone for zone in available_timezones()}
    cities = {zone.rpartition("/")[2].casefold(): zone for zone in sorted(known.values())}
    found = known.get(name.casefold()) or cities.get(name.split(",")[0].casefold())
    try:
        if found:
            return ZoneInfo(found)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        pass
    near = get_close_matches(name.casefold(), [*known, *cities], n=3, cutoff=0.6)
    names = ", ".join(dict.fromkeys(known.get(each) or cities[each] for each in near))
    hint = f" Did you mean {names}?" if names else " Write it like Europe/Berlin."
    raise Invalid(f"There is no time zone {wanted!r}.{hint}")
