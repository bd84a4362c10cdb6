"""The chat in the middle: what was said, what to say next, and how it stands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QVBoxLayout,
    QWidget,
)

from chatty_desktop.domain.events import (
    AgentsChanged,
    BranchChanged,
    ConsentSettled,
    ConsentWanted,
    Event,
    McpChanged,
    MessageCommitted,
    ModelProgress,
    Notice,
    RunLogged,
    RunPhase,
    RunPhaseChanged,
    SessionsChanged,
    SettingsChanged,
    TextStreamed,
)
from chatty_desktop.domain.messages import Session
from chatty_desktop.domain.search import parse_query
from chatty_desktop.domain.settings import Settings
from chatty_desktop.engine.chat import ChatService
from chatty_desktop.engine.consents import PersonsConsents
from chatty_desktop.engine.events import Events
from chatty_desktop.engine.memories import Memories
from chatty_desktop.engine.ports import (
    Agents,
    Drafts,
    FileReading,
    MessageLog,
    Models,
    Runs,
    ServerOffers,
    Sessions,
)
from chatty_desktop.ui.banners import Banners
from chatty_desktop.ui.chat.acts import MessageActs
from chatty_desktop.ui.chat.asked import (
    Asked,
    CopySeveral,
    LeaveEdit,
    OpenMenu,
    OpenMenuOfSeveral,
    SaveCode,
    ShowRecord,
    WantPicture,
    WithFile,
)
from chatty_desktop.ui.chat.at_last import ActsAtLast
from chatty_desktop.ui.chat.chosen_agent import ChosenAgent
from chatty_desktop.ui.chat.composer import Composer
from chatty_desktop.ui.chat.consent.in_chat import QuestionsInChat
from chatty_desktop.ui.chat.consent.questions import Questions
from chatty_desktop.ui.chat.files.acts import FileActs
from chatty_desktop.ui.chat.files.attaching import AttachingFiles
from chatty_desktop.ui.chat.find import FindInChat
from chatty_desktop.ui.chat.going import GoingToMessage
from chatty_desktop.ui.chat.header import ChatHeader
from chatty_desktop.ui.chat.history import OwnMessages
from chatty_desktop.ui.chat.offers.inserting import InsertingOffers
from chatty_desktop.ui.chat.open_session import OpenSession
from chatty_desktop.ui.chat.pages import ChatPages
from chatty_desktop.ui.chat.request_size import NextRequestSize
from chatty_desktop.ui.chat.sending import Sending
from chatty_desktop.ui.chat.transcript import Transcript
from chatty_desktop.ui.controls import ModelChoices
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.pieces import edge_to_edge
from chatty_desktop.ui.progress import ModelProgressBar
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme

AFTER = ("settling", "idle")
"""Where a run stands once its reply is there."""


QUIET = (LeaveEdit, OpenMenu, OpenMenuOfSeveral, CopySeveral, SaveCode, ShowRecord)
"""What changes nothing in the chat, so that what was said of it still holds."""


class ChatPane(QWidget):
    """One session, or the empty page on which a new one begins with the first message.

    `settings` gives those of the moment. What is written and not sent is kept in `drafts`.

    session_changed: the id of the session now open, None on the empty page.
    tools_wanted: the id of the agent whose tools the person wants to see.
    scope_changed: the `Scope` whose memory the next message meets, None on the empty page.
    """

    session_changed = Signal(object)
    scope_changed = Signal(object)
    tools_wanted = Signal(str)

    def __init__(
        self,
        *,
        chat: ChatService,
        memories: Memories,
        sessions: Sessions,
        messages: MessageLog,
        agents: Agents,
        models: Models,
        runs: Runs,
        drafts: Drafts,
        reading: FileReading,
        offers: ServerOffers,
        consents: PersonsConsents,
        settings: Callable[[], Settings],
        events: Events,
        theme: Theme,
        tasks: Tasks,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._chat = chat
        self._settings = settings
        self._theme = theme
        self._tasks = tasks
        self._open = OpenSession(sessions, tasks, self)
        self._open.found.connect(self._show_session)
        self._open.titled.connect(self._show_title)
        self._open.gone.connect(self.forget)
        self.setProperty("panel", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setMinimumWidth(340)

        self.header = ChatHeader(theme)
        self.banners = Banners(theme)
        self.transcript = Transcript(
            page=messages.page,
            whole=messages.branch,
            partial=chat.partial,
            versions=messages.versions,
            warnings=runs.warnings,
            theme=theme,
            tasks=tasks,
        )
        self._choices = ModelChoices(models, self)
        self.acts = MessageActs(
            chat=chat,
            agents=lambda: self._chosen.known,
            choices=self._choices,
            speaker=self.transcript.drawn.speaker,
            load_choices=lambda: self._choices.load(settings().default_model),
            theme=theme,
            tasks=tasks,
            parent=self,
        )
        self.acts.edit_wanted.connect(self.transcript.edit)
        self.acts.noticed.connect(self.banners.add)
        self.transcript.asked.connect(self._asked)
        self.at_last = ActsAtLast(self.transcript, self._asked)
        self.finding = FindInChat(self.transcript, messages.branch, theme, tasks, self)
        self._going = GoingToMessage(
            self.transcript, self.banners, chat, lambda: self._open.id, tasks
        )
        self._pages = ChatPages(self.transcript, theme)
        self.transcript.filled.connect(self._pages.show_filled)
        self.empty = self._pages.empty
        self.progress = ModelProgressBar(theme)
        self.composer = Composer(theme)
        self.finding.left.connect(self.composer.input.setFocus)
        self.acts.edit_left.connect(self.composer.input.setFocus)
        self.composer.stop_wanted.connect(self.stop)
        self.composer.agent_shown.connect(self._pages.say_empty)
        self._chosen = ChosenAgent(
            self.composer,
            agents=agents,
            sessions=sessions,
            session=lambda: self._open.id,
            default_model=lambda: settings().default_model,
            tasks=tasks,
            parent=self,
        )
        self._chosen.scope_changed.connect(self.scope_changed)
        self._size = NextRequestSize(
            self.composer.request_size,
            ask=memories.next_request,
            scope=self._chosen.next_scope,
            busy=lambda: self.composer.answering,
            tasks=tasks,
        )
        self.composer.agent_shown.connect(lambda _agent: self._size.refresh())
        self.files = FileActs(messages, theme, tasks, self)
        self.files.noticed.connect(self.banners.add)
        self.composer.asked.connect(self.files.take)
        self.attaching = AttachingFiles(
            self.composer,
            reading=reading,
            drafts=drafts,
            place=lambda: self._open.id,
            tell=self.banners.add,
            tasks=tasks,
            parent=self,
        )
        self.inserting = InsertingOffers(
            self.composer,
            offers=offers,
            attach=self.attaching.attach_text,
            tell=lambda notice: self.banners.add(replace(notice, session_id=self._open.id)),
            theme=theme,
            tasks=tasks,
            parent=self,
        )
        self._writing = Sending(
            self.composer,
            drafts=drafts,
            chat=chat,
            sessions=sessions,
            banners=self.banners,
            begun=self._begin,
            tasks=tasks,
            parent=self,
        )
        self._own = OwnMessages(
            messages.page, lambda: self.composer.text, self.composer.bring_back, tasks
        )
        self.composer.input.step = self._own.step
        self.questions = Questions(consents, self._chosen.name, theme, tasks)
        QuestionsInChat(self.questions, self.transcript, self.composer, self)
        self.questions.tools_wanted.connect(self.tools_wanted)
        self._below = QVBoxLayout()
        self._below.addWidget(self.questions)
        self._below.addWidget(self.progress)
        self._below.addWidget(self.composer)
        column = edge_to_edge(QVBoxLayout(self))
        column.addWidget(self.header)
        column.addWidget(self.banners)
        column.addWidget(self.finding.bar)
        column.addWidget(self._pages, 1)
        column.addLayout(self._below)
        unsubscribe = events.subscribe(self._heard)
        self.destroyed.connect(unsubscribe)
        self._show_title("")
        self._show_send_key()
        self._tasks.start(self._read_agents())

    # --- what is open --------------------------------------------------------------------

    @property
    def session_id(self) -> str | None:
        """The session that is open, None on the empty page."""
        return self._open.id

    def resizeEvent(self, event: QResizeEvent) -> None:
        """What is below the messages stands where they stand."""
        super().resizeEvent(event)
        left, right = self.transcript.column.margins(self.width())
        self._below.setContentsMargins(left, 0, right, 0)

    def open(self, session_id: str) -> None:
        """Show a session, with what was being written in it."""
        if session_id == self._open.id:
            return
        self._switch(session_id)
        self._open.read()

    def open_at(self, session_id: str, message_id: str, typed: str = "") -> None:
        """Show a session at one of its messages; the words `typed` into the search of all chats
        are marked."""
        self.open(session_id)
        self.finding.close()
        self.transcript.mark_words(parse_query(typed).pattern)
        self.show_message(message_id)

    def new_chat(self, agent_id: str | None = None) -> None:
        """Show the empty page; `agent_id` chooses the agent, None leaves the one chosen."""
        self._switch(None)
        self._chosen.for_new_chat(agent_id)
        self._show_title("")
        self._pages.show_filled(False)
        self.composer.input.setFocus()

    def welcome(self, page: QWidget | None) -> None:
        """Show a page where no chat is open, in place of the empty one; None: the empty one."""
        self._pages.begin_with(page)

    def stop(self) -> None:
        """End the answer being written, or the memory settling behind it."""
        if self._open.id is not None:
            self._chat.stop(self._open.id)

    def show_message(self, message_id: str) -> None:
        """Bring a message of the open session into sight."""
        self._tasks.start(self._going.to(message_id))

    def forget(self, session_id: str) -> None:
        """Drop what is kept of a session that was deleted."""
        if session_id == self._open.id:
            self.new_chat()
        self._writing.forget(session_id)
        self.banners.forget_session(session_id)

    def keep_draft(self) -> None:
        """Keep what is being written as it is at this moment."""
        self._writing.keep()

    def _switch(self, session_id: str | None) -> None:
        self._open.switch(session_id)
        self._own.open(session_id)
        self._writing.switch(session_id)
        self._size.refresh()
        phase = self._chat.phase(session_id) if session_id else None
        self._show_phase(phase.phase if phase else "idle")
        self.banners.set_session(session_id)
        self.transcript.open(session_id)
        self.finding.set_session(session_id)
        self.questions.set_session(session_id)
        self.session_changed.emit(session_id)

    def _show_session(self, session: Session) -> None:
        self._show_title(session.title)
        self._chosen.for_chat(session.agent_id)

    # --- what the person does ------------------------------------------------------------

    def _begin(self, session: Session) -> None:
        """The empty page becomes the session that was made for its first message."""
        self._switch(session.id)
        self._show_session(session)

    def _asked(self, asked: Asked) -> None:
        if isinstance(asked, WithFile | WantPicture):
            self.files.take(asked)
            return
        if self._open.id is not None and not isinstance(asked, QUIET):
            self.banners.forget_session(self._open.id)
        self.acts.take(asked)

    # --- what happens --------------------------------------------------------------------

    def _heard(self, event: Event) -> None:
        self._size.take(event)
        match event:
            case MessageCommitted() | TextStreamed() | RunLogged():
                self.transcript.take(event)
            case BranchChanged(session_id=session_id) if session_id == self._open.id:
                self.transcript.follow_branch()
            case RunPhaseChanged(session_id=session_id) if session_id == self._open.id:
                self._show_phase(event.phase)
            case ConsentWanted() | ConsentSettled():
                self.questions.take(event)
            case Notice():
                self.banners.add(event)
            case McpChanged():
                self.inserting.show_offers()
            case ModelProgress():
                self.progress.take(event)
            case AgentsChanged() | SettingsChanged():
                self._show_send_key()
                self._tasks.start(self._read_agents())
            case SessionsChanged():
                self._open.take(event)
            case _:
                pass

    async def _read_agents(self) -> None:
        await self._chosen.read()
        self.transcript.drawn.set_speakers({agent.id: agent.name for agent in self._chosen.known})
        self.questions.draw()
        self._open.read()

    # --- drawing -------------------------------------------------------------------------

    def _show_send_key(self) -> None:
        key = self._settings().chat.send_with
        # Of the pane too, for messages that are changed where they stand.
        self.setProperty("send_with", key)
        self.composer.set_send_with(key)

    def _show_title(self, title: str) -> None:
        self.header.set_title(title)
        self.transcript.setAccessibleName(tr("Chat: {title}", title=self.header.title))

    def _show_phase(self, phase: RunPhase) -> None:
        self.composer.set_phase(phase)
        self.transcript.drawn.set_working(phase not in AFTER)
