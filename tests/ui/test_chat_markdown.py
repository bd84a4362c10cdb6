"""Messages become HTML that loads nothing, runs nothing and hides nothing."""

from __future__ import annotations

import math

import pytest
from PySide6.QtCore import QObject, QUrl, Slot
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QToolButton

from chatty_desktop.ui.chat.body import MessageBody
from chatty_desktop.ui.chat.markdown import is_outside_link, render, render_typed
from chatty_desktop.ui.chat.pieces_of_text import Pieces
from chatty_desktop.ui.plain import tip
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import LIGHT


def shown(text: str, theme: Theme) -> MessageBody:
    body = MessageBody(theme)
    body.resize(600, 400)
    body.show_rendered(render(text, theme.tokens))
    return body


def pieces(text: str, size: int) -> list[str]:
    taken = Pieces(text, size)
    parts = []
    while taken.left:
        parts.append(taken.take())
    return parts


def test_a_text_is_drawn_at_its_own_width_whatever_width_a_layout_asked_about(theme: Theme) -> None:
    body = MessageBody(theme)
    body.show_plain("What happened, to what, and what to do about it. " * 4)
    body.resize(240, 400)
    body.grab()
    needed = body.heightForWidth(240)
    assert body.heightForWidth(640) < needed
    body.grab()
    assert body.document().size().width() == 240
    assert body.document().size().height() <= needed


def test_a_text_is_not_laid_out_again_for_a_width_asked_about_before(theme: Theme) -> None:
    body = MessageBody(theme)
    body.show_plain("What happened, to what, and what to do about it. " * 40)
    laid_out: list[object] = []
    body.document().documentLayout().documentSizeChanged.connect(laid_out.append)
    heights = [body.heightForWidth(width) for width in (240, 640) * 10]
    assert heights == heights[:2] * 10
    assert 2 <= len(laid_out) <= 4  # the first layout of all is made over


def test_a_text_is_as_high_as_its_words_and_its_font_are_now(theme: Theme) -> None:
    def fits() -> int:
        height = body.heightForWidth(240)
        body.document().setTextWidth(240)
        assert height == math.ceil(body.document().size().height())
        return height

    body = MessageBody(theme)
    body.show_plain("a few words")
    heights = [fits()]
    body.append_plain(" and more of them" * 20)
    heights.append(fits())
    font = body.font()
    font.setPointSizeF(font.pointSizeF() * 2)
    body.setFont(font)
    heights.append(fits())
    body.show_rendered(render("# A title\n\n" + "words " * 2000, theme.tokens))
    heights.append(fits())
    assert heights == sorted(set(heights))
    body.show_plain("one")
    assert fits() < heights[1]


def test_html_in_a_message_is_shown_as_text(theme: Theme) -> None:
    text = 'before <script>alert(1)</script> <img src="file:///etc/passwd"> after'
    body = shown(text, theme)
    assert body.toPlainText().strip() == text


@pytest.mark.parametrize(
    "source", ["http://127.0.0.1:9/pixel.png", "file:///etc/hostname", "data:image/png;base64,AA"]
)
def test_an_image_in_a_message_is_never_loaded(source: str, theme: Theme) -> None:
    asked: list[object] = []

    class Watched(MessageBody):
        def loadResource(self, kind: int, name: QUrl | str) -> object:
            asked.append(name)
            return super().loadResource(kind, name)

    body = Watched(theme)
    body.show_rendered(render(f"![a cat]({source})", theme.tokens))
    body.resize(400, 300)
    body.grab()
    assert asked == []
    assert "a cat" in body.toPlainText()


def test_nothing_a_document_names_is_loaded(theme: Theme) -> None:
    body = MessageBody(theme)
    body.setHtml('<img src="file:///etc/hostname">')
    assert body.loadResource(2, QUrl("file:///etc/hostname")) is None


@pytest.mark.parametrize(
    "link",
    [
        "javascript:alert(1)",
        "file:///etc/passwd",
        "http:",
        "ftp://example.org/a",
        "//example.org",
        "smb://example.org/share",
        "\\\\example.org\\share",
        "vscode://file/etc/passwd",
        "ms-settings:privacy",
        "tel:112",
        "https:/example.org",
        "https:example.org",
        "https:///etc/passwd",
    ],
)
def test_a_link_that_is_not_of_the_web_is_plain_text(link: str) -> None:
    assert not is_outside_link(link)
    assert "<a " not in render(f"[click me]({link})", LIGHT).html


