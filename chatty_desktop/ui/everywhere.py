"""What every window with a chat can do: what its chat and its memory do for each other, letters
larger and smaller, the palette, the guide, the shortcuts, and saying what happens in the chat."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication, QMainWindow

from chatty_desktop.app import App
from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.forgetting import ForgetTarget
from chatty_desktop.domain.messages import Scope
from chatty_desktop.domain.settings import with_appearance
from chatty_desktop.domain.text_size import stepped
from chatty_desktop.ui.announcing import Announcer, ChatAnnouncements
from chatty_desktop.ui.chat.pane import ChatPane
from chatty_desktop.ui.inspector.panel import InspectorPanel
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.menus import Actions
from chatty_desktop.ui.palette.palette import Palette
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme

if TYPE_CHECKING:
    from chatty_desktop.ui.forgetting.dialog import ForgetDialog
    from chatty_desktop.ui.guide.window import GuideWindow


class Everywhere(QObject):
    """Connects those actions, and the two panes.

    announcer: has said of the chat what people must hear who do not see it.
    guide: None before it is first wanted.
    """

    def __init__(
        self,
        window: QMainWindow,
        *,
        actions: Actions,
        palette: Palette,
        chat: ChatPane,
        inspector: InspectorPanel,
        app: App,
        theme: Theme,
        tasks: Tasks,
    ) -> None:
        super().__init__(window)
        self._window, self._app, self._theme, self._tasks = window, app, theme, tasks
        self._chat, self._inspector = chat, inspector
        self.guide: GuideWindow | None = None
        self._connect_chat(actions, chat, inspector)
        self.announcer = Announcer(window)
        names = chat.composer.picker
        said = ChatAnnouncements(
            self.announcer,
            shown=lambda: chat.session_id,
            speaker=lambda agent_id: names.itemText(names.findData(agent_id)),
        )
        window.destroyed.connect(app.events.subscribe(said.take))
        actions.palette.triggered.connect(palette.open)
        actions.larger.triggered.connect(lambda: self._step(1))
        actions.smaller.triggered.connect(lambda: self._step(-1))
        actions.usual_size.triggered.connect(lambda: self._resize(None))
        actions.guide.triggered.connect(lambda _checked: self.open_guide())
        inspector.guide_wanted.connect(self.open_guide)
        actions.shortcuts.triggered.connect(self._show_shortcuts)
        actions.open_log.triggered.connect(self._open_log)

    def open_guide(self, page: str = "") -> None:
        """Show the guide, at a page by its file and heading, else where it was left."""
        if self.guide is None:
            from chatty_desktop.ui.guide.window import GuideWindow

            self.guide = GuideWindow(self._theme, self._tasks, self._window)
        self.guide.open_page(page)

    def forget(self, target: ForgetTarget) -> ForgetDialog:
        """Show what would go with something, and forget it once the person says so."""
        from chatty_desktop.ui.forgetting.dialog import ForgetDialog

        dialog = ForgetDialog(self._app.forgetting, self._theme, self._tasks, self._window)
        dialog.message_wanted.connect(self._chat.open_at)
        self._tasks.start(dialog.open_for(target))
        return dialog

    def compare(self, message_id: str) -> None:
        """Ask for a reply anew, with something of memory left out, beside the same with all."""
        self._tasks.start(self._open_comparing(message_id))

    async def _open_comparing(self, message_id: str) -> None:
        from chatty_desktop.ui.comparing.dialog import CompareDialog

        CompareDialog(
            comparing=self._app.comparing,
            compared=await self._app.comparing.of(message_id),
            theme=self._theme,
            tasks=self._tasks,
            parent=self._window,
        ).show()

    def replay(self) -> None:
        """Replay the chat that is open under other kinds of memory, of the agent that is chosen."""
        scope = self._inspector.scope
        if scope is None:
            self._tasks.start(_nothing_open())
            return
        # Words that are chosen somewhere in the window are what the person wants to watch.
        focused = QApplication.focusWidget()
        cursor = getattr(focused, "textCursor", None)
        self._tasks.start(self._open_replay(scope, cursor().selectedText() if cursor else ""))

    async def _open_replay(self, scope: Scope, watched: str) -> None:
        from chatty_desktop.ui.replay.dialog import ReplayDialog

        ReplayDialog(
            replay=self._app.replay,
            models=self._app.models,
            agent=await self._app.memories.agent(scope.agent_id),
            scope=scope,
            theme=self._theme,
            tasks=self._tasks,
            parent=self._window,
            watched=watched,
        ).show()

    def _connect_chat(self, do: Actions, chat: ChatPane, inspector: InspectorPanel) -> None:
        picker = chat.composer.picker
        do.stop.triggered.connect(chat.stop)
        do.write.triggered.connect(chat.composer.input.setFocus)
        do.attach.triggered.connect(chat.attaching.ask)
        do.insert.triggered.connect(chat.inserting.open)
        do.choose_agent.triggered.connect(picker.setFocus)
        do.choose_agent.triggered.connect(picker.showPopup)
        do.to_start.triggered.connect(chat.transcript.to_start)
        do.to_end.triggered.connect(chat.transcript.to_end)
        do.connect_find(chat.finding)
        do.connect_last(chat.at_last)
        chat.header.add_button(do.inspector, left=False)
        chat.scope_changed.connect(inspector.set_scope)

        def show_prompt(run_id: str) -> None:
            do.inspector.setChecked(True)
            inspector.show_prompt(run_id)

        chat.acts.prompt_wanted.connect(show_prompt)
        do.show_prompt.triggered.connect(lambda: show_prompt(""))

        def look_back() -> None:
            do.inspector.setChecked(True)
            inspector.look_back()

        do.look_back.triggered.connect(look_back)

        def forget_last() -> None:
            if (last := chat.transcript.last) is not None:
                self.forget(ForgetTarget("message", last.session_id, last.id))

        def compare_last() -> None:
            if (last := chat.transcript.last_of("assistant")) is not None:
                self.compare(last.id)

        chat.acts.compare_wanted.connect(self.compare)
        do.compare.triggered.connect(compare_last)
        chat.acts.forget_wanted.connect(self.forget)
        inspector.forget_wanted.connect(self.forget)
        do.replay.triggered.connect(self.replay)
        inspector.replay_wanted.connect(self.replay)
        do.forget_message.triggered.connect(forget_last)
        inspector.message_wanted.connect(chat.show_message)
        inspector.verbatim_from_changed.connect(chat.transcript.drawn.set_verbatim_from)

    def _step(self, by: int) -> None:
        system = self._theme.system_size
        points = self._app.settings.current.appearance.font_size or system
        self._resize(stepped(points, system, by))

    def _resize(self, points: float | None) -> None:
        if points != self._app.settings.current.appearance.font_size:
            self._tasks.start(self._app.settings.change(with_appearance(font_size=points)))

    def _show_shortcuts(self) -> None:
        from chatty_desktop.ui.shortcuts import ShortcutsDialog

        ShortcutsDialog(self._window, self._theme).open()

    def _open_log(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._app.paths.logs)))


async def _nothing_open() -> None:
    raise Invalid(tr("Open a chat first: what was said in it is replayed."))
