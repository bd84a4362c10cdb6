"""The trials that run, one at most for each form."""

from __future__ import annotations

import asyncio

from PySide6.QtCore import QObject, Signal

from chatty_desktop.app import App
from chatty_desktop.domain.settings import ProviderSettings
from chatty_desktop.ui.settings.providers.form import ProviderForm
from chatty_desktop.ui.tasks import Tasks


class Trials(QObject):
    """Tries out what is written in forms.

    ended: the provider that was tried, the key that was typed for it (None for none), the outcome.
    """

    ended = Signal(object, object, object)

    def __init__(self, app: App, tasks: Tasks, parent: QObject) -> None:
        super().__init__(parent)
        self._app = app
        self._tasks = tasks
        self._running: dict[ProviderForm, asyncio.Task[None]] = {}

    def begin(self, form: ProviderForm, entry: ProviderSettings, key: str | None) -> None:
        """Try a provider as it is written in a form, with a key, "" for none, or None for the one
        that is stored."""
        self.stop(form)
        form.trial.begin()
        self._running[form] = self._tasks.start(self._try(form, entry, key))

    def stop(self, form: ProviderForm) -> None:
        """Wait no longer for what a server says."""
        if task := self._running.pop(form, None):
            task.cancel()
            form.trial.forget()

    async def _try(self, form: ProviderForm, entry: ProviderSettings, key: str | None) -> None:
        test = await self._app.models.test(entry, key)
        self._running.pop(form, None)
        form.trial.show_test(test, entry.kind)
        self.ended.emit(entry, key, test)
