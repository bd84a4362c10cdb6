"""What can be done in the window, as actions with shortcuts, and the menu bar that shows them."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar

from chatty_desktop.domain.settings import Scheme
from chatty_desktop.ui.chat.at_last import ActsAtLast
from chatty_desktop.ui.chat.find import FindInChat
from chatty_desktop.ui.language import N_, tr
from chatty_desktop.ui.plain import tip
from chatty_desktop.ui.sessions.list import SessionList
from chatty_desktop.ui.theme import Theme

ENGLISH = "english"
"""The property in which actions and menus keep their English text, whatever language they speak:
a person who knows an action by that finds it too."""

SCHEMES: tuple[Scheme, ...] = ("system", "light", "dark")


class Actions(QObject):
    """Every action of the window; the window connects them.

    sidebar, inspector, run_log: panels, checked while they are shown; `panels` holds them by name.
    schemes: one action for each of `SCHEMES`, exclusive.
    """

    def __init__(self, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self._theme = theme
        self.new_chat = self._make(N_("&New chat"), "Ctrl+N", "note-pencil")
        self.new_agent = self._make(N_("New &agent …"), "Ctrl+Shift+N", "user-plus")
        self.new_graph = self._make(N_("New &graph …"), "Ctrl+Alt+G", "flow-arrow")
        self.search = self._make(N_("&Search chats"), "Ctrl+F", "magnifying-glass")
        # Beside the search of all chats; F3 as in browsers and editors.
        self.find = self._make(N_("Find &in this chat"), "Ctrl+Shift+F", "file-search")
        self.find_next = self._make(N_("Next p&lace found"), "F3", "caret-down")
        self.find_previous = self._make(N_("Previous place fo&und"), "Shift+F3", "caret-up")
        # Not F2: that renames in whichever list has the keyboard.
        self.rename = self._make(N_("&Rename chat"), "Ctrl+R", "pencil-simple")
        self.open_apart = self._make(
            N_("Open in a new &window"), "Ctrl+Shift+O", "arrow-square-out"
        )
        self.pin = self._make(N_("&Pin chat"), "Ctrl+Shift+L", "push-pin")
        self.move = self._make(N_("&Move to folder"), "Ctrl+Shift+B", "folder-simple")
        self.new_folder = self._make(N_("New &folder …"), "Ctrl+Alt+N", "folder-simple-plus")
        self.duplicate = self._make(N_("D&uplicate chat"), "Ctrl+Shift+D", "copy")
        self.archive = self._make(N_("Arc&hive chat"), "Ctrl+Shift+E", "archive")
        self.delete = self._make(N_("&Delete chat"), "Ctrl+Shift+Backspace", "trash")
        self.import_chats = self._make(N_("&Import chats …"), "Ctrl+Shift+I", "file-arrow-down")
        self.export_chat = self._make(N_("E&xport chat …"), "Ctrl+E", "file-arrow-up")
        self.undo_delete = self._make(
            N_("Undo de&letion"), "Ctrl+Shift+T", "arrow-counter-clockwise"
        )
        self.stop = self._make(N_("St&op"), "Esc", "stop-circle")
        self.settings = self._make(N_("Se&ttings …"), "Ctrl+,", "gear-six")
        self.settings.setMenuRole(QAction.MenuRole.PreferencesRole)
        self.set_up = self._make(N_("S&et up …"), "", "sliders-horizontal")
        self.quit = self._make(N_("&Quit"), "Ctrl+Q", "sign-out")
        self.quit.setMenuRole(QAction.MenuRole.QuitRole)
        self.sidebar = self._panel(N_("&Chats and agents"), "Ctrl+B", "layout")
        self.inspector = self._panel(N_("&Memory"), "Ctrl+M", "brain")
        self.run_log = self._panel(N_("&Run log"), "Ctrl+L", "list-bullets")
        self.panels = {
            "sidebar": self.sidebar,
            "inspector": self.inspector,
            "run_log": self.run_log,
        }
        self.write = self._make(N_("&Write a message"), "Ctrl+I", "chat-circle-dots")
        self.attach = self._make(N_("A&ttach files …"), "Ctrl+Shift+U", "paperclip")
        self.insert = self._make(N_("Insert from an M&CP server …"), "Ctrl+Shift+Y", "puzzle-piece")
        self.choose_agent = self._make(N_("Choose the &agent"), "Ctrl+Shift+A", "user-list")
        self.to_end = self._make(N_("To the &end of the chat"), "Ctrl+End", "arrow-down")
        self.to_start = self._make(N_("To the &start of the chat"), "Ctrl+Home", "arrow-up")
        self.edit_last = self._make(N_("&Edit my last message"), "Ctrl+Up", "pencil-simple")
        self.answer_again = self._make(N_("&Answer again"), "Ctrl+Shift+R", "arrow-clockwise")
        self.go_on = self._make(N_("&Go on with the last reply"), "Ctrl+Shift+G", "play")
        self.copy_last = self._make(N_("&Copy the last reply"), "Ctrl+Shift+C", "copy")
        self.version_before = self._make(N_("Version &before"), "Alt+Left", "caret-left")
        self.version_after = self._make(N_("Version af&ter"), "Alt+Right", "caret-right")
        self.message_menu = self._make(N_("&More …"), "Ctrl+Shift+M", "dots-three")
        self.show_prompt = self._make(N_("&What the model was given"), "Ctrl+Alt+P", "file-text")
        self.replay = self._make(N_("Replay with other kinds of memory …"), "", "chart-line")
        self.look_back = self._make(
            N_("Look &back in memory"), "Ctrl+Alt+M", "clock-counter-clockwise"
        )
        self.compare = self._make(
            N_("Compare the last reply without a part of memory …"), "", "columns"
        )
        self.forget_message = self._make(N_("Forget the last message with proof …"), "", "eraser")
        self.forget_chat = self._make(N_("Forget the chat with proof …"), "", "eraser")
        self.next_chat = self._make(N_("&Next chat"), "Ctrl+PgDown", "caret-down")
        self.previous_chat = self._make(N_("&Previous chat"), "Ctrl+PgUp", "caret-up")
        self.next_pane = self._make(N_("Ne&xt pane"), "F6", "squares-four")
        self.schemes = self._schemes()
        self.palette = self._make(N_("&Find an action or a chat …"), "Ctrl+Shift+P", "command")
        self.palette.setShortcuts([QKeySequence("Ctrl+Shift+P"), QKeySequence("Ctrl+K")])
        self.larger = self._make(N_("&Larger letters"), "Ctrl++", "magnifying-glass-plus")
        # Where + is not on a key of its own, = is on the key meant.
        self.larger.setShortcuts([QKeySequence("Ctrl++"), QKeySequence("Ctrl+=")])
        self.smaller = self._make(N_("&Smaller letters"), "Ctrl+-", "magnifying-glass-minus")
        self.usual_size = self._make(N_("&Usual letters"), "Ctrl+0", "text-aa")
        self.guide = self._make(N_("&Guide"), "F1", "book-open")
        self.shortcuts = self._make(N_("&Keyboard shortcuts"), "Ctrl+/", "keyboard")
        self.open_log = self._make(N_("Open the folder of the &log"), "", "folder-open")
        self.about = self._make(N_("&About Chatty Desktop"), "", "info")
        self.about.setMenuRole(QAction.MenuRole.AboutRole)

    def fill(self, bar: QMenuBar) -> None:
        """Build the menus."""
        chat = _menu(bar, N_("&Chat"))
        self._add(
            chat, self.new_chat, self.new_agent, self.new_graph, self.new_folder, None, self.search
        )
        self._add(
            chat, self.open_apart, self.rename, self.pin, self.move, self.duplicate, self.archive
        )
        self._add(chat, self.delete, self.undo_delete, self.forget_chat, None)
        self._add(chat, self.insert, self.stop, None)
        self._add(chat, self.import_chats, self.export_chat, self.replay, None)
        self._add(chat, self.settings, self.set_up, None, self.quit)
        view = _menu(bar, N_("&View"))
        self._add(view, self.sidebar, self.inspector, self.run_log, self.look_back, None)
        colours = _menu(view, N_("C&olours"))
        for action in self.schemes.values():
            colours.addAction(action)
        self._add(view, None, self.larger, self.smaller, self.usual_size)
        self._fill_message(_menu(bar, N_("&Message")))
        go = _menu(bar, N_("&Go"))
        self._add(go, self.palette, None)
        self._add(go, self.previous_chat, self.next_chat, None)
        self._fill_places(go)
        self._add(go, self.write, self.attach, self.choose_agent, self.next_pane)
        help_ = _menu(bar, N_("&Help"))
        self._add(help_, self.guide, self.shortcuts, None, self.open_log, self.about)

    def fill_for_one_chat(self, bar: QMenuBar) -> QAction:
        """Build the menus of a window that shows one chat; returns what closes it."""
        close = self._make(N_("&Close window"), "Ctrl+W", "x")
        self._add(_menu(bar, N_("&Chat")), self.insert, self.stop, self.replay, None, close)
        view = _menu(bar, N_("&View"))
        self._add(
            view, self.inspector, self.look_back, None, self.larger, self.smaller, self.usual_size
        )
        self._fill_message(_menu(bar, N_("&Message")))
        go = _menu(bar, N_("&Go"))
        self._add(go, self.palette, None)
        self._fill_places(go)
        self._add(go, self.write, self.attach, self.choose_agent)
        self._add(_menu(bar, N_("&Help")), self.guide, self.shortcuts, None, self.open_log)
        return close

    @property
    def of_open_chat(self) -> list[QAction]:
        """What can be done while a chat is open."""
        return [
            self.rename,
            self.open_apart,
            self.pin,
            self.move,
            self.duplicate,
            self.archive,
            self.delete,
            self.export_chat,
            self.forget_chat,
        ]

    def connect_chats(self, chats: SessionList) -> None:
        """Have the actions on chats act in their list; it is shown where one is typed or chosen."""
        acts = chats.acts
        for action in (self.search, self.rename, self.move):
            action.triggered.connect(lambda: self.sidebar.setChecked(True))
        self.search.triggered.connect(chats.search.setFocus)
        self.search.triggered.connect(chats.search.selectAll)
        self.rename.triggered.connect(chats.rename_current)
        self.move.triggered.connect(
            lambda: chats.show_folders(chats.view.mapToGlobal(chats.view.pos()))
        )
        self.new_folder.triggered.connect(lambda _checked: acts.new_folder())
        self.open_apart.triggered.connect(acts.open_apart)
        self.pin.triggered.connect(acts.pin_chosen)
        self.duplicate.triggered.connect(acts.duplicate_chosen)
        self.archive.triggered.connect(acts.archive_chosen)
        self.delete.triggered.connect(acts.delete_chosen)
        self.next_chat.triggered.connect(lambda: chats.step(1))
        self.previous_chat.triggered.connect(lambda: chats.step(-1))

    def connect_find(self, find: FindInChat) -> None:
        """Have the actions of a search act in a chat."""
        self.find.triggered.connect(find.open)
        self.find_next.triggered.connect(lambda: find.step(1))
        self.find_previous.triggered.connect(lambda: find.step(-1))

    def connect_last(self, last: ActsAtLast) -> None:
        """Have the actions on messages act on the last one of a chat."""
        self.edit_last.triggered.connect(last.edit)
        self.answer_again.triggered.connect(last.answer_again)
        self.go_on.triggered.connect(last.go_on)
        self.copy_last.triggered.connect(last.copy)
        self.version_before.triggered.connect(lambda: last.step_version(-1))
        self.version_after.triggered.connect(lambda: last.step_version(1))
        self.message_menu.triggered.connect(last.open_menu)

    def _fill_places(self, menu: QMenu) -> None:
        self._add(menu, self.to_start, self.to_end, None)
        self._add(menu, self.find, self.find_next, self.find_previous, None)

    def _fill_message(self, menu: QMenu) -> None:
        self._add(menu, self.edit_last, self.answer_again, self.go_on, self.copy_last, None)
        self._add(menu, self.version_before, self.version_after, None)
        self._add(menu, self.show_prompt, None)
        self._add(menu, self.compare, self.forget_message, self.message_menu)

    @staticmethod
    def _add(menu: QMenu, *actions: QAction | None) -> None:
        for action in actions:
            if action is None:
                menu.addSeparator()
            else:
                menu.addAction(action)

    def _make(self, english: str, shortcut: str, icon: str) -> QAction:
        action = QAction(tr(english), self)
        action.setProperty(ENGLISH, english)
        action.setShortcut(QKeySequence(shortcut))
        plain = action.text().replace("&", "").removesuffix(" …")
        action.setToolTip(tip(f"{plain} ({_keys(shortcut)})" if shortcut else plain))
        self._theme.dress(action, icon)
        return action

    def _panel(self, english: str, shortcut: str, icon: str) -> QAction:
        action = self._make(english, shortcut, icon)
        action.setCheckable(True)
        action.setChecked(True)
        plain = action.text().replace("&", "")
        told = tr("Show or hide: {plain} ({shortcut})", plain=plain, shortcut=_keys(shortcut))
        action.setToolTip(tip(told))
        return action

    def _schemes(self) -> dict[Scheme, QAction]:
        group = QActionGroup(self)
        names = {"system": N_("&As the system"), "light": N_("&Light"), "dark": N_("&Dark")}
        made: dict[Scheme, QAction] = {}
        for scheme in SCHEMES:
            action = QAction(tr(names[scheme]), group)
            action.setProperty(ENGLISH, names[scheme])
            action.setCheckable(True)
            made[scheme] = action
        made["system"].setChecked(True)
        return made


def _menu(parent: QMenuBar | QMenu, english: str) -> QMenu:
    menu = parent.addMenu(tr(english))
    menu.menuAction().setProperty(ENGLISH, english)
    return menu


def _keys(shortcut: str) -> str:
    """A shortcut as the keys are labelled here."""
    return QKeySequence(shortcut).toString(QKeySequence.SequenceFormat.NativeText)
