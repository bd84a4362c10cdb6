"""Storing and forgetting a key."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from chatty_desktop.app import App
from chatty_desktop.domain.keys import environment_name
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.settings.key_file import FileWords, keep_keys
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

        async def saving(into_file: bool) -> None:
            await self._app.keys.set(name, key, into_file=into_file)
            if field is not None:
                field.clear()

        def words(reason: str) -> FileWords:
            return self._words(name, reason)

        keep_keys(self._over, self._tasks, saving, words, _beside(field))

    def forget(self, name: str, field: KeyField | None) -> None:
        """Forget the key of a provider."""
        self._tasks.start(self._app.keys.forget(name), failed=_beside(field))

    def _words(self, name: str, reason: str) -> FileWords:
        return FileWords(
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
            keep=tr("Keep it in the file"),
            leave=tr("Do not store it"),
        )


def _beside(field: KeyField | None) -> Failed | None:
    return field.field.say if field is not None else None
