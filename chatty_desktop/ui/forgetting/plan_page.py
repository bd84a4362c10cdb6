"""Before it is done: everything that goes, and the words that are looked for afterwards."""

from __future__ import annotations

from PySide6.QtWidgets import QLineEdit, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from chatty_desktop.domain.forgetting import DerivedKind, ForgetPlan, Needles
from chatty_desktop.ui.controls import Field
from chatty_desktop.ui.forgetting.words import counted, what_follows
from chatty_desktop.ui.language import tr, translated, trn
from chatty_desktop.ui.pieces import Words
from chatty_desktop.ui.plain import tip
from chatty_desktop.ui.readable import shortened
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import M

MOST_ITEMS = 200
"""Of a kind, that are told one by one."""


class PlanPage(QWidget):
    """tree: kinds with their counts, and each thing of a kind below."""

    def __init__(self, plan: ForgetPlan, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._plan = plan
        self.tree = QTreeWidget()
        self.tree.setHeaderHidden(True)
        self.tree.setProperty("panel", "framed")
        self.tree.setAccessibleName(tr("What goes"))
        self._fill()
        self.words = QLineEdit(", ".join(plan.needles.words))
        self.words.setCursorPosition(0)
        field = Field(
            tr("Words to look for afterwards"),
            self.words,
            theme,
            hint=tr(
                "Found in what goes and nowhere else. Change them as you like; commas part them."
            ),
        )
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(M)
        column.addWidget(Words(what_follows(plan)))
        if plan.beyond:
            column.addWidget(Words(translated(plan.beyond), "muted"))
        column.addWidget(self.tree, 1)
        column.addWidget(field)

    @property
    def needles(self) -> Needles:
        """What is to be looked for."""
        return self._plan.needles.with_words(self.words.text())

    def _fill(self) -> None:
        groups: dict[DerivedKind, list[str]] = {}
        for item in self._plan.items:
            groups.setdefault(item.kind, []).append(item.text)
        for kind, texts in groups.items():
            top = QTreeWidgetItem(self.tree, [counted(kind, len(texts))])
            for text in texts[:MOST_ITEMS]:
                line = shortened(" ".join(text[:600].split()), 240, 1)
                child = QTreeWidgetItem(top, [line])
                child.setToolTip(0, tip(text))
            left = len(texts) - MOST_ITEMS
            if left > 0:
                QTreeWidgetItem(top, [trn("and {count} more", "and {count} more", left)])
            top.setExpanded(len(texts) <= 3)
