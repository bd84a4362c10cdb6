"""Naming a model by hand that no list has."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from chatty_desktop.domain.settings import Settings
from chatty_desktop.ui.controls import Choice
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.pieces import caption
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import XS, S


class AddModel(QWidget):
    """A provider, a name, and a button.

    added: the reference of a model to name.
    """

    added = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._kinds: dict[str, str] = {}
        self.provider = Choice()
        self.provider.setAccessibleName(tr("Provider of the model to add"))
        self.provider.setSizeAdjustPolicy(Choice.SizeAdjustPolicy.AdjustToContents)
        self.name = QLineEdit()
        self.name.setAccessibleName(tr("Name of the model to add"))
        self.add = QPushButton(tr("Add"))
        self.add.setAutoDefault(False)
        self._problem = caption(theme, tone="danger")
        self._problem.setWordWrap(True)
        self._problem.hide()
        row = QHBoxLayout()
        row.setSpacing(S)
        row.addWidget(self.provider)
        row.addWidget(self.name, 1)
        row.addWidget(self.add)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(XS)
        column.addLayout(row)
        column.addWidget(self._problem)
        self.add.clicked.connect(self._done)
        self.name.returnPressed.connect(self._done)
        self.name.textEdited.connect(lambda: self.say(""))
        self.provider.currentTextChanged.connect(self._ask)

    def show_settings(self, settings: Settings) -> None:
        """Offer the providers of the settings."""
        kinds = {entry.id: str(entry.kind) for entry in settings.providers}
        if kinds == self._kinds and self.provider.count():
            return
        self._kinds = kinds
        before = self.provider.currentText()
        self.provider.blockSignals(True)
        self.provider.clear()
        self.provider.addItems(list(kinds))
        self.provider.setCurrentIndex(max(0, self.provider.findText(before)))
        self.provider.blockSignals(False)
        self._ask(self.provider.currentText())
        self.setVisible(bool(kinds))

    def say(self, problem: str) -> None:
        """Show what is wrong with the name; "" takes it away."""
        self._problem.setText(f"⚠ {problem}" if problem else "")
        self._problem.setVisible(bool(problem))

    def _ask(self, provider: str) -> None:
        file = self._kinds.get(provider) == "llama_cpp"
        self.name.setPlaceholderText(
            tr("Path of a .gguf file") if file else tr("Name of a model, as the server knows it")
        )

    def _done(self) -> None:
        name = self.name.text().strip()
        if not name:
            self.say(tr("Write the name of a model first."))
            self.name.setFocus()
            return
        self.name.clear()
        self.say("")
        self.added.emit(f"{self.provider.currentText()}/{name}")
