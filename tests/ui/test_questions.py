"""A question is read whole, however long the name in it is."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QMessageBox, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from chatty_desktop.ui.questions import ask, confirm
from chatty_desktop.ui.theme import Theme


@pytest.mark.parametrize(
    "text", ["Delete?", "Delete “A rather long name of a chat that goes on”?", "long name " * 30]
)
def test_what_is_asked_is_shown_whole(text: str, theme: Theme, qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    box = ask(window, text, "Gone for good.", [QMessageBox.StandardButton.Cancel], lambda _: None)
    qtbot.wait(20)
    label = box.findChild(QLabel, "qt_msgbox_label")
    assert isinstance(label, QLabel)
    if label.wordWrap():
        assert label.height() >= label.heightForWidth(label.width())
    else:
        assert label.width() >= label.sizeHint().width()
    assert box.width() >= 300, "a short question makes no narrow box"
    box.close()


def test_enter_calls_it_off_also_when_the_look_has_changed_meanwhile(
    theme: Theme, qtbot: QtBot
) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    window.show()
    done: list[int] = []
    box = confirm(window, "Delete?", "Gone for good.", "Delete", lambda: done.append(1))
    qtbot.wait(20)
    theme.force("dark")
    qtbot.wait(20)
    (default,) = [each for each in box.findChildren(QPushButton) if each.isDefault()]
    assert default is box.focusWidget()
    QTest.keyClick(default, Qt.Key.Key_Return)
    assert not box.isVisible()
    assert done == []
