"""Questions that wait for an answer without holding up the rest of the window."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtWidgets import QMessageBox, QWidget

from chatty_desktop.ui.theme import restyle


class Question(QMessageBox):
    """A box of plain text whose default stays what it is: when the look of the window changes, Qt
    makes the button that accepts the default one, and gives it the keyboard."""

    def __init__(self, text: str, detail: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setIcon(QMessageBox.Icon.NoIcon)
        # A name that looks like markup is a name.
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(text)
        self.setInformativeText(detail)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            QTimer.singleShot(0, self, self._keep_default)

    def _keep_default(self) -> None:
        default = self.defaultButton()
        if default in self.buttons() and not default.isDefault():
            default.setDefault(True)
            default.setFocus()


def ask(
    parent: QWidget,
    text: str,
    detail: str,
    buttons: Sequence[QMessageBox.StandardButton],
    answered: Callable[[QMessageBox.StandardButton], None],
    names: dict[QMessageBox.StandardButton, str] | None = None,
    danger: QMessageBox.StandardButton | None = None,
) -> QMessageBox:
    """Ask a question; `answered` is called with the button pressed (Cancel for Escape). The first
    button is the default; `names` gives buttons words of their own; `danger` is what cannot be
    taken back, and looks like it."""
    box = Question(text, detail, parent)
    for button in buttons:
        made = box.addButton(button)
        if names and button in names:
            made.setText(names[button])
        if button == danger:
            restyle(made, "kind", "danger")
    box.setDefaultButton(buttons[0])

    def finished(result: int) -> None:
        box.deleteLater()
        answered(QMessageBox.StandardButton(result))

    box.finished.connect(finished)
    box.open()
    return box


def confirm(
    parent: QWidget,
    text: str,
    detail: str,
    word: str,
    do: Callable[[], object],
    *,
    danger: bool = False,
) -> QMessageBox:
    """Ask whether to do something; `word` is on the button that does it. `danger`: it cannot be
    taken back."""
    button = QMessageBox.StandardButton

    def answered(answer: QMessageBox.StandardButton) -> None:
        if answer == button.Yes:
            do()

    return ask(
        parent,
        text,
        detail,
        (button.Cancel, button.Yes),
        answered,
        {button.Yes: word},
        danger=button.Yes if danger else None,
    )
