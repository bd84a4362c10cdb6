"""The tools of an agent: which it has, whether each asks first, and what the file tools reach."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from chatty_desktop.domain.tools import Policy, ToolSpec
from chatty_desktop.ui.agents.tools.folders import Folders
from chatty_desktop.ui.agents.tools.row import ToolRow
from chatty_desktop.ui.controls import Field
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.pieces import TextButton, caption, clear, emphasise
from chatty_desktop.ui.plain import Label
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import XS, S
from chatty_desktop.ui.tool_words import FILE_TOOLS

MANY = 10
"""Tools from which on they can be searched."""


class ToolsSection(QWidget):
    """All tools by where they come from. Those that the agent names and that are not there stay.

    changed: the person changed something.
    """

    changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._specs: Sequence[ToolSpec] | None = None
        self._tools: list[str] = []
        self._policies: dict[str, Policy] = {}
        self.rows: list[ToolRow] = []
        self._headings: list[tuple[QLabel, list[ToolRow]]] = []
        title = Label(tr("Tools"))
        emphasise(title)
        hint = caption(
            theme,
            tr(
                "What the agent may do besides answering. Every call stands in the chat. Small"
                " models do best with few."
            ),
        )
        hint.setWordWrap(True)
        self.recommended = TextButton(tr("Turn on the harmless ones"))
        self.recommended.clicked.connect(self._turn_on_harmless)
        self.search = QLineEdit()
        self.search.setPlaceholderText(tr("Search tools"))
        self.search.setAccessibleName(tr("Search tools"))
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._filter)
        self._note = caption(theme)
        self._note.setWordWrap(True)
        self._list = QVBoxLayout()
        self._list.setSpacing(0)
        self.folders = Folders(theme)
        self._folders = Field(
            tr("Folders for the file tools"),
            self.folders,
            theme,
            tr("What lies in them, at any depth, and nothing else."),
        )
        self.folders.changed.connect(self.changed)
        above = QHBoxLayout()
        above.addWidget(title, 1)
        above.addWidget(self.recommended)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(XS)
        column.addLayout(above)
        column.addWidget(hint)
        column.addSpacing(XS)
        column.addWidget(self.search)
        column.addWidget(self._note)
        column.addSpacing(XS)
        column.addLayout(self._list)
        column.addWidget(self._folders)
        self._build()

    def set(self, definition: Mapping[str, Any]) -> None:
        """Show what a definition says of tools."""
        self._tools = list(definition["tools"])
        self._policies = dict(definition.get("tool_policies", {}))
        self.folders.set(definition.get("folders", ()))
        self._build()

    def value(self) -> dict[str, Any]:
        """What the definition says of tools, as it stands."""
        return {
            "tools": list(self._tools),
            "tool_policies": dict(self._policies),
            "folders": self.folders.value(),
        }

    def show_tools(self, specs: Sequence[ToolSpec]) -> None:
        """Take the tools that there are now."""
        if self._specs is None or list(specs) != list(self._specs):
            self._specs = list(specs)
            self._build()

    def focus(self) -> None:
        """Put the keyboard to the first of them."""
        first = next((row for row in self.rows if not row.isHidden()), None)
        (first.switch if first else self.recommended).setFocus()

    # --- drawing -----------------------------------------------------------------------------

    def _build(self) -> None:
        clear(self._list)
        self.rows, self._headings = [], []
        specs = list(self._specs or ())
        known = {spec.name for spec in specs}
        named = [*self._tools, *self._policies]
        absent = [name for name in dict.fromkeys(named) if name not in known]
        for source in dict.fromkeys(spec.source for spec in specs):
            heading = tr("From {server}", server=source) if source else tr("Built in")
            self._group(
                heading, [ToolRow(s.name, s, self._theme) for s in specs if s.source == source]
            )
        if absent and self._specs is not None:
            self._group(tr("Not there now"), [ToolRow(name, None, self._theme) for name in absent])
        self.search.setVisible(len(self.rows) > MANY)
        self._note.setText(tr("Looking for tools …") if self._specs is None else "")
        if self._specs is not None and not self.rows:
            self._note.setText(tr("There are no tools."))
        self._note.setVisible(bool(self._note.text()))
        self._filter()
        self._follow()

    def _group(self, heading: str, rows: list[ToolRow]) -> None:
        label = caption(self._theme, heading)
        label.setContentsMargins(0, S, 0, S)
        self._list.addWidget(label)
        for row in rows:
            row.set(row.name in self._tools, self._policies.get(row.name))
            row.changed.connect(self._changed(row))
            self._list.addWidget(row)
        self.rows += rows
        self._headings.append((label, rows))

    def _filter(self) -> None:
        words = self.search.text() if len(self.rows) > MANY else ""
        for heading, rows in self._headings:
            for row in rows:
                row.setVisible(row.matches(words))
            heading.setVisible(any(not row.isHidden() for row in rows))

    def _follow(self) -> None:
        """What hangs on which tools are on."""
        self._folders.setVisible(any(name in FILE_TOOLS for name in self._tools))
        wanting = [row for row in self.rows if row.spec and row.spec.harmless and not row.on]
        self.recommended.setVisible(bool(wanting))

    # --- what the person does ----------------------------------------------------------------

    def _changed(self, row: ToolRow) -> Callable[[], None]:
        def take() -> None:
            self._take(row)
            self._follow()
            self.changed.emit()

        return take

    def _take(self, row: ToolRow) -> None:
        if row.on and row.name not in self._tools:
            self._tools.append(row.name)
        elif not row.on and row.name in self._tools:
            self._tools.remove(row.name)
        if row.policy is None:
            self._policies.pop(row.name, None)
        else:
            self._policies[row.name] = row.policy

    def _turn_on_harmless(self) -> None:
        for row in self.rows:
            if row.spec and row.spec.harmless and not row.on:
                row.set(True, row.policy)
                self._take(row)
        self._follow()
        self.changed.emit()
