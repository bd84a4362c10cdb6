"""What can be done in the window, as actions with shortcuts, and the menu bar that shows them."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar

from chatty_desktop.domain.settings import Scheme
from chatty_desktop.ui.chat.at_last import ActsAtLast
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.theme import Theme

SCHEMES: tuple[Scheme, ...] = ("system", "light", "dark")


class Actions(QObject):
    """Every action of the window; the window connects them.

    sidebar, inspector, run_log: panels, checked while they are shown; `panels` holds them by name.
    schemes: one action for each of `SCHEMES`, exclusive.
    """

    def __init__(self, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self._theme = theme
        self.new_chat = self._make(tr("&New chat"), "Ctrl+N", "note-pencil")
        self.new_agent = self._make(tr("New &agent …"), "Ctrl+Shift+N", "user-plus")
        self.search = self._make(tr("&Search chats"), "Ctrl+F", "magnifying-glass")
        # Not F2: that renames in whichever list has the keyboard.
        self.rename = self._make(tr("&Rename chat"), "Ctrl+R", "pencil-simple")
        self.open_apart = self._make(
            tr("Open in a new &window"), "Ctrl+Shift+O", "arrow-square-out"
        )
        self.pin = self._make(tr("&Pin chat"), "Ctrl+Shift+L", "push-pin")
        self.move = self._make(tr("&Move to folder"), "Ctrl+Shift+B", "folder-simple")
        self.new_folder = self._make(tr("New &folder …"), "Ctrl+Shift+F", "folder-simple-plus")
        self.duplicate = self._make(tr("D&uplicate chat"), "Ctrl+Shift+D", "copy")
        self.archive = self._make(tr("Arc&hive chat"), "Ctrl+Shift+E", "archive")
        self.delete = self._make(tr("&Delete chat"), "Ctrl+Shift+Backspace", "trash")
        self.import_chats = self._make(tr("&Import chats …"), "Ctrl+Shift+I", "file-arrow-down")
        self.export_chat = self._make(tr("E&xport chat …"), "Ctrl+E", "file-arrow-up")
        self.undo_delete = self._make(
            tr("&Undo deletion"), "Ctrl+Shift+T", "arrow-counter-clockwise"
        )
        self.stop = self._make(tr("St&op"), "Esc", "stop-circle")
        self.settings = self._make(tr("Se&ttings …"), "Ctrl+,", "gear-six")
        self.settings.setMenuRole(QAction.MenuRole.PreferencesRole)
        self.set_up = QAction(tr("S&et up …"), self)
        theme.dress(self.set_up, "sliders-horizontal")
        self.quit = self._make(tr("&Quit"), "Ctrl+Q", "sign-out")
        self.quit.setMenuRole(QAction.MenuRole.QuitRole)
        self.sidebar = self._panel(tr("&Chats and agents"), "Ctrl+B", "layout")
        self.inspector = self._panel(tr("&Memory"), "Ctrl+M", "brain")
        self.run_log = self._panel(tr("&Run log"), "Ctrl+L", "list-bullets")
        self.panels = {
            "sidebar": self.sidebar,
            "inspector": self.inspector,
            "run_log": self.run_log,
        }
        self.write = self._make(tr("&Write a message"), "Ctrl+I", "chat-circle-dots")
        self.choose_agent = self._make(tr("Choose the &agent"), "Ctrl+Shift+A", "user-list")
        self.to_end = self._make(tr("To the &end of the chat"), "Ctrl+End", "arrow-down")
        self.edit_last = self._make(tr("&Edit my last message"), "Ctrl+Up", "pencil-simple")
        self.answer_again = self._make(tr("&Answer again"), "Ctrl+Shift+R", "arrow-clockwise")
        self.go_on = self._make(tr("&Go on with the last reply"), "Ctrl+Shift+G", "play")
        self.copy_last = self._make(tr("&Copy the last reply"), "Ctrl+Shift+C", "copy")
        self.version_before = self._make(tr("Version &before"), "Alt+Left", "caret-left")
        self.version_after = self._make(tr("Version af&ter"), "Alt+Right", "caret-right")
        self.message_menu = self._make(tr("&More …"), "Ctrl+Shift+M", "dots-three")
        self.next_chat = self._make(tr("&Next chat"), "Ctrl+PgDown", "caret-down")
        self.previous_chat = self._make(tr("&Previous chat"), "Ctrl+PgUp", "caret-up")
        self.next_pane = self._make(tr("Ne&xt pane"), "F6", "squares-four")
        self.schemes = self._schemes()

    def fill(self, bar: QMenuBar) -> None:
        """Build the menus."""
        chat = bar.addMenu(tr("&Chat"))
        self._add(chat, self.new_chat, self.new_agent, self.new_folder, None, self.search)
        self._add(
            chat, self.open_apart, self.rename, self.pin, self.move, self.duplicate, self.archive
        )
        self._add(chat, self.delete, None, self.stop, None)
        self._add(chat, self.import_chats, self.export_chat, None)
        self._add(chat, self.settings, self.set_up, None, self.quit)
        view = bar.addMenu(tr("&View"))
        self._add(view, self.sidebar, self.inspector, self.run_log, None)
        colours = view.addMenu(tr("C&olours"))
        for action in self.schemes.values():
            colours.addAction(action)
        self._fill_message(bar.addMenu(tr("&Message")))
        go = bar.addMenu(tr("&Go"))
        self._add(go, self.previous_chat, self.next_chat, self.to_end, None)
        self._add(go, self.write, self.choose_agent, self.next_pane)

    def fill_for_one_chat(self, bar: QMenuBar) -> QAction:
        """Build the menus of a window that shows one chat; returns what closes it."""
        close = self._make(tr("&Close window"), "Ctrl+W", "x")
        self._add(bar.addMenu(tr("&Chat")), self.stop, None, close)
        self._add(bar.addMenu(tr("&View")), self.inspector)
        self._fill_message(bar.addMenu(tr("&Message")))
        self._add(bar.addMenu(tr("&Go")), self.to_end, self.write, self.choose_agent)
        return close

    def connect_last(self, last: ActsAtLast) -> None:
        """Have the actions on messages act on the last one of a chat."""
        self.edit_last.triggered.connect(last.edit)
        self.answer_again.triggered.connect(last.answer_again)
        self.go_on.triggered.connect(last.go_on)
        self.copy_last.triggered.connect(last.copy)
        self.version_before.triggered.connect(lambda: last.step_version(-1))
        self.version_after.triggered.connect(lambda: last.step_version(1))
        self.message_menu.triggered.connect(last.open_menu)

    def _fill_message(self, menu: QMenu) -> None:
        self._add(menu, self.edit_last, self.answer_again, self.go_on, self.copy_last, None)
        self._add(menu, self.version_before, self.version_after, None, self.message_menu)

    @staticmethod
    def _add(menu: QMenu, *actions: QAction | None) -> None:
        for action in actions:
            if action is None:
                menu.addSeparator()
            else:
                menu.addAction(action)

    def _make(self, text: str, shortcut: str, icon: str) -> QAction:
        action = QAction(text, self)
        action.setShortcut(QKeySequence(shortcut))
        plain = text.replace("&", "").removesuffix(" …")
        action.setToolTip(f"{plain} ({_keys(shortcut)})")
        self._theme.dress(action, icon)
        return action

    def _panel(self, text: str, shortcut: str, icon: str) -> QAction:
        action = self._make(text, shortcut, icon)
        action.setCheckable(True)
        action.setChecked(True)
        plain = text.replace("&", "")
        action.setToolTip(
            tr("Show or hide: {plain} ({shortcut})", plain=plain, shortcut=_keys(shortcut))
        )
        return action

    def _schemes(self) -> dict[Scheme, QAction]:
        group = QActionGroup(self)
        names = {"system": tr("&As the system"), "light": tr("&Light"), "dark": tr("&Dark")}
        made: dict[Scheme, QAction] = {}
        for scheme in SCHEMES:
            action = QAction(names[scheme], group)
            action.setCheckable(True)
            made[scheme] = action
        made["system"].setChecked(True)
        return made


def _keys(shortcut: str) -> str:
    """A shortcut as the keys are labelled here."""
    return QKeySequence(shortcut).toString(QKeySequence.SequenceFormat.NativeText)
