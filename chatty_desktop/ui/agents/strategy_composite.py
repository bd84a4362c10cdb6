"""Composite, in the editor: an ordered list of layers, each with the form of its kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QMenu, QPushButton, QVBoxLayout, QWidget

from chatty_desktop.domain.strategies import Composite
from chatty_desktop.ui.agents.layer_card import LayerCard
from chatty_desktop.ui.agents.strategy_form import (
    About,
    FormParts,
    Problems,
    StrategyForm,
    about,
    kinds,
)
from chatty_desktop.ui.language import N_, tr, trn
from chatty_desktop.ui.pieces import caption
from chatty_desktop.ui.tokens import S

NO_LAYER = N_("No layer yet: the model sees only the new message. Add a layer.")
IN_ORDER = N_(
    "Layers are asked and written in this order; what one shows word for word, no other repeats."
    " Drag a layer by its name, or press Alt+Up and Alt+Down there, to move it."
)
_NO_LAYERS = ("none", "composite")
"""Kinds that make no sense as a layer."""


def _short(config: Composite) -> str:
    names = [about(layer.kind).title for layer in config.layers]
    return " + ".join(names) if names else tr("No layer of memory yet: sees only your new message")


def _sentence(config: Composite) -> str:
    names = [about(layer.kind).title for layer in config.layers]
    if not names:
        return tr("This agent's memory has no layer yet: it sees only the message you send.")
    return trn(
        "This agent's memory has {count} layer: {names}.",
        "This agent's memory has {count} layers: {names}.",
        len(names),
        names=", ".join(names),
    )


ABOUT = About(
    N_("Composite"),
    N_(
        "For chats that need both the recent messages and recall: several of the others, one"
        " after the other."
    ),
    _short,
    _sentence,
)


class Form(StrategyForm):
    """The layers, in order."""

    def __init__(self, parts: FormParts, parent: QWidget | None = None) -> None:
        super().__init__(parts, parent)
        self.cards: list[LayerCard] = []
        self._hint = caption(parts.theme)
        self._hint.setWordWrap(True)
        self._problem = caption(parts.theme, tone="danger")
        self._problem.setWordWrap(True)
        self._layers = QVBoxLayout()
        self._layers.setSpacing(S)
        self.add_button = QPushButton(tr("Add layer"))
        self.add_button.setAutoDefault(False)
        parts.theme.dress(self.add_button, "plus", "text")
        menu = QMenu(self.add_button)
        for kind in kinds():
            if kind not in _NO_LAYERS:
                action = menu.addAction(about(kind).title)
                action.setData(kind)
        menu.triggered.connect(lambda action: self.add(action.data()))
        self.add_button.setMenu(menu)
        self.column.addLayout(self._layers)
        self.column.addWidget(self._problem)
        self.column.addWidget(self.add_button)
        self.column.addWidget(self._hint)
        self._problem.hide()
        self._number()

    def set(self, config: Mapping[str, Any]) -> None:
        for card in self.cards:
            self._take_away(card)
        self.cards = []
        for layer in config.get("layers", ()):
            self._put(layer)
        self._number()

    def value(self) -> dict[str, Any]:
        return {"kind": "composite", "layers": [card.value() for card in self.cards]}

    def add(self, kind: str) -> None:
        """Add a layer of a kind at the end, with the defaults of its kind."""
        card = self._put({"kind": kind})
        self._number()
        card.head.setFocus()
        self.changed.emit()

    def place(self, card: LayerCard, place: int) -> None:
        """Put a layer at a place, from 0 on; it keeps the focus."""
        place = max(0, min(place, len(self.cards) - 1))
        if self.cards.index(card) == place:
            return
        self.cards.remove(card)
        self.cards.insert(place, card)
        self._layers.removeWidget(card)
        self._layers.insertWidget(place, card)
        self._number()
        self.changed.emit()

    def remove(self, card: LayerCard) -> None:
        """Take a layer out; the focus goes to the next one, or to "Add layer"."""
        place = self.cards.index(card)
        self.cards.remove(card)
        self._take_away(card)
        self._number()
        if self.cards:
            self.cards[min(place, len(self.cards) - 1)].head.setFocus()
        else:
            self.add_button.setFocus()
        self.changed.emit()

    def controls(self) -> list[QWidget]:
        inner: list[QWidget] = []
        for card in self.cards:
            inner += [card.head, card.up, card.down, card.remove, *card.form.controls()]
        return [*inner, self.add_button]

    def show_problems(self, problems: Problems) -> list[tuple[str, str]]:
        of_layers: dict[int, list[tuple[str, str]]] = {}
        left = []
        own = []
        for path, reason in problems:
            head, _, rest = path.partition(".")
            number, _, inner = rest.partition(".")
            if head == "layers" and number.isdigit() and int(number) < len(self.cards):
                of_layers.setdefault(int(number), []).append((inner, reason))
            elif head == "layers":
                own.append(reason)
            else:
                left.append((path, reason))
        for index, card in enumerate(self.cards):
            card.show_problems(of_layers.get(index, ()))
        self._problem.setText("\n".join(f"⚠ {reason}" for reason in own))
        self._problem.setVisible(bool(own))
        return left

    def _put(self, config: Mapping[str, Any]) -> LayerCard:
        card = LayerCard(config, self.parts)
        card.changed.connect(self.changed)
        card.move_wanted.connect(lambda by: self.place(card, self.cards.index(card) + by))
        card.remove_wanted.connect(lambda: self.remove(card))
        card.dragged.connect(lambda where: self._drag(card, where))
        self.cards.append(card)
        self._layers.addWidget(card)
        return card

    def _take_away(self, card: LayerCard) -> None:
        self._layers.removeWidget(card)
        card.hide()
        card.deleteLater()

    def _drag(self, card: LayerCard, where: QPoint) -> None:
        """Let the layers change places while one is dragged: it goes past another as soon as the
        mouse is in that one's half that it would leave behind."""
        y = self.mapFromGlobal(where).y()
        place = self.cards.index(card)
        above = self.cards[place - 1] if place else None
        below = self.cards[place + 1] if place + 1 < len(self.cards) else None
        if above is not None and y < above.geometry().top() + card.height() // 2:
            self.place(card, place - 1)
        elif below is not None and y > below.geometry().bottom() - card.height() // 2:
            self.place(card, place + 1)

    def _number(self) -> None:
        for number, card in enumerate(self.cards, 1):
            card.show_place(number, len(self.cards))
        hint = IN_ORDER if len(self.cards) > 1 else "" if self.cards else NO_LAYER
        self._hint.setText(tr(hint))
        self._hint.setVisible(bool(self._hint.text()))
        self.rearranged.emit()
