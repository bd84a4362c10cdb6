"""Names with values: the environment of a program, the headers of an address."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from chatty_desktop.domain.mcp_secrets import looks_secret
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.pieces import TextButton, icon_button
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import XS, S


class ValueRow(QWidget):
    """A name and its value. `secret`: the value is a key, hidden here and kept in the keyring."""

    removed = Signal()

    def __init__(
        self, theme: Theme, name: str = "", value: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        # A value that is kept elsewhere stays as it is until another one is written.
        self._kept = value if "${keyring:" in value else ""
        self.name = QLineEdit(name)
        self.name.setCursorPosition(0)
        self.name.setPlaceholderText(tr("Name"))
        self.name.setAccessibleName(tr("Name"))
        self.value = QLineEdit("" if self._kept else value)
        self.value.setPlaceholderText(tr("Kept in the keyring") if self._kept else tr("Value"))
        self.value.setAccessibleName(tr("Value"))
        self.secret = icon_button(theme, "key", tr("Treat it as a key: hide it, keep it apart"))
        self.secret.setCheckable(True)
        self.secret.setChecked(bool(self._kept) or looks_secret(name, value))
        self._told = False
        self.remove = icon_button(theme, "trash", tr("Remove this line"))
        self.secret.toggled.connect(lambda _on: self._dress())
        self.secret.clicked.connect(self._tell)
        self.name.textChanged.connect(lambda _text: self._guess())
        self.value.textChanged.connect(lambda _text: self._guess())
        self.remove.clicked.connect(self.removed)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(XS)
        row.addWidget(self.name, 1)
        row.addWidget(self.value, 1)
        row.addWidget(self.secret)
        row.addWidget(self.remove)
        self._dress()

    def written(self) -> tuple[str, str]:
        """Name and value as they stand there."""
        return self.name.text().strip(), self.value.text() or self._kept

    def _tell(self) -> None:
        self._told = True

    def _guess(self) -> None:
        """Whether it looks like a key, unless the person said so or so."""
        if not self._told:
            # By its name also before there is a value: that is not to be seen while it is typed.
            looks = looks_secret(self.name.text(), self.value.text() or "-")
            self.secret.setChecked(bool(self._kept) or looks)

    def _dress(self) -> None:
        hidden = self.secret.isChecked()
        mode = QLineEdit.EchoMode.PasswordEchoOnEdit if hidden else QLineEdit.EchoMode.Normal
        self.value.setEchoMode(mode)


class Values(QWidget):
    """As many rows as there are values, and a way to one more."""

    def __init__(self, theme: Theme, more: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.rows: list[ValueRow] = []
        self.more = TextButton(more)
        self.more.clicked.connect(self._add_by_hand)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(XS)
        bottom = QHBoxLayout()
        bottom.setSpacing(S)
        bottom.addWidget(self.more)
        bottom.addStretch(1)
        self._column.addLayout(bottom)
        self.setFocusProxy(self.more)

    def show_values(self, values: Mapping[str, str]) -> None:
        """Have these rows and no others."""
        for row in list(self.rows):
            self._remove(row)
        for name, value in values.items():
            self._add(name, value)

    def written(self) -> dict[str, str]:
        """The values by their names; rows without a name are none."""
        return {name: value for name, value in (row.written() for row in self.rows) if name}

    def marked(self) -> set[str]:
        """The names of those that are keys."""
        return {row.written()[0] for row in self.rows if row.secret.isChecked()}

    def _add(self, name: str, value: str) -> ValueRow:
        row = ValueRow(self._theme, name, value)
        row.removed.connect(lambda: self._remove(row))
        self._column.insertWidget(len(self.rows), row)
        self.rows.append(row)
        return row

    def _add_by_hand(self) -> None:
        self._add("", "").name.setFocus()

    def _remove(self, row: ValueRow) -> None:
        self.rows.remove(row)
        self._column.removeWidget(row)
        row.hide()
        row.deleteLater()
        self.more.setFocus()
