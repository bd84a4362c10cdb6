"""What is done to messages: each act asks the chat service, and says what came of it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication, QTextDocument
from PySide6.QtWidgets import QMessageBox, QPushButton, QWidget

from chatty_desktop.domain.agents import Agent
from chatty_desktop.domain.events import Notice
from chatty_desktop.domain.messages import Message
from chatty_desktop.engine.chat import ChatService
from chatty_desktop.ui.chat.asked import (
    AnswerAgain,
    Asked,
    GoOn,
    OpenMenu,
    SendEdited,
    ShowRecord,
    ShowVersion,
)
from chatty_desktop.ui.chat.message_menu import MessageMenu
from chatty_desktop.ui.controls import ModelChoices
from chatty_desktop.ui.counts import counted
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme


class MessageActs(QObject):
    """Carries out what is asked at the messages of a pane.

    edit_wanted: a message of the person's own is to be written anew where it stands (its id).
    noticed: something to tell (a `Notice`).
    record_wanted: the run log, or the ledger, is to be shown.
    """

    edit_wanted = Signal(str)
    noticed = Signal(object)
    record_wanted = Signal()

    def __init__(
        self,
        *,
        chat: ChatService,
        agents: Callable[[], Sequence[Agent]],
        choices: ModelChoices,
        load_choices: Callable[[], Coroutine[Any, Any, None]],
        theme: Theme,
        tasks: Tasks,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._chat = chat
        self._agents = agents
        self._choices = choices
        self._load_choices = load_choices
        self._theme = theme
        self._tasks = tasks
        self._over = parent

    def take(self, asked: Asked) -> None:
        """Carry out what was asked."""
        match asked:
            case AnswerAgain(message_id):
                self._tasks.start(self._chat.answer_again(message_id))
            case ShowVersion(message_id):
                self._tasks.start(self._chat.switch_to(message_id))
            case SendEdited(message_id, text):
                self._tasks.start(self._chat.edit(message_id, text))
            case GoOn(message_id):
                self._tasks.start(self._chat.go_on(message_id))
            case ShowRecord():
                self.record_wanted.emit()
            case OpenMenu(message, at):
                self._tasks.start(self._load_choices())
                self.menu(message).popup(at)

    def menu(self, message: Message) -> MessageMenu:
        """All that can be done to a message."""
        return MessageMenu(
            message,
            agents=self._agents(),
            choices=self._choices,
            do=lambda name, with_: self._do(message, name, with_),
            theme=self._theme,
            parent=self._over,
        )

    def delete(self, message: Message, *, following: bool) -> None:
        """Delete a message, once the person has said so again."""
        box = QMessageBox(self._over)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.setIcon(QMessageBox.Icon.Question)
        box.setWindowTitle(tr("Delete message"))
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setText(_what_goes(message, following=following))
        box.setInformativeText(
            tr(
                "Agents forget what they remember of it. What they have remembered since, they"
                " read from the messages that stay once more."
            )
        )
        delete = QPushButton(tr("Delete"), box)
        delete.setProperty("kind", "danger")
        box.addButton(delete, QMessageBox.ButtonRole.DestructiveRole)
        box.addButton(QMessageBox.StandardButton.Cancel)
        box.setDefaultButton(QMessageBox.StandardButton.Cancel)
        delete.clicked.connect(lambda: self._tasks.start(self._delete(message, following)))
        box.open()

    def _do(self, message: Message, name: str, with_: str) -> None:
        match name:
            case "copy_markdown":
                QGuiApplication.clipboard().setText(message.content)
            case "copy_plain":
                QGuiApplication.clipboard().setText(_plain(message))
            case "edit":
                self.edit_wanted.emit(message.id)
            case "again":
                self._tasks.start(self._chat.answer_again(message.id))
            case "again_by":
                self._tasks.start(self._chat.answer_again(message.id, with_))
            case "ask":
                self._tasks.start(self._chat.ask_another(message.id, with_))
            case "go_on":
                self._tasks.start(self._chat.go_on(message.id))
            case "branch":
                self._tasks.start(self._chat.branch_from(message.id))
            case "delete" | "delete_following":
                self.delete(message, following=name == "delete_following")

    async def _delete(self, message: Message, following: bool) -> None:
        counts = await self._chat.delete_message(message.id, following=following)
        text = tr("Deleted: {what}.", what=counted(counts))
        self.noticed.emit(Notice("info", text, message.session_id))


def _plain(message: Message) -> str:
    """The words of a message without the marks of Markdown; what a person types has none."""
    if message.role == "user":
        return message.content
    document = QTextDocument()
    document.setMarkdown(message.content)
    return document.toPlainText()


def _what_goes(message: Message, *, following: bool) -> str:
    if following:
        return tr("Delete this message and everything that follows it, on every branch?")
    if message.role == "user":
        return tr("Delete this message and the answers to it?")
    return tr("Delete this answer?")
