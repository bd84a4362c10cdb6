"""What cannot be seen in a text, and what is not what it seems, is shown."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QGuiApplication, QIcon
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from chatty_desktop.domain.agents import Agent, AgentDefinition
from chatty_desktop.domain.attachments import Attachment
from chatty_desktop.domain.strategies import parse_strategy
from chatty_desktop.ui.chat.body import MessageBody
from chatty_desktop.ui.chat.composer import Composer
from chatty_desktop.ui.chat.files.window import FileWindow
from chatty_desktop.ui.chat.links import address, is_disguised, on_the_wire
from chatty_desktop.ui.chat.markdown import render
from chatty_desktop.ui.chat.message_text import MessageText
from chatty_desktop.ui.elided import ElidedLabel
from chatty_desktop.ui.palette.entries import Entry
from chatty_desktop.ui.palette.rows import EntryModel
from chatty_desktop.ui.plain import Label, tip
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tool_words import gist, tool_title
from chatty_desktop.ui.verbatim import Verbatim
from tests.ui.panels import answer, button, until
from tests.ui.test_hostile_markdown import Opened, follow, outside

__all__ = ["outside"]

TURNED = "photo\u202egpj.exe"
SEEN = "photo<U+202E>gpj.exe"
TROJAN = 'if level != "user\u202e \u2066// admin\u2069 \u2066":\u200b'


def drawn(text: str, theme: Theme) -> MessageBody:
    body = MessageBody(theme)
    body.show_rendered(render(text, theme.tokens))
    return body


def test_a_turned_name_is_shown_as_it_is_in_labels_and_tooltips(theme: Theme, qtbot: QtBot) -> None:
    for label in (Label(TURNED), ElidedLabel(TURNED)):
        qtbot.addWidget(label)
        assert label.text() == SEEN
    assert tip(TURNED) == "<qt>photo&lt;U+202E&gt;gpj.exe</qt>"


def test_a_turned_name_is_shown_as_it_is_in_titles_and_where_one_is_chosen(
    theme: Theme, qtbot: QtBot
) -> None:
    composer = Composer(theme)
    qtbot.addWidget(composer)
    definition = AgentDefinition(name=TURNED, memory_strategy=parse_strategy({"kind": "none"}))
    composer.set_agents([Agent(id="a", definition=definition, created_at=0.0)], "lab/small")
    assert composer.picker.itemText(0) == SEEN

    entries = EntryModel()
    entries.show_entries([Entry("chat:a", TURNED, "Chats", lambda: None, QIcon())])
    assert entries.data(entries.index(0)) == SEEN

    about = Attachment(name=TURNED, digest="d", media_type="text/plain", size=3)
    window = FileWindow(about, "abc", theme, composer)
    assert window.windowTitle() == SEEN


@pytest.mark.parametrize("role", ["user", "assistant", "tool"])
def test_a_message_shows_what_turns_its_words_also_while_it_is_written(
    role: str, theme: Theme, qtbot: QtBot
) -> None:
    text = MessageText(role, theme)  # type: ignore[arg-type]
    qtbot.addWidget(text)
    text.add(TURNED)
    assert text.plain() == SEEN
    text.show_final(TURNED)
    assert text.plain().strip() == SEEN
    assert text.shown == TURNED


def test_words_that_run_from_right_to_left_stay_as_they_are(theme: Theme) -> None:
    words = "שלום\u200f! می\u200cخواهم 👩\u200d👧"
    assert drawn(words, theme).toPlainText().strip() == words


def test_code_shows_all_that_is_invisible_and_is_copied_to_the_letter(
    theme: Theme, qtbot: QtBot
) -> None:
    body = drawn(f"`a\u200bb`\n\n```c\n{TROJAN}\n```", theme)
    qtbot.addWidget(body)
    shown = body.toPlainText()
    assert "a<U+200B>b" in shown
    assert '"user<U+202E> <U+2066>// admin<U+2069> <U+2066>":<U+200B>' in shown
    button(body, "Copy this code").click()
    assert QGuiApplication.clipboard().text() == TROJAN


def test_what_a_tool_is_to_run_hides_nothing(theme: Theme, qtbot: QtBot) -> None:
    command = f"ls\u200b {' ' * 5_000}; rm -rf ~ \u202etxt"
    box = Verbatim("Arguments", theme)
    qtbot.addWidget(box)
    box.show_text(command)
    assert box.box.toPlainText() == "ls<U+200B> <5001 spaces> ; rm -rf ~ <U+202E>txt"
    assert box.text == command
    assert gist({"command": "ls " + "a" * 400}).endswith(" …")
    assert gist({"command": TURNED}) == SEEN
    assert tool_title(f"files__{TURNED}") == f"Files: {SEEN}"
    assert len(tool_title("x" * 10_000)) < 110


@pytest.mark.parametrize(
    ("words", "url", "disguised"),
    [
        ("here", "https://example.org/a", False),
        ("https://example.org/a", "https://example.org/a", False),
        ("example.org", "https://docs.example.org/", False),
        ("www.example.org", "https://example.org/", False),
        ("README.md", "https://example.org/README.md", False),
        ("https://mybank.com", "https://evil.example/", True),
        ("mybank.com", "https://mybank.com.evil.example/", True),
        ("www.mybank.de/login", "https://evil.example/", True),
        ("MyBank.de", "https://evil.example/", True),
        ("mybank.co.uk/login", "https://evil.example/", True),
        ("MyBank.DE", "https://www.mybank.de/", False),
        ("Node.js and main.py", "https://example.org/", False),
        ("de.po", "https://example.org/", False),
        ("here", "https://mybank.com@evil.example/", True),
        ("here", "https://\u0430\u0440\u0440\u04cf\u0435.com/", True),
        ("here", "https://xn--80ak6aa92e.com/", True),
    ],
)
def test_a_link_that_is_not_what_it_seems_is_told_from_others(
    words: str, url: str, disguised: bool
) -> None:
    assert is_disguised(words, QUrl(url)) is disguised


def test_an_address_in_letters_that_look_like_others_is_told_as_it_goes_over_the_wire() -> None:
    assert (
        address(QUrl("https://\u0430\u0440\u0440\u04cf\u0435.com/"))
        == "https://xn--80ak6aa92e.com/"
    )
    assert (
        on_the_wire("https://\u0430\u0440\u0440\u04cf\u0435.com/") == "https://xn--80ak6aa92e.com/"
    )
    assert on_the_wire("no address ä") == "no address ä"


@pytest.mark.parametrize(("word", "opened"), [("Cancel", []), ("Open", ["https://evil.example/x"])])
async def test_a_disguised_link_is_opened_only_when_its_address_was_seen(
    word: str, opened: list[str], theme: Theme, qtbot: QtBot, outside: Opened
) -> None:
    body = drawn("[https://mybank.com/login](https://evil.example/x)", theme)
    qtbot.addWidget(body)
    follow(body)
    (box,) = body.findChildren(QMessageBox)
    assert "https://evil.example/x" in box.informativeText()
    assert outside.links == []
    await answer(body, word)
    await until(lambda: not box.isVisible())
    await until(lambda: outside.links == opened)
