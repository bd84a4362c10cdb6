"""What every strategy's form is, and how the form of a kind is found.

A file `strategy_<kind>.py` in this folder holds `ABOUT` and a class `Form`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, cast, get_args

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from chatty_desktop.domain.strategies import Strategy
from chatty_desktop.ui.controls import Field, ModelChoices
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import M

Problems = Sequence[tuple[str, str]]
"""(dotted field path, what is wrong) of each fault, as `domain.strategies.problems` gives them."""


@dataclass(frozen=True, slots=True)
class About:
    """A strategy in words: its name, one sentence on when to choose it, and, given a
    configuration of its kind, what it does: a few words for the line under the composer, and a
    sentence for a chat that is still empty. `title` and `when` are marked for the translators where
    they are written down; `about` gives them in the window's language."""

    title: str
    when: str
    short: Callable[[Any], str] | None = None
    sentence: Callable[[Any], str] | None = None


@dataclass(frozen=True, slots=True)
class FormParts:
    """What forms are built with."""

    theme: Theme
    choices: ModelChoices


class StrategyForm(QWidget):
    """The fields of one kind of strategy.

    changed: the person changed something.
    rearranged: controls came, went or changed places.
    """

    changed = Signal()
    rearranged = Signal()

    def __init__(self, parts: FormParts, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.parts = parts
        self._fields: dict[str, Field] = {}
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(M)

    def set(self, config: Mapping[str, Any]) -> None:
        """Show a configuration; what it leaves out has its default."""

    def value(self) -> dict[str, Any]:
        """The configuration as it stands, its `kind` included; it need not be valid."""
        raise NotImplementedError

    def controls(self) -> list[QWidget]:
        """Everything in the form, in the order in which Tab walks it."""
        return self.findChildren(QWidget)

    def add_field(self, path: str, field: Field) -> None:
        """Put a field at the end of the form; problems of that path are shown at it."""
        self._fields[path] = field
        self.column.addWidget(field)

    def show_problems(self, problems: Problems) -> list[tuple[str, str]]:
        """Show each problem beside its field. Returns those that no field here is for."""
        said = dict(problems)
        for path, field in self._fields.items():
            field.say(said.get(path, ""))
        return [(path, reason) for path, reason in problems if path not in self._fields]


def kinds() -> list[str]:
    """The kind of every strategy there is a configuration for."""
    union = get_args(Strategy)[0]
    return [config.model_fields["kind"].default for config in get_args(union)]


def about(kind: str) -> About:
    """What the picker says of a kind."""
    found = cast("About", _module(kind).ABOUT)
    return replace(found, title=tr(found.title), when=tr(found.when))


def build_form(kind: str, parts: FormParts) -> StrategyForm:
    """The form of a kind."""
    return cast("StrategyForm", _module(kind).Form(parts))


def _module(kind: str) -> Any:
    return import_module(f"chatty_desktop.ui.agents.strategy_{kind}")
