"""The chats of a file as rows, each to be taken or left."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from chatty_desktop.domain.chat_document import ChatDocument
from chatty_desktop.domain.imports.chats import ImportedChat
from chatty_desktop.ui.language import tr, trn
from chatty_desktop.ui.readable import when

Chat = ChatDocument | ImportedChat

ChatRole: Final = int(Qt.ItemDataRole.UserRole) + 1


@dataclass(slots=True)
class _Row:
    chat: Chat
    taken: bool = True


class ChatsModel(QAbstractListModel):
    """A row a chat: its title, how long and how old it is, and what of it cannot be taken."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[_Row] = []

    def show(self, chats: Sequence[Chat]) -> None:
        """Show chats, newest first, all of them to be taken."""
        self.beginResetModel()
        self._rows = [_Row(chat) for chat in sorted(chats, key=lambda c: -c.updated_at)]
        self.endResetModel()

    def taken(self) -> list[Chat]:
        """Those to be taken."""
        return [row.chat for row in self._rows if row.taken]

    def take_all(self, taken: bool) -> None:
        """Take every chat, or none."""
        for row in self._rows:
            row.taken = taken
        if self._rows:
            self.dataChanged.emit(self.index(0), self.index(len(self._rows) - 1))

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def flags(self, index: QModelIndex | QPersistentModelIndex) -> Qt.ItemFlag:
        return super().flags(index) | Qt.ItemFlag.ItemIsUserCheckable

    def data(
        self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if not 0 <= index.row() < len(self._rows):
            return None
        row = self._rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return _line(row.chat)
        if role == Qt.ItemDataRole.CheckStateRole:
            return Qt.CheckState.Checked if row.taken else Qt.CheckState.Unchecked
        if role == ChatRole:
            return row.chat
        return None

    def setData(
        self,
        index: QModelIndex | QPersistentModelIndex,
        value: Any,
        role: int = Qt.ItemDataRole.EditRole,
    ) -> bool:
        if role != Qt.ItemDataRole.CheckStateRole or not 0 <= index.row() < len(self._rows):
            return False
        self._rows[index.row()].taken = Qt.CheckState(value) == Qt.CheckState.Checked
        self.dataChanged.emit(index, index, [role])
        return True


def left_out_words(left_out: Mapping[str, int]) -> list[str]:
    """What cannot be taken, in words."""
    return [_left_out(kind, count) for kind, count in left_out.items() if count]


def _left_out(kind: str, count: int) -> str:
    match kind:
        case "image":
            return trn("{count} image", "{count} images", count)
        case "attachment":
            return trn("{count} attachment", "{count} attachments", count)
        case "tool call":
            return trn("{count} tool call", "{count} tool calls", count)
        case "tool result":
            return trn("{count} tool result", "{count} tool results", count)
        case "reasoning":
            return trn("{count} piece of reasoning", "{count} pieces of reasoning", count)
        case _:
            return trn("{count} message of another kind", "{count} messages of another kind", count)


def _line(chat: Chat) -> str:
    parts = [
        chat.title or tr("Untitled chat"),
        trn("{count} message", "{count} messages", len(chat.messages)),
    ]
    if chat.updated_at:
        parts.append(when(chat.updated_at, time.time()))
    line = " · ".join(parts)
    left_out = left_out_words(chat.left_out) if isinstance(chat, ImportedChat) else []
    return tr("{line} (without {what})", line=line, what=", ".join(left_out)) if left_out else line
