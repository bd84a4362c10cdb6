"""Above the ledger: which rows are wanted, and writing those to a file."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QMenu, QToolButton, QVBoxLayout, QWidget

from chatty_desktop.domain.memory import LedgerFilter
from chatty_desktop.ui.inspector.ledger_list import KINDS, OUTCOMES
from chatty_desktop.ui.language import N_, tr
from chatty_desktop.ui.pieces import TextButton, icon_button
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import XS

TYPING_MS: Final = 250
FORMS: Final = (("jsonl", N_("As JSON lines …")), ("csv", N_("As a table (CSV) …")))


class LedgerFilterBar(QWidget):
    """changed: the rows wanted are others. export_wanted: the rows are to be written, as "jsonl" or
    "csv"."""

    changed = Signal()
    export_wanted = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.words = QLineEdit()
        self.words.setPlaceholderText(tr("Words in the rows"))
        self.words.setAccessibleName(tr("Words in the rows"))
        self.words.setClearButtonEnabled(True)
        self.words.textChanged.connect(self._changed)
        self.menu = QMenu(self)
        self._kind = self._group(
            tr("Kind"), [("", tr("All kinds")), *((k, tr(v)) for k, v in KINDS.items())]
        )
        self.menu.addSeparator()
        self._outcome = self._group(
            tr("Outcome"),
            [("", tr("All outcomes")), *((k, tr(v.word)) for k, v in OUTCOMES.items())],
        )
        self._layers: tuple[str, ...] = ()
        self._layer_menu = QMenu(tr("Layer"), self.menu)
        self._layer = QActionGroup(self)
        self._layer_action = self.menu.addMenu(self._layer_menu)
        self._layer_action.setVisible(False)
        self.choose = _menu_button(theme, "funnel", tr("Which rows are shown"), self.menu)
        export = QMenu(self)
        for form, text in FORMS:
            export.addAction(tr(text)).triggered.connect(
                lambda _checked=False, form=form: self.export_wanted.emit(form)
            )
        self.export = _menu_button(theme, "export", tr("Export the rows shown"), export)
        self.clear = TextButton(tr("Show all rows"))
        self.clear.clicked.connect(self.show_all)
        self.clear.hide()
        row = QHBoxLayout()
        row.setSpacing(XS)
        row.addWidget(self.words, 1)
        row.addWidget(self.choose)
        row.addWidget(self.export)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(XS)
        column.addLayout(row)
        column.addWidget(self.clear)

    @property
    def wanted(self) -> LedgerFilter:
        """The rows that are to be shown."""
        kind, outcome, layer = (
            _chosen(group) or None for group in (self._kind, self._outcome, self._layer)
        )
        return LedgerFilter(kind, outcome, layer, self.words.text().strip())  # type: ignore[arg-type]

    def set_layers(self, layers: Iterable[str]) -> None:
        """The layers that rows can be of; with one there is nothing to choose."""
        layers = tuple(layers)
        if layers == self._layers:
            return
        before = _chosen(self._layer)
        self._layers = layers
        for action in self._layer.actions():
            self._layer.removeAction(action)
        self._layer_menu.clear()
        self._layer_action.setVisible(len(layers) > 1)
        choices = [("", tr("All layers")), *((each, _layer_name(each)) for each in layers)]
        self._fill(self._layer_menu, self._layer, choices, before if before in layers else "")

    def show_all(self) -> None:
        """Leave no row out."""
        self.words.blockSignals(True)
        self.words.clear()
        self.words.blockSignals(False)
        for group in (self._kind, self._outcome, self._layer):
            if group.actions():
                group.actions()[0].setChecked(True)
        self._changed()

    def _group(self, name: str, choices: list[tuple[str, str]]) -> QActionGroup:
        group = QActionGroup(self)
        self._fill(self.menu.addMenu(name), group, choices, "")
        return group

    def _fill(
        self, menu: QMenu, group: QActionGroup, choices: list[tuple[str, str]], chosen: str
    ) -> None:
        for value, text in choices:
            action = QAction(text, group)
            action.setCheckable(True)
            action.setData(value)
            action.setChecked(value == chosen)
            action.triggered.connect(self._changed)
            menu.addAction(action)

    def _changed(self) -> None:
        self.clear.setVisible(self.wanted != LedgerFilter())
        self.changed.emit()


def _chosen(group: QActionGroup) -> str:
    return next((str(each.data()) for each in group.actions() if each.isChecked()), "")


def _layer_name(layer: str) -> str:
    kind, _colon, number = layer.partition(":")
    name = kind.replace("_", " ").capitalize()
    return f"{name} {number}" if number else name


def _menu_button(theme: Theme, icon: str, name: str, menu: QMenu) -> QToolButton:
    button = icon_button(theme, icon, name)
    button.setMenu(menu)
    button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
    return button
