"""What is done to messages: each act asks the chat service, and says what came of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from chatty_desktop.domain.agents import Agent
from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.events import Notice
from chatty_desktop.domain.forgetting import ForgetTarget
from chatty_desktop.domain.messages import DeletionCounts, Message
from chatty_desktop.engine.chat import ChatService
from chatty_desktop.ui.chat.asked import (
    AnswerAgain,
    Asked,
    CopySeveral,
    GoOn,
    LeaveEdit,
    OpenMenu,
    OpenMenuOfSeveral,
    SaveCode,
    SendEdited,
    ShowRecord,
    ShowVersion,
)
from chatty_desktop.ui.chat.code_file import ask_where_to_save
from chatty_desktop.ui.chat.copying import as_markdown, as_plain_text, plain_text
from chatty_desktop.ui.chat.message_menu import MessageMenu
from chatty_desktop.ui.controls import ModelChoices
from chatty_desktop.ui.counts import counted
from chatty_desktop.ui.language import tr, trn
from chatty_desktop.ui.questions import confirm
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme


class MessageActs(QObject):
    """Carries out what is asked at the messages of a pane.

    edit_wanted: a message of the person's own is to be written anew where it stands (its id).
    edit_left: no longer, it was sent or called off.
    noticed: something to tell (a `Notice`).
    record_wanted: the run log, or the ledger, is to be shown.
    prompt_wanted: the id of the run whose request is to be shown.
    compare_wanted: the id of a reply that is to be compared with one without a part of memory.
    forget_wanted: the `ForgetTarget` that is to leave no trace.
    """

    edit_wanted = Signal(str)
    edit_left = Signal()
    noticed = Signal(object)
    record_wanted = Signal()
    prompt_wanted = Signal(str)
    compare_wanted = Signal(str)
    forget_wanted = Signal(object)

    def __init__(
        self,
        *,
        chat: ChatService,
        agents: Callable[[], Sequence[Agent]],
        choices: ModelChoices,
        load_choices: Callable[[], Coroutine[Any, Any, None]],
        speaker: Callable[[Message], str],
        theme: Theme,
        tasks: Tasks,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._chat = chat
        self._agents = agents
        self._choices = choices
        self._load_choices = load_choices
        self._speaker = speaker
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
            case LeaveEdit():
                self.edit_left.emit()
            case SendEdited(message_id, text, files):
                self.edit_left.emit()
                self._tasks.start(self._chat.edit(message_id, text, files=files))
            case GoOn(message_id):
                self._tasks.start(self._chat.go_on(message_id))
            case ShowRecord():
                self.record_wanted.emit()
            case SaveCode(text, language):
                self.save_code(text, language)
            case CopySeveral(messages):
                self._tasks.start(self._copy(messages, as_plain_text))
            case OpenMenuOfSeveral(messages, at):
                self.menu_of_several(messages).popup(at)
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

    def menu_of_several(self, messages: Sequence[Message]) -> QMenu:
        """All that can be done to messages chosen together."""
        menu = QMenu(self._over)
        count = len(messages)
        plain = trn(
            "Copy {count} message as plain text", "Copy {count} messages as plain text", count
        )
        marked = trn("Copy {count} message as Markdown", "Copy {count} messages as Markdown", count)
        for text, icon, write in (
            (plain, "text-aa", as_plain_text),
            (marked, "copy", as_markdown),
        ):
            action = menu.addAction(text)
            self._theme.dress(action, icon)
            action.triggered.connect(
                lambda _checked=False, write=write: self._tasks.start(self._copy(messages, write))
            )
        menu.addSeparator()
        delete = menu.addAction(trn("Delete {count} message …", "Delete {count} messages …", count))
        self._theme.dress(delete, "trash", "danger")
        delete.triggered.connect(lambda: self.delete_several(messages))
        menu.aboutToHide.connect(menu.deleteLater)
        return menu

    def save_code(self, text: str, language: str) -> QFileDialog:
        """Write a block of code to a file that the person chooses."""
        return ask_where_to_save(
            self._over,
            language,
            lambda file: self._tasks.start(self._save(file, text)),
        )

    def delete(self, message: Message, *, following: bool) -> None:
        """Delete a message, once the person has said so again."""
        self._ask_to_delete(
            tr("Delete message"),
            _what_goes(message, following=following),
            lambda: self._delete(message, following),
        )

    def delete_several(self, messages: Sequence[Message]) -> None:
        """Delete messages, once the person has said so again."""
        self._ask_to_delete(
            tr("Delete messages"),
            tr("Delete these messages, and the answers to those of your own?"),
            lambda: self._delete_several(messages),
        )

    def _ask_to_delete(
        self, title: str, question: str, delete_: Callable[[], Coroutine[Any, Any, None]]
    ) -> None:
        box = confirm(
            self._over,
            question,
            tr(
                "Agents forget what they remember of it. What they have remembered since, they"
                " read from the messages that stay once more."
            ),
            tr("Delete"),
            lambda: self._tasks.start(delete_()),
            danger=True,
        )
        box.setWindowTitle(title)

    def _do(self, message: Message, name: str, with_: str) -> None:
        match name:
            case "copy_markdown":
                QGuiApplication.clipboard().setText(message.content)
            case "copy_plain":
                QGuiApplication.clipboard().setText(plain_text(message))
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
            case "prompt":
                self.prompt_wanted.emit(message.run_id)
            case "branch":
                self._tasks.start(self._chat.branch_from(message.id))
            case "compare":
                self.compare_wanted.emit(message.id)
            case "forget":
                self.forget_wanted.emit(ForgetTarget("message", message.session_id, message.id))
            case "delete" | "delete_following":
                self.delete(message, following=name == "delete_following")

    async def _copy(
        self, messages: Sequence[Message], write: Callable[[Sequence[Message], list[str]], str]
    ) -> None:
        names = [self._speaker(message) for message in messages]
        # Thousands of messages take a moment.
        text = await asyncio.to_thread(write, messages, names)
        QGuiApplication.clipboard().setText(text)

    async def _save(self, file: Path, text: str) -> None:
        from chatty_desktop.ui.exchange.files import write_chat_file

        await write_chat_file(file, text if text.endswith("\n") else f"{text}\n")
        self.noticed.emit(Notice("info", tr("Written to {file}.", file=file)))

    async def _delete_several(self, messages: Sequence[Message]) -> None:
        """From the last on: an answer goes before the message that would take it along."""
        counts = DeletionCounts()
        for message in reversed(messages):
            try:
                counts += await self._chat.delete_message(message.id)
            except Invalid:
                # It may have gone along with another, as the call of a tool with its result.
                if message is messages[-1]:
                    raise
        text = tr("Deleted: {what}.", what=counted(counts))
        self.noticed.emit(Notice("info", text, messages[0].session_id))

    async def _delete(self, message: Message, following: bool) -> None:
        counts = await self._chat.delete_message(message.id, following=following)
        text = tr("Deleted: {what}.", what=counted(counts))
        self.noticed.emit(Notice("info", text, message.session_id))


def _what_goes(message: Message, *, following: bool) -> str:
    if following:
        return tr("Delete this message and everything that follows it, on every branch?")
    if message.role == "user":
        return tr("Delete this message and the answers to it?")
    return tr("Delete this answer?")
