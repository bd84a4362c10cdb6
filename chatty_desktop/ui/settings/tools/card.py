"""One MCP server in the list: its name, how it is, and what can be done with it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QFrame, QHBoxLayout, QVBoxLayout, QWidget

from chatty_desktop.domain.mcp import McpState
from chatty_desktop.domain.mcp_settings import McpServer
from chatty_desktop.ui.elided import ElidedLabel
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.pieces import IconLabel, TextButton, Words, clear, emphasise, icon_button
from chatty_desktop.ui.plain import tip
from chatty_desktop.ui.settings.tools.form import ServerForm
from chatty_desktop.ui.settings.tools.offers import LogView, Offers
from chatty_desktop.ui.settings.tools.words import command_words, state_words
from chatty_desktop.ui.theme import Theme, set_tone
from chatty_desktop.ui.tokens import XS, M, S, Tone


class ServerCard(QFrame):
    """A server of the settings. Below it one of these can be open: its form, what it has, its log.

    switched: it may be started, or not. tool_switched: a tool is to be offered, or not.
    start_wanted, stop_wanted, restart_wanted, delete_wanted, log_wanted: the person wants that.
    save_wanted: as of the form.
    """

    switched = Signal(bool)
    tool_switched = Signal(str, bool)
    start_wanted = Signal()
    stop_wanted = Signal()
    restart_wanted = Signal()
    delete_wanted = Signal()
    log_wanted = Signal()
    save_wanted = Signal(str, object, object)

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("panel", "raised")
        self._theme = theme
        self.name = name
        self._server = McpServer()
        self._state = McpState()
        self.form: ServerForm | None = None
        self.offers: Offers | None = None
        self.log: LogView | None = None
        self._kind = IconLabel(theme, "terminal-window", "muted")
        self._title = ElidedLabel()
        self._title.setText(name)
        emphasise(self._title)
        self.on = QCheckBox(tr("On"))
        self.on.setAccessibleName(tr("{name} may be started", name=name))
        self.on.toggled.connect(self.switched)
        self.edit = icon_button(theme, "pencil-simple", tr("Edit"))
        self.edit.setAccessibleName(tr("Edit {name}", name=name))
        self.edit.setCheckable(True)
        self.delete = icon_button(theme, "trash", tr("Delete"))
        self.delete.setAccessibleName(tr("Delete {name}", name=name))
        self.delete.clicked.connect(self.delete_wanted)
        self._mark = IconLabel(theme, "circle", "muted")
        self.state = Words(tone="muted")
        self.about = ElidedLabel()
        self.about.setFont(theme.small())
        set_tone(self.about, "muted")
        self.start = TextButton(tr("Start"))
        self.stop = TextButton(tr("Stop"))
        self.restart = TextButton(tr("Restart"))
        self.tools = TextButton(tr("What it has"))
        self.show_log = TextButton(tr("Log"))
        for button, wanted in (
            (self.start, self.start_wanted),
            (self.stop, self.stop_wanted),
            (self.restart, self.restart_wanted),
        ):
            button.clicked.connect(wanted)
        for toggle in (self.tools, self.show_log):
            toggle.setCheckable(True)
        self.edit.clicked.connect(lambda on: self._open(self.edit if on else None))
        self.tools.clicked.connect(lambda on: self._open(self.tools if on else None))
        self.show_log.clicked.connect(lambda on: self._open(self.show_log if on else None))
        self._below = QVBoxLayout()
        self._lay_out()

    def show_server(self, server: McpServer, state: McpState) -> None:
        """What the settings say of it, and how it is."""
        self._server, self._state = server, state
        self._kind.show_icon("terminal-window" if server.is_program else "globe", "muted")
        self.on.blockSignals(True)
        self.on.setChecked(server.enabled)
        self.on.blockSignals(False)
        line = command_words(server)
        self.about.setText(" · ".join(filter(None, (state.title, line))))
        self.about.setToolTip(tip(line))
        icon, tone, text = state_words(server, state)
        self._mark.show_icon(icon, tone)
        self.state.setText(text)
        shown: Tone = "text" if tone == "success" else tone
        set_tone(self.state, shown)
        runs = state.phase in ("starting", "ready")
        usable = server.enabled and not server.problem
        self.start.setVisible(usable and not runs)
        self.stop.setVisible(runs)
        self.restart.setVisible(runs)
        self.show_log.setVisible(server.is_program)
        if self.offers is not None:
            self.offers.show_offers(server, state)

    def fold(self) -> None:
        """Have nothing open below."""
        self._open(None)

    def _open(self, toggle: QWidget | None) -> None:
        clear(self._below)
        self.form = self.offers = self.log = None
        for other in (self.edit, self.tools, self.show_log):
            other.setChecked(other is toggle)
        for button, words in ((self.tools, tr("What it has")), (self.show_log, tr("Log"))):
            button.setText(tr("Hide") if button is toggle else words)
            button.setAccessibleName(words)
        opened: QWidget | None = None
        if toggle is self.edit:
            opened = self.form = ServerForm(self._theme, self.name, self._server)
            self.form.save_wanted.connect(self.save_wanted)
            self.form.cancelled.connect(self.fold)
        elif toggle is self.tools:
            opened = self.offers = Offers(self._theme)
            self.offers.switched.connect(self.tool_switched)
            self.offers.show_offers(self._server, self._state)
        elif toggle is self.show_log:
            opened = self.log = LogView(self._theme)
            self.log.again_wanted.connect(self.log_wanted)
            self.log_wanted.emit()
        if opened is not None:
            self._below.addSpacing(M)
            self._below.addWidget(opened)

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setSpacing(XS)
        top.addWidget(self._kind)
        top.addSpacing(XS)
        top.addWidget(self._title, 1)
        top.addWidget(self.on)
        top.addSpacing(XS)
        top.addWidget(self.edit)
        top.addWidget(self.delete)
        state = QHBoxLayout()
        state.setSpacing(S)
        state.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignTop)
        state.addWidget(self.state, 1)
        acts = QHBoxLayout()
        acts.setSpacing(M)
        for button in (self.start, self.stop, self.restart, self.tools, self.show_log):
            acts.addWidget(button)
        acts.addStretch(1)
        second = QVBoxLayout()
        second.setContentsMargins(self._mark.width() + S, 0, 0, 0)
        second.setSpacing(XS)
        second.addWidget(self.about)
        second.addLayout(acts)
        self._below.setContentsMargins(XS, 0, S, 0)
        self._below.setSpacing(0)
        column = QVBoxLayout(self)
        column.setContentsMargins(M, S, S, M)
        column.setSpacing(XS)
        column.addLayout(top)
        column.addLayout(state)
        column.addLayout(second)
        column.addLayout(self._below)
