"""What came of a replay: curves, calls, marked facts, and the request of any turn."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QPlainTextEdit,
    QSplitter,
    QTableWidget,
    QTableWidgetItem,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from chatty_desktop.domain.replaying import Marks, Replayed, shown
from chatty_desktop.domain.request_diff import ComparedSection
from chatty_desktop.engine.replay import ReplayedChat
from chatty_desktop.ui.charts.chart import Chart
from chatty_desktop.ui.charts.data import ChartData, Series
from chatty_desktop.ui.controls import Choice, Number
from chatty_desktop.ui.inspector.parts_bar import PartsBar
from chatty_desktop.ui.inspector.prompt_list import PromptDelegate, PromptModel
from chatty_desktop.ui.inspector.prompt_parts import shares
from chatty_desktop.ui.language import number, tr, trn
from chatty_desktop.ui.pieces import Words, caption, row_list
from chatty_desktop.ui.plain import tip
from chatty_desktop.ui.readable import shortened
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import L, M, S

LEAST_HEIGHT = 150
"""Of the table of facts: some rows are seen at once."""


class Results(QTabWidget):
    """Four pages on the same turns."""

    def __init__(self, theme: Theme, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chat: ReplayedChat | None = None
        self._found: list[Replayed] = []
        self._marks = Marks((), ())
        self.sizes = Chart(theme, tasks)
        self.sizes.chosen.connect(self.show_turn)
        self.calls = Chart(theme, tasks)
        self.said = Words(tone="muted")
        self.facts = QTableWidget()
        self.facts.setProperty("panel", "framed")
        self.facts.setAccessibleName(tr("Marked facts"))
        self.facts.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.facts.setTabKeyNavigation(False)
        self.facts.verticalHeader().hide()
        self.facts.setMinimumHeight(LEAST_HEIGHT)
        self.survival = Chart(theme, tasks)
        self._facts_hint = Words(tone="muted")
        self.turn = Number(1, 1)
        self.turn.setAccessibleName(tr("Turn"))
        self.turn.valueChanged.connect(self._draw_turn)
        self.setup = Choice()
        self.setup.setAccessibleName(tr("Kind of memory"))
        self.setup.currentIndexChanged.connect(self._draw_turn)
        self._meta = Words(tone="muted")
        self._bar = PartsBar(theme)
        self.model = PromptModel()
        self._delegate = PromptDelegate(theme)
        self.list = row_list(tr("Sections of the request"), self.model, self._delegate)
        self.list.selectionModel().currentChanged.connect(self._chosen)
        self.content = QPlainTextEdit()
        self.content.setReadOnly(True)
        self.content.setTabChangesFocus(True)
        self.content.setProperty("bare", True)
        self.content.setAccessibleName(tr("Content of the chosen section"))
        self.addTab(_page(self.sizes, self.said), tr("Size of each turn"))
        self.addTab(_page(self.calls), tr("Extra calls"))
        self.addTab(_page(self._facts_hint, self.facts, self.survival), tr("Marked facts"))
        self.addTab(self._request_page(theme), tr("What would be sent"))

    def show_results(self, chat: ReplayedChat, found: Sequence[Replayed], marks: Marks) -> None:
        """Draw as many turns as there are by now."""
        self._chat, self._found = chat, [each for each in found if each.turns]
        self._marks = marks
        labels = tuple(str(at) for at in range(1, len(chat.turns) + 1))
        self.sizes.show_data(
            ChartData(
                "line",
                tr("Tokens that each turn would send"),
                tr("Turn"),
                tr("tokens"),
                labels,
                tuple(
                    Series(
                        each.setup.name,
                        _padded([float(turn.tokens) for turn in each.turns], len(labels)),
                    )
                    for each in self._found
                ),
            )
        )
        self.calls.show_data(
            ChartData(
                "bar",
                tr("Calls of a model that memory makes besides"),
                tr("Kind of memory"),
                tr("calls"),
                tuple(each.setup.name for each in self._found),
                (Series(tr("Calls"), tuple(float(each.calls()) for each in self._found)),),
            )
        )
        self.said.setText(self._told())
        self._draw_facts(labels)
        chosen = self.setup.currentText()
        self.setup.blockSignals(True)
        self.setup.clear()
        for each in self._found:
            self.setup.addItem(each.setup.name)
        self.setup.setCurrentIndex(max(0, self.setup.findText(chosen)))
        self.setup.blockSignals(False)
        self.turn.setMaximum(max(1, len(labels)))
        self._draw_turn()

    def show_turn(self, place: int) -> None:
        """Show what would be sent at a turn, counted from 0."""
        self.turn.setValue(place + 1)
        self.setCurrentIndex(3)

    def _told(self) -> str:
        """What each comes to over the whole chat, and what went wrong."""
        lines = []
        for each in self._found:
            total = sum(turn.tokens for turn in each.turns)
            calls = trn("{count} extra call", "{count} extra calls", each.calls())
            line = tr(
                "{name}: {tokens} tokens over all turns, {calls}",
                name=each.setup.name,
                tokens=number(total),
                calls=calls,
            )
            notes = list(dict.fromkeys(note for turn in each.turns for note in turn.notes))
            lines.append(" · ".join([line, *notes[:2], each.problem]).rstrip(" ·"))
        return "\n".join(lines)

    def _draw_facts(self, labels: tuple[str, ...]) -> None:
        marks = self._marks.marks
        self._facts_hint.setText(
            tr("In how many of the requests after it was first said each fact still stands.")
            if marks
            else tr("Write facts to watch on the left, a line each, to see which of them survive.")
        )
        for widget in (self.facts, self.survival):
            widget.setVisible(bool(marks and self._found))
        if not marks:
            return
        self.facts.setColumnCount(1 + len(marks))
        self.facts.setRowCount(len(self._found))
        names = [shortened(mark, 30, 1) for mark in marks]
        self.facts.setHorizontalHeaderLabels([tr("Kind of memory"), *names])
        series = []
        for row, each in enumerate(self._found):
            sent = [self._marks.sent(turn) for turn in each.turns]
            self.facts.setItem(row, 0, QTableWidgetItem(each.setup.name))
            for mark in range(len(marks)):
                self.facts.setItem(row, mark + 1, self._survived(each, sent, mark))
            values = [float(len(found)) for found in sent]
            series.append(Series(each.setup.name, _padded(values, len(labels))))
        self.facts.resizeColumnsToContents()
        self.survival.show_data(
            ChartData(
                "line",
                tr("Marked facts in each request"),
                tr("Turn"),
                tr("facts"),
                labels,
                tuple(series),
            )
        )

    def _survived(self, each: Replayed, sent: list[set[int]], mark: int) -> QTableWidgetItem:
        """A cell: in how many of the requests that could hold a fact it is."""
        first = self._marks.first_said(mark)
        if first is None:
            item = QTableWidgetItem(tr("not said in the chat"))
        else:
            could = [at for at, turn in enumerate(each.turns) if turn.place > first]
            held = [at for at in could if mark in sent[at]]
            text = tr("{held} of {could}", held=len(held), could=len(could))
            if held and held[-1] != could[-1]:
                text = tr("{held}, last in turn {turn}", held=text, turn=held[-1] + 1)
            item = QTableWidgetItem(text)
        item.setToolTip(tip(self._marks.marks[mark]))
        return item

    def _draw_turn(self) -> None:
        at, which = self.turn.value() - 1, self.setup.currentIndex()
        each = self._found[which] if 0 <= which < len(self._found) else None
        if self._chat is None or each is None or at >= len(each.turns):
            self.model.show_sections(())
            self._bar.show_shares(())
            self._meta.setText(tr("This turn was not replayed.") if self._found else "")
            return
        turn = each.turns[at]
        sections = shown(turn, self._chat.messages)
        self._meta.setText(trn("about {count} token", "about {count} tokens", turn.tokens))
        self._bar.show_shares(shares(sections))
        if self.model.show_sections(tuple(map(ComparedSection, sections))):
            self.list.setCurrentIndex(self.model.index(len(sections) - 1))

    def _chosen(self, index: QModelIndex, _before: QModelIndex) -> None:
        section = self.model.section(index)
        self.content.setPlainText(section.section.content if section else "")

    def _request_page(self, theme: Theme) -> QWidget:
        row = QHBoxLayout()
        row.setSpacing(S)
        row.addWidget(caption(theme, tr("Turn")))
        row.addWidget(self.turn)
        row.addWidget(self.setup, 1)
        above = QWidget()
        column = QVBoxLayout(above)
        column.setContentsMargins(L, L, L, 0)
        column.setSpacing(S)
        column.addLayout(row)
        column.addWidget(self._meta)
        column.addWidget(self._bar)
        column.addWidget(self.list, 1)
        below = QWidget()
        around = QVBoxLayout(below)
        around.setContentsMargins(L, M, L, L)
        around.addWidget(self.content)
        split = QSplitter(Qt.Orientation.Vertical)
        split.addWidget(above)
        split.addWidget(below)
        split.setChildrenCollapsible(False)
        split.setSizes([420, 160])
        return split


def _padded(values: list[float], count: int) -> tuple[float | None, ...]:
    return (*values, *([None] * (count - len(values))))


def _page(*widgets: QWidget) -> QWidget:
    page = QWidget()
    column = QVBoxLayout(page)
    column.setContentsMargins(L, L, L, L)
    column.setSpacing(M)
    for widget in widgets:
        column.addWidget(widget, 0 if isinstance(widget, Words) else 1)
    return page
