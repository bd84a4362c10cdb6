"""Adding MCP servers: by a form, or by pasting what their instructions give."""

from __future__ import annotations

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.mcp_pasting import read_pasted
from chatty_desktop.ui.controls import Field, GrowingText
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.pieces import emphasise
from chatty_desktop.ui.plain import Label
from chatty_desktop.ui.settings.tools.form import ServerForm
from chatty_desktop.ui.settings.tools.words import EXAMPLE
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import M, S


class Pasting(QWidget):
    """A text with servers in it. add_wanted: these, by their names. cancelled: none after all."""

    add_wanted = Signal(object)
    cancelled = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text = GrowingText(6, 14)
        self.text.setFont(theme.monospace())
        self.text.setPlaceholderText(EXAMPLE)
        self.field = Field(
            tr("The server's JSON"),
            self.text,
            theme,
            tr("As its instructions give it for other programs: all of it, or one entry."),
        )
        self.name_line = QLineEdit()
        self.name = Field(tr("Name"), self.name_line, theme, tr("The entry comes without one."))
        self.name.hide()
        self.add = QPushButton(tr("Add"))
        self.add.setProperty("kind", "primary")
        self.cancel = QPushButton(tr("Cancel"))
        self.cancel.setProperty("kind", "quiet")
        buttons = QHBoxLayout()
        buttons.setSpacing(S)
        buttons.addWidget(self.add)
        buttons.addWidget(self.cancel)
        buttons.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(M)
        column.addWidget(self.field)
        column.addWidget(self.name)
        column.addLayout(buttons)
        self.text.textChanged.connect(lambda: self.field.say(""))
        self.add.clicked.connect(self._add)
        self.cancel.clicked.connect(self.cancelled)

    def say(self, problem: str) -> None:
        """Show what speaks against it."""
        self.field.say(problem)

    def _add(self) -> None:
        try:
            servers = read_pasted(self.text.toPlainText())
        except Invalid as error:
            self.say(str(error))
            return
        self.name.setVisible("" in servers)
        if "" in servers:
            name = self.name_line.text().strip()
            if not name:
                self.name.say(tr("Give it a name."))
                self.name_line.setFocus()
                return
            servers = {name: servers[""]}
        self.say("")
        self.name.say("")
        self.add_wanted.emit(servers)


class Adding(QWidget):
    """Two buttons, and the form that opens in their place.

    save_wanted: a server by the form, as of `ServerForm`. add_wanted: servers that were pasted.
    """

    save_wanted = Signal(str, object, object)
    add_wanted = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.form: ServerForm | None = None
        self.pasting: Pasting | None = None
        self._frame: QFrame | None = None
        self.by_form = QPushButton(tr("Add a server …"))
        self.by_form.clicked.connect(self.open_form)
        self.by_pasting = QPushButton(tr("Paste its JSON …"))
        self.by_pasting.clicked.connect(self.open_pasting)
        self._buttons = QWidget()
        row = QHBoxLayout(self._buttons)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(S)
        row.addWidget(self.by_form)
        row.addWidget(self.by_pasting)
        row.addStretch(1)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addWidget(self._buttons)

    def open_form(self) -> None:
        """Have the form open."""
        self.form = ServerForm(self._theme)
        self.form.save_wanted.connect(self.save_wanted)
        self.form.cancelled.connect(self.close_form)
        self._show(self.form, tr("Add an MCP server"))
        self.form.name_line.setFocus()

    def open_pasting(self) -> None:
        """Have the place to paste into open."""
        self.pasting = Pasting(self._theme)
        self.pasting.add_wanted.connect(self.add_wanted)
        self.pasting.cancelled.connect(self.close_form)
        self._show(self.pasting, tr("Paste MCP servers"))
        self.pasting.text.setFocus()

    def say(self, problem: str) -> None:
        """Show what speaks against what is open."""
        opened = self.form or self.pasting
        if opened is not None:
            opened.say(problem)

    def close_form(self) -> None:
        """Leave what is open."""
        frame, self._frame = self._frame, None
        self.form = self.pasting = None
        self._buttons.show()
        if frame is not None:
            self._column.removeWidget(frame)
            frame.hide()
            frame.deleteLater()
            self.by_form.setFocus()

    def _show(self, widget: QWidget, title: str) -> None:
        frame = self._frame = QFrame()
        frame.setProperty("panel", "raised")
        heading = Label(title)
        emphasise(heading)
        column = QVBoxLayout(frame)
        column.setContentsMargins(M, M, M, M)
        column.setSpacing(M)
        column.addWidget(heading)
        column.addWidget(widget)
        self._column.addWidget(frame)
        self._buttons.hide()
        # Once it is laid out: it is below what can be seen.
        QTimer.singleShot(0, self._bring_into_sight)

    def _bring_into_sight(self) -> None:
        above = self.parentWidget()
        while above is not None and not isinstance(above, QScrollArea):
            above = above.parentWidget()
        if isinstance(above, QScrollArea) and self._frame is not None:
            above.ensureWidgetVisible(self._frame, 0, 0)
