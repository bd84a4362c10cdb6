"""What an MCP server has: its tools, each with a switch, its resources and prompts; and its log."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QPlainTextEdit, QVBoxLayout, QWidget

from chatty_desktop.domain.mcp import McpState
from chatty_desktop.domain.mcp_settings import McpServer
from chatty_desktop.ui.language import tr, trn
from chatty_desktop.ui.pieces import LongWords, TextButton, Words, clear, emphasise
from chatty_desktop.ui.plain import tip
from chatty_desktop.ui.readable import shortened
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import XS, M, S

_BESIDE = 24
"""Pixels from the left of a box to its words."""

LONGEST_NAME = 40
"""Letters of a tool's name that are drawn."""

AT_ONCE = 40
"""Tools drawn before the person asks for all."""


class Offers(QWidget):
    """switched: a tool, by the server's own name of it, is to be offered to models or not."""

    switched = Signal(str, bool)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._drawn: tuple[object, ...] = ()
        self._all = False
        self.switches: dict[str, QCheckBox] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(S)

    def show_offers(self, server: McpServer, state: McpState) -> None:
        """Draw what the server listed last."""
        wanted = (state.tools, state.resources, state.prompts, self._all)
        if wanted != self._drawn:
            self._drawn = wanted
            self._draw(server, state)
        for name, switch in self.switches.items():
            switch.blockSignals(True)
            switch.setChecked(name not in server.disabled_tools)
            switch.blockSignals(False)

    def _draw(self, server: McpServer, state: McpState) -> None:
        clear(self._column)
        self.switches = {}
        if not state.tools and not state.resources and not state.prompts:
            text = tr("What it has is known once it has run.")
            if state.phase == "ready":
                text = tr("It has no tools, resources or prompts.")
            self._column.addWidget(Words(text, "muted"))
        shown = state.tools if self._all else state.tools[:AT_ONCE]
        for tool in shown:
            self._add_tool(tool.name, tool.description)
        if len(shown) < len(state.tools):
            count = len(state.tools)
            more = TextButton(trn("Show all {count} tools", "Show all {count} tools", count))
            more.clicked.connect(lambda: self._show_all(server, state))
            self._column.addWidget(more, 0, Qt.AlignmentFlag.AlignLeft)
        for title, entries in (
            (tr("Resources, which can be read"), [(r.name, r.uri) for r in state.resources]),
            (
                tr("Prompts, which can be filled in"),
                [(p.name, p.description) for p in state.prompts],
            ),
        ):
            if entries:
                self._add_list(title, entries)

    def _add_tool(self, name: str, description: str) -> None:
        # A box does not wrap its words: a long name would widen the page.
        switch = QCheckBox(shortened(name, LONGEST_NAME, 1).replace("&", "&&"))
        switch.setAccessibleName(name)
        switch.setToolTip(tip(tr("Offer {tool} to models", tool=name)))
        switch.toggled.connect(lambda on: self.switched.emit(name, on))
        self.switches[name] = switch
        about = LongWords("muted")
        about.show_text(description)
        about.setVisible(bool(description))
        about.setContentsMargins(_BESIDE, 0, 0, 0)
        both = QVBoxLayout()
        both.setSpacing(0)
        both.addWidget(switch)
        both.addWidget(about)
        self._column.addLayout(both)

    def _add_list(self, title: str, entries: list[tuple[str, str]]) -> None:
        lines = [f"{name} — {about}" if about else name for name, about in entries[:AT_ONCE]]
        if len(entries) > AT_ONCE:
            lines.append(tr("… and {count} more", count=len(entries) - AT_ONCE))
        heading = Words(title)
        emphasise(heading)
        both = QVBoxLayout()
        both.setContentsMargins(0, S, 0, 0)
        both.setSpacing(XS)
        both.addWidget(heading)
        both.addWidget(Words("\n".join(shortened(line, 200, 2) for line in lines), "muted"))
        self._column.addLayout(both)

    def _show_all(self, server: McpServer, state: McpState) -> None:
        self._all = True
        self.show_offers(server, state)


class LogView(QWidget):
    """The last lines of a server's log. again_wanted: read them anew."""

    again_wanted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setFont(theme.monospace())
        self.text.setAccessibleName(tr("Log"))
        self.text.setPlaceholderText(tr("Nothing was written yet."))
        self.text.setFixedHeight(180)
        self.again = TextButton(tr("Read it again"))
        self.again.clicked.connect(self.again_wanted)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(M)
        column.addWidget(self.text)
        column.addWidget(self.again, 0, Qt.AlignmentFlag.AlignLeft)

    def show_text(self, text: str) -> None:
        """Draw it, its end in sight."""
        self.text.setPlainText(text)
        bar = self.text.verticalScrollBar()
        bar.setValue(bar.maximum())
