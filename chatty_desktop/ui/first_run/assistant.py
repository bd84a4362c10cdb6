"""The first run: two questions with good answers already given, and then a chat."""

from __future__ import annotations

import asyncio

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from chatty_desktop.app import App
from chatty_desktop.domain.embedder_choice import names_embedder
from chatty_desktop.domain.errors import Invalid, NoKeyring
from chatty_desktop.domain.first_run import (
    STARTER,
    LocalModel,
    ServerModel,
    with_chat_model,
    with_embedder,
    with_server,
)
from chatty_desktop.domain.settings import ProviderSettings, Settings
from chatty_desktop.ui.first_run.memory_step import MemoryStep
from chatty_desktop.ui.first_run.model_step import SERVER, ModelStep, ollama_entry
from chatty_desktop.ui.fitting_area import FittingArea
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.pieces import Problem, TextButton, caption, edge_to_edge, takes_escape
from chatty_desktop.ui.plain import Label
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import XL, XS, L, M, S

WIDEST = 600
"""Pixels of the questions; on a wide window they stand in the middle."""


class Assistant(QWidget):
    """Enter goes on, Escape skips, and whoever begins to write a message may do so.

    done: what was chosen is in the settings. skipped: they are as they were.
    typed: a text that was typed to no field of it.
    """

    done = Signal()
    skipped = Signal()
    typed = Signal(str)

    def __init__(
        self, *, app: App, theme: Theme, tasks: Tasks, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._app, self._theme, self._tasks = app, theme, tasks
        self._looking: list[asyncio.Task[None]] = []
        self._found_embedders: dict[str, ServerModel] = {}
        self._asks_memory = True
        self._busy = False
        self.model_step = ModelStep(theme, _present(app))
        self.memory_step = MemoryStep(app.models, theme)
        self.step = 0
        self._title, self._hint, self._place = Label(), caption(theme), caption(theme)
        self.problem = Problem(theme, "danger", "warning-circle")
        self.into_file = TextButton(tr("Keep the key in a file that only you can read"))
        self.skip = QPushButton(tr("Skip"))
        self.back = QPushButton(tr("Back"))
        self.next = QPushButton()
        self._lay_out()
        self._opened = QTimer(self, singleShot=True, interval=0)
        self._opened.timeout.connect(self._bring_into_sight)
        self.model_step.changed.connect(self._draw)
        self.model_step.taken.connect(self._opened.start)
        self.memory_step.taken.connect(self._opened.start)
        self.model_step.server.test_wanted.connect(self._test)
        self.memory_step.chosen.connect(lambda _embedder: self._draw())
        self.memory_step.undecided.connect(self._draw)
        self.skip.clicked.connect(self.skipped)
        self.back.clicked.connect(lambda: self._show(0))
        self.next.clicked.connect(self._go_on)
        self.into_file.clicked.connect(lambda: self._finish(into_file=True))
        self._show(0)

    def begin(self) -> None:
        """Look for what there is, and take the keyboard."""
        self._focus()
        if self._looking:
            return
        for look in (
            self._look_for_starter,
            self._look_for_ollama,
            self._look_for_files,
            self._look_for_episodes,
        ):
            self._looking.append(self._tasks.start(look()))

    def leave(self) -> None:
        """It is over: what is looked for is wanted no more."""
        for task in self._looking:
            task.cancel()

    def event(self, event: QEvent) -> bool:
        return takes_escape(event) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """What no field of it wants: to go on, to leave, or the first letter of a message."""
        pressed = event.modifiers() & ~(
            Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier
        )
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._go_on()
        elif event.key() == Qt.Key.Key_Escape:
            self.skipped.emit()
        elif event.text().strip() and event.text().isprintable() and not pressed.value:
            self.typed.emit(event.text())
        else:
            super().keyPressEvent(event)

    # --- putting together --------------------------------------------------------------------

    def _lay_out(self) -> None:
        font = self._theme.heading()
        font.setPointSizeF(font.pointSizeF() * 1.2)
        self._title.setFont(font)
        self._title.setWordWrap(True)
        self._hint.setWordWrap(True)
        self.skip.setProperty("kind", "quiet")
        self.back.setProperty("kind", "quiet")
        self.next.setProperty("kind", "primary")
        for button in (self.skip, self.back, self.next):
            button.setAutoDefault(True)
        words = QVBoxLayout()
        words.setSpacing(XS)
        for label in (self._place, self._title, self._hint):
            words.addWidget(label)
        buttons = QHBoxLayout()
        buttons.setContentsMargins(L, S, L, M)
        buttons.setSpacing(S)
        buttons.addWidget(self.skip)
        buttons.addStretch(1)
        buttons.addWidget(self.back)
        buttons.addWidget(self.next)
        questions = QWidget()
        column = QVBoxLayout(questions)
        column.setContentsMargins(L, XL, L, S)
        column.setSpacing(L)
        column.addLayout(words)
        column.addWidget(self.model_step)
        column.addWidget(self.memory_step)
        column.addWidget(self.problem)
        column.addWidget(self.into_file)
        self.area = FittingArea(questions)
        inner = QWidget()
        inner.setMaximumWidth(WIDEST)
        rows = edge_to_edge(QVBoxLayout(inner))
        rows.addWidget(self.area)
        rows.addLayout(buttons)
        # From the top on: were it in the middle, all would move when a choice opens.
        rows.addStretch(1)
        centred = QHBoxLayout(self)
        centred.setContentsMargins(0, 0, 0, 0)
        centred.addStretch(1)
        centred.addWidget(inner, 100)
        centred.addStretch(1)

    def _show(self, step: int) -> None:
        self.step = step
        for index, cards in enumerate((self.model_step, self.memory_step)):
            cards.setVisible(index == step)
        if step == 0:
            self._title.setText(tr("Which model shall answer you?"))
            self._hint.setText(
                tr("Press Enter to begin with what is chosen. All of it can be changed later.")
            )
        else:
            self._title.setText(tr("How shall memory find what was said before?"))
            self._hint.setText(
                tr("By a second, small model that compares meanings. The built-in one suits most.")
            )
        self._say("")
        self._draw()
        self.area.verticalScrollBar().setValue(0)
        if self.isVisible():
            self._focus()

    def _focus(self) -> None:
        cards = self.model_step if self.step == 0 else self.memory_step
        (cards.cards[cards.key].radio if cards.key else self.next).setFocus()

    def _bring_into_sight(self) -> None:
        """The choice that was opened, once it is laid out; its end counts in a small window."""
        cards = self.model_step if self.step == 0 else self.memory_step
        if cards.key:
            self.area.ensureWidgetVisible(cards.cards[cards.key])

    def _draw(self) -> None:
        step = self.step
        last = step == 1 or not self._asks_memory
        self._place.setText("" if not self._asks_memory else tr("Step {step} of 2", step=step + 1))
        # In a small window there is no room for three buttons; Escape skips all the same.
        self.skip.setVisible(step == 0)
        self.back.setVisible(step == 1)
        self.next.setText(tr("Start chatting") if last else tr("Continue"))
        there = self.model_step.chosen() is not None
        # A server that was not asked yet is asked by the button.
        waits = self.model_step.key == SERVER and self.model_step.server.typed is not None
        ready = (there or waits) if step == 0 else self.memory_step.decided
        self.next.setEnabled(ready and not self._busy)

    def _say(self, reason: str, *, offer_file: bool = False) -> None:
        self.problem.say(reason)
        self.into_file.setVisible(offer_file)

    # --- looking -----------------------------------------------------------------------------

    async def _look_for_starter(self) -> None:
        entry = ProviderSettings(id="local", kind="llama_cpp", models=(STARTER,))
        tested = await self._app.models.test(entry)
        self.model_step.show_starter(STARTER in tested.models)

    async def _look_for_ollama(self) -> None:
        found = await self._app.discovery.ollama()
        models = list(found.models) if found is not None else []
        embed = [model for model in models if model.embeds or names_embedder(model.name)]
        self.model_step.show_ollama(found, [model for model in models if model not in embed])
        if found is not None:
            self._offer(ollama_entry(found), [model.name for model in embed])

    async def _look_for_files(self) -> None:
        files = [file for file in await self._app.discovery.model_files() if file.chats]
        self.model_step.show_files(sorted(files, key=lambda file: not file.has_chat_template))

    async def _look_for_episodes(self) -> None:
        """Where there are episodes a change of embedder has consequences, which the settings
        show; it is not asked for in passing."""
        counts = await self._app.episodes.counts()
        self._asks_memory = counts.total == 0
        self._draw()

    def _offer(self, server: ProviderSettings, models: list[str]) -> None:
        """Models of a server that embed, for the second step."""
        _settings, provider_id = with_server(self._app.settings.current, server)
        for model in models:
            self._found_embedders[f"{provider_id}/{model}"] = ServerModel(server, model)

    # --- going on ----------------------------------------------------------------------------

    def _go_on(self) -> None:
        if not self.next.isEnabled():
            return
        if self.step == 1:
            self._finish()
        elif self.model_step.chosen() is None:
            self._test()
        elif self._asks_memory:
            self.memory_step.begin(self._app.settings.current, self._found_embedders)
            self._show(1)
        else:
            self._finish()

    def _test(self) -> None:
        form = self.model_step.server
        server = form.typed
        if server is None:
            form.address_field.say(tr("Write down where the server is."))
            form.address.setFocus()
        elif form.test.isEnabled():
            form.begin()
            self._looking.append(self._tasks.start(self._testing(server, form.secret)))

    async def _testing(self, server: ProviderSettings, key: str) -> None:
        tested = await self._app.models.test(server, key)
        form = self.model_step.server
        form.show_test(server, tested)
        chosen = form.chosen()
        if chosen is not None:
            self._offer(chosen.server, [name for name in tested.models if names_embedder(name)])
        elif tested.usable:
            form.model.setFocus()
        self._opened.start()
        self._draw()

    def _finish(self, *, into_file: bool = False) -> None:
        self._say("")
        self._busy = True
        self._draw()
        self._tasks.start(self._finishing(into_file=into_file), failed=self._failed)

    def _failed(self, reason: str) -> None:
        self._busy = False
        self._say(reason)
        self._draw()

    async def _finishing(self, *, into_file: bool) -> None:
        chosen = self.model_step.chosen()
        if chosen is None:
            raise Invalid(tr("Choose a model first."))
        if isinstance(chosen, LocalModel) and chosen.file is not None:
            chosen = LocalModel(await self._app.downloads.adopt(chosen.file))
        taken = chosen

        def change(now: Settings) -> Settings:
            settings, _reference = with_chat_model(now, taken)
            if self.step == 1:
                settings = with_embedder(settings, self.memory_step.value(settings))
            return settings

        change(self._app.settings.current)
        key = self.model_step.server.secret if self.model_step.key == SERVER else ""
        if key and isinstance(chosen, ServerModel):
            _, provider_id = with_server(self._app.settings.current, chosen.server, first=True)
            try:
                await self._app.keys.set(provider_id, key, into_file=into_file)
            except NoKeyring as problem:
                self._busy = False
                self._say(str(problem), offer_file=True)
                self._draw()
                return
        await self._app.settings.change(change)
        self.done.emit()


def _present(app: App) -> str | None:
    """The model that answers now, where a person chose one."""
    reference = app.settings.current.default_model
    if reference is None or reference == Settings().default_model:
        return None
    return reference if app.models.registered(reference) else None
