"""Restart now: the app closes, and opens again on what was restored."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from chatty_desktop.app import App
from chatty_desktop.domain.work import Work
from chatty_desktop.ui.agents.editor import AgentEditor
from tests.helpers.filled import fill
from tests.ui.opened import Opened
from tests.ui.panels import answer, until

ROOT = Path(__file__).parents[2]

_PERSON = """
import sys, threading, time
from pathlib import Path
from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QApplication, QPushButton

def act():
    # In the window's thread: looks again and again for what there is to press.
    window = next((w for w in QApplication.topLevelWidgets() if hasattr(w, "others")), None)
    if window is None or not window.isVisible():
        return again()
    page = window.others.open_settings("data").page("data")
    if list((folder / "backups").glob("*-before-restore.zip")):
        print("restored", flush=True)
        return window.close()
    if not asked:
        asked.append(1)
        page.tasks.start(stage(page))
    restart = next(b for b in page.findChildren(QPushButton) if b.text() == "Restart now")
    if not restart.isVisible():
        return again()
    print("pressed", flush=True)
    restart.click()

async def stage(page):
    from chatty_desktop.domain.work import Work
    (backup,) = await page.app.data.backups()
    await page.app.data.stage_restore(Path(backup.file), Work())
    page.entered()

def again():
    QTimer.singleShot(50, act)

class Person(QObject):
    begin = Signal()

    def act(self):
        act()

def wait():
    while QApplication.instance() is None:
        time.sleep(0.05)
    person.begin.emit()

folder, asked, person = Path(sys.argv[-1]), [], Person()
person.begin.connect(person.act)
threading.Thread(target=wait, daemon=True).start()
from chatty_desktop.__main__ import main
main(["--data-dir", str(folder)])
"""


async def test_restarting_opens_the_window_on_what_was_restored(data_dir: Path) -> None:
    app = await App.open(data_dir)
    await fill(app, "before", chats=1)
    await app.data.back_up(None, Work())
    for session in await app.sessions.list():
        await app.chat.delete_session(session.id)
    await app.close()
    done = subprocess.run(  # noqa: ASYNC221
        [sys.executable, "-c", _PERSON, str(data_dir)],
        cwd=ROOT,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout.split() == ["pressed", "restored"], done.stderr
    assert done.returncode == 0
    with closing(sqlite3.connect(data_dir / "chatty.db")) as connection:
        titles = [row[0] for row in connection.execute("SELECT title FROM sessions")]
    assert titles == ["before 0"]


async def test_unsaved_changes_are_asked_about_before_a_restart(open_window: Opened) -> None:
    wanted: list[int] = []
    window = open_window.window
    window.restart_wanted.connect(lambda: wanted.append(1))
    window.agents.new_wanted.emit()
    await until(lambda: window.findChild(AgentEditor))
    editor = window.findChild(AgentEditor)
    assert editor is not None
    await until(editor.isVisible)
    editor.form.name.setText("Not saved yet")
    window.restart()
    await answer(editor, "Cancel")
    assert wanted == []
    window.restart()
    await answer(editor, "Discard")
    await until(lambda: wanted == [1])
