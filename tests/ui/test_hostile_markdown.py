"""A text made to do harm costs the window little, hides nothing, and reaches nothing."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from html import unescape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QObject, QPoint, Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from chatty_desktop.domain.messages import Role
from chatty_desktop.ui.chat.body import MessageBody
from chatty_desktop.ui.chat.markdown import render
from chatty_desktop.ui.chat.message_text import MessageText
from chatty_desktop.ui.chat.nesting import MOST_QUOTES
from chatty_desktop.ui.chat.pieces_of_text import Pieces
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import LIGHT
from tests.helpers.servers.fixed import Fixed, FixedServer
from tests.ui.panels import button, until
from tests.ui.test_find_in_chat import Search, chat
from tests.ui.test_transcript import Scene

SIZE = 4_000
WORD = re.compile(r"w\d+")


def words_shown(text: str, theme: Theme) -> str:
    body = MessageBody(theme)
    body.show_rendered(render(text, theme.tokens))
    return body.toPlainText()


def kinds(text: str) -> list[str]:
    return [block.kind for block in render(text, LIGHT).blocks]


def parts_of(text: str, *, fences: bool = True, tables: bool = True) -> list[str]:
    waiting = Pieces(text, SIZE, fences=fences, tables=tables)
    parts = []
    while waiting.left:
        left = waiting.left
        parts.append(waiting.take())
        assert waiting.left < left
    return parts


# --- what stands within what -------------------------------------------------------------


@pytest.mark.parametrize(
    ("depth", "written"), [(1, "deep"), (4, "deep"), (5, "> deep"), (7, "> > > deep")]
)
def test_four_quotes_within_each_other_are_drawn_and_deeper_marks_written_out(
    depth: int, written: str, theme: Theme
) -> None:
    text = ">" * depth + " deep"
    assert kinds(text) == ["quote"] * min(depth, MOST_QUOTES)
    assert words_shown(text, theme).strip() == written


def test_a_quote_goes_on_as_it_was_after_what_lies_too_deep_in_it(theme: Theme) -> None:
    text = "> one\n>\n> >>>>> deep\n>\n> still **one**\n\nout"
    assert kinds(text) == ["quote"] * MOST_QUOTES
    shown = words_shown(text, theme)
    assert [line for line in shown.splitlines() if line] == ["one", "> > deep", "still one", "out"]
    html = render(text, LIGHT).html
    assert html.count("<table") == html.count("</table>") == MOST_QUOTES


def test_code_that_lies_too_deep_has_its_panel_and_can_be_copied(theme: Theme) -> None:
    text = ">>>>>> ```py\n>>>>>> x = 1\n>>>>>> ```"
    blocks = render(text, LIGHT).blocks
    assert [block.kind for block in blocks] == ["quote"] * MOST_QUOTES + ["code"]
    assert blocks[-1].text == "x = 1"


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(">" * depth + f" w{depth}" for depth in range(1, 26)),
        ">" * 25 + " w1\n\nw2",
        "\n".join("  " * depth + f"- w{depth}" for depth in range(12)) + "\n\nw12",
        "\n".join("   " * depth + f"1. w{depth}" for depth in range(12)) + "\n- w12",
        "- " * 12 + "w1\n- w2",
        "> - " * 12 + "w1\n\nw2",
        "- " * 12 + "w1\n" + " " * 24 + "> w2\n\n" + " " * 24 + "```\n" + " " * 24 + "w3",
    ],
    ids=["quotes", "one quote", "lists", "numbers", "one line", "both", "blocks within"],
)
def test_no_text_vanishes_however_deep_it_stands(text: str, theme: Theme) -> None:
    assert WORD.findall(words_shown(text, theme)) == WORD.findall(text)


def test_what_follows_a_list_that_is_too_deep_is_read_as_ever(theme: Theme) -> None:
    lists = "\n".join("  " * depth + f"- w{depth}" for depth in range(12))
    html = render(f"{lists}\n- **bold**\n\n# Heading", LIGHT).html
    assert "<strong>bold</strong>" in html
    assert "<h1>Heading</h1>" in html


# --- pieces ------------------------------------------------------------------------------


def test_a_reply_of_nothing_but_a_quote_mark_is_drawn_in_few_frames(
    theme: Theme, qtbot: QtBot
) -> None:
    text = MessageText("assistant", theme)
    qtbot.addWidget(text)
    text.show_final(">" * 100_000)
    assert len(text._bodies) == 1
    assert len(text._bodies[0].panels._frames()) <= MOST_QUOTES
    assert text._more is not None
    assert not text._more.isHidden()


def test_the_more_there_is_to_draw_the_shorter_is_a_piece() -> None:
    def letters(text: str) -> int:
        return len(Pieces(text * 20_000, 16_000).take())

    assert letters("word ") > letters("*") > letters("a\n") > letters("|")
    assert letters("word ") > 12_000
    assert letters("|") < 1_000


def test_a_table_that_is_cut_has_its_head_again_and_each_row_once() -> None:
    rows = "\n".join(f"| w{n} | size |" for n in range(900))
    text = f"before\n\n| Name | Size |\n|:-----|-----:|\n{rows}\n"
    parts = parts_of(text)
    assert len(parts) > 10
    assert WORD.findall("".join(parts)) == WORD.findall(text)
    for part in parts:
        html = render(part, LIGHT).html
        assert [block.kind for block in render(part, LIGHT).blocks] == ["table"]
        assert html.count("Name") == html.count("Size") == 1
        assert "|" not in html


def test_a_table_that_ends_at_a_cut_does_not_begin_again() -> None:
    table = "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 4
    for space in ("\n", "\n" + " " * SIZE + "\n\n"):
        text = (table + space) * 40 + "after " * 400
        assert "".join(parts_of(text)).split() == text.split()


@pytest.mark.parametrize("role", ["user", "tool"])
def test_what_is_no_markdown_is_cut_without_anything_added(
    role: Role, theme: Theme, qtbot: QtBot
) -> None:
    rows = "\n".join(f"| w{n} | size |" for n in range(300))
    source = f"| Name | Size |\n|------|------|\n{rows}\n"
    if role == "tool":
        source = f"```\n{source}"
    text = MessageText(role, theme)
    qtbot.addWidget(text)
    text.show_final(source)
    while not (more := text._more) or not more.isHidden():
        assert more is not None
        more.click()
    assert len(text._bodies) > 1
    assert text.plain().split() == source.split()


def _numbered(shapes: list[tuple[str, int]]) -> str:
    """Blocks of Markdown in which every word has a number of its own; heads and the languages of
    code have none."""
    number = 0

    def word() -> str:
        nonlocal number
        number += 1
        return f"w{number}"

    def block(kind: str, count: int) -> str:
        if kind == "table":
            rows = "".join(f"| {word()} | {word()} |\n" for _ in range(count))
            return f"| head | head |\n|---|:-:|\n{rows}"
        if kind == "code":
            return "```py\n" + "".join(f"{word()} = {word()}\n" for _ in range(count)) + "```\n"
        if kind == "open code":
            return "~~~\n" + "".join(f"{word()}\n" for _ in range(count))
        if kind == "blank":
            return "\n" * count
        before = {"list": "- ", "quote": "> ", "deep": ">>>>>> ", "heading": "# ", "set off": "$$ "}
        after = {"set off": " $$", "bold": "** &amp; [a](https://example.org)"}
        mark = before.get(kind, "**" if kind == "bold" else "")
        return "".join(f"{mark}{word()} {word()}{after.get(kind, '')}\n" for _ in range(count))

    return "\n".join(block(kind, count) for kind, count in shapes)


KINDS = ("table", "code", "open code", "blank", "list", "quote", "deep", "heading", "set off",
         "bold", "words")  # fmt: skip
texts = st.lists(st.tuples(st.sampled_from(KINDS), st.integers(1, 90)), min_size=1, max_size=12)


@given(texts.map(_numbered))
@settings(deadline=None, max_examples=60)
def test_the_pieces_of_a_text_joined_are_the_text(text: str) -> None:
    parts = parts_of(text, fences=False, tables=False)
    assert all(len(part) <= SIZE for part in parts)
    assert "".join(parts).rstrip() == text.rstrip()


@given(texts.map(_numbered))
@settings(deadline=None, max_examples=60)
def test_a_text_cut_in_pieces_loses_and_repeats_nothing(text: str) -> None:
    assert WORD.findall("\n".join(parts_of(text))) == WORD.findall(text)


@given(st.text(st.sampled_from("ab \n\t|-:`~>*&$\\\u2028\u0301🎉\u3042"), max_size=8_000))
@settings(deadline=None, max_examples=60)
def test_any_marks_at_all_are_cut_without_loss(text: str) -> None:
    parts = parts_of(text, fences=False, tables=False)
    assert "".join(parts).rstrip() == text.rstrip()
    # With what is closed and opened again there may be more, never less, and it comes to an end.
    parts_of(text)


# --- colours -----------------------------------------------------------------------------


def test_colours_stop_after_their_time_and_the_code_stands_there_whole() -> None:
    tag = "<b>w1</b>"
    assert LIGHT.code_keyword in render(f"```html\n{tag}\n```", LIGHT).html
    code = tag + "\n" + ("&" * 300 + "\n") * 110 + tag
    html = render(f"```html\n{code}\n```", LIGHT).html
    assert html.index(LIGHT.code_keyword) < html.index("&amp;&amp;")
    assert LIGHT.code_keyword not in html[html.rindex("&amp;&amp;") :]
    assert unescape(re.sub(r"<[^>]*>", "", html)) == code


# --- find and copy -----------------------------------------------------------------------


@pytest.fixture
async def long_reply(theme: Theme, qtbot: QtBot) -> AsyncIterator[Search]:
    """A chat whose reply is a long table of many pieces, with something to find in its end."""
    rows = "".join(f"| w{n} | size |\n" for n in range(2_000))
    reply = f"| Name | Size |\n|---|---|\n{rows}\n\n```\na needle here\n```"
    search = Search(theme, qtbot, chat("hello", reply))
    yield search
    search.find.close()
    await search.scene.tasks.close()


async def test_what_stands_in_a_late_piece_is_found_and_can_be_copied(
    long_reply: Search, theme: Theme
) -> None:
    await long_reply.open("needle")
    assert long_reply.bar.count.text() == "1 of 1"
    await until(lambda: long_reply.meant(theme) == [("m1", "needle")])
    view = long_reply.scene.views[1]
    assert len(view.text._bodies) > 3
    shown = view.text.plain()
    assert WORD.findall(shown) == [f"w{n}" for n in range(2_000)]
    button(view.text._bodies[-1], "Copy this code").click()
    assert QGuiApplication.clipboard().text() == "a needle here"
    assert view.text.shown == view.message.content


# --- what a message may not do -----------------------------------------------------------


class Opened(QObject):
    """Every link that was to be opened outside, of the kinds a message could try."""

    SCHEMES = ("http", "https", "file", "javascript", "data")

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []

    @Slot(QUrl)
    def open(self, url: QUrl) -> None:
        self.links.append(url.toString())


@pytest.fixture
def outside() -> Iterator[Opened]:
    desktop = Opened()
    for scheme in Opened.SCHEMES:
        # The stub asks for bytes, the call itself for text.
        QDesktopServices.setUrlHandler(scheme, desktop, "open")  # type: ignore[arg-type]
    yield desktop
    for scheme in Opened.SCHEMES:
        QDesktopServices.unsetUrlHandler(scheme)


def follow(body: MessageBody) -> None:
    """Click on the first word of the text."""
    body.resize(400, 300)
    body.show()
    QTest.mouseClick(
        body.viewport(), Qt.MouseButton.LeftButton, pos=body.cursorRect().center() + QPoint(8, 0)
    )


@pytest.mark.parametrize(
    "link",
    [
        "file:///etc/passwd",
        "FILE:///etc/passwd",
        "javascript:alert(1)",
        "data:text/html,<script>alert(1)</script>",
    ],
)
def test_a_link_that_leads_nowhere_outside_is_not_opened(
    link: str, theme: Theme, outside: Opened, qtbot: QtBot
) -> None:
    body = MessageBody(theme)
    qtbot.addWidget(body)
    for text in (f"[here]({link})", f"[here](<{link}>)", f"<{link}>", f"![here]({link})"):
        assert "<a " not in render(text, theme.tokens).html
    # Even if such a link came into the document.
    body.setHtml(f'<a href="{link}">here</a>')
    follow(body)
    assert outside.links == []
    body.setHtml('<a href="https://example.org/">here</a>')
    follow(body)
    assert outside.links == ["https://example.org/"]


async def test_html_in_a_message_stays_text_and_nothing_it_names_is_asked_for(
    theme: Theme, qtbot: QtBot, outside: Opened
) -> None:
    async with FixedServer(Fixed.page("seen")) as server:
        at = server.address
        tags = [
            f'<script src="{at}/script.js"></script>',
            f'<img src="{at}/a.png" onerror="location=\'{at}/onerror\'">',
            f'<meta http-equiv="refresh" content="0; url={at}/refresh">',
            f'<iframe src="{at}/frame"></iframe>',
            f'<div style="background: url({at}/style.png)">w</div>',
            f"<style>@import url({at}/sheet.css); p {{ background: url({at}/p.png) }}</style>",
            f'<link rel="stylesheet" href="{at}/link.css">',
        ]
        marks = f"![cat]({at}/cat.png) [link]({at}/link) <{at}/auto> {at}/bare ![cat][1]"
        code = f'```html\n<img src="{at}/code.png">\n```'
        reply = "\n\n".join([*tags, " ".join(tags), marks, code, f"[1]: {at}/reference.png"])
        scene = Scene(theme, qtbot, 0)
        scene.log.messages["s"] = chat(reply, reply)
        await scene.open()
        for view in scene.views:
            view.grab()
            shown = view.text.plain()
            for tag in tags:
                assert shown.count(tag) == 2
            assert "cat" in shown
            for body in view.text._bodies:
                html = body.toHtml()
                assert "<img" not in html
                assert "<script" not in html
                assert at in html
        await scene.quiet()
        await scene.tasks.close()
        # The server does see what is asked of it: this, and nothing before.
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(b"GET /control HTTP/1.1\r\nHost: loopback\r\nConnection: close\r\n\r\n")
        await reader.readline()
        writer.close()
        assert [request.path for request in server.requests] == ["/control"]
    assert outside.links == []
