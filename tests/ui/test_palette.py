"""The palette finds everything by its words and does it, by keys alone."""

from __future__ import annotations

from PySide6.QtCore import QLocale, QObject, Qt, QUrl, Slot
from PySide6.QtGui import QAction, QDesktopServices
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from chatty_desktop.domain.events import SettingsChanged
from chatty_desktop.ui.palette.palette import Palette
from chatty_desktop.ui.palette.rows import spoken
from chatty_desktop.ui.shortcuts import ShortcutsDialog
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.translations import speak
from tests.helpers.servers import OpenAIServer
from tests.ui.opened import Opened, opened
from tests.ui.panels import until

CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


def names(palette: Palette) -> list[str]:
    rows = range(palette.model.rowCount())
    return [entry.words for row in rows if (entry := palette.model.entry(row))]


async def called_up(window: Opened) -> Palette:
    """The palette by its key, everything in it."""
    main = window.window
    main.activateWindow()
    QTest.keyClick(main, Qt.Key.Key_K, CTRL)
    await until(main.palette_.input.hasFocus)
    await window.tasks.idle()
    return main.palette_


def actions_of(menu: QMenu) -> list[QAction]:
    found = []
    for action in menu.actions():
        inner = action.menu()
        if isinstance(inner, QMenu):
            found += actions_of(inner)
        elif not action.isSeparator():
            found.append(action)
    return found


async def test_every_action_of_the_menus_is_found_by_its_words(open_window: Opened) -> None:
    palette = await called_up(open_window)
    bar = open_window.window.menuBar()
    actions = [a for top in bar.actions() for a in actions_of(top.menu())]  # type: ignore[arg-type]
    assert len(actions) > 35
    for action in actions:
        words = action.text().replace("&", "").removesuffix(" …")
        palette.input.setText(words)
        assert words in names(palette)[:3], words


async def test_every_action_of_the_window_is_in_a_menu(open_window: Opened) -> None:
    window = open_window.window
    in_menus = {a for top in window.menuBar().actions() for a in actions_of(top.menu())}  # type: ignore[arg-type]
    own = {a for a in vars(window.actions_).values() if isinstance(a, QAction)}
    assert [a.text() for a in own - in_menus] == []


async def test_enter_does_what_is_marked_and_gives_the_keyboard_back(open_window: Opened) -> None:
    window = open_window.window
    window.chat.composer.input.setFocus()
    palette = await called_up(open_window)
    QTest.keyClicks(palette.input, "run lo")
    assert names(palette)[0] == "Run log"
    assert window.run_log.isVisible()
    QTest.keyClick(palette.input, Qt.Key.Key_Return)
    assert not window.run_log.isVisible()
    assert not palette.isVisible()
    assert window.chat.composer.input.hasFocus()


async def test_esc_leaves_it_and_stops_nothing(open_window: Opened) -> None:
    window = open_window.window
    stopped: list[bool] = []
    window.actions_.stop.triggered.connect(stopped.append)
    window.chat.composer.input.setFocus()
    palette = await called_up(open_window)
    QTest.keyClick(palette.input, Qt.Key.Key_Escape)
    assert not palette.isVisible()
    assert window.chat.composer.input.hasFocus()
    assert stopped == []


async def test_tab_and_a_press_elsewhere_leave_it(open_window: Opened) -> None:
    palette = await called_up(open_window)
    QTest.keyClick(palette.input, Qt.Key.Key_Tab)
    await until(lambda: not palette.isVisible())


async def test_arrows_walk_and_go_round(open_window: Opened) -> None:
    palette = await called_up(open_window)
    last = palette.model.rowCount() - 1
    QTest.keyClick(palette.input, Qt.Key.Key_Down)
    assert palette.list.currentIndex().row() == 1
    QTest.keyClick(palette.input, Qt.Key.Key_Up)
    QTest.keyClick(palette.input, Qt.Key.Key_Up)
    assert palette.list.currentIndex().row() == last
    QTest.keyClick(palette.input, Qt.Key.Key_PageUp)
    assert palette.list.currentIndex().row() == last - 10


async def test_chats_agents_and_pages_are_found(open_window: Opened) -> None:
    window = open_window.window
    session = await open_window.session("Ärger mit dem Fahrrad", 1)
    palette = await called_up(open_window)
    QTest.keyClicks(palette.input, "arger fahr")
    assert names(palette) == ["Ärger mit dem Fahrrad"]
    QTest.keyClick(palette.input, Qt.Key.Key_Return)
    await until(lambda: window.chat.session_id == session.id)
    palette = await called_up(open_window)
    QTest.keyClicks(palette.input, "new small talk")
    assert names(palette)[0] == "New chat with Small talk"
    QTest.keyClick(palette.input, Qt.Key.Key_Return)
    await until(lambda: window.chat.session_id is None)
    agent = await open_window.agent()
    await until(lambda: window.chat.composer.agent_id == agent)
    palette = await called_up(open_window)
    QTest.keyClicks(palette.input, "appearance")
    QTest.keyClick(palette.input, Qt.Key.Key_Return)
    dialog = window.others.open_settings()
    assert dialog.current == "appearance"
    dialog.close()


