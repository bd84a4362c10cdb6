"""The window speaks the language it is set to: texts, plurals, numbers, Qt's own words."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from gettext import GNUTranslations
from pathlib import Path

import pytest
from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QApplication, QDialogButtonBox, QMainWindow, QWidget

import chatty_desktop.ui
from chatty_desktop.ui.language import BELOW, number, tr, translated, trn
from chatty_desktop.ui.menus import Actions
from chatty_desktop.ui.settings.pages import PAGES
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.translations import Catalogue, language_for, speak
from tests.helpers.servers import Answer, OpenAIServer
from tests.ui.opened import opened
from tests.ui.panels import texts, until

UI = Path(chatty_desktop.ui.__file__).parent


@pytest.fixture
def german(qapp: QApplication) -> Iterator[None]:
    """The application speaks German until the test is over."""
    before = QLocale()
    assert speak(qapp, "de") == "de"
    yield
    speak(qapp, "en")
    QLocale.setDefault(before)


@pytest.mark.usefixtures("german")
def test_texts_plurals_numbers_and_the_buttons_of_qt_are_german() -> None:
    assert tr("Settings") == "Einstellungen"
    assert trn("{count} message", "{count} messages", 1) == "1 Nachricht"
    assert trn("{count} message", "{count} messages", 0) == "0 Nachrichten"
    assert trn("{count} message", "{count} messages", 1234) == "1.234 Nachrichten"
    assert number(1_000_000) == "1.000.000"
    cancel = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
    assert cancel.buttons()[0].text().replace("&", "") == "Abbrechen"
    assert tr("this has no translation") == "this has no translation"
    assert trn("{count} thingy", "{count} thingies", 2) == "2 thingies"


@pytest.mark.usefixtures("german")
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("That chat is no longer there.", "Diesen Chat gibt es nicht mehr."),
        ("There is no provider lab in the settings.", "Es gibt keinen Anbieter lab in den Einst"),
        (
            "lab/small did not answer in time. It may be busy or loading a model; try again.",
            "lab/small antwortete nicht rechtzeitig. Es ist vielleicht beschäftigt",
        ),
        # One text in the place of another.
        (
            "The MCP server files is gone for now. It ended by itself (exit status 3). It is"
            " started again in 1 s.",
            "Der MCP-Server files ist im Augenblick fort. Er endete von selbst (exit status 3). Er"
            " wird in 1 s wieder gestartet.",
        ),
        # Sentences that follow each other, one of them somebody else's.
        ("This is theirs. Try again later.", "This is theirs. Versuchen Sie es später noch"),
        ("It closed the connection. This is theirs.", "Er schloss die Verbindung. This is theirs."),
        ("What nobody wrote down. {0} {braces}", "What nobody wrote down. {0} {braces}"),
        ("", ""),
        (
            "The database was damaged (it is empty), so the backup of 2026-01-02 03:04 was"
            " restored: 2 chats, 1 message, 13 agents. What came after it is not here; the damaged"
            " database, which may still hold it, is kept as x.db among the backups.",
            "Die Datenbank war beschädigt (it is empty), deshalb wurde die Sicherung vom 2026-01-02"
            " 03:04 zurückgeholt: 2 Chats, 1 Nachricht, 13 Agenten. Was danach kam,",
        ),
        # What runs tell of memory: numbers, names and sentences in places side by side.
        (
            "Folded 2 messages (lab/small (8b), 0.5 s): goal, open changed. Left out: 2.",
            "Gefaltet: 2 Nachrichten (lab/small (8b), 0.5 s); geändert: goal, open."
            " Ausgelassen: 2.",
        ),
        (
            "Looked for facts in 1 message (lab/small, 0.5 s): 2 new facts. Left out: 1.",
            "Fakten gesucht in 1 Nachricht (lab/small, 0.5 s): 2 neue Fakten. Ausgelassen: 1.",
        ),
        (
            "Summarized 20 messages (lab/small, 1.5 s).",
            "Zusammengefasst: 20 Nachrichten (lab/small, 1.5 s).",
        ),
    ],
)
def test_what_is_said_below_the_window_is_german_too(text: str, shown: str) -> None:
    assert translated(text).startswith(shown)


def test_below_the_window_every_text_is_found_again_whatever_was_put_into_it() -> None:
    catalogue = Catalogue(Path("resources/translations/de").absolute())
    with Path("resources/translations/de/LC_MESSAGES/chatty.mo").open("rb") as stream:
        texts = GNUTranslations(stream)._catalog  # type: ignore[attr-defined]
    places = [text for text in texts if isinstance(text, str) and "{0}" in text]
    assert len(places) > 150
    values = [f"~{number}~" for number in range(9)]
    lost = [
        text
        for text in places
        if sum(map(str.isalpha, text)) > 10
        and catalogue.translate(BELOW, text.format(*values)) != texts[text].format(*values)
    ]
    assert lost == []


@pytest.mark.usefixtures("german")
def test_a_text_of_the_window_within_one_from_below_is_left_as_it_is() -> None:
    """The cost of a title has the look of a text of the window, whose places have names."""
    told = "local/starter was asked for a title: 1 extra call, 10 + 5 tokens."
    shown = "local/starter wurde nach einem Titel gefragt: 1 extra call, 10 + 5 tokens."
    assert translated(told) == shown


def test_what_is_said_below_the_window_stays_english_in_an_english_one(
    qapp: QApplication,
) -> None:
    assert translated("That chat is no longer there.") == "That chat is no longer there."


def test_a_long_text_that_is_in_no_catalogue_is_looked_through_at_once() -> None:
    catalogue = Catalogue(Path("resources/translations/de").absolute())
    text = "A sentence that nobody wrote down. " * 3_000
    assert catalogue.translate(BELOW, text) is None


def test_without_a_catalogue_the_texts_are_those_of_the_code(qapp: QApplication) -> None:
    assert tr("Settings") == "Settings"
    assert tr("“{title}” is open", title="{x} %n") == "“{x} %n” is open"
    assert trn("{count} chat in {place}", "{count} chats in {place}", 1, place="a") == "1 chat in a"
    assert trn("{count} chat", "{count} chats", 1234) == "1,234 chats"
    assert trn("{count} chat", "{count} chats", 0) == "0 chats"


def test_speaking_another_language_takes_the_former_one_away(qapp: QApplication) -> None:
    before = QLocale()
    speak(qapp, "de")
    assert speak(qapp, "en") == "en"
    assert tr("Settings") == "Settings"
    cancel = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
    assert cancel.buttons()[0].text().replace("&", "") == "Cancel"
    QLocale.setDefault(before)


@pytest.mark.parametrize(
    ("wanted", "system", "spoken"),
    [
        (None, ["de-AT", "de", "en"], "de"),
        (None, ["fr-FR", "de-DE"], "de"),
        (None, ["en-GB", "de"], "en"),
        (None, ["C"], "en"),
        ("de_CH", ["en"], "de"),
        ("en", ["de"], "en"),
        ("tlh", ["de"], "de"),
        ("../../etc", [], "en"),
    ],
)
def test_the_language_is_the_one_wanted_else_the_first_of_the_systems(
    wanted: str | None, system: list[str], spoken: str
) -> None:
    assert language_for(wanted, system) == spoken


@pytest.mark.usefixtures("german")
async def test_the_window_and_its_settings_open_in_german(
    data_dir: Path, theme: Theme, server: OpenAIServer
) -> None:
    async with opened(data_dir, theme, server) as made:
        menus = [action.text() for action in made.window.menuBar().actions()]
        assert {"&Chat", "&Ansicht", "&Gehe zu"} <= set(menus)
        dialog = made.window.others.open_settings("appearance")
        assert dialog.windowTitle() == "Einstellungen"
        assert "Darstellung" in [dialog.list.item(row).text() for row in range(len(PAGES))]
        assert "Dichte" in texts(dialog.page("appearance"))
        dialog.search.setText("dichte")
        assert dialog.current == "appearance"


@pytest.mark.usefixtures("german")
async def test_why_no_answer_came_is_said_in_german_where_it_is_shown(
    data_dir: Path, theme: Theme, server: OpenAIServer
) -> None:
    server.script(*[Answer.fail(401, "no such key")] * 5)
    async with opened(data_dir, theme, server) as made:
        await made.new_chat()
        made.write("Hallo")
        await until(lambda: len(made.views) == 2)
        await until(
            lambda: any("verlangt einen Schlüssel" in text for text in texts(made.views[1]))
        )
        # What is stored is what others can read.
        last = made.views[1].message
        assert "wants a key" in last.error


def _letters(menu: QWidget) -> Iterator[tuple[str, list[str]]]:
    """The letters that choose entries by keyboard: of this menu, then of those in it."""
    texts = [action.text() for action in menu.actions() if not action.isSeparator()]
    yield ", ".join(texts), [text[text.index("&") + 1].lower() for text in texts if "&" in text]
    for action in menu.actions():
        inner = action.menu()
        if isinstance(inner, QWidget):
            yield from _letters(inner)


@pytest.mark.parametrize("code", ["en", "de"])
def test_each_letter_chooses_one_entry_of_a_menu(
    code: str, qapp: QApplication, theme: Theme
) -> None:
    before = QLocale()
    speak(qapp, code)
    window = QMainWindow()
    Actions(theme, window).fill(window.menuBar())
    speak(qapp, "en")
    QLocale.setDefault(before)
    twice = [
        said for said, letters in _letters(window.menuBar()) if len(set(letters)) < len(letters)
    ]
    assert twice == []


SHOWS = re.compile(
    r"set(Text|ToolTip|PlaceholderText|WindowTitle|AccessibleName|AccessibleDescription|Title"
    r"|InformativeText|DetailedText|StatusTip|WhatsThis|Suffix|Prefix|LabelText|SpecialValueText)"
    r"|addAction|addMenu|addItem|addTab|insertItem|QLabel|QPushButton|QCheckBox|QRadioButton"
    r"|QGroupBox|QAction|QMessageBox|Words|TextButton|caption|Field|icon_button|say|group|hint"
    r"|row_list|Notice|tip"
)
"""Calls whose arguments are read by people: Qt's and those of the window's own parts."""

NAMES = {"Chatty Desktop"}
"""Names of products, which are the same in every language."""


def _spoken_untranslated(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """(line, text) of every literal text that goes to the screen as it stands."""
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        function = call.func
        name = function.attr if isinstance(function, ast.Attribute) else ""
        name = function.id if isinstance(function, ast.Name) else name
        if SHOWS.fullmatch(name):
            for argument in (*call.args, *(word.value for word in call.keywords)):
                yield from ((argument.lineno, text) for text in _literals(argument))


def _literals(node: ast.expr) -> Iterator[str]:
    """The words in an expression that are not translated: looks into `a if b else c`, `a + b` and
    f-strings, not into calls, which answer for themselves."""
    match node:
        case ast.Constant(value=str(text)):
            # A word, not a mark, a name of an icon or a key of a style.
            if re.search(r"[A-Z][a-z]|[A-Za-z]{2,} [A-Za-z]|^ ?[a-z]{2,} ?$", text):
                yield text
        case ast.JoinedStr(values=parts):
            for part in parts:
                if isinstance(part, ast.Constant) and re.search(r"[A-Za-z]{2}", str(part.value)):
                    yield str(part.value)
                if isinstance(part, ast.FormattedValue):
                    yield from _literals(part.value)
        case ast.IfExp(body=one, orelse=other) | ast.BinOp(left=one, right=other):
            yield from _literals(one)
            yield from _literals(other)


ALLOWED = re.compile(r"[a-z]+(-[a-z]+)*")
"""Names of icons, tones and pages: arguments of the same calls that nobody reads."""


def test_the_search_for_untranslated_texts_finds_them() -> None:
    tree = ast.parse(
        'a.setText("Hello"); QLabel(f"{n} chats"); x.say(tr("Fine"), "Not so" if y else "")\n'
        'icon_button(theme, "x", "Close it"); b.setToolTip("All " + c); set_tone(a, "muted")'
    )
    assert [text for _line, text in _spoken_untranslated(tree)] == [
        "Hello",
        " chats",
        "Not so",
        "Close it",
        "All ",
    ]


def test_every_text_that_goes_to_the_screen_is_translated() -> None:
    found = [
        f"{file.relative_to(UI)}:{line}: {text!r}"
        for file in sorted(UI.rglob("*.py"))
        for line, text in _spoken_untranslated(ast.parse(file.read_text("utf-8")))
        if text not in NAMES and not ALLOWED.fullmatch(text)
    ]
    assert found == []
