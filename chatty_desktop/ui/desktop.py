"""The life of the window: open the data folder, show it, and close both in order."""

from __future__ import annotations

import asyncio
import logging
import sys
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication, QLabel, QMessageBox

import chatty_desktop
from chatty_desktop.app import App
from chatty_desktop.domain.errors import AlreadyOpen, ChattyError, Invalid, OpenElsewhere
from chatty_desktop.domain.events import Event, RestartWanted
from chatty_desktop.domain.settings import read_settings
from chatty_desktop.paths import Paths, default_data_folder, resources_folder
from chatty_desktop.reading import read_text
from chatty_desktop.ui.chat.highlight import load_usual
from chatty_desktop.ui.collection import Collection
from chatty_desktop.ui.failures import reported
from chatty_desktop.ui.instance import FirstInstance, raise_first
from chatty_desktop.ui.language import tr, translated
from chatty_desktop.ui.log_file import logging_to
from chatty_desktop.ui.loop import Loop
from chatty_desktop.ui.main_window import MainWindow
from chatty_desktop.ui.plain import Label
from chatty_desktop.ui.questions import Question
from chatty_desktop.ui.signals import EndSignals
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.translations import speak
from chatty_desktop.ui.window_state import WindowState

log = logging.getLogger(__name__)

CLOSING_SECONDS = 3.0
"""How long closing may take before the process ends all the same."""

RESTART = 64
"""The exit status of a window that is to be opened again at once."""

PATIENCE_SECONDS = 0.7
"""How long opening may take before a small window says what is going on."""

LATER_SECONDS = 1.0
"""From the window to loading what its first message is drawn with: opening goes first."""


def run(
    data_dir: Path | None,
    database: str | None = None,
    episodes: str | None = None,
    *,
    take_over: bool = False,
) -> int:
    """Open the window and return when it is closed, with the exit status."""
    application = QApplication(sys.argv[:1])
    application.setApplicationName("chatty-desktop")
    application.setApplicationDisplayName("Chatty Desktop")
    application.setApplicationVersion(chatty_desktop.__version__)
    application.setDesktopFileName("chatty-desktop")
    application.setWindowIcon(QIcon(str(resources_folder() / "icons" / "chatty-desktop.svg")))
    # Closing the window is only the beginning of the end: stores are closed after it.
    application.setQuitOnLastWindowClosed(False)
    data = (data_dir or default_data_folder()).absolute()
    speak(application, _language(Paths(data).settings))
    loop = Loop(application)
    asyncio.set_event_loop(loop)
    with loop:
        status: int = loop.run_until_complete(
            Desktop(application, data, database, episodes, take_over=take_over).live()
        )
    return status


def _language(settings: Path) -> str | None:
    """The language that the settings ask for: what is said while they are opened is said in it
    too. What is wrong with the file is told by whoever opens it."""
    try:
        return read_settings(read_text(settings)).appearance.language
    except (OSError, UnicodeError, Invalid):
        return None


