"""The key of a provider: it can be written, never read back."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from chatty_desktop.domain.keys import KeyState
from chatty_desktop.ui.controls import Field
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.pieces import TextButton
from chatty_desktop.ui.plain import tip
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import XS, S


class KeyField(QWidget):
    """A field for a key. What is typed can be looked at while it is typed; what is stored cannot.

    save_wanted: this key is to be stored. forget_wanted: the stored one is to be forgotten.
    """

    save_wanted = Signal(str)
    forget_wanted = Signal()

    def __init__(self, theme: Theme, *, saves: bool, parent: QWidget | None = None) -> None:
        """`saves`: with a button of its own; a new provider's key is stored along with it."""
        super().__init__(parent)
        self._theme = theme
        self.line = QLineEdit()
        self.line.setEchoMode(QLineEdit.EchoMode.Password)
        self.line.setAttribute(Qt.WidgetAttribute.WA_InputMethodEnabled, False)
        self.line.textChanged.connect(self._typed)
        self._look = QAction(self)
        self._look.setCheckable(True)
        self._look.toggled.connect(self._show_look)
        theme.changed.connect(self._show_look)
        self._show_look()
        self.save = QPushButton(tr("Save key"))
        self.save.setVisible(saves)
        self.save.clicked.connect(self._save)
        self._saves = saves
        self._hint = ""
        if saves:
            self.line.returnPressed.connect(self._save)
        self.forget = TextButton(tr("Forget the key"))
        self.forget.clicked.connect(self.forget_wanted)
        self.forget.hide()
        row = QHBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(S)
        row.addWidget(self.line, 1)
        row.addWidget(self.save)
        box = QWidget()
        box.setLayout(row)
        box.setFocusProxy(self.line)
        self.field = Field(tr("Key"), box, theme)
        self.line.setAccessibleName(tr("Key"))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(XS)
        column.addWidget(self.field)
        column.addWidget(self.forget, 0, Qt.AlignmentFlag.AlignLeft)
        self._typed()
        self.show_state(None)

    def show_state(self, state: KeyState | None, *, keyring: bool = True) -> None:
        """Where the present key comes from; None as long as that is not known. `keyring`: whether
        there is one to put another into."""
        source = state.source if state is not None else "none"
        outside = state is not None and source == "environment"
        self.line.setEnabled(not outside)
        self.save.setVisible(self._saves and not outside)
        self.forget.setVisible(source in ("keyring", "file"))
        if state is not None and source == "environment":
            hint = tr(
                "From the environment variable {variable}, which goes first: it is changed there.",
                variable=state.variable,
            )
            placeholder = tr("Set outside the app")
        elif source == "keyring":
            hint = tr("Kept in the system's keyring. A new one takes its place.")
            placeholder = tr("A key is stored")
        elif source == "file":
            hint = tr("Kept in a file that only you can read. A new one takes its place.")
            placeholder = tr("A key is stored")
        elif not keyring:
            hint = tr(
                "Only where the server asks for one. There is no keyring to keep it: before it is"
                " stored, you are asked."
            )
            placeholder = tr("No key")
        else:
            hint = tr(
                "Only where the server asks for one. It goes into the system's keyring, and into no"
                " settings, log or export."
            )
            placeholder = tr("No key")
        self.line.setPlaceholderText(placeholder)
        self._hint = hint
        self._show_hint()
        trouble = state.trouble if state is not None else ""
        if trouble or not self.typed():  # else it is of what is typed
            self.field.say(trouble)

    def typed(self) -> str | None:
        """What is typed and not stored yet, None for nothing."""
        return self.line.text().strip() or None

    def clear(self) -> None:
        """Forget what was typed."""
        self.line.clear()

    def _save(self) -> None:
        if key := self.typed():
            self.save_wanted.emit(key)

    def _typed(self) -> None:
        text = self.line.text()
        self.field.say("")
        self._show_hint()
        self.save.setEnabled(bool(text.strip()))
        if text and self._look not in self.line.actions():
            self.line.addAction(self._look, QLineEdit.ActionPosition.TrailingPosition)
        elif not text:
            self._look.setChecked(False)
            self.line.removeAction(self._look)

    def _show_hint(self) -> None:
        waits = self._saves and self.typed() is not None
        self.field.hint(tr("Not stored yet: press Save key, or Enter.") if waits else self._hint)

    def _show_look(self) -> None:
        shown = self._look.isChecked()
        mode = QLineEdit.EchoMode.Normal if shown else QLineEdit.EchoMode.Password
        self.line.setEchoMode(mode)
        self._look.setIcon(self._theme.icon("eye-slash" if shown else "eye"))
        self._look.setText(tr("Hide the key") if shown else tr("Show the key"))
        self._look.setToolTip(tip(self._look.text()))
