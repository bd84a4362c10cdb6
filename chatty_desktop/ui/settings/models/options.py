"""The fields of a model's options: each is the server's own until a number is written."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from chatty_desktop.ui.controls import Field
from chatty_desktop.ui.language import N_, tr
from chatty_desktop.ui.theme import Theme


@dataclass(frozen=True, slots=True)
class Option:
    """One option: its name in `ModelOptions`, and what numbers may stand there."""

    name: str
    label: str
    hint: str
    least: float
    most: float
    whole: bool = False


MAIN = (
    Option("context_length", N_("Context length"), "", 256, 100_000_000, whole=True),
    Option(
        "max_tokens",
        N_("Longest answer"),
        N_("In tokens; a token is about four letters."),
        1,
        100_000_000,
        whole=True,
    ),
    Option(
        "temperature",
        N_("Temperature"),
        N_("0 keeps to what is likeliest, 1 is lively, more is wild."),
        0,
        5,
    ),
    Option(
        "top_p", N_("Top-p"), N_("Only the likeliest words that together have this share."), 0, 1
    ),
)
"""What most people come for."""

MORE = (
    Option(
        "top_k", N_("Top-k"), N_("Only so many of the likeliest words."), 0, 1_000_000, whole=True
    ),
    Option(
        "min_p", N_("Min-p"), N_("Only words with this share of the likeliest word's chance."), 0, 1
    ),
    Option(
        "repeat_penalty", N_("Repeat penalty"), N_("Above 1 keeps it from repeating itself."), 0, 5
    ),
    Option(
        "presence_penalty",
        N_("Presence penalty"),
        N_("Above 0 leads it to words that were not said yet."),
        -2,
        2,
    ),
    Option(
        "frequency_penalty",
        N_("Frequency penalty"),
        N_("Above 0 keeps it from words that were said often."),
        -2,
        2,
    ),
    Option(
        "seed",
        N_("Seed"),
        N_("The same number gives the same answer to the same words."),
        -(2**63),
        2**63 - 1,
        whole=True,
    ),
)
"""How the words of an answer are drawn, for those who know."""


class OptionField(Field):
    """A number, or nothing, which leaves the option to the server.

    edited: the person is done with it; the value is the number, or None. meant: a search over the
    settings means it.
    """

    edited = Signal(object)
    meant = Signal()

    def __init__(self, option: Option, theme: Theme, parent: QWidget | None = None) -> None:
        self.line = QLineEdit()
        super().__init__(tr(option.label), self.line, theme, tr(option.hint), parent)
        self.option = option
        # What the settings say, what was asked for last, and whether that is still to come.
        self._held: float | None = None
        self._sent: float | None = None
        self._waits = False
        self.line.setPlaceholderText(tr("server's default"))
        self.line.setClearButtonEnabled(True)
        self.line.editingFinished.connect(self._finished)
        self.line.textEdited.connect(self._cleared)

    def point_out(self, meant: bool) -> None:
        if meant:
            self.meant.emit()
        super().point_out(meant)

    def show_value(self, value: float | None) -> None:
        """Show what holds; what is being typed stays, and so does what cannot be taken."""
        if value == self._held and (self.problem or self._waits):
            return  # the settings are not that far yet, or never will be
        self._held, self._waits = value, False
        if not (self.line.hasFocus() and self.line.isModified()):
            self.line.setText(_written(value))
            self.say("")

    def start_over(self, value: float | None) -> None:
        """Show the option of another model, whatever was being typed."""
        self.line.setModified(False)
        self.say("")
        self._waits = False
        self.show_value(value)

    def _cleared(self, text: str) -> None:
        if not text:  # by the button in the field, too, which ends no editing
            self._finished()

    def _finished(self) -> None:
        text = self.line.text().strip()
        try:
            value = _read(text, self.option.whole)
        except ValueError:
            self.say(tr("Write a whole number.") if self.option.whole else tr("Write a number."))
            return
        if value is not None and not self.option.least <= value <= self.option.most:
            least, most = _written(self.option.least), _written(self.option.most)
            self.say(tr("Write a number from {least} to {most}.", least=least, most=most))
            return
        refused = bool(self.problem)
        self.say("")
        self.line.setModified(False)
        if refused or value != (self._sent if self._waits else self._held):
            self._sent, self._waits = value, value != self._held
            self.edited.emit(value)


def _read(text: str, whole: bool) -> float | None:
    """The number in a text, with a point or a comma; None for no text. Raises `ValueError`."""
    if not text:
        return None
    value = int(text.replace(" ", "")) if whole else float(text.replace(",", "."))
    if value != value or value in (float("inf"), float("-inf")):
        raise ValueError(text)
    return value


def _written(value: float | None) -> str:
    """A number as it is written in every country: "0.7"."""
    if value is None:
        return ""
    return f"{value:d}" if isinstance(value, int) else f"{value:g}"