def test_a_link_is_shown_in_the_tooltip_and_opens_outside(
    theme: Theme, qapp: QGuiApplication
) -> None:
    opened: list[str] = []

    body = MessageBody(theme)
    body.show_rendered(render("[docs](https://example.org/a?b=1&c=2)", theme.tokens))

    class Desktop(QObject):
        @Slot(QUrl)
        def open(self, url: QUrl) -> None:
            opened.append(url.toString())

    desktop = Desktop()
    # The stub asks for bytes, the call itself for text.
    QDesktopServices.setUrlHandler("https", desktop, "open")  # type: ignore[arg-type]
    try:
        url = QUrl("https://example.org/a?b=1&c=2")
        body.highlighted.emit(url)
        assert body.toolTip() == tip("https://example.org/a?b=1&c=2")
        body.anchorClicked.emit(url)
        body.anchorClicked.emit(QUrl("file:///etc/passwd"))
    finally:
        QDesktopServices.unsetUrlHandler("https")
    assert opened == ["https://example.org/a?b=1&c=2"]


def test_a_code_block_has_its_own_copy_button(theme: Theme) -> None:
    body = shown("first\n\n```python\nx = 1\ny = 2\n```\n\n```\nplain\n```", theme)
    buttons = [b for b in body.findChildren(QToolButton) if b.accessibleName() == "Copy this code"]
    assert len(buttons) == 2
    buttons[0].click()
    assert QGuiApplication.clipboard().text() == "x = 1\ny = 2"
    assert buttons[0].toolTip() == "Copied"


def test_code_is_coloured_where_its_language_is_known() -> None:
    assert LIGHT.code_keyword in render("```python\nimport os\n```", LIGHT).html
    assert "<span" not in render("```nolanguage\nimport os\n```", LIGHT).html


def test_what_a_person_typed_stays_as_it_stands_but_for_code_and_links() -> None:
    html = render_typed("# no heading\n*a* <b>\nhttps://example.org\n```py\nx\n```", LIGHT).html
    assert "# no heading\n*a* &lt;b&gt;" in html
    assert '<a href="https://example.org">' in html
    assert 'class="pre"' in html


def test_pieces_lose_nothing_and_stay_within_their_size() -> None:
    text = "\n\n".join(f"paragraph {n} " + "word " * n for n in range(60))
    parts = pieces(text, 1_000)
    assert len(parts) > 5
    assert "".join(parts) == text
    assert all(len(part) <= 1_000 for part in parts)


def test_text_without_a_break_is_cut_all_the_same() -> None:
    assert [len(part) for part in pieces("x" * 2_500, 4_000)] == [1_000, 1_000, 500]


def test_a_fence_cut_in_two_is_code_on_both_sides() -> None:
    code = "\n".join(f"line_{n} = {n}" for n in range(100))
    parts = pieces(f"look:\n\n```python\n{code}\n```\nend", 700)
    for part in parts:
        blocks = render(part, LIGHT).blocks
        assert [block.kind for block in blocks] == ["code"]
        assert blocks[0].language == "python"
    joined = "\n".join(render(part, LIGHT).blocks[0].text for part in parts)
    assert [line for line in joined.splitlines() if line] == code.splitlines()


@pytest.mark.parametrize("width", [280, 520, 760])
def test_no_part_of_a_message_reaches_beyond_its_width(width: int, theme: Theme) -> None:
    code = "```sh\nmake run && echo done with a line that is longer than the pane is wide\n```"
    nested = "1. a\n\n" + "\n".join("   " + line for line in code.split("\n"))
    words = "https://example.org/" + "without-a-break" * 12 + " and `" + "x" * 200 + "`"
    table = "| one | two | three |\n|--|--|--|\n| some words | `code_here` | more words |"
    body = MessageBody(theme)
    body.show_rendered(render("\n\n".join((words, nested, code, table)), theme.tokens))
    body.resize(width, body.heightForWidth(width))
    body.show()
    layout = body.document().documentLayout()
    assert layout.documentSize().width() <= width
    assert not body.horizontalScrollBar().isVisible()
    for button in body.findChildren(QToolButton):
        assert 0 <= button.x() <= width - button.width()
    body.hide()


def test_a_table_wider_than_the_chat_can_be_scrolled(theme: Theme) -> None:
    columns = 24
    row = "|" + " word |" * columns
    body = MessageBody(theme)
    body.show_rendered(render(f"{row}\n|{'--|' * columns}\n{row}", theme.tokens))
    body.resize(280, body.heightForWidth(280))
    body.show()
    assert body.horizontalScrollBar().maximum() > 0
    assert body.verticalScrollBar().maximum() == 0
    body.hide()
