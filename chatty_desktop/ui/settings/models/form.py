"""One model: what is known of it, its offices, and how it is asked."""

from __future__ import annotations

from PySide6.QtCore import QLocale, Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from chatty_desktop.domain.models import Findings
from chatty_desktop.domain.requests import SAMPLING
from chatty_desktop.ui.elided import ElidedLabel
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.pieces import IconLabel, TextButton, caption, emphasise
from chatty_desktop.ui.plain import Label
from chatty_desktop.ui.readable import size
from chatty_desktop.ui.settings.models.abilities import Abilities
from chatty_desktop.ui.settings.models.options import MAIN, MORE, OptionField
from chatty_desktop.ui.settings.models.rows import ModelRow
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import XS, L, M, S


class ModelForm(QFrame):
    """The form of the model that is chosen in the list.

    option_set: (name of the option, number or None). reset: all of them are to be left to the
    server. made_default, removed: the buttons of these names were pressed.
    """

    option_set = Signal(str, object)
    reset = Signal()
    made_default = Signal()
    removed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._row: ModelRow | None = None
        self._title = ElidedLabel()
        self._title.setFont(theme.heading())
        self._facts = caption(theme)
        self._facts.setWordWrap(True)
        self.default = QPushButton(tr("Use for new chats"))
        self._is_default = _with_icon(theme, "star-fill", tr("Answers new chats"))
        self.remove = QPushButton(tr("Take out of the list"))
        self.remove.setProperty("kind", "quiet")
        self.abilities = Abilities(theme)
        self.fields = {option.name: OptionField(option, theme) for option in (*MAIN, *MORE)}
        self._more = QWidget()
        self.more = TextButton("")
        self.more.setCheckable(True)
        self.reset_all = TextButton(tr("Leave all to the server"))
        self._lay_out(theme)
        self._open(False)
        for name, field in self.fields.items():
            field.edited.connect(lambda value, name=name: self.option_set.emit(name, value))
        for option in MORE:
            self.fields[option.name].meant.connect(lambda: self.more.setChecked(True))
        self.abilities.vision_set.connect(lambda sees: self.option_set.emit("vision", sees))
        self.more.toggled.connect(self._open)
        self.reset_all.clicked.connect(self.reset)
        self.default.clicked.connect(self.made_default)
        self.remove.clicked.connect(self.removed)

    def show_model(self, row: ModelRow, found: Findings | None) -> None:
        """Draw a model; what is being typed stays as long as it is the same one."""
        other = self._row is None or self._row.reference != row.reference
        self._row = row
        self._title.setText(row.label)
        self._facts.setText(_facts(row))
        self.default.setVisible(not row.default)
        self._is_default.setVisible(row.default)
        self.remove.setVisible(row.by_hand)
        for name, field in self.fields.items():
            value = getattr(row.options, name)
            (field.start_over if other else field.show_value)(value)
        self.fields["context_length"].hint(_context_hint(row))
        set_options = [name for name in SAMPLING if getattr(row.options, name) is not None]
        self.reset_all.setVisible(bool(set_options) or row.options.context_length is not None)
        if other:
            # Options that are set are not to be hidden.
            self.more.setChecked(any(option.name in set_options for option in MORE))
        self.abilities.show_model(row, found)

    def _open(self, opened: bool) -> None:
        self._more.setVisible(opened)
        self.more.setText(tr("Fewer options") if opened else tr("More options"))

    def _lay_out(self, theme: Theme) -> None:
        top = QVBoxLayout()
        top.setSpacing(XS)
        top.addWidget(self._title)
        top.addWidget(self._facts)
        buttons = QHBoxLayout()
        buttons.setSpacing(S)
        buttons.addWidget(self.default)
        buttons.addWidget(self._is_default)
        buttons.addWidget(self.remove)
        buttons.addStretch(1)
        main = _grid([self.fields[option.name] for option in MAIN])
        more = _grid([self.fields[option.name] for option in MORE])
        more.setContentsMargins(0, 0, 0, 0)
        self._more.setLayout(more)
        last = QHBoxLayout()
        last.setSpacing(L)
        last.addWidget(self.more)
        last.addWidget(self.reset_all)
        last.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(M)
        column.addLayout(top)
        column.addLayout(buttons)
        column.addWidget(_subheading(theme, tr("What it can do")))
        column.addWidget(self.abilities)
        column.addWidget(_subheading(theme, tr("How it is asked")))
        column.addLayout(main)
        column.addWidget(self._more)
        column.addLayout(last)


def _with_icon(theme: Theme, icon: str, text: str) -> QWidget:
    """A quiet remark with an icon before it."""
    remark = QWidget()
    row = QHBoxLayout(remark)
    row.setContentsMargins(0, 0, S, 0)
    row.setSpacing(S)
    row.addWidget(IconLabel(theme, icon, "accent"))
    row.addWidget(Label(text))
    return remark


def _grid(fields: list[OptionField]) -> QGridLayout:
    """Fields in two columns of the same width."""
    grid = QGridLayout()
    grid.setHorizontalSpacing(L)
    grid.setVerticalSpacing(M)
    for at, field in enumerate(fields):
        grid.addWidget(field, at // 2, at % 2, Qt.AlignmentFlag.AlignTop)
    grid.setColumnStretch(0, 1)
    grid.setColumnStretch(1, 1)
    return grid


def _subheading(theme: Theme, text: str) -> QLabel:
    label = caption(theme, text)
    emphasise(label)
    label.setContentsMargins(0, S, 0, 0)
    return label


def _facts(row: ModelRow) -> str:
    """Where the model is and what is told of its size."""
    told = [row.reference]
    if row.card.parameters:
        told.append(tr("{count} parameters", count=row.card.parameters))
    if row.card.size:
        told.append(size(row.card.size))
    return "  ·  ".join(told)


def _context_hint(row: ModelRow) -> str:
    """What the context is while none is set, and how far it can go."""
    locale = QLocale()
    parts = [tr("In tokens: how much of a chat it has before its eyes.")]
    if row.options.context_length is None and row.card.context_length:
        parts.append(tr("Now {count}.", count=locale.toString(row.card.context_length)))
    if row.card.longest_context:
        most = locale.toString(row.card.longest_context)
        parts.append(tr("It was made for {count} at most; more takes more memory.", count=most))
    context = row.options.context_length or row.card.context_length
    if row.needs and context:
        needed = size(row.needs.of(context))
        parts.append(tr("About {size} of memory in all.", size=needed))
    if row.kind == "openai":
        parts.append(tr("The server decides; write it here where it does not tell."))
    return " ".join(parts)
