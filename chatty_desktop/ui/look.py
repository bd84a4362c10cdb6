"""The look of the windows: changed as the settings are, its colours also by the menu."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction

from chatty_desktop.domain.events import Event, SettingsChanged
from chatty_desktop.domain.settings import Scheme, with_appearance
from chatty_desktop.engine.events import Events
from chatty_desktop.engine.ports import SettingsStore
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.window_state import WindowState

_FORMER = "colours"
"""Where the colours stood before the settings had them."""


class Look(QObject):
    """Has the theme, which shows that of the settings already, take on what is changed in them.
    `schemes`: the action that chooses each, checked while it is the one shown."""

    def __init__(
        self,
        *,
        settings: SettingsStore,
        schemes: Mapping[Scheme, QAction],
        events: Events,
        theme: Theme,
        tasks: Tasks,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._settings, self._schemes = settings, schemes
        self._theme, self._tasks = theme, tasks
        self._shown = settings.current.appearance
        for scheme, action in schemes.items():
            action.triggered.connect(lambda _checked, scheme=scheme: self._choose(scheme))
        self._check()
        parent.destroyed.connect(events.subscribe(self._happened))

    def take_over(self, state: WindowState) -> None:
        """Bring what the window once remembered of the colours into the settings."""
        former = state.text(_FORMER)
        state.forget(_FORMER)
        for scheme in self._schemes:
            if scheme == former and self._settings.current.appearance.theme == "system":
                self._choose(scheme)

    def _choose(self, scheme: Scheme) -> None:
        self._tasks.start(self._settings.change(with_appearance(theme=scheme)))

    def _happened(self, event: Event) -> None:
        if isinstance(event, SettingsChanged):
            look = self._settings.current.appearance
            # What did not change is left alone: painting all anew takes a moment.
            if look != self._shown:
                self._shown = look
                self._theme.show(look)
                self._check()

    def _check(self) -> None:
        self._schemes[self._shown.theme].setChecked(True)
