"""Changes that are not stored, and the question what becomes of them before an editor is left."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QMessageBox, QWidget

from chatty_desktop.ui.language import tr
from chatty_desktop.ui.questions import ask

_BUTTON = QMessageBox.StandardButton


class UnsavedChanges:
    """Asks in a window whether to save before it is closed or shows something else.

    `question` names what was changed. `there`: whether leaving would lose anything. `save` stores
    it and then goes on with what it is given, unless it cannot be stored. `drop` closes the window
    with nothing to be lost any more.
    """

    def __init__(
        self,
        window: QWidget,
        question: str,
        *,
        there: Callable[[], bool],
        save: Callable[[Callable[[], object]], object],
        drop: Callable[[], object],
    ) -> None:
        self._window, self._question = window, question
        self._there, self._save, self._drop = there, save, drop

    def leave(self, then: Callable[[], object]) -> None:
        """Go on, once the changes are saved or given up; not after Cancel."""
        if not self._at_stake():
            then()
            return

        def answered(answer: QMessageBox.StandardButton) -> None:
            if answer == _BUTTON.Save:
                self._save(then)
            elif answer == _BUTTON.Discard:
                then()

        ask(
            self._window,
            self._question,
            tr("Without saving they are lost."),
            (_BUTTON.Save, _BUTTON.Discard, _BUTTON.Cancel),
            answered,
        )

    def close_then(self, then: Callable[[], object]) -> None:
        """Close the window and go on; not after Cancel."""

        def closed() -> None:
            self._drop()
            then()

        self.leave(closed)

    def closing(self, event: QCloseEvent) -> None:
        """Let the window close, or ask first and close it then; for `QWidget.closeEvent`."""
        if self._at_stake():
            event.ignore()
            self.leave(self._drop)
        else:
            event.accept()

    def _at_stake(self) -> bool:
        return self._window.isVisible() and self._there()
