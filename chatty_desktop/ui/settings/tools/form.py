"""What there is to say of an MCP server: a program with its arguments, or an address."""

from __future__ import annotations

import shlex

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from chatty_desktop.domain.mcp_settings import McpServer
from chatty_desktop.ui.controls import Choice, Field, GrowingText, Number
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.settings.tools.values import Values
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import M, S

USUAL_SECONDS = 120
"""How long a call may take where nothing is said; shown only."""


class ServerForm(QWidget):
    """The fields of one server, of one that is there or of a new one. All of it is saved at once:
    each change starts the server anew.

    save_wanted: the name, the server, and the names of the values marked as keys.
    cancelled: it stays as it is.
    """

    save_wanted = Signal(str, object, object)
    cancelled = Signal()

    def __init__(
        self,
        theme: Theme,
        name: str = "",
        server: McpServer = McpServer(),
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._base = server
        self.kinds = Choice()
        self.kinds.addItem(tr("A program on this computer"))
        self.kinds.addItem(tr("An address"))
        self.kinds.setCurrentIndex(1 if server.url else 0)
        kind = Field(tr("What is it?"), self.kinds, theme)
        self.name_line = QLineEdit(name)
        self.name = Field(
            tr("Name"),
            self.name_line,
            theme,
            tr("It stands before the names of its tools, such as {tool}.", tool="notes__search"),
        )
        self.command_line = QLineEdit(server.command or "")
        self.command_line.setPlaceholderText("npx")
        self.command = Field(
            tr("Program"),
            self.command_line,
            theme,
            tr("Its name, or where it is. A whole line with arguments may be put here, too."),
        )
        self.arguments_text = GrowingText(2, 8)
        self.arguments_text.setPlainText("\n".join(server.args))
        self.arguments = Field(
            tr("Arguments"), self.arguments_text, theme, tr("One on each line, as they are.")
        )
        self.environment_values = Values(theme, tr("Add a variable"))
        self.environment_values.show_values(server.env)
        self.environment = Field(
            tr("Environment"),
            self.environment_values,
            theme,
            tr("What the program is given beside the basics, such as a key. Keys are kept apart."),
        )
        self.folder_line = QLineEdit(server.cwd or "")
        self.folder = Field(tr("Folder it runs in"), self.folder_line, theme)
        self.address_line = QLineEdit(server.url or "")
        self.address_line.setPlaceholderText("https://example.org/mcp")
        self.address = Field(
            tr("Address"), self.address_line, theme, tr("It speaks streamable HTTP.")
        )
        self.header_values = Values(theme, tr("Add a header"))
        self.header_values.show_values(server.headers)
        self.headers = Field(
            tr("Headers"),
            self.header_values,
            theme,
            tr("What is sent with each request, such as Authorization with “Bearer ” and the key."),
        )
        self.seconds = Number(0, 86_400)
        self.seconds.setSpecialValueText(tr("Usual"))
        self.seconds.setValue(round(server.timeout_seconds or 0))
        patience = Field(
            tr("Longest call, in seconds"),
            self.seconds,
            theme,
            tr("Usual: {seconds}. A call that takes longer is cancelled.", seconds=USUAL_SECONDS),
        )
        self.with_app = QCheckBox(tr("Start it with the app"))
        self.with_app.setChecked(server.start_with_app)
        self.save = QPushButton(tr("Save") if name else tr("Add"))
        self.save.setProperty("kind", "primary")
        self.cancel = QPushButton(tr("Cancel"))
        self.cancel.setProperty("kind", "quiet")
        buttons = QHBoxLayout()
        buttons.setSpacing(S)
        buttons.addWidget(self.save)
        buttons.addWidget(self.cancel)
        buttons.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(M)
        self._of_program = (self.command, self.arguments, self.environment, self.folder)
        self._of_address = (self.address, self.headers)
        for part in (kind, self.name, *self._of_program, *self._of_address, patience):
            column.addWidget(part)
        column.addWidget(self.with_app)
        column.addLayout(buttons)
        self.kinds.currentIndexChanged.connect(self._show_kind)
        self.command_line.editingFinished.connect(self._part_command)
        self.save.clicked.connect(self._save)
        self.cancel.clicked.connect(self.cancelled)
        self._show_kind()

    def say(self, problem: str) -> None:
        """Show what speaks against the server, beside the field that matters most."""
        program = self.kinds.currentIndex() == 0
        self.command.say(problem if program else "")
        self.address.say("" if program else problem)

    def written(self) -> McpServer:
        """The server as it stands there; not checked."""
        values: dict[str, object] = {
            "start_with_app": self.with_app.isChecked(),
            "timeout_seconds": float(self.seconds.value()) or None,
            "command": None,
            "args": (),
            "env": {},
            "cwd": None,
            "url": None,
            "headers": {},
            "type": None,
        }
        if self.kinds.currentIndex() == 0:
            lines = self.arguments_text.toPlainText().splitlines()
            values["command"] = self.command_line.text().strip() or None
            values["args"] = tuple(line for line in lines if line.strip())
            values["env"] = self.environment_values.written()
            values["cwd"] = self.folder_line.text().strip() or None
        else:
            values["url"] = self.address_line.text().strip() or None
            values["headers"] = self.header_values.written()
        return self._base.model_copy(update=values)

    def _show_kind(self) -> None:
        program = self.kinds.currentIndex() == 0
        for part in self._of_program:
            part.setVisible(program)
        for part in self._of_address:
            part.setVisible(not program)

    def _part_command(self) -> None:
        """A whole line written as the program becomes program and arguments."""
        text = self.command_line.text().strip()
        if " " not in text or self.arguments_text.toPlainText().strip() or "\\" in text:
            return
        try:
            command, *args = shlex.split(text)
        except ValueError:
            return
        if args and "/" not in text.split(" ", 1)[0]:
            self.command_line.setText(command)
            self.arguments_text.setPlainText("\n".join(args))

    def _save(self) -> None:
        self._part_command()
        program = self.kinds.currentIndex() == 0
        if program and not self.command_line.text().strip():
            self.say(tr("Write which program to run."))
            return
        if not program and not self.address_line.text().strip():
            self.say(tr("Write the address of the server."))
            return
        self.say("")
        values = self.environment_values if program else self.header_values
        self.save_wanted.emit(self.name_line.text().strip(), self.written(), values.marked())
