"""The guide in its window: pages, links, finding, and the ways that lead to it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from PySide6.QtCore import QLocale, Qt, QUrl
from PySide6.QtGui import QTextDocument
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolButton

from chatty_desktop.ui.guide.pages import page_names
from chatty_desktop.ui.guide.window import IN_ENGLISH, GuideWindow
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.translations import speak
from tests.ui.opened import Opened
from tests.ui.panels import until


def fail(text: str) -> None:
    raise AssertionError(text)


@pytest.fixture
async def guide(theme: Theme) -> AsyncIterator[GuideWindow]:
    tasks = Tasks(fail)
    made = GuideWindow(theme, tasks)
    yield made
    made.close()
    await tasks.close()
    made.deleteLater()


async def shows(guide: GuideWindow, title: str) -> None:
    await until(lambda: guide.browser.toPlainText().startswith(title))


async def test_f1_opens_the_contents_and_a_link_a_page(open_window: Opened) -> None:
    window = open_window.window
    window.activateWindow()
    QTest.keyClick(window, Qt.Key.Key_F1)
    guide = window.everywhere.guide
    assert guide is not None
    assert guide.isVisible()
    await shows(guide, "Guide\n")
    guide.browser.anchorClicked.emit(QUrl("strategies.md#state"))
    await shows(guide, "Kinds of memory\n")
    await until(lambda: guide.browser.verticalScrollBar().value() > 0)
    QTest.keyClick(guide, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    await shows(guide, "Guide\n")
    QTest.keyClick(guide, Qt.Key.Key_Right, Qt.KeyboardModifier.AltModifier)
    await shows(guide, "Kinds of memory\n")
    QTest.keyClick(guide, Qt.Key.Key_Escape)
    assert not guide.isVisible()


async def test_the_inspector_and_the_editor_lead_to_their_pages(open_window: Opened) -> None:
    window = open_window.window
    buttons = window.inspector.tabs.cornerWidget().findChildren(QToolButton)
    about = next(each for each in buttons if each.accessibleName() == "What is this?")
    window.inspector.tabs.setCurrentIndex(2)
    about.click()
    guide = window.everywhere.guide
    assert guide is not None
    assert guide.shown == "inspector.md#ledger"
    window.others.edit_agent(None)
    editor = window.others.agent_editor
    assert editor is not None
    picker = editor.form.strategy
    picker.choice.setCurrentIndex(picker.choice.findData("full_transcript"))
    picker.about.click()
    assert guide.shown == "strategies.md#full-transcript"
    await shows(guide, "Kinds of memory\n")
    guide.open_page("index.md")
    await shows(guide, "Guide\n")
    editor.activateWindow()
    await until(editor.isActiveWindow)
    QTest.keyClick(editor, Qt.Key.Key_F1)
    assert guide.shown == "strategies.md#full-transcript"
    editor.form.strategy.set({"kind": "none"}, stored=False)
    editor.close()


async def test_what_is_not_on_a_page_is_found_on_the_next_that_has_it(guide: GuideWindow) -> None:
    guide.open_page()
    await shows(guide, "Guide\n")
    QTest.keyClick(guide, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    guide.search.setText("orphan of no page")
    QTest.keyClick(guide.search, Qt.Key.Key_Return)
    await until(lambda: guide.found.text() == "Not found")
    guide.search.setText("Restore this")
    QTest.keyClick(guide.search, Qt.Key.Key_Return)
    await until(lambda: guide.browser.textCursor().selectedText() == "Restore this")
    assert guide.shown == "inspector.md"


async def test_every_page_is_drawn_with_its_pictures_in_both_schemes(
    guide: GuideWindow, theme: Theme
) -> None:
    for scheme in ("light", "dark"):
        theme.force(scheme)
        for name in page_names():
            guide.open_page(name)
            await until(lambda name=name: guide.drawn == (name, scheme))  # type: ignore[misc]  # noqa: B023
            for picture in guide.browser.pictures.values():
                assert not picture.isNull(), name
            assert guide.browser.horizontalScrollBar().maximum() == 0, name


async def test_a_page_reaches_no_file_and_no_server(guide: GuideWindow) -> None:
    guide.open_page()
    await shows(guide, "Guide\n")
    image = QTextDocument.ResourceType.ImageResource.value
    for name in ("https://example.org/a.png", "file:///etc/passwd", "../pictures/main-light.png"):
        assert guide.browser.loadResource(image, QUrl(name)) is None


async def test_in_another_language_it_is_said_that_the_pages_are_english(
    theme: Theme, qapp: QApplication
) -> None:
    before = QLocale()
    speak(qapp, "de")
    try:
        guide = GuideWindow(theme, Tasks(fail))
        guide.deleteLater()
        assert guide.windowTitle() == "Anleitung"
        assert tr(IN_ENGLISH) == "Die Anleitung ist auf Englisch."
    finally:
        speak(qapp, "en")
        QLocale.setDefault(before)
