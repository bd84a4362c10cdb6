"""The providers in the order in which they are fallen back on."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from chatty_desktop.ui.settings.providers.card import ProviderCard
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import S


class ProviderList(QWidget):
    """A card for each provider, by its id.

    card_added: a card was made for the provider of that id.
    order_changed: the person moved one; the ids from first to last.
    """

    card_added = Signal(str)
    order_changed = Signal(list)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.cards: dict[str, ProviderCard] = {}
        self._held: ProviderCard | None = None
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(S)

    def show_ids(self, ids: list[str]) -> None:
        """Have a card for each of these in their order; those that are there stay as they are."""
        for gone in self.cards.keys() - set(ids):
            card = self.cards.pop(gone)
            self._column.removeWidget(card)
            card.hide()
            card.deleteLater()
        for provider_id in ids:
            if provider_id not in self.cards:
                self._add(provider_id)
        if self._held is None and ids != self.order():
            for place, provider_id in enumerate(ids):
                self._column.insertWidget(place, self.cards[provider_id])
        self._mark_ends()

    def rename(self, old: str, new: str) -> None:
        """A provider is called otherwise from now on; its card and its form stay."""
        if old in self.cards:
            self.cards[new] = self.cards.pop(old)

    def name_of(self, card: ProviderCard) -> str:
        """The id of the provider that a card is of."""
        return next(name for name, other in self.cards.items() if other is card)

    def order(self) -> list[str]:
        """The ids as the cards stand."""
        return sorted(self.cards, key=lambda name: self._column.indexOf(self.cards[name]))

    def _add(self, provider_id: str) -> None:
        card = ProviderCard(self._theme)
        card.move_wanted.connect(lambda step: self._move(card, step))
        card.dragged.connect(lambda height: self._drag(card, height))
        card.dropped.connect(self._drop)
        self.cards[provider_id] = card
        self._column.addWidget(card)
        self.card_added.emit(provider_id)

    def _move(self, card: ProviderCard, step: int) -> None:
        place = self._column.indexOf(card) + step
        if 0 <= place < len(self.cards):
            self._column.insertWidget(place, card)
            self._mark_ends()
            self.order_changed.emit(self.order())

    def _drag(self, card: ProviderCard, height: float) -> None:
        """Put the held card where the hand is: behind all whose middle is above it."""
        if self._held is None:
            self._held = card
            card.show_dragged(True)
        at = self.mapFromGlobal(QPoint(0, round(height))).y()
        above = [c for c in self.cards.values() if c is not card and c.geometry().center().y() < at]
        if len(above) != self._column.indexOf(card):
            self._column.insertWidget(len(above), card)

    def _drop(self) -> None:
        held, self._held = self._held, None
        if held is not None:
            held.show_dragged(False)
            self._mark_ends()
            self.order_changed.emit(self.order())

    def _mark_ends(self) -> None:
        ids = self.order()
        for place, provider_id in enumerate(ids):
            self.cards[provider_id].show_place(place == 0, place == len(ids) - 1)
