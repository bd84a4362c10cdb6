"""What a model can do: what is known of it, and finding it out."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QProgressBar,
    QVBoxLayout,
    QWidget,
)

from chatty_desktop.domain.models import Finding, Findings, ProbeStep
from chatty_desktop.ui.controls import Choice
from chatty_desktop.ui.language import N_, tr, translated
from chatty_desktop.ui.pieces import IconLabel, Problem, TextButton, Words, caption
from chatty_desktop.ui.plain import Label
from chatty_desktop.ui.settings.models.rows import ModelRow
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import XS, S, Tone

_STEPS: dict[ProbeStep, str] = {
    "asking": N_("Asking the server about the model …"),
    "tools": N_("Trying whether it calls a tool …"),
    "json_schema": N_("Trying whether it can be held to a form …"),
    "embeds": N_("Trying whether it embeds …"),
}

_ABILITIES = (
    ("tools", N_("Calls tools"), N_("It can use the tools that an agent has, such as a clock.")),
    (
        "json_schema",
        N_("Answers in a fixed form"),
        N_("Its server can hold its answers to a form, which keeps memory clean."),
    ),
    (
        "embeds",
        N_("Embeds texts"),
        N_("It turns texts into vectors, by which similar ones are found again."),
    ),
)

_VISION: tuple[tuple[str, bool | None], ...] = (
    (N_("as its server says"), None),
    (N_("yes"), True),
    (N_("no"), False),
)

_LOOKS: dict[bool | None, tuple[str, Tone]] = {
    True: ("check", "success"),
    False: ("x", "muted"),
    None: ("question", "muted"),
}


class Abilities(QWidget):
    """Three abilities with a yes, a no or a question mark, and how that is known; and whether the
    model looks at images, which the person may say.

    wanted: the person wants it found out. stopped: the finding out is to end.
    vision_set: whether it looks at images, None to go by what its server tells.
    """

    wanted = Signal()
    stopped = Signal()
    vision_set = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons: dict[str, IconLabel] = {}
        self._reasons: dict[str, Words] = {}
        grid = QGridLayout()
        grid.setHorizontalSpacing(S)
        grid.setVerticalSpacing(XS)
        grid.setColumnStretch(2, 1)
        for row, (name, words, meaning) in enumerate(_ABILITIES):
            self._icons[name] = icon = IconLabel(theme, "question")
            self._reasons[name] = reason = Words(tone="muted")
            reason.setFont(theme.small())
            grid.addWidget(icon, row, 0)
            label = Label(tr(words))
            label.setToolTip(tr(meaning))
            grid.addWidget(label, row, 1)
            grid.addWidget(reason, row, 2)
        last = len(_ABILITIES)
        self._icons["vision"] = IconLabel(theme, "question")
        looks = Label(tr("Looks at images"))
        looks.setToolTip(tr("Images that go along with a message are sent to it."))
        self.vision = Choice()
        self.vision.setAccessibleName(tr("Looks at images"))
        for words, value in _VISION:
            self.vision.addItem(tr(words), value)
        self.vision.activated.connect(lambda: self.vision_set.emit(self.vision.currentData()))
        grid.addWidget(self._icons["vision"], last, 0)
        grid.addWidget(looks, last, 1)
        grid.addWidget(self.vision, last, 2, Qt.AlignmentFlag.AlignLeft)
        self.find_out = TextButton(tr("Find out what it can do"))
        self._hint = caption(theme)
        self._hint.setWordWrap(True)
        self._bar = QProgressBar()
        self._bar.setRange(0, 0)
        self._bar.setAccessibleName(tr("Finding out what the model can do"))
        self._step = caption(theme)
        self.stop = TextButton(tr("Stop"))
        self._busy = QWidget()
        busy = QVBoxLayout(self._busy)
        busy.setContentsMargins(0, 0, 0, 0)
        busy.setSpacing(XS)
        line = QHBoxLayout()
        line.addWidget(self._step, 1)
        line.addWidget(self.stop)
        busy.addLayout(line)
        busy.addWidget(self._bar)
        self.problem = Problem(theme, "danger")
        ask = QHBoxLayout()
        ask.setSpacing(S)
        ask.addWidget(self.find_out)
        ask.addWidget(self._hint, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(S)
        column.addLayout(grid)
        column.addLayout(ask)
        column.addWidget(self._busy)
        column.addWidget(self.problem)
        self.find_out.clicked.connect(self.wanted)
        self.stop.clicked.connect(self.stopped)
        self.show_step(None)

    def show_model(self, row: ModelRow, found: Findings | None) -> None:
        """Draw what is known of a model; `found` is what was found out since the page is open."""
        self._hint.setText(
            tr("Loads it and asks it three short questions.")
            if row.kind == "llama_cpp"
            else tr("Asks it three short questions.")
        )
        for name, words, _meaning in _ABILITIES:
            holds: bool | None = getattr(row, name)
            finding: Finding | None = getattr(found, name) if found else None
            reason = translated(finding.reason) if finding else _known(row, name)
            if finding and finding.holds is None and holds is not None:
                reason = tr(
                    "Found out earlier; not this time: {reason}", reason=translated(finding.reason)
                )
            self._icons[name].show_icon(*_LOOKS[holds])
            said = {True: tr("yes"), False: tr("no"), None: tr("not known")}[holds]
            self._icons[name].setAccessibleName(f"{tr(words)}: {said}")
            self._reasons[name].setText(reason)
        self._icons["vision"].show_icon(*_LOOKS[row.vision])
        self.vision.setCurrentIndex([value for _, value in _VISION].index(row.options.vision))

    def show_step(self, step: ProbeStep | None) -> None:
        """Show what is being tried; None: nothing is."""
        self._busy.setVisible(step is not None)
        self.find_out.setVisible(step is None)
        self._hint.setVisible(step is None)
        if step is not None:
            self._step.setText(tr(_STEPS[step]))


def _known(row: ModelRow, name: str) -> str:
    """Where what is known of an ability comes from."""
    if getattr(row.options, name) is not None:
        return tr("found out earlier")
    return tr("not known") if getattr(row, name) is None else tr("says its server")
