"""The button that adds a provider, and the form that opens in its place."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QPushButton, QScrollArea, QVBoxLayout, QWidget

from chatty_desktop.ui.language import tr
from chatty_desktop.ui.settings.providers.new import NewProvider, Taken
from chatty_desktop.ui.theme import Theme


class Adding(QWidget):
    """opened: the form is there. closed: it is gone, and what was typed in it.

    button: what opens it. new: the form, None while it is not open.
    """

    opened = Signal(object)
    closed = Signal(object)

    def __init__(self, theme: Theme, taken: Taken, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._taken = taken
        self.new: NewProvider | None = None
        self.button = QPushButton(tr("Add a provider …"))
        self.button.clicked.connect(self.open)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addWidget(self.button, 0, Qt.AlignmentFlag.AlignLeft)

    def open(self) -> None:
        """Have the form open."""
        if self.new is None:
            self.new = NewProvider(self._theme, self._taken)
            self.new.cancelled.connect(self.close_form)
            self._column.addWidget(self.new)
            self.opened.emit(self.new)
        self.button.hide()
        self.new.kinds.setFocus()
        # Once it is laid out: it is below what can be seen.
        QTimer.singleShot(0, self._bring_into_sight)

    def close_form(self) -> None:
        """Leave the form."""
        new, self.new = self.new, None
        self.button.show()
        if new is not None:
            self.button.setFocus()
            self._column.removeWidget(new)
            new.hide()
            self.closed.emit(new)
            new.deleteLater()

    def _bring_into_sight(self) -> None:
        above = self.parentWidget()
        while above is not None and not isinstance(above, QScrollArea):
            above = above.parentWidget()
        if isinstance(above, QScrollArea) and self.new is not None:
            above.ensureWidgetVisible(self.new.form.trial)
            above.ensureWidgetVisible(self.new.title)
