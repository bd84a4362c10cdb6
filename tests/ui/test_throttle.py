"""Many requests become few calls."""

from __future__ import annotations

from chatty_desktop.ui.throttle import Throttle
from tests.ui.panels import until


async def test_requests_in_a_row_become_one_call_and_one_more_for_what_came_meanwhile() -> None:
    calls: list[int] = []
    throttle = Throttle(30, lambda: calls.append(len(calls)))
    for _ in range(50):
        throttle.request()
    assert calls == []
    await until(lambda: calls == [0])
    throttle.request()
    throttle.request()
    assert calls == [0]
    await until(lambda: calls == [0, 1])


async def test_what_waits_can_be_served_at_once_or_forgotten() -> None:
    calls: list[str] = []
    throttle = Throttle(10_000, lambda: calls.append("call"))
    throttle.now()
    assert calls == []
    throttle.request()
    throttle.now()
    assert calls == ["call"]
    throttle.request()
    throttle.drop()
    throttle.now()
    assert calls == ["call"]