class Desktop:
    """One process with a window on one data folder."""

    def __init__(
        self,
        application: QApplication,
        data: Path,
        database: str | None = None,
        episodes: str | None = None,
        *,
        take_over: bool = False,
    ) -> None:
        self._application = application
        self._database = database
        self._episodes = episodes
        self._take_over = take_over
        self._paths = Paths(data)
        self._closing = asyncio.Event()
        self._again = False
        self._window: MainWindow | None = None

    async def live(self) -> int:
        """Open, stay until the person or the system wants an end, close; the exit status."""
        signals = EndSignals(self._closing.set)
        try:
            with reported(asyncio.get_running_loop(), self._tell):
                app = await self._open()
                if not isinstance(app, App):
                    return app
                with logging_to(self._paths.logs):
                    await self._serve(app)
                return RESTART if self._again else 0
        finally:
            signals.close()

    async def _open(self) -> App | int:
        """The data folder, or the exit status when there is none to be had."""
        waiting = _Waiting()
        try:
            async with waiting:
                return await App.open(
                    self._paths.data,
                    self._database,
                    episodes=self._episodes,
                    take_over=self._take_over,
                )
        except AlreadyOpen as error:
            if raise_first(self._paths.data):
                return 0
            await self._say(translated(str(error)))
        except OpenElsewhere as error:
            if self._take_over:
                await self._say(translated(str(error)))
            elif await self._is_taken_over(error):
                self._take_over = True
                return await self._open()
        except ChattyError as error:
            await self._say(translated(str(error)))
        return 1

    async def _serve(self, app: App) -> None:
        theme = Theme(self._application)
        tasks = Tasks(self._tell)
        state = WindowState(self._paths.window)
        window = self._window = MainWindow(app=app, theme=theme, tasks=tasks, state=state)
        window.close_wanted.connect(self._closing.set)
        window.restart_wanted.connect(self._restart)

        def heard(event: Event) -> None:
            if isinstance(event, RestartWanted):
                window.restart()

        app.events.subscribe(heard)
        self._application.commitDataRequest.connect(self._closing.set)
        first = FirstInstance(self._paths.data)
        first.raise_wanted.connect(window.bring_to_front)
        window.show()
        window.start()
        tasks.start(_load_lexers())
        collection = Collection()
        await self._closing.wait()
        window.remember()
        window.hide()
        first.close()
        try:
            async with asyncio.timeout(CLOSING_SECONDS):
                await tasks.close()
                await app.close()
        except TimeoutError:
            log.error("Closing took too long; the process ends all the same")
        window.release()
        # Its timers would go on, with an app behind them that is closed.
        window.deleteLater()
        self._window = None
        collection.stop()

    def _restart(self) -> None:
        self._again = True
        self._closing.set()

    def _tell(self, text: str) -> None:
        if self._window is not None:
            self._window.tell(text)

    async def _say(self, text: str) -> None:
        """A message in a box of its own, until it is put away."""
        sys.stderr.write(f"{text}\n")
        await self._answer(QMessageBox(QMessageBox.Icon.Warning, "Chatty Desktop", text))

    async def _is_taken_over(self, error: OpenElsewhere) -> bool:
        """Ask whether the chats are to be taken over from the machine that works on them."""
        sys.stderr.write(f"{translated(str(error))}\n")
        text = tr("Your chats are in use on {machine}.", machine=error.machine)
        detail = tr(
            "Only one computer at a time can work on them. Close the app there, or take them"
            " over: the app there then saves nothing any more until it is closed and opened"
            " again."
        )
        box = Question(text, detail)
        box.setWindowTitle("Chatty Desktop")
        button = QMessageBox.StandardButton
        box.addButton(button.Close).setText(tr("Quit"))
        box.addButton(button.Yes).setText(tr("Take over"))
        box.setDefaultButton(button.Close)
        return await self._answer(box) == button.Yes

    async def _answer(self, box: QMessageBox) -> int | None:
        """What a box was put away with; None when the app ends before."""
        closed: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.finished.connect(closed.set_result)
        box.open()
        ending = asyncio.ensure_future(self._closing.wait())
        await asyncio.wait((closed, ending), return_when=asyncio.FIRST_COMPLETED)
        answer = closed.result() if closed.done() else None
        ending.cancel()
        box.close()
        return answer


async def _load_lexers() -> None:
    await asyncio.sleep(LATER_SECONDS)
    await asyncio.to_thread(load_usual)


class _Waiting:
    """A small window that comes up when opening takes longer than a moment, as a migration may."""

    def __init__(self) -> None:
        self._label: QLabel | None = None
        self._timer: asyncio.TimerHandle | None = None

    async def __aenter__(self) -> None:
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(PATIENCE_SECONDS, self._show)

    async def __aexit__(self, *_error: object) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._label is not None:
            self._label.close()

    def _show(self) -> None:
        label = self._label = Label(tr("Opening your chats …"))
        label.setWindowTitle("Chatty Desktop")
        label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        label.resize(320, 96)
        label.show()
