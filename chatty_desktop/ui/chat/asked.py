"""What a person asks for at a message, as values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QPoint, QSize
from PySide6.QtGui import QImage

from chatty_desktop.domain.attachments import Attachment
from chatty_desktop.domain.messages import Message


@dataclass(frozen=True, slots=True)
class AnswerAgain:
    """Another answer beside this one, or to this message of the person's own."""

    message_id: str


@dataclass(frozen=True, slots=True)
class ShowVersion:
    """This version of a message in place of the one that is shown."""

    message_id: str


@dataclass(frozen=True, slots=True)
class SendEdited:
    """A message of the person's own with other words, and with these of its files."""

    message_id: str
    text: str
    files: tuple[Attachment, ...]


@dataclass(frozen=True, slots=True)
class LeaveEdit:
    """Nothing in place of a message; the person writes on below."""


@dataclass(frozen=True, slots=True)
class GoOn:
    """The rest of a reply that was stopped or cut off."""

    message_id: str


@dataclass(frozen=True, slots=True)
class OpenMenu:
    """All that can be done to a message; `at` is a point of the screen."""

    message: Message
    at: QPoint


@dataclass(frozen=True, slots=True)
class ShowRecord:
    """What is kept of the runs: the run log, or the ledger where that is not at hand."""


@dataclass(frozen=True, slots=True)
class SaveCode:
    """A block of code as a file; `language` is as the message names it, or ""."""

    text: str
    language: str


@dataclass(frozen=True, slots=True)
class CopySeveral:
    """These messages into the clipboard."""

    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class OpenMenuOfSeveral:
    """All that can be done to these messages; `at` is a point of the screen."""

    messages: tuple[Message, ...]
    at: QPoint


@dataclass(frozen=True, slots=True)
class WithFile:
    """A file that is attached is to be shown, saved, or put into the clipboard."""

    file: Attachment
    act: Literal["open", "save", "copy"]


@dataclass(frozen=True, slots=True)
class WantPicture:
    """An image that is attached is seen: `take` is called with it, to fill `room`."""

    file: Attachment
    room: QSize
    take: Callable[[QImage], None]


Asked = (
    AnswerAgain
    | ShowVersion
    | SendEdited
    | LeaveEdit
    | GoOn
    | OpenMenu
    | ShowRecord
    | SaveCode
    | CopySeveral
    | OpenMenuOfSeveral
    | WithFile
    | WantPicture
)
