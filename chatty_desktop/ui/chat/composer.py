"""The composer: what to say, to which agent, and Send or Stop."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from chatty_desktop.domain.agents import Agent
from chatty_desktop.domain.attachments import Attachment
from chatty_desktop.domain.events import RunPhase
from chatty_desktop.domain.hidden import revealed
from chatty_desktop.domain.settings import SendWith
from chatty_desktop.ui.chat.files.row import FileRow
from chatty_desktop.ui.chat.files.shelf import FileShelf
from chatty_desktop.ui.chat.files.unseen import UnseenImages
from chatty_desktop.ui.chat.input import MessageInput
from chatty_desktop.ui.chat.laid_aside import LaidAside, is_long
from chatty_desktop.ui.chat.memory_words import short
from chatty_desktop.ui.chat.request_size import RequestSize
from chatty_desktop.ui.elided import ElidedLabel
from chatty_desktop.ui.language import N_, tr
from chatty_desktop.ui.pieces import IconLabel, icon_button
from chatty_desktop.ui.plain import Label, tip
from chatty_desktop.ui.theme import Theme, restyle, set_tone
from chatty_desktop.ui.tokens import XS, L, M, S

_PHASES: dict[RunPhase, str] = {
    "waiting_for_memory": N_("Waiting for memory …"),
    "waiting_for_model": N_("Thinking …"),
    "streaming": N_("Answering …"),
    "settling": N_("Memory is being updated …"),
    "idle": "",
}


class Composer(QFrame):
    """Draws what it is told and says what the person wants; it decides nothing.

    send_wanted: the text to send, which stays until another is set.
    text_changed: something was written, pasted or put in its place.
    files_changed: a file was removed. attach_wanted: files are to be chosen. insert_wanted: so is
    something of an MCP server.
    asked: what is to be done with a file. stop_wanted: end what runs.
    agent_chosen: the id of the agent now spoken to.
    agent_shown: the `Agent` that is shown now, chosen by whoever; None without any.
    """

    send_wanted = Signal(str)
    text_changed = Signal()
    files_changed = Signal()
    attach_wanted = Signal()
    insert_wanted = Signal()
    asked = Signal(object)
    stop_wanted = Signal()
    agent_chosen = Signal(str)
    agent_shown = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._agents: list[Agent] = []
        self._default_model = ""
        self._phase: RunPhase = "idle"
        self._sending = False
        self._reading = 0
        outer = QVBoxLayout(self)
        outer.setContentsMargins(M, 0, M, S)
        outer.setSpacing(XS)
        outer.addLayout(self._status_row())
        outer.addWidget(self._box())
        outer.addLayout(self._memory_row())
        self._show_state()

    # --- what is shown -------------------------------------------------------------------

    @property
    def text(self) -> str:
        """What is written and not sent yet."""
        written = self.input.toPlainText()
        if not self._aside.texts:
            return written
        return "\n\n".join(part for part in (written, *self._aside.texts) if part.strip())

    def set_text(self, text: str) -> None:
        """Put a draft back, the cursor at its end; what is there already stays, with what can be
        undone."""
        if text == self.text:
            return
        long = is_long(text)
        self._aside.set_texts([text] if long else [])
        self.input.setPlainText("" if long else text)
        self.input.moveCursor(self.input.textCursor().MoveOperation.End)

    @property
    def files(self) -> tuple[Attachment, ...]:
        """What is attached to what is being written."""
        return self.attached.files

    def set_files(self, files: Sequence[Attachment]) -> None:
        """Show what is attached."""
        self.attached.set_files(files)
        self._files_shown()

    def set_reading(self, more: int) -> None:
        """A file is being read (1), or no longer (-1); meanwhile nothing is sent."""
        self._reading += more
        self._show_state()

    def bring_back(self, text: str) -> None:
        """Put a text that was sent before in the place of what is written; it can be undone."""
        if is_long(text) or self._aside.texts:
            self.set_text(text)
        else:
            self.input.put(text)

    def put_in(self, text: str) -> None:
        """Put a text where the cursor is, to be edited; a long one is laid aside, as when it is
        pasted."""
        if not self._paste(text):
            self.input.insertPlainText(text)
            self.input.ensureCursorVisible()
        self.input.setFocus()

    def set_send_with(self, key: SendWith) -> None:
        """Which key sends, here and wherever a message is changed in the pane."""
        self.setProperty("send_with", key)
        self.send.setToolTip(
            tr("Send (Ctrl+Enter); Enter begins a new line")
            if key == "ctrl_enter"
            else tr("Send (Enter); Shift+Enter begins a new line")
        )

    def set_agents(self, agents: Sequence[Agent], default_model: str | None) -> None:
        """The agents to choose from; `default_model` serves those that name none."""
        chosen = self.agent_id
        self._agents = list(agents)
        self._default_model = default_model or ""
        with QSignalBlocker(self.picker):
            self.picker.clear()
            for agent in agents:
                self.picker.addItem(revealed(agent.name), agent.id)
        self.set_agent(chosen)

    @property
    def agent_id(self) -> str | None:
        """The agent that will be spoken to, None without any."""
        return self.agent.id if self.agent else None

    @property
    def agent(self) -> Agent | None:
        """The same, whole."""
        at = self.picker.currentIndex()
        return self._agents[at] if 0 <= at < len(self._agents) else None

    def set_agent(self, agent_id: str | None) -> None:
        """Choose an agent without saying so; an unknown one leaves the first."""
        with QSignalBlocker(self.picker):
            at = self.picker.findData(agent_id)
            self.picker.setCurrentIndex(at if at >= 0 else min(0, self.picker.count() - 1))
        self._show_agent()

    def set_phase(self, phase: RunPhase) -> None:
        """Where the run of the chat stands."""
        self._phase = phase
        self._show_state()

    def set_sending(self, sending: bool) -> None:
        """While a message is being committed nothing else is sent."""
        self._sending = sending
        self._show_state()

    # --- parts ---------------------------------------------------------------------------

    def _status_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setContentsMargins(XS, 0, 0, 0)
        row.setSpacing(S)
        self._status = Label()
        self._status.setFont(self._theme.small())
        self._status.setAccessibleName(tr("What the chat is doing"))
        self._stop_settling = QToolButton()
        self._stop_settling.setText(tr("Stop"))
        self._stop_settling.setFont(self._theme.small())
        self._stop_settling.setToolTip(tr("Stop updating memory; it is caught up on the next turn"))
        self._stop_settling.setAccessibleName(tr("Stop updating memory"))
        self._stop_settling.clicked.connect(self.stop_wanted)
        row.addWidget(self._status)
        row.addWidget(self._stop_settling)
        row.addStretch(1)
        # Always of one height, so that the transcript does not jump.
        holder = self._stop_settling.sizeHint().height()
        row.addStrut(holder)
        return row

    def _box(self) -> QFrame:
        box = QFrame()
        box.setProperty("panel", "composer")
        column = QVBoxLayout(box)
        column.setContentsMargins(M, S, S, S)
        column.setSpacing(S)
        self.input = MessageInput()
        self.input.focused.connect(lambda focused: restyle(box, "focused", focused))
        self.input.submitted.connect(self._submit)
        self.input.textChanged.connect(self._text_changed)
        self.input.pasting = self._paste
        self._aside = LaidAside(self._theme)
        self._aside.changed.connect(self._text_changed)
        self._aside.wanted.connect(self._put_among)
        self.attached = FileRow(self._theme, removable=True, parent=box)
        self.attached.asked.connect(self.asked)
        self.attached.changed.connect(self._file_removed)
        self.unseen = UnseenImages(self._theme)
        self.unseen.remove_wanted.connect(self._remove_images)
        column.addWidget(FileShelf(self.attached))
        column.addWidget(self.unseen)
        column.addWidget(self.input)
        column.addWidget(self._aside)
        row = QHBoxLayout()
        row.setSpacing(S)
        self.picker = QComboBox()
        self.picker.setProperty("kind", "quiet")
        self.picker.setAccessibleName(tr("Agent"))
        self.picker.setToolTip(tr("The agent that answers (Ctrl+Shift+A)"))
        self.picker.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.picker.setMinimumContentsLength(8)
        self.picker.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.picker.currentIndexChanged.connect(self._choose)
        self._model = ElidedLabel()
        self._model.setFont(self._theme.small())
        set_tone(self._model, "muted")
        self.attach = icon_button(self._theme, "paperclip", tr("Attach files"))
        self.attach.setToolTip(tr("Attach images, texts or PDFs (Ctrl+Shift+U)"))
        self.attach.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.attach.clicked.connect(self.attach_wanted)
        self.insert = icon_button(self._theme, "puzzle-piece", tr("Insert from an MCP server"))
        self.insert.setToolTip(tr("Insert from an MCP server (Ctrl+Shift+Y)"))
        self.insert.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.insert.clicked.connect(self.insert_wanted)
        self.insert.hide()
        self.send = QPushButton(tr("Send"))
        self.send.setProperty("kind", "primary")
        self.send.setAccessibleName(tr("Send message"))
        self.send.clicked.connect(self._submit)
        self.set_send_with("enter")
        self.stop = QPushButton(tr("Stop"))
        self.stop.setToolTip(tr("Stop the answer (Esc); what has come of it is kept"))
        self.stop.setAccessibleName(tr("Stop the answer"))
        self.stop.clicked.connect(self.stop_wanted)
        self._theme.dress(self.stop, "stop-circle", "text")
        row.addWidget(self.attach)
        row.addWidget(self.insert)
        row.addWidget(self.picker)
        row.addWidget(self._model, 1)
        row.addWidget(self.send)
        row.addWidget(self.stop)
        column.addLayout(row)
        return box

    def _memory_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setContentsMargins(L, 0, XS, 0)
        row.setSpacing(XS)
        self._memory_icon = IconLabel(self._theme, "brain", "memory")
        self._memory = ElidedLabel()
        self._memory.setFont(self._theme.small())
        row.addWidget(self._memory_icon)
        row.addWidget(self._memory, 1)
        self.request_size = RequestSize(lambda: (self.text, self.files), self._theme)
        self.request_size.known.connect(self._show_unseen)
        self.text_changed.connect(self.request_size.count_again)
        row.addWidget(self.request_size)
        # Of one height, whether or not the size is known.
        row.addStrut(self.request_size.sizeHint().height())
        return row

    # --- behaviour -----------------------------------------------------------------------

    def _submit(self) -> None:
        if self.send.isEnabled() and not self.answering:
            self.send_wanted.emit(self.text)

    def _show_unseen(self) -> None:
        self.unseen.show_files(self.files, self.request_size.rest)

    def _files_shown(self) -> None:
        self._show_unseen()
        self.request_size.count_again()
        self._show_state()

    def _file_removed(self) -> None:
        self._files_shown()
        if not self.files:
            self.input.setFocus()
        self.files_changed.emit()

    def _remove_images(self) -> None:
        self.attached.set_files([file for file in self.files if not file.is_image])
        self._file_removed()

    def _text_changed(self) -> None:
        self._show_state()
        self.text_changed.emit()

    def _paste(self, text: str) -> bool:
        """Lay a long text aside."""
        if not is_long(text):
            return False
        self._aside.add(text)
        return True

    def _put_among(self, text: str) -> None:
        cursor = self.input.textCursor()
        cursor.movePosition(cursor.MoveOperation.End)
        cursor.insertText(f"\n\n{text}" if self.input.has_words() else text)
        self.input.setTextCursor(cursor)
        self.input.setFocus()

    def _choose(self) -> None:
        self._show_agent()
        if self.agent_id is not None:
            self.agent_chosen.emit(self.agent_id)

    @property
    def answering(self) -> bool:
        """Whether a reply is being waited for or written."""
        return self._phase not in ("idle", "settling")

    def _show_agent(self) -> None:
        agent = self.agent
        if agent is None:
            self._model.setText("")
            self._memory.setText(tr("There is no agent yet: make one on the left."))
            set_tone(self._memory, "warning")
            self._memory_icon.show_icon("warning", "warning")
        else:
            self._model.setText(
                agent.definition.model or self._default_model or tr("first available model")
            )
            self._memory.setText(short(agent.definition.memory_strategy))
            set_tone(self._memory, "memory")
            self._memory_icon.show_icon("brain", "memory")
        told = tr("Model: {model}", model=self._model.text()) if agent else ""
        self._model.setToolTip(tip(told))
        self.agent_shown.emit(agent)
        self._show_state()

    def _show_state(self) -> None:
        answering = self.answering
        self.send.setVisible(not answering)
        self.stop.setVisible(answering)
        said = bool(self._aside.texts) or bool(self.files) or self.input.has_words()
        ready = not self._sending and not self._reading
        self.send.setEnabled(self.agent is not None and ready and said)
        reading = tr("Reading the file …") if self._reading else ""
        self._status.setText(reading or tr(_PHASES[self._phase]))
        settling = self._phase in ("settling", "waiting_for_memory")
        set_tone(self._status, "memory" if settling else "muted")
        self._stop_settling.setVisible(self._phase == "settling")
