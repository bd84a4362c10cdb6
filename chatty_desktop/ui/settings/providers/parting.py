"""Removing a provider: first what depends on it."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMessageBox, QWidget

from chatty_desktop.app import App
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.questions import ask
from chatty_desktop.ui.settings.providers.words import removal
from chatty_desktop.ui.tasks import Tasks


class Parting(QObject):
    """Removes providers, after a question.

    done: one was removed; the text tells of it. failed: why it was not.
    """

    done = Signal(str)
    failed = Signal(str)

    def __init__(self, over: QWidget, app: App, tasks: Tasks) -> None:
        super().__init__(over)
        self._over = over
        self._app = app
        self._tasks = tasks

    def ask(self, name: str) -> None:
        """Tell what depends on a provider, and remove it if that is wanted."""
        self._tasks.start(self._weigh(name), failed=self.failed.emit)

    async def _weigh(self, name: str) -> None:
        use = await self._app.providers.use(name)
        key = await self._app.keys.state(name)
        stored = key.source in ("keyring", "file")
        button = QMessageBox.StandardButton

        def answered(answer: QMessageBox.StandardButton) -> None:
            if answer in (button.Yes, button.No):
                forget = answer == button.Yes and stored
                self._tasks.start(self._remove(name, forget), failed=self.failed.emit)

        ask(
            self._over,
            tr("Delete the provider {name}?", name=name),
            removal(use),
            (button.Cancel, button.Yes, *((button.No,) if stored else ())),
            answered,
            {
                button.Yes: tr("Delete, and forget its key") if stored else tr("Delete"),
                button.No: tr("Delete, and keep its key"),
            },
        )

    async def _remove(self, name: str, forget_key: bool) -> None:
        await self._app.providers.remove(name, forget_key=forget_key)
        said = tr("{name} was deleted.", name=name)
        if forget_key:
            said = f"{said} {tr('Its key is forgotten.')}"
        self.done.emit(said)
