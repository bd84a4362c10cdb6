"""Choosing how an agent's memory works: the eight kinds, when to choose each, and its form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QComboBox,
    QHBoxLayout,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from chatty_desktop.ui.agents.strategy_form import (
    FormParts,
    Problems,
    StrategyForm,
    about,
    build_form,
    kinds,
)
from chatty_desktop.ui.controls import Choice, Field
from chatty_desktop.ui.language import N_, tr
from chatty_desktop.ui.lines import memory_line
from chatty_desktop.ui.pieces import Problem, TextButton
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import M, S

WhenRole: Final = int(Qt.ItemDataRole.UserRole) + 1
MID_SESSION = N_(
    "Chats with this agent lose nothing: what was said stays, and so does what the old memory"
    " kept. The new memory starts at the last exchange of each chat."
)


class StrategyPicker(QWidget):
    """The kind of memory and the form of that kind.

    changed: the person chose another kind or changed something in its form.
    guide_wanted: the page of the guide on the kind that is chosen.
    """

    changed = Signal()
    guide_wanted = Signal(str)

    def __init__(self, parts: FormParts, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._parts = parts
        self._forms: dict[str, StrategyForm] = {}
        self._loaded: dict[str, Any] = {"kind": "none"}
        self._stored = False
        self._kinds = kinds()
        theme = parts.theme
        self.choice = Choice()
        self._delegate = _KindDelegate(theme)
        self.choice.setItemDelegate(self._delegate)
        self.choice.setMaxVisibleItems(len(self._kinds))
        self.choice.view().setMinimumWidth(460)
        for kind in self._kinds:
            entry = about(kind)
            self.choice.addItem(entry.title, kind)
            self.choice.setItemData(self.choice.count() - 1, entry.when, WhenRole)
            role = Qt.ItemDataRole.AccessibleDescriptionRole
            self.choice.setItemData(self.choice.count() - 1, entry.when, role)
        self._field = Field(tr("Memory"), self.choice, theme, about("none").when)
        self.about = TextButton(tr("What is this?"))
        self.about.setFont(theme.small())
        self.about.setProperty("tone", "muted")
        self.about.setToolTip(tr("Open the guide at this kind of memory"))
        self.about.clicked.connect(
            lambda: self.guide_wanted.emit(f"strategies.md#{self.kind.replace('_', '-')}")
        )
        self._mid_session = Problem(theme, "memory", "brain")
        self._frame = QWidget()
        self._form_column = QVBoxLayout()
        row = QHBoxLayout(self._frame)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(M)
        row.addWidget(memory_line())
        row.addLayout(self._form_column, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(S)
        column.addWidget(self._field)
        column.addWidget(self.about, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self._mid_session)
        column.addWidget(self._frame)
        self.choice.currentIndexChanged.connect(self._chosen)
        self.set(self._loaded, stored=False)

    @property
    def kind(self) -> str:
        return self._kinds[self.choice.currentIndex()]

    @property
    def form(self) -> StrategyForm:
        """The form of the chosen kind."""
        return self._forms[self.kind]

    def set(self, config: Mapping[str, Any], *, stored: bool) -> None:
        """Show a strategy; `stored`: it is that of an agent that may have chats already."""
        self._loaded = dict(config)
        self._stored = stored
        for form in self._forms.values():
            self._form_column.removeWidget(form)
            form.hide()
            form.deleteLater()
        self._forms = {}
        self.choice.blockSignals(True)
        self.choice.setCurrentIndex(self._kinds.index(config["kind"]))
        self.choice.blockSignals(False)
        self._draw()
        self.form.set(config)

    def value(self) -> dict[str, Any]:
        """The strategy as it stands."""
        return self.form.value()

    def show_problems(self, problems: Problems) -> list[tuple[str, str]]:
        """Show each problem, by its path within the strategy, beside its field. Returns those
        that no field is for."""
        left = self.form.show_problems(problems)
        self._field.say("; ".join(reason for path, reason in left if path in ("", "kind")))
        return [problem for problem in left if problem[0] not in ("", "kind")]

    def _chosen(self) -> None:
        self._draw()
        self.changed.emit()

    def _draw(self) -> None:
        kind = self.kind
        if kind not in self._forms:
            form = build_form(kind, self._parts)
            form.changed.connect(self.changed)
            form.rearranged.connect(lambda: self._put_after_choice(form))
            self._forms[kind] = form
            self._form_column.addWidget(form)
            self._put_after_choice(form)
        for name, each in self._forms.items():
            each.setVisible(name == kind)
        self._frame.setVisible(self.form.column.count() > 0)
        self._field.hint(about(kind).when)
        self._field.say("")
        another = self._stored and kind != self._loaded["kind"]
        self._mid_session.say(tr(MID_SESSION) if another else "")

    def _put_after_choice(self, form: StrategyForm) -> None:
        """Have Tab walk the form between the choice of its kind and what follows the form: made
        later, it would come after the buttons of the window."""
        before: QWidget = self.about
        for control in form.controls():
            own = control.focusProxy() is None and control.window() is self.window()
            inner = isinstance(control.parent(), QComboBox | QAbstractSpinBox)
            if own and not inner and control.focusPolicy() & Qt.FocusPolicy.TabFocus:
                QWidget.setTabOrder(before, control)
                before = control


class _KindDelegate(QStyledItemDelegate):
    """Draws a kind with the sentence on when to choose it below."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        return QSize(420, option.fontMetrics.height() * 3 + 2 * S)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        tokens = self._theme.tokens
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, QColor(tokens.selection))
        inner: QRect = option.rect.adjusted(M, S, -M, -S)
        font = option.font
        font.setWeight(font.Weight.DemiBold)
        painter.setFont(font)
        painter.setPen(QColor(tokens.text))
        painter.drawText(inner, int(Qt.AlignmentFlag.AlignTop), index.data())
        painter.setFont(self._theme.small())
        painter.setPen(QColor(tokens.muted))
        below = inner.adjusted(0, option.fontMetrics.height() + 1, 0, 0)
        flags = Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap
        painter.drawText(below, int(flags), index.data(WhenRole))
        painter.restore()
