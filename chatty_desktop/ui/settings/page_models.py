"""Settings: Models."""

from __future__ import annotations

from chatty_desktop.ui.settings.page import Page, Surroundings


class SettingsPage(Page):
    """Models."""

    def __init__(self, around: Surroundings) -> None:
        super().__init__(around)
        self.close_column()
