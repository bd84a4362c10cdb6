"""A message that is drawn in an earlier one: it keeps its place in the column, and takes none."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from chatty_desktop.domain.messages import Message
from chatty_desktop.ui.chat.message_place import MessagePlace


class StepTail(MessagePlace):
    """Stands for the result of a call, or for another call, in a row of steps. Nothing of a
    message's view is made for it: a run has dozens of them."""

    def __init__(self, message: Message, parent: QWidget | None = None) -> None:
        super().__init__(message, parent)
        self.setFixedHeight(0)

    def heightForWidth(self, width: int) -> int:
        return 0
