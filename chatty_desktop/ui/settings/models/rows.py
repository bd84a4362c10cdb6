"""The rows of the list of models: providers as headings, their models under them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractListModel, QLocale, QModelIndex, QPersistentModelIndex, Qt

from chatty_desktop.domain.engines import ModelNeeds
from chatty_desktop.domain.models import ModelCard
from chatty_desktop.domain.settings import ModelOptions
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.plain import tip
from chatty_desktop.ui.readable import size

Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class Heading:
    """A provider; `state` says that it is being asked, or that it offers nothing."""

    provider: str
    state: str = ""


@dataclass(frozen=True, slots=True)
class ModelRow:
    """A model of a provider.

    name: as the provider calls it; `label` for people. by_hand: named in the settings. there:
    False when its provider answered and does not have it, None when it did not answer. default:
    it answers new chats. memory: it is the one that memory is made with. needs: what it takes of
    this computer's memory, None for models of servers.
    """

    provider: str
    kind: str
    name: str
    label: str
    card: ModelCard
    options: ModelOptions
    by_hand: bool = False
    there: bool | None = True
    default: bool = False
    memory: bool = False
    needs: ModelNeeds | None = None

    @property
    def reference(self) -> str:
        return f"{self.provider}/{self.name}"

    @property
    def tools(self) -> bool | None:
        """Whether it calls tools: what was found out, else what its provider tells."""
        return self.card.tools if self.options.tools is None else self.options.tools

    @property
    def json_schema(self) -> bool | None:
        """Whether its output can be constrained, known in the same way."""
        found = self.options.json_schema
        return self.card.json_schema if found is None else found

    @property
    def embeds(self) -> bool | None:
        return self.card.embeds if self.options.embeds is None else self.options.embeds

    @property
    def vision(self) -> bool | None:
        """Whether it looks at images: what the person says, else what its provider tells."""
        return self.card.vision if self.options.vision is None else self.options.vision

    def marks(self) -> str:
        """What is known of it, on one line."""
        locale = QLocale()
        known: list[str] = []
        if self.there is False:
            known.append(tr("file not found") if self.kind == "llama_cpp" else tr("not listed"))
        if self.memory:
            known.append(tr("for memory"))
        known += [self.card.parameters] if self.card.parameters else []
        if self.card.size:
            known.append(size(self.card.size))
        if context := self.options.context_length or self.card.context_length:
            known.append(tr("{count} tokens", count=locale.toString(context)))
        abilities = (
            (self.tools, tr("calls tools")),
            (self.json_schema, tr("fixed form")),
            (self.embeds, tr("embeds")),
            (self.vision, tr("sees images")),
        )
        known += [words for can, words in abilities if can]
        return "  ·  ".join(known)


Row = Heading | ModelRow


def found(rows: Iterable[ModelRow], text: str) -> list[ModelRow]:
    """The rows that hold every word of a search."""
    words = text.casefold().split()
    return [
        row for row in rows if all(w in f"{row.reference} {row.label}".casefold() for w in words)
    ]


class ModelRows(QAbstractListModel):
    """Headings and models in the order they are given."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[Row] = []

    def show_rows(self, rows: Sequence[Row]) -> bool:
        """Replace the rows; False when they are the same."""
        if list(rows) == self._rows:
            return False
        self.beginResetModel()
        self._rows = list(rows)
        self.endResetModel()
        return True

    def row(self, index: Index) -> Row | None:
        """The row at an index, None beyond the list."""
        return self._rows[index.row()] if 0 <= index.row() < len(self._rows) else None

    def index_of(self, reference: str) -> QModelIndex:
        """Where a model stands; not valid when it is not in the list."""
        for number, row in enumerate(self._rows):
            if isinstance(row, ModelRow) and row.reference == reference:
                return self.index(number)
        return QModelIndex()

    def models(self) -> list[ModelRow]:
        """Those that are shown, without the headings."""
        return [row for row in self._rows if isinstance(row, ModelRow)]

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not isinstance(self.row(index), ModelRow):
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self.row(index)
        if row is None:
            return None
        if isinstance(row, Heading):
            return row.provider if role == Qt.ItemDataRole.DisplayRole else None
        if role == Qt.ItemDataRole.DisplayRole:
            return row.label
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip(row.reference)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            said = [row.label, tr("answers new chats") if row.default else "", row.marks()]
            return ", ".join(part for part in said if part)
        return None
