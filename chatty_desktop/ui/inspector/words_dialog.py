"""Some words to be written by the person; what keeps them from being kept is said beside them."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from chatty_desktop.ui.controls import Field, GrowingText
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import L, M, S

Saving = Callable[[str, Callable[[], object], Callable[[str], None]], None]
"""Called with the text, what to call when it was kept, and what to call with why it was not."""


class WordsDialog(QDialog):
    """A text over several lines. Ctrl+Enter keeps it."""

    def __init__(
        self, title: str, label: str, words: str, save: Saving, theme: Theme, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        self._save = save
        self.text = GrowingText(3, 14)
        self.text.setPlainText(words)
        self.field = Field(label, self.text, theme)
        self.save = QPushButton(tr("Save"))
        self.save.setProperty("kind", "primary")
        self.save.setDefault(True)
        self.save.clicked.connect(self._wanted)
        cancel = QPushButton(tr("Cancel"))
        cancel.setAutoDefault(False)
        cancel.clicked.connect(self.reject)
        self.buttons = QHBoxLayout()
        self.buttons.setSpacing(S)
        self.buttons.addStretch(1)
        self.buttons.addWidget(self.save)
        self.buttons.addWidget(cancel)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(L, L, L, L)
        self.column.setSpacing(M)
        self.column.addWidget(self.field)
        self.column.addStretch(1)
        self.column.addLayout(self.buttons)
        for key in ("Ctrl+Return", "Ctrl+Enter"):
            QShortcut(QKeySequence(key), self, self._wanted)
        self.resize(min(480, self.screen().availableSize().width()), self.sizeHint().height())
        self.text.selectAll()

    def _wanted(self) -> None:
        self.save.setEnabled(False)
        self.field.say("")
        self._save(self.text.toPlainText(), self.accept, self._refused)

    def _refused(self, reason: str) -> None:
        self.save.setEnabled(True)
        self.field.say(reason)
        self.text.setFocus()
