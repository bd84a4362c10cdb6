"""Messages chosen together, from one to another, to be copied or deleted."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from chatty_desktop.domain.messages import Message
from chatty_desktop.ui.chat.read_branch import ReadBranch


class Selection(QObject):
    """A gapless part of the messages read; none of them, as a rule.

    changed: others are chosen than before.
    """

    changed = Signal()

    def __init__(self, read: ReadBranch, parent: QObject) -> None:
        super().__init__(parent)
        self._read = read
        self._from: str | None = None
        self._ids: frozenset[str] = frozenset()

    def __len__(self) -> int:
        return len(self._ids)

    def holds(self, message_id: str) -> bool:
        """Whether a message is chosen."""
        return message_id in self._ids

    @property
    def messages(self) -> tuple[Message, ...]:
        """Those chosen, in the order of the chat."""
        return tuple(message for message in self._read.messages if message.id in self._ids)

    def begin(self, message_id: str) -> None:
        """Choose nothing, until it is extended from here."""
        self._from = message_id
        self._choose(frozenset())

    def extend(self, message_id: str, begun: str | None = None) -> None:
        """Choose everything from where it began up to this message, in either direction. `begun`
        is where, if not where it did last."""
        self._from = begun or self._from
        start = self._read.index(self._from) if self._from else None
        end = self._read.index(message_id)
        if end is None:
            return
        if start is None:
            start, self._from = end, message_id
        first, last = min(start, end), max(start, end)
        self._choose(frozenset(m.id for m in self._read.messages[first : last + 1]))

    def all(self) -> None:
        """Choose everything that was read."""
        self._choose(frozenset(message.id for message in self._read.messages))

    def clear(self) -> None:
        """Choose nothing, and begin nowhere."""
        self._from = None
        self._choose(frozenset())

    def _choose(self, ids: frozenset[str]) -> None:
        if ids != self._ids:
            self._ids = ids
            self.changed.emit()
