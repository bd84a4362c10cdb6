"""Importing chats: a file, what is in it, whose chats they become, and what came of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QFrame,
    QHBoxLayout,
    QListView,
    QProgressBar,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from chatty_desktop.domain.agents import Agent
from chatty_desktop.domain.chat_document import ChatDocument
from chatty_desktop.domain.imports.chats import ImportedChat
from chatty_desktop.domain.messages import Scope, Session
from chatty_desktop.engine.exchange import ChatExchange, Incoming
from chatty_desktop.engine.memories import Memories
from chatty_desktop.engine.ports import Agents
from chatty_desktop.ui.controls import Choice, Field
from chatty_desktop.ui.exchange.chats_model import ChatsModel, left_out_words
from chatty_desktop.ui.exchange.files import ask_what_to_import, read_chat_file
from chatty_desktop.ui.language import tr, trn
from chatty_desktop.ui.pieces import Empty, Problem, TextButton
from chatty_desktop.ui.plain import Label
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import L, M, S


class ImportDialog(QDialog):
    """A file is chosen or dropped, its chats are shown, and those chosen are stored.

    imported: the id of the newest chat that was stored.
    """

    imported = Signal(str)

    def __init__(
        self,
        *,
        exchange: ChatExchange,
        memories: Memories,
        agents: Agents,
        theme: Theme,
        tasks: Tasks,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._exchange = exchange
        self._memories = memories
        self._agents = agents
        self._tasks = tasks
        self._incoming: Incoming | None = None
        self._stopping = False
        self.setWindowTitle(tr("Import chats"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAcceptDrops(True)
        self.resize(640, 560)
        self.choose = QPushButton(tr("Choose a file …"))
        self.choose.clicked.connect(lambda: ask_what_to_import(self, self.read))
        theme.dress(self.choose, "file-arrow-up", "text")
        self.problem = Problem(theme, "danger")
        self.report = Problem(theme, "accent", "info")
        self.model = ChatsModel(self)
        self.list = QListView()
        self.list.setModel(self.model)
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setUniformItemSizes(True)
        self.list.setAccessibleName(tr("Chats in the file"))
        self.heading = Label()
        self.heading.setFont(theme.heading())
        self.all = TextButton(tr("All"))
        self.none = TextButton(tr("None"))
        self.all.clicked.connect(lambda: self.model.take_all(True))
        self.none.clicked.connect(lambda: self.model.take_all(False))
        self.agent = Choice()
        self.whose = Field(
            tr("Whose chats they become"),
            self.agent,
            theme,
            tr("You go on talking to this agent in them."),
        )
        self.remember = QCheckBox(tr("Let the agent's memory take them in"))
        self.remember.setToolTip(
            tr(
                "What the agent remembers is made from the messages, as if they had been written"
                " here. That asks a model, and can take long; it can be stopped in each chat."
            )
        )
        self.start = QPushButton(tr("Import"))
        self.start.setProperty("kind", "primary")
        self.start.setDefault(True)
        self.start.clicked.connect(self._start)
        self.stop = QPushButton(tr("Stop"))
        self.stop.clicked.connect(self._stop)
        self.shut = QPushButton(tr("Close"))
        self.shut.clicked.connect(self.reject)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(tr("Progress of the import"))
        self._empty = Empty(theme, "file-arrow-down")
        self._empty.say(
            tr("Bring your chats along"),
            tr(
                "Choose a file, or drop one here: the conversations.json of ChatGPT or Claude (or"
                " the zip it came in), an export of Open WebUI, or of Chatty Desktop."
            ),
        )
        self._lay_out()
        self.model.dataChanged.connect(self._show_count)
        self._show_state(running=False)
        self._tasks.start(self._read_agents())

    def read(self, file: Path) -> None:
        """Read a file and show what is in it."""
        self._show_incoming(None)
        self.problem.say("")
        self.report.say("")
        self._empty.say(tr("Reading {name} …", name=file.name), "")
        self._tasks.start(self._read(file), failed=self._unreadable)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasUrls() and event.mimeData().urls()[0].isLocalFile():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        event.acceptProposedAction()
        self.read(Path(event.mimeData().urls()[0].toLocalFile()))

    def reject(self) -> None:
        """Close, ending an import that is under way: what is stored by then stays."""
        self._stopping = True
        super().reject()

    # --- reading -----------------------------------------------------------------------------

    async def _read_agents(self) -> None:
        for agent in await self._agents.list():
            self.agent.addItem(agent.name, agent)

    async def _read(self, file: Path) -> None:
        incoming = await self._exchange.read(await read_chat_file(file))
        self._show_incoming(incoming)
        if incoming.unreadable:
            lines = "\n".join(incoming.unreadable[:10])
            count = trn(
                "{count} chat cannot be read:",
                "{count} chats cannot be read:",
                len(incoming.unreadable),
            )
            self.problem.say(f"{count}\n{lines}")

    def _unreadable(self, reason: str) -> None:
        self._show_incoming(None)
        self._empty.say(tr("Choose another file"), "")
        self.problem.say(reason)

    def _show_incoming(self, incoming: Incoming | None) -> None:
        self._incoming = incoming
        chats: Sequence[ChatDocument | ImportedChat] = ()
        if incoming is not None:
            chats = [*incoming.documents, *incoming.foreign]
        self.model.show(chats)
        self.whose.setVisible(bool(incoming and incoming.foreign))
        self.remember.setVisible(bool(incoming and incoming.foreign))
        self._pages.setCurrentIndex(1 if chats else 0)
        if incoming is not None and not chats:
            self._empty.say(tr("There is no chat with a message in this file."), "")
        self._show_count()

    def _show_count(self) -> None:
        count = len(self.model.taken())
        program = self._incoming.program if self._incoming else ""
        self.heading.setText(
            trn("{count} chat of {program}", "{count} chats of {program}", count, program=program)
        )
        self.start.setEnabled(count > 0)

    # --- storing -----------------------------------------------------------------------------

    def _start(self) -> None:
        self._stopping = False
        self.problem.say("")
        self.report.say("")
        self._show_state(running=True)
        self._tasks.start(self._import(self.model.taken()), failed=self._failed)

    def _stop(self) -> None:
        self._stopping = True

    def _failed(self, reason: str) -> None:
        self._show_state(running=False)
        self.problem.say(reason)

    async def _import(self, chats: Sequence[ChatDocument | ImportedChat]) -> None:
        self.bar.setRange(0, len(chats))
        self.bar.setValue(0)
        documents = [chat for chat in chats if isinstance(chat, ChatDocument)]
        foreign = [chat for chat in chats if isinstance(chat, ImportedChat)]
        stored: list[Session] = []
        for document in documents:
            if self._stopping:
                break
            stored.append(await self._exchange.add_document(document))
            self.bar.setValue(len(stored))
        agent = self.agent.currentData()
        if foreign and isinstance(agent, Agent) and not self._stopping:
            found = await self._exchange.add_foreign(foreign, agent.id, self._go_on)
            stored += found
            if self.remember.isChecked():
                for session in found:
                    await self._memories.take_in(Scope(agent.id, session.id))
        self._show_state(running=False)
        self._say_what_came(stored, foreign[: len(stored)], len(chats))
        if stored:
            self.imported.emit(stored[0].id)

    def _go_on(self, stored: int) -> bool:
        self.bar.setValue(stored)
        return not self._stopping

    def _say_what_came(
        self, stored: Sequence[Session], taken: Sequence[ImportedChat], wanted: int
    ) -> None:
        lines = [trn("{count} chat was imported.", "{count} chats were imported.", len(stored))]
        if len(stored) < wanted:
            lines.append(tr("Stopped before the others."))
        left_out: Counter[str] = Counter()
        for chat in taken:
            left_out.update(chat.left_out)
        if words := left_out_words(left_out):
            lines.append(tr("Left out: {what}.", what=", ".join(words)))
        self.report.say(" ".join(lines))

    # --- drawing -----------------------------------------------------------------------------

    def _show_state(self, *, running: bool) -> None:
        self.bar.setVisible(running)
        self.stop.setVisible(running)
        self.shut.setVisible(not running)
        for widget in (self.choose, self.list, self.whose, self.remember, self.all, self.none):
            widget.setEnabled(not running)
        self.start.setEnabled(not running and bool(self.model.taken()))

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(M)
        head.addWidget(self.heading, 1)
        head.addWidget(self.all)
        head.addWidget(self.none)
        chats = QWidget()
        inner = QVBoxLayout(chats)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(S)
        inner.addLayout(head)
        inner.addWidget(self.list, 1)
        inner.addSpacing(S)
        inner.addWidget(self.whose)
        inner.addWidget(self.remember)
        self._pages = QStackedWidget()
        self._pages.addWidget(self._empty)
        self._pages.addWidget(chats)
        buttons = QHBoxLayout()
        buttons.setSpacing(S)
        buttons.addWidget(self.choose)
        buttons.addWidget(self.bar, 1)
        buttons.addStretch(0)
        buttons.addWidget(self.stop)
        buttons.addWidget(self.shut)
        buttons.addWidget(self.start)
        column = QVBoxLayout(self)
        column.setContentsMargins(L, L, L, L)
        column.setSpacing(M)
        column.addWidget(self.problem)
        column.addWidget(self.report)
        column.addWidget(self._pages, 1)
        column.addLayout(buttons)
