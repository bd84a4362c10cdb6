"""The settings: one page a matter, found by a list and by a search over all that they say."""

from __future__ import annotations

from importlib import import_module

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from chatty_desktop.app import App
from chatty_desktop.domain.events import Event, SettingsChanged
from chatty_desktop.ui.controls import Field
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.lines import hairline
from chatty_desktop.ui.pieces import Empty, edge_to_edge, scrolled
from chatty_desktop.ui.plain import Label
from chatty_desktop.ui.reading_order import to_next
from chatty_desktop.ui.settings.page import Page, Surroundings
from chatty_desktop.ui.settings.pages import PAGES
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import XL, L, M, S


class SettingsDialog(QWidget):
    """A window of its own; what is changed in it applies at once.

    set_up_wanted: the person wants the questions of the first run, and this window is closed.
    """

    set_up_wanted = Signal()

    def __init__(
        self, *, app: App, theme: Theme, tasks: Tasks, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setWindowTitle(tr("Settings"))
        self.setProperty("panel", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        # 880 × 640 with usual letters, more with large ones.
        letters, room = QFontMetrics(theme.words()), self.screen().availableSize()
        self.resize(
            min(room.width(), max(880, 110 * letters.averageCharWidth())),
            min(room.height(), max(640, 40 * letters.height())),
        )
        self.setMinimumSize(600, 420)
        self._around = Surroundings(app, theme, tasks)
        self._pages: dict[str, Page] = {}
        self._areas: dict[str, QScrollArea] = {}
        self.search = QLineEdit()
        self.search.setPlaceholderText(tr("Search settings"))
        self.search.setAccessibleName(tr("Search settings"))
        self.search.setClearButtonEnabled(True)
        self.list = QListWidget()
        self.list.setAccessibleName(tr("Pages of the settings"))
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.stack = QStackedWidget()
        self._nothing = Empty(theme, "magnifying-glass")
        self.stack.addWidget(self._nothing)
        self._side = QWidget()
        self._fill_list()
        self._lay_out()
        self.search.textChanged.connect(self._find)
        self.search.returnPressed.connect(self.list.setFocus)
        self.list.currentItemChanged.connect(lambda item, _before: self._choose(item))
        QShortcut(QKeySequence("Esc"), self, self._leave)
        QShortcut(QKeySequence("Ctrl+F"), self, self._to_search)
        self.destroyed.connect(app.events.subscribe(self._happened))
        theme.changed.connect(self._dress)

    def open(self, page: str = "") -> None:
        """Show the window, on a page by its name, else where it was left."""
        before = self.current
        self.search.clear()
        wanted = page or self.current or PAGES[0][0]
        # Each page is entered once: another row, also one that the end of a search chose, enters
        # its page by itself.
        if wanted != self.current:
            self.list.setCurrentItem(self._item(wanted))
        elif wanted == before:
            self._choose(self._item(wanted))
        if self.isMinimized():
            self.showNormal()
        self.show()
        self.raise_()
        self.activateWindow()
        self.list.setFocus()

    def focusNextPrevChild(self, forward: bool) -> bool:
        return to_next(self, forward=forward)

    @property
    def current(self) -> str:
        """The name of the page in front, "" before the first and when nothing is found."""
        item: QListWidgetItem | None = self.list.currentItem()
        return str(item.data(Qt.ItemDataRole.UserRole)) if item is not None else ""

    def page(self, name: str) -> Page:
        """A page by its name, built when it is first wanted."""
        if name not in self._pages:
            module = import_module(f"chatty_desktop.ui.settings.page_{name}")
            page: Page = module.SettingsPage(self._around)
            page.show_settings(page.settings)
            page.page_wanted.connect(self.open)
            page.set_up_wanted.connect(self._set_up)
            area = scrolled(page)
            # With large letters in a small window nothing may be out of reach.
            area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
            self._pages[name], self._areas[name] = page, area
            self.stack.addWidget(self._framed(name, area))
        return self._pages[name]

    # --- putting together --------------------------------------------------------------------

    def _fill_list(self) -> None:
        for name, title, _icon in PAGES:
            item = QListWidgetItem(tr(title))
            item.setData(Qt.ItemDataRole.UserRole, name)
            self.list.addItem(item)
        self._dress()

    def _dress(self) -> None:
        theme = self._around.theme
        letters = QFontMetrics(theme.words())
        self.list.setIconSize(QSize(theme.icon_size + 2, theme.icon_size + 2))
        high = max(letters.height(), self.list.iconSize().height()) + 2 * theme.measures.row - 2
        for row, (_name, _title, icon) in enumerate(PAGES):
            self.list.item(row).setIcon(theme.icon(icon))
            self.list.item(row).setSizeHint(QSize(0, high))
        wide = max(letters.horizontalAdvance(tr(title)) for _name, title, _icon in PAGES)
        self._side.setFixedWidth(max(208, wide + 80))
        self.setMinimumWidth(max(600, self._side.width() + 42 * letters.averageCharWidth()))

    def _lay_out(self) -> None:
        column = QVBoxLayout(self._side)
        column.setContentsMargins(M, M, M, M)
        column.setSpacing(S)
        column.addWidget(self.search)
        column.addWidget(self.list, 1)
        row = edge_to_edge(QHBoxLayout(self))
        row.addWidget(self._side)
        row.addWidget(hairline(Qt.Orientation.Vertical))
        row.addWidget(self.stack, 1)

    def _framed(self, name: str, area: QScrollArea) -> QWidget:
        """A page under its title, which stays while the page scrolls."""
        title = Label(next(tr(words) for page, words, _icon in PAGES if page == name))
        title.setFont(self._around.theme.title())
        title.setContentsMargins(XL, L, XL, S)
        frame = QWidget()
        column = edge_to_edge(QVBoxLayout(frame))
        column.addWidget(title)
        column.addWidget(area, 1)
        return frame

    def _item(self, name: str) -> QListWidgetItem:
        return self.list.item([page[0] for page in PAGES].index(name))

    # --- what happens ------------------------------------------------------------------------

    def _happened(self, event: Event) -> None:
        for page in self._pages.values():
            if isinstance(event, SettingsChanged):
                page.show_settings(page.settings)
            page.event_happened(event)

    def _choose(self, item: QListWidgetItem | None) -> None:
        if item is None:
            self._nothing.say(tr("Nothing found"), tr("Search for another word."))
            self.stack.setCurrentWidget(self._nothing)
            return
        name = str(item.data(Qt.ItemDataRole.UserRole))
        page = self.page(name)
        self.stack.setCurrentIndex(1 + list(self._pages).index(name))
        page.entered()
        self._point_out(page)

    def _find(self, text: str) -> None:
        """Leave the pages in the list that say every one of the words."""
        words = text.casefold().split()
        found = []
        for row, (name, title, _icon) in enumerate(PAGES):
            said = [tr(title), *(_said(self.page(name)) if words else ())]
            holds = _holds("\n".join(said), words)
            self.list.item(row).setHidden(not holds)
            found += [row] if holds else []
        if self.list.currentRow() not in found:
            self.list.setCurrentRow(found[0] if found else -1)
        else:
            self._point_out(self.page(self.current))

    def _point_out(self, page: Page) -> None:
        """Bring the first field of a page that the search means into sight, and mark it."""
        words = self.search.text().casefold().split()
        meant = None
        for field in page.findChildren(Field):
            means = bool(words) and _holds("\n".join(_said(field)), words)
            field.point_out(means)
            meant = meant or (field if means else None)
        if meant is not None:
            self._areas[self.current].ensureWidgetVisible(meant)

    def _to_search(self) -> None:
        self.search.setFocus()
        self.search.selectAll()

    def _set_up(self) -> None:
        self.close()
        self.set_up_wanted.emit()

    def _leave(self) -> None:
        if self.search.text():
            self.search.clear()
        else:
            self.close()


def _said(widget: QWidget) -> list[str]:
    """All that a widget says: labels, buttons, choices, what is written in faint letters."""
    texts = [label.text() for label in widget.findChildren(QLabel)]
    texts += [button.text().replace("&", "") for button in widget.findChildren(QAbstractButton)]
    texts += [line.placeholderText() for line in widget.findChildren(QLineEdit)]
    for box in widget.findChildren(QComboBox):
        texts += [box.itemText(row) for row in range(min(box.count(), 50))]
    return texts


def _holds(text: str, words: list[str]) -> bool:
    return all(word in text.casefold() for word in words)
