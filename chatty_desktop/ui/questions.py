"""Questions that wait for an answer without holding up the rest of the window."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox, QWidget

from chatty_desktop.ui.theme import restyle


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
    box = QMessageBox(parent)
    box.setIcon(QMessageBox.Icon.NoIcon)
    # A name that looks like markup is a name.
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText(text)
    box.setInformativeText(detail)
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
