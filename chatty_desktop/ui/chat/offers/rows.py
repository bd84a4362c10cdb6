"""Prompts and resources of MCP servers as rows of a list: which are meant, and how they look."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QIcon, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from chatty_desktop.domain.matching import folded
from chatty_desktop.domain.mcp import McpPrompt, McpResource, McpState
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.painting import row_background
from chatty_desktop.ui.readable import shortened
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import L, M

Index = QModelIndex | QPersistentModelIndex
Offer = McpPrompt | McpResource
OfferRole: Final = int(Qt.ItemDataRole.UserRole)

_NAME_CHARS, _ABOUT_CHARS = 120, 300
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


def offers_of(states: Mapping[str, McpState]) -> list[Offer]:
    """What the servers that run have, by server, prompts first."""
    running = [state for state in states.values() if state.phase == "ready"]
    offers: list[Offer] = []
    for state in running:
        offers += state.prompts
        offers += state.resources
    return offers


def found(offers: Iterable[Offer], typed: str) -> list[Offer]:
    """Those that hold every word typed; those that are called so come first."""
    words = folded(typed).split()
    kept = []
    for offer in offers:
        name = folded(offer.name)
        if all(word in name for word in words):
            kept.append((0, offer))
        elif all(word in f"{name} {folded(f'{offer.server} {about(offer)}')}" for word in words):
            kept.append((1, offer))
    return [offer for _rank, offer in sorted(kept, key=lambda each: each[0])]


def name_of(offer: Offer) -> str:
    """What it is called, in one line."""
    name = " ".join(offer.name.split())
    return shortened(name or (offer.uri if isinstance(offer, McpResource) else ""), _NAME_CHARS, 1)


def about(offer: Offer) -> str:
    """What is said of it, in one line; of a resource that says nothing, where it is."""
    text = offer.description or (offer.uri if isinstance(offer, McpResource) else "")
    return shortened(" ".join(text.split()), _ABOUT_CHARS, 1)


class OfferModel(QAbstractListModel):
    """Offers in the order they are given."""

    def __init__(self) -> None:
        super().__init__()
        self._offers: Sequence[Offer] = ()

    def show_offers(self, offers: Sequence[Offer]) -> None:
        self.beginResetModel()
        self._offers = offers
        self.endResetModel()

    def offer(self, row: int) -> Offer | None:
        return self._offers[row] if 0 <= row < len(self._offers) else None

    def row_of(self, offer: Offer | None) -> int:
        """Where it stands, the first row when it does not."""
        return next((row for row, each in enumerate(self._offers) if each == offer), 0)

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._offers)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        offer = self.offer(index.row())
        if offer is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return name_of(offer)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return spoken(offer)
        return offer if role == OfferRole else None


def spoken(offer: Offer) -> str:
    """All that a row shows, for those who hear it."""
    kind = tr("Prompt") if isinstance(offer, McpPrompt) else tr("Resource")
    return ", ".join(part for part in (name_of(offer), kind, offer.server, about(offer)) if part)


class OfferDelegate(QStyledItemDelegate):
    """An icon, the name and its server; below, in paler letters, what it is."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        lines = (
            QFontMetrics(self._theme.words()).height() + QFontMetrics(self._theme.small()).height()
        )
        return QSize(0, lines + 2 * self._theme.measures.row)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        offer = index.data(OfferRole)
        theme, tokens = self._theme, self._theme.tokens
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        row_background(painter, option.rect.adjusted(1, 1, -1, -1), option, tokens)
        room = option.rect.adjusted(M, theme.measures.row, -M, -theme.measures.row)
        words, small = QFontMetrics(theme.words()), QFontMetrics(theme.small())
        size = theme.icon_size
        name = "chat-text" if isinstance(offer, McpPrompt) else "file-text"
        top = room.top() + (words.height() - size) // 2
        icon = QRect(room.left(), top, size, size)
        theme.icon(name, "muted").paint(
            painter, icon, Qt.AlignmentFlag.AlignCenter, QIcon.Mode.Normal
        )
        room.setLeft(icon.right() + M)
        upper = QRect(room.left(), room.top(), room.width(), words.height())
        lower = QRect(room.left(), upper.bottom() + 1, room.width(), small.height())
        right = Qt.TextElideMode.ElideRight
        server = small.elidedText(offer.server, right, upper.width() // 3)
        painter.setFont(theme.small())
        painter.setPen(QColor(tokens.muted))
        painter.drawText(upper, _RIGHT, server)
        painter.drawText(lower, _LEFT, small.elidedText(about(offer), right, lower.width()))
        upper.setRight(upper.right() - small.horizontalAdvance(server) - L)
        painter.setFont(theme.words())
        painter.setPen(QColor(tokens.text))
        painter.drawText(upper, _LEFT, words.elidedText(name_of(offer), right, upper.width()))
        painter.restore()
