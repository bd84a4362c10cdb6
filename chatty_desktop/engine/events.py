"""Who listens to what happens."""

from __future__ import annotations

import logging
from collections.abc import Callable

from chatty_desktop.domain.events import Event

log = logging.getLogger(__name__)

Listener = Callable[[Event], None]


class Events:
    """Passes each event to every listener, at once and in order of subscription."""

    def __init__(self) -> None:
        self._listeners: list[Listener] = []

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` for every event from now on; call what is returned to end it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    def publish(self, event: Event) -> None:
        """Tell everyone. A listener that raises is logged and does not stop the others."""
        for listener in tuple(self._listeners):
            try:
                listener(event)
            except Exception:
                log.exception("A listener failed on %s", type(event).__name__)
