"""Storing and forgetting a key, with the question where there is no keyring."""

from __future__ import annotations

from PySide6.QtWidgets import QMessageBox, QWidget

from chatty_desktop.app import App
from chatty_desktop.domain.errors import NoKeyring
from chatty_desktop.domain.keys import environment_name
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.questions import ask
from chatty_desktop.ui.settings.providers.key_field import KeyField
from chatty_desktop.ui.tasks import Failed, Tasks


class KeyKeeping:
    """Puts keys where they belong. What goes wrong is said beside the field they were typed
    into, or where the window says such things when that is not there any more."""

    def __init__(self, over: QWidget, app: App, tasks: Tasks) -> None:
        self._over = over
        self._app = app
        self._tasks = tasks

    def store(self, name: str, key: str, field: KeyField | None) -> None:
        """Keep the key of a provider."""
        self._start(self._storing(name, key, field, into_file=False), field)

    def forget(self, name: str, field: KeyField | None) -> None:
        """Forget the key of a provider."""
        self._start(self._app.keys.forget(name), field)

    async def _storing(
        self, name: str, key: str, field: KeyField | None, *, into_file: bool
    ) -> None:
        try:
            await self._app.keys.set(name, key, into_file=into_file)
        except NoKeyring as error:
            if into_file:
                raise
            self._ask(name, key, field, str(error))
            return
        if field is not None:
            field.clear()

    def _ask(self, name: str, key: str, field: KeyField | None, reason: str) -> None:
        button = QMessageBox.StandardButton

        def answered(answer: QMessageBox.StandardButton) -> None:
            if answer == button.Yes:
                self._start(self._storing(name, key, field, into_file=True), field)
            elif answer == button.Retry:
                self.store(name, key, field)

        ask(
            self._over,
            tr("Keep the key of {name} in a file?", name=name),
            tr(
                "{reason}\n\nThe key can be kept in the file {file}, which only you can read."
                " Whoever gets into your account or at a copy of the disk can read it there.\n\n"
                "Without that it is not stored: the app takes it from the environment variable"
                " {variable} when it starts.",
                reason=reason,
                file=self._app.paths.keys,
                variable=environment_name(name),
            ),
            (button.Cancel, button.Yes, button.Retry),
            answered,
            {
                button.Cancel: tr("Do not store it"),
                button.Yes: tr("Keep it in the file"),
                button.Retry: tr("Try the keyring again"),
            },
        )

    def _start(self, work: object, field: KeyField | None) -> None:
        failed: Failed | None = field.field.say if field is not None else None
        self._tasks.start(work, failed=failed)  # type: ignore[arg-type]
