"""Who uses keys and ears alone gets everywhere, sees where they are, and hears what happens."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QTabWidget, QWidget

from chatty_desktop.domain.events import Notice
from chatty_desktop.ui.palette.rows import spoken
from chatty_desktop.ui.settings.pages import PAGES
from tests.ui.opened import Opened
from tests.ui.panels import until

CONTROL = Qt.KeyboardModifier.ControlModifier


def name_of(widget: QWidget) -> str:
    """What a screen reader is told a widget is called. A box of choices gives its choice for a
    name on Linux; what was set is asked for then too."""
    interface = QAccessible.queryAccessibleInterface(widget)
    return interface.text(QAccessible.Text.Name) or widget.accessibleName()


def nameless(top: QWidget) -> list[str]:
    """What can have the keyboard in a window and has no name: where each stands."""
    found = []
    for widget in (top, *top.findChildren(QWidget)):
        if isinstance(widget, QLabel) and not widget.text():
            continue  # nothing to be seen either
        can = widget.focusPolicy() != Qt.FocusPolicy.NoFocus and widget.focusProxy() is None
        if can and widget.isVisibleTo(top) and not name_of(widget):
            parents = [type(widget).__name__]
            above = widget.parentWidget()
            while above is not None and above is not top:
                parents.append(type(above).__name__)
                above = above.parentWidget()
            found.append(" < ".join(parents))
    return found


async def walked(window: QWidget, key: Qt.Key = Qt.Key.Key_Tab) -> list[QWidget]:
    """Where Tab goes, from where the keyboard is until it is there again."""
    window.activateWindow()
    await until(lambda: QApplication.focusWidget() is not None)
    first = QApplication.focusWidget()
    assert first is not None
    stops = [first]
    for _ in range(300):
        QTest.keyClick(stops[-1], key)
        now = QApplication.focusWidget()
        if now is first:
            return stops
        assert now is not None
        assert now is not stops[-1], f"{type(now).__name__} {name_of(now)!r} keeps the keyboard"
        stops.append(now)
    raise AssertionError("Tab never comes back to where it began")


def pairs_against_the_eye(stops: list[QWidget], window: QWidget) -> Iterator[tuple[str, str]]:
    """Neighbours of a walk of which the later one stands wholly above, in the same column."""
    for before, after in pairwise(stops):
        a, b = (w.rect().translated(w.mapTo(window, QPoint())) for w in (before, after))
        if b.bottom() < a.top() and a.left() < b.right() and b.left() < a.right():
            yield name_of(before), name_of(after)


async def edited(opened: Opened, agent_id: str) -> QDialog:
    """The editor with an agent in it."""
    window = opened.window
    window.agents.edit_wanted.emit(agent_id)
    await opened.tasks.idle()
    await until(lambda: any(d.isVisible() for d in window.findChildren(QDialog)))
    return next(d for d in window.findChildren(QDialog) if d.isVisible())


async def test_all_that_can_have_the_keyboard_has_a_name(open_window: Opened) -> None:
    window = open_window.window
    session = await open_window.session("one", 2)
    assert nameless(window) == []
    window.chat.open(session.id)
    await open_window.tasks.idle()
    await until(lambda: len(open_window.views) == 4)
    assert nameless(window) == []
    for tab in range(window.inspector.tabs.count()):
        window.inspector.tabs.setCurrentIndex(tab)
        await open_window.tasks.idle()
        assert nameless(window.inspector) == []


async def test_all_in_the_settings_has_a_name(open_window: Opened) -> None:
    dialog = open_window.window.others.open_settings()
    for name, _title, _icon in PAGES:
        dialog.open(name)
        await open_window.tasks.idle()
        assert (name, nameless(dialog)) == (name, [])
    dialog.close()


async def test_all_in_the_editor_has_a_name_for_every_kind_of_agent(open_window: Opened) -> None:
    for agent in await open_window.app.agents.list():
        editor = await edited(open_window, agent.id)
        tabs = editor.findChild(QTabWidget)
        assert tabs is not None
        for tab in range(tabs.count()):
            tabs.setCurrentIndex(tab)
            assert (agent.name, nameless(editor)) == (agent.name, [])
        editor.close()


async def test_all_in_the_dialogs_has_a_name(open_window: Opened) -> None:
    window = open_window.window
    window.actions_.import_chats.trigger()
    window.actions_.shortcuts.trigger()
    window.palette_.open()
    dialogs = [d for d in window.findChildren(QDialog) if d.isVisible()]
    assert len(dialogs) == 2
    for top in (*dialogs, window.palette_):
        assert nameless(top) == []
    for dialog in dialogs:
        dialog.close()


async def test_tab_walks_the_window_as_it_is_read_and_comes_round(open_window: Opened) -> None:
    window = open_window.window
    session = await open_window.session("one", 3)
    window.chat.open(session.id)
    await until(lambda: len(open_window.views) == 6)
    await until(window.sessions.view.isVisible)
    window.sessions.search.setFocus()
    stops = await walked(window)
    names = [name_of(stop) for stop in stops]
    order = [
        "Search chats and messages",
        "New chat",
        "Chats",
        "Agents",
        "Chats and agents",
        "Messages",
        "Message",
    ]
    assert [name for name in names if name in order] == order
    assert names.index("Message") < stops.index(window.inspector.tabs.tabBar())
    # Back again by the same way; the newest message's buttons come first from below.
    window.chat.composer.input.setFocus()
    QTest.keyClick(window.chat.composer.input, Qt.Key.Key_Tab, Qt.KeyboardModifier.ShiftModifier)
    above = QApplication.focusWidget()
    assert above is not None
    assert open_window.views[-1].isAncestorOf(above)


async def test_tab_walks_every_page_of_the_settings_from_top_to_bottom(
    open_window: Opened,
) -> None:
    dialog = open_window.window.others.open_settings()
    for name, _title, _icon in PAGES:
        dialog.open(name)
        await open_window.tasks.idle()
        dialog.search.setFocus()
        dialog.activateWindow()
        await until(dialog.search.hasFocus)
        stops = await walked(dialog)
        assert stops[1] is dialog.list
        page = dialog.page(name)
        # Of what has been scrolled meanwhile the place in the page is the same.
        within = [stop for stop in stops if page.isAncestorOf(stop)]
        assert (name, list(pairs_against_the_eye(within, page))) == (name, [])
        back = await walked(dialog, Qt.Key.Key_Backtab)
        assert back == [stops[0], *reversed(stops[1:])]
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


async def test_what_tab_comes_to_is_in_sight(open_window: Opened) -> None:
    dialog = open_window.window.others.open_settings("downloads")
    dialog.resize(600, 420)
    await open_window.tasks.idle()
    dialog.search.setFocus()
    dialog.activateWindow()
    await until(dialog.search.hasFocus)
    page = dialog.page("downloads")
    stops = await walked(dialog)
    for stop in stops:
        stop.setFocus()
        QTest.keyClick(stop, Qt.Key.Key_Tab)
        now = QApplication.focusWidget()
        assert now is not None
        if page.isAncestorOf(now):
            assert not now.visibleRegion().isEmpty(), name_of(now)
    dialog.close()


async def test_tab_walks_the_editor_and_esc_leaves_it(open_window: Opened) -> None:
    editor = await edited(open_window, await open_window.agent("Companion"))
    stops = await walked(editor)
    forms = [stop for stop in stops if name_of(stop) and not stop.inherits("QTabBar")]
    assert name_of(forms[0]) == "Name"
    assert len(forms) > 8
    QTest.keyClick(editor, Qt.Key.Key_Escape)
    assert not editor.isVisible()


async def test_a_reply_is_said_once_when_it_is_all_there(open_window: Opened) -> None:
    heard: list[tuple[str, bool]] = []
    open_window.window.everywhere.announcer.announced.connect(
        lambda text, at_once: heard.append((text, at_once))
    )
    await open_window.new_chat()
    open_window.server.script("The sky scatters blue light.")
    open_window.write("Why is the sky blue?")
    await until(lambda: any("scatters" in text for text, _at_once in heard))
    await open_window.tasks.idle()
    said = [text for text, _at_once in heard]
    assert said == [
        "Small talk is answering.",
        "Small talk: The sky scatters blue light.",
    ]


async def test_notices_are_said_and_errors_at_once(open_window: Opened) -> None:
    heard: list[tuple[str, bool]] = []
    open_window.window.everywhere.announcer.announced.connect(
        lambda text, at_once: heard.append((text, at_once))
    )
    publish = open_window.app.events.publish
    publish(Notice("info", "Written."))
    publish(Notice("error", "The disk is full."))
    publish(Notice("info", "Of another chat.", "another"))
    assert heard == [("Written.", False), ("The disk is full.", True)]


async def test_the_palette_says_what_is_marked(open_window: Opened) -> None:
    window = open_window.window
    heard: list[str] = []
    window.palette_.announcer.announced.connect(lambda text, _at_once: heard.append(text))
    window.activateWindow()
    QTest.keyClick(window, Qt.Key.Key_K, CONTROL)
    await open_window.tasks.idle()
    QTest.keyClick(window.palette_.input, Qt.Key.Key_Down)
    assert window.palette_.chosen is not None
    assert heard[-1] == spoken(window.palette_.chosen)
