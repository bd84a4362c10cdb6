"""The guide in a window of its own: the pages of `resources/guide`, and nothing from elsewhere."""

from __future__ import annotations

import asyncio
from typing import Any

from PySide6.QtCore import QEvent, QSize, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QImage, QKeySequence, QShortcut, QTextCursor
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from chatty_desktop.ui.chat.markdown import css, is_outside_link
from chatty_desktop.ui.guide.pages import CONTENTS, Page, page_with, read_page
from chatty_desktop.ui.language import N_, tr
from chatty_desktop.ui.lines import hairline
from chatty_desktop.ui.pieces import caption, edge_to_edge, icon_button, takes_escape
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import XS, L, M, S

IN_ENGLISH = N_("The guide is in English.")
"""Said in a window that speaks another language."""


class GuideWindow(QDialog):
    """Shows one page at a time; a link leads to another, or into the browser.

    shown: the address that was asked for last. drawn: the page and the palette that are on the
    screen. browser: the page. search: looks through this page, then through the others.
    """

    def __init__(self, theme: Theme, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._tasks = theme, tasks
        self._before: list[str] = []
        self._after: list[str] = []
        self.shown = ""
        self.drawn = ("", "")
        self._showing: asyncio.Task[None] | None = None
        self.setWindowTitle(tr("Guide"))
        self.back = icon_button(theme, "arrow-left", tr("Back (Alt+Left)"))
        self.forward = icon_button(theme, "arrow-right", tr("Forward (Alt+Right)"))
        self.contents = icon_button(theme, "list", tr("Contents (Alt+Home)"))
        self.search = _Search()
        self.found = caption(theme)
        self.browser = _Browser()
        self._arrange()
        self.back.clicked.connect(lambda: self._walk(self._before, self._after))
        self.forward.clicked.connect(lambda: self._walk(self._after, self._before))
        self.contents.clicked.connect(lambda: self.open_page(CONTENTS))
        self.search.returnPressed.connect(self.find_next)
        self.search.textChanged.connect(lambda _text: self.found.clear())
        self.browser.anchorClicked.connect(self._follow)
        for keys, do in (
            ("Alt+Left", self.back.click),
            ("Alt+Right", self.forward.click),
            ("Alt+Home", self.contents.click),
            ("Ctrl+F", self.search.setFocus),
            ("F3", self.find_next),
            ("Shift+F3", lambda: self.find_next(backwards=True)),
        ):
            QShortcut(QKeySequence(keys), self, do)
        theme.changed.connect(self._draw_again)
        self._show_ways()

    def open_page(self, address: str = "") -> None:
        """Show a page by its file, with `#` and a heading if one is meant; "": where it was left,
        the contents at first."""
        address = address or self.shown or CONTENTS
        if self.shown and address != self.shown:
            self._before.append(self.shown)
            self._after.clear()
        self._go(address)
        self.show()
        self.raise_()
        self.activateWindow()
        self.browser.setFocus()

    def find_next(self, *, backwards: bool = False) -> None:
        """Go to the next place of what is in the search field, on the next page that has it."""
        words = self.search.text().strip()
        if not words:
            self.search.setFocus()
        elif self._find_here(words, backwards=backwards):
            self.found.clear()
        else:
            self._tasks.start(self._find_elsewhere(words, backwards=backwards))

    def _arrange(self) -> None:
        row = QHBoxLayout()
        row.setContentsMargins(S, S, M, S)
        row.setSpacing(XS)
        for button in (self.back, self.forward, self.contents):
            row.addWidget(button)
        row.addStretch(1)
        row.addWidget(self.found)
        row.addSpacing(S)
        row.addWidget(self.search, 2)
        column = edge_to_edge(QVBoxLayout(self))
        column.addLayout(row)
        column.addWidget(hairline())
        column.addWidget(self.browser, 1)
        if (said := tr(IN_ENGLISH)) != IN_ENGLISH:
            note = caption(self._theme, said)
            note.setContentsMargins(L, S, L, S)
            column.addWidget(note)
        self.setTabOrder(self.search, self.browser)
        room = self.screen().availableSize()
        self.setMinimumSize(480, 320)
        self.resize(QSize(760, 760).boundedTo(room))
        self.setProperty("panel", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)

    # --- pages -------------------------------------------------------------------------------

    def _go(self, address: str) -> None:
        self.shown = address
        self._show_ways()
        self._showing = self._tasks.start(self._show(address))

    def _walk(self, taken: list[str], left: list[str]) -> None:
        if taken:
            left.append(self.shown)
            self._go(taken.pop())

    def _show_ways(self) -> None:
        self.back.setEnabled(bool(self._before))
        self.forward.setEnabled(bool(self._after))
        self.contents.setEnabled(self.shown != CONTENTS)

    async def _show(self, address: str) -> None:
        name, _hash, heading = address.partition("#")
        tokens = self._theme.tokens
        page = await asyncio.to_thread(read_page, name, tokens, self.devicePixelRatioF())
        if address != self.shown or tokens is not self._theme.tokens:
            return
        family = self._theme.monospace().family()
        self.browser.draw(page, css(tokens, f"'{family}'"))
        self.drawn = name, tokens.name
        self.setWindowTitle(tr("{title} – Guide", title=page.title))
        if heading:
            self.browser.scrollToAnchor(heading)

    def _draw_again(self) -> None:
        if self.isVisible():
            self._go(self.shown)

    def _follow(self, url: QUrl) -> None:
        if is_outside_link(url.toString()):
            QDesktopServices.openUrl(url)
            return
        name = url.path() or self.shown.partition("#")[0]
        self.open_page(f"{name}#{url.fragment()}" if url.hasFragment() else name)

    # --- finding -----------------------------------------------------------------------------

    def _find_here(self, words: str, *, backwards: bool = False) -> bool:
        flag = self.browser.document().FindFlag
        return self.browser.find(words, flag.FindBackward if backwards else flag(0))

    async def _find_elsewhere(self, words: str, *, backwards: bool) -> None:
        here = self.shown.partition("#")[0]
        name = await asyncio.to_thread(page_with, words, here, backwards=backwards)
        if name is None:
            self.found.setText(tr("Not found"))
            return
        if name != here:
            typing = self.search.hasFocus()
            self.open_page(name)
            if typing:
                self.search.setFocus()
        if self._showing is not None:
            await self._showing
        end = QTextCursor.MoveOperation.End if backwards else QTextCursor.MoveOperation.Start
        self.browser.moveCursor(end)
        self._find_here(words, backwards=backwards)


class _Browser(QTextBrowser):
    """A page, which is given everything that is in it: it loads nothing by itself."""

    def __init__(self) -> None:
        super().__init__()
        self.pictures: dict[str, QImage] = {}
        self.setAccessibleName(tr("Page of the guide"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setProperty("bare", True)
        self.setOpenLinks(False)
        self.document().setDocumentMargin(L)

    def draw(self, page: Page, style: str) -> None:
        """Show a page from its top."""
        self.pictures = page.pictures
        self.document().setDefaultStyleSheet(style)
        self.setHtml(page.html)

    def loadResource(self, kind: int, name: Any) -> Any:
        """Only the pictures that came with the page: no file and no address is read here."""
        return self.pictures.get(name.toString())


class _Search(QLineEdit):
    """What to look for. Esc empties it, and closes the window once it is empty."""

    def __init__(self) -> None:
        super().__init__()
        self.setPlaceholderText(tr("Find in the guide"))
        self.setAccessibleName(tr("Find in the guide"))
        self.setClearButtonEnabled(True)

    def event(self, event: QEvent) -> bool:
        if self.text() and takes_escape(event):
            self.clear()
            return True
        return super().event(event)
