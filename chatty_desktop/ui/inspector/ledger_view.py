"""The Ledger tab: one row for each fold, and the chosen one in full below."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QItemSelectionModel, QModelIndex, Qt, Signal
from PySide6.QtWidgets import (
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from chatty_desktop.domain.memory import LedgerEntry
from chatty_desktop.ui.controls import ModelChoices
from chatty_desktop.ui.inspector.ledger_detail import LedgerDetail
from chatty_desktop.ui.inspector.ledger_filter import LedgerFilterBar
from chatty_desktop.ui.inspector.ledger_list import LedgerDelegate, LedgerModel
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.pieces import Empty, TextButton, Words, row_list, scrolled
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import XS, S


class LedgerView(QStackedWidget):
    """The ledger of a scope.

    message_wanted: the id of a message that went into a fold.
    fold_again_wanted: the id of a refused row, and the model to do it with, or "".
    more_wanted: the person wants to see older rows than those shown.
    whole_wanted: the id of the row that is shown in full.
    """

    message_wanted = Signal(str)
    fold_again_wanted = Signal(str, str)
    more_wanted = Signal()
    whole_wanted = Signal(str)

    def __init__(self, theme: Theme, choices: ModelChoices, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._folding: set[str] = set()
        self._whole = ""
        self._empty = Empty(theme, "list-dashes")
        self.filter = LedgerFilterBar(theme)
        self._none = Words(tr("No row is like that."), "muted")
        self._none.setContentsMargins(S, S, S, S)
        self._none.hide()
        self.model = LedgerModel()
        self._delegate = LedgerDelegate(theme)
        self.list = row_list(tr("Ledger"), self.model, self._delegate)
        self.list.selectionModel().currentChanged.connect(self._chosen)
        self._more = TextButton(tr("Show older rows"))
        self._more.clicked.connect(self.more_wanted)
        self.detail = LedgerDetail(theme, choices)
        self.detail.message_wanted.connect(self.message_wanted)
        self.detail.fold_again_wanted.connect(self.fold_again_wanted)

        above = QWidget()
        column = QVBoxLayout(above)
        column.setContentsMargins(S, S, XS, XS)
        column.setSpacing(S)
        column.addWidget(self.filter)
        column.addWidget(self._none)
        column.addWidget(self.list, 1)
        column.addWidget(self._more, 0, Qt.AlignmentFlag.AlignHCenter)
        split = QSplitter(Qt.Orientation.Vertical)
        split.addWidget(above)
        self._below = scrolled(self.detail, tr("What happened"))
        split.addWidget(self._below)
        split.setChildrenCollapsible(False)
        split.setSizes([220, 320])
        self.addWidget(self._empty)
        self.addWidget(split)
        theme.changed.connect(self.list.viewport().update)

    def say(self, title: str, hint: str) -> None:
        """Show a sentence in place of rows."""
        self.model.show_entries(())
        self._whole = ""
        self._empty.say(title, hint)
        self.setCurrentIndex(0)

    def show_ledger(self, entries: Sequence[LedgerEntry], *, more: bool) -> None:
        """Draw the rows, newest first; `more`: there are older ones. The newest stays chosen
        while rows are added, until the person chooses another."""
        current = self.list.currentIndex()
        chosen = self.model.entry(current)
        followed = chosen is None or current.row() == 0
        self.model.show_entries(entries)
        self._none.setVisible(not entries)
        self._below.setVisible(bool(entries))
        self._more.setVisible(more)
        row = 0 if followed or chosen is None else max(0, self.model.row_of(chosen.id))
        self.list.selectionModel().setCurrentIndex(
            self.model.index(row), QItemSelectionModel.SelectionFlag.ClearAndSelect
        )
        self._show_chosen()
        self.setCurrentIndex(1)

    def show_folding(self, entry_id: str, folding: bool) -> None:
        """Say that the messages of a row are being folded again, or no longer are."""
        (self._folding.add if folding else self._folding.discard)(entry_id)
        self._show_chosen()

    def show_failure(self, entry_id: str, text: str) -> None:
        """Say at its row why folding again did not happen."""
        chosen = self.model.entry(self.list.currentIndex())
        if chosen is not None and chosen.id == entry_id:
            self.detail.show_failure(text)

    def choose(self, entry_id: str) -> None:
        """Choose a row, when it is among those shown."""
        if (row := self.model.row_of(entry_id)) >= 0:
            self.list.setCurrentIndex(self.model.index(row))
            self.list.setFocus()

    def choose_newest(self) -> None:
        """Choose the first row, which then stays chosen."""
        self.list.setCurrentIndex(self.model.index(0))

    def _chosen(self, _now: QModelIndex, _before: QModelIndex) -> None:
        self._show_chosen()

    def _show_chosen(self) -> None:
        entry = self.model.entry(self.list.currentIndex())
        if entry is not None:
            self.detail.show_entry(entry)
            self.detail.show_folding(entry.id in self._folding)
            if entry.id != self._whole:
                self._whole = entry.id
                self.whole_wanted.emit(entry.id)
