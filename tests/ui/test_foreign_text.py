"""Names and words of others that look like markup are shown as they are, and load nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPoint, Qt, QUrl
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QLabel,
    QToolTip,
    QTreeWidget,
    QWidget,
)

from chatty_desktop.domain.agents import AgentDefinition
from chatty_desktop.domain.attachments import Attachment
from chatty_desktop.domain.mcp_settings import McpServer
from chatty_desktop.domain.strategies import Window
from chatty_desktop.ui.chat.body import MessageBody
from chatty_desktop.ui.chat.files.chip import FileChip
from chatty_desktop.ui.elided import ElidedLabel
from chatty_desktop.ui.plain import tip
from chatty_desktop.ui.questions import confirm
from chatty_desktop.ui.settings.pages import PAGES
from chatty_desktop.ui.theme import Theme
from tests.helpers.servers.fixed import Fixed, FixedServer
from tests.ui.opened import Opened, stored
from tests.ui.panels import until

INK = QColor(255, 0, 255)
"""Nothing of ours is drawn in it."""


@pytest.fixture
def picture(tmp_path: Path, qapp: QApplication) -> str:
    """A file that is drawn wherever HTML is."""
    image = QImage(40, 40, QImage.Format.Format_RGB32)
    image.fill(INK)
    file = tmp_path / "ink.png"
    assert image.save(str(file))
    return QUrl.fromLocalFile(str(file)).toString()


def markup(picture: str, address: str) -> str:
    """What Qt takes for HTML and draws with its pictures, as a name."""
    return f'<img src="{picture}"><img src="{address}/x.png"><b>Bold</b>'


def inked(widget: QWidget) -> bool:
    """Whether the picture is on a widget."""
    image = widget.grab().toImage()
    return any(
        image.pixelColor(x, y) == INK
        for y in range(0, image.height(), 8)
        for x in range(0, image.width(), 8)
    )


async def tip_with(text: str, over: QWidget) -> QLabel:
    """The tooltip of Qt's own, showing a text."""
    QToolTip.showText(QPoint(10, 10), text, over)

    def labels() -> list[QLabel]:
        tops = QApplication.topLevelWidgets()
        return [
            w for w in tops if isinstance(w, QLabel) and w.metaObject().className() == "QTipLabel"
        ]

    await until(lambda: any(label.text() == text for label in labels()))
    return next(label for label in labels() if label.text() == text)


def item_tips(model: QAbstractItemModel, parent: QModelIndex) -> list[str]:
    found = []
    for row in range(model.rowCount(parent)):
        index = model.index(row, 0, parent)
        told = model.data(index, Qt.ItemDataRole.ToolTipRole)
        found += [told] if told else []
        found += item_tips(model, index)
    return found


def tips_of(top: QWidget) -> list[str]:
    """Every tooltip there is in a window."""
    found = [w.toolTip() for w in (top, *top.findChildren(QWidget))]
    for view in top.findChildren(QAbstractItemView):
        if not isinstance(view, QTreeWidget) and view.model() is not None:
            found += item_tips(view.model(), QModelIndex())
    return [text for text in found if text]


async def check(top: QWidget, needle: str) -> int:
    """That nothing of a window draws markup; returns how many tooltips had the needle."""
    for label in top.findChildren(QLabel):
        assert label.pixmap() is not None or label.textFormat() == Qt.TextFormat.PlainText
        if needle in label.text():
            assert label.textFormat() == Qt.TextFormat.PlainText
    assert not inked(top)
    told = sorted({text for text in tips_of(top) if "ink.png" in text})
    for text in told:
        assert not inked(await tip_with(text, top)), text
    QToolTip.hideText()
    return len(told)


async def test_the_picture_is_drawn_where_qt_is_let_look_for_html(
    picture: str, theme: Theme, open_window: Opened
) -> None:
    """What the other tests find nothing of can be found."""
    assert inked(await tip_with(f'<img src="{picture}">', open_window.window))
    assert not inked(await tip_with(tip(f'<img src="{picture}">'), open_window.window))
    QToolTip.hideText()


async def test_names_and_words_that_look_like_markup_are_drawn_nowhere(
    picture: str, open_window: Opened
) -> None:
    async with FixedServer(Fixed(body="{}")) as elsewhere:
        name = markup(picture, elsewhere.address)
        app, window = open_window.app, open_window.window
        definition = AgentDefinition(
            name=name, system_prompt=name, model="lab/small", memory_strategy=Window()
        )
        agent = await app.agents.save(definition)
        session = await app.sessions.create(name, agent.id)
        asked = stored(session.id, None, agent.id, "user", name)
        reply = stored(session.id, asked.id, agent.id, "assistant", name)
        for message in (asked, reply):
            await app.messages.append(message)
        server = McpServer.model_validate({"command": name, "args": [name], "enabled": False})
        await app.tool_servers.add({"odd": server})
        await until(lambda: window.sessions.view.model().rowCount() > 0)
        window.chat.open(session.id)
        await open_window.tasks.idle()
        await until(lambda: len(open_window.views) == 2)
        count = await check(window, name)
        dialog = window.others.open_settings("tools")
        for page, _title, _icon in PAGES:
            dialog.open(page)
            await open_window.tasks.idle()
            count += await check(dialog, name)
        dialog.close()
        assert count >= 3, "no tooltip with the name was there to be looked at"
        assert elsewhere.requests == []


async def test_a_file_a_link_a_line_and_a_question_are_shown_as_they_are(
    picture: str, theme: Theme, open_window: Opened
) -> None:
    window = open_window.window
    async with FixedServer(Fixed(body="{}")) as elsewhere:
        name = markup(picture, elsewhere.address)
        file = Attachment("0" * 64, name, "text/plain", 3)
        chip = FileChip(file, theme, large=False, removable=True)
        line = ElidedLabel(name)
        body = MessageBody(theme)
        body.highlighted.emit(QUrl(f"http://127.0.0.1/?<img src={picture}>"))
        box = confirm(window, name, name, "Yes", lambda: None)
        for widget in (chip, line, body, box):
            widget.resize(600, 200)
            widget.show()
            assert not inked(widget)
            if widget is not box:
                assert not inked(await tip_with(widget.toolTip(), window))
        QToolTip.hideText()
        for widget in (chip, line, body, box):
            widget.close()
        assert elsewhere.requests == []