async def test_what_is_not_possible_now_is_shown_and_not_done(open_window: Opened) -> None:
    palette = await called_up(open_window)
    QTest.keyClicks(palette.input, "rename chat")
    assert palette.chosen is not None
    assert not palette.chosen.possible
    assert spoken(palette.chosen).endswith("not possible now")
    QTest.keyClick(palette.input, Qt.Key.Key_Return)
    assert palette.isVisible()


async def test_what_was_used_last_comes_first_also_after_a_start(
    data_dir: object, theme: Theme, server: OpenAIServer
) -> None:
    async with opened(data_dir, theme, server) as made:  # type: ignore[arg-type]
        palette = await called_up(made)
        QTest.keyClicks(palette.input, "to the end")
        QTest.keyClick(palette.input, Qt.Key.Key_Return)
    async with opened(data_dir, theme, server) as again:  # type: ignore[arg-type]
        palette = await called_up(again)
        assert names(palette)[0] == "To the end of the chat"


async def test_in_another_language_english_words_find_it_too(
    data_dir: object, theme: Theme, server: OpenAIServer, qapp: QApplication
) -> None:
    before = QLocale()
    speak(qapp, "de")
    try:
        async with opened(data_dir, theme, server) as made:  # type: ignore[arg-type]
            palette = await called_up(made)
            QTest.keyClicks(palette.input, "loschen chat")
            assert names(palette)[0] == "Chat löschen"
            palette.input.setText("delete chat")
            assert names(palette)[0] == "Chat löschen"
    finally:
        speak(qapp, "en")
        QLocale.setDefault(before)


async def test_the_dialog_of_shortcuts_lists_all_there_are(open_window: Opened) -> None:
    window = open_window.window
    window.activateWindow()
    QTest.keyClick(window, Qt.Key.Key_Slash, Qt.KeyboardModifier.ControlModifier)
    dialog = window.findChild(ShortcutsDialog)
    assert dialog is not None
    assert dialog.isVisible()
    tops = [dialog.list.topLevelItem(n) for n in range(dialog.list.topLevelItemCount())]
    rows = [top.child(n) for top in tops if top for n in range(top.childCount())]
    shown = {row.text(1) for row in rows if row}
    wanted = {
        ", ".join(keys.toString() for keys in action.shortcuts())
        for action in vars(window.actions_).values()
        if isinstance(action, QAction) and action.shortcuts()
    }
    assert wanted <= shown
    assert "F2" in shown
    dialog.search.setText("undo")
    left = [row.text(0) for row in rows if row and not row.isHidden()]
    assert left == ["Undo deletion"]
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


async def test_keys_make_letters_larger_smaller_and_usual_again(open_window: Opened) -> None:
    settings = open_window.app.settings
    heard: list[float | None] = []
    open_window.app.events.subscribe(
        lambda event: (
            heard.append(settings.current.appearance.font_size)
            if isinstance(event, SettingsChanged)
            else None
        )
    )
    window = open_window.window
    window.activateWindow()
    before = window.font().pointSizeF()
    QTest.keyClick(window, Qt.Key.Key_Plus, CTRL)
    await until(lambda: len(heard) == 1)
    assert window.font().pointSizeF() > before
    QTest.keyClick(window, Qt.Key.Key_Minus, CTRL)
    await until(lambda: len(heard) == 2)
    QTest.keyClick(window, Qt.Key.Key_Minus, CTRL)
    await until(lambda: len(heard) == 3)
    assert window.font().pointSizeF() < before
    QTest.keyClick(window, Qt.Key.Key_0, CTRL)
    await until(lambda: len(heard) == 4)
    assert heard[1] is None
    assert heard[3] is None
    assert window.font().pointSizeF() == before


async def test_the_folder_of_the_log_is_opened_by_the_system(open_window: Opened) -> None:
    class Opener(QObject):
        def __init__(self) -> None:
            super().__init__()
            self.urls: list[QUrl] = []

        @Slot(QUrl)
        def take(self, url: QUrl) -> None:
            self.urls.append(url)

    opener = Opener()
    QDesktopServices.setUrlHandler("file", opener, "take")  # type: ignore[arg-type]
    try:
        open_window.window.actions_.open_log.trigger()
    finally:
        QDesktopServices.unsetUrlHandler("file")
    assert [url.toLocalFile() for url in opener.urls] == [str(open_window.app.paths.logs)]


async def test_an_undone_deletion_by_its_key_brings_the_chat_back(open_window: Opened) -> None:
    session = await open_window.session("deleted by mistake", 1)
    window = open_window.window
    window.chat.open(session.id)
    await until(lambda: window.sessions.model.index_of(session.id).isValid())
    window.activateWindow()
    window.sessions.acts.delete_wanted.emit([session.id])
    await until(window.actions_.undo_delete.isEnabled)
    QTest.keyClick(window, Qt.Key.Key_T, CTRL | SHIFT)
    await until(lambda: window.sessions.model.index_of(session.id).isValid())
