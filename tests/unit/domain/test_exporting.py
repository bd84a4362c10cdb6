"""A chat as a page for reading: nothing in it runs, and nothing is loaded."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser

from chatty_desktop.domain.exporting import chat_as_html, chat_as_markdown
from chatty_desktop.domain.messages import Message, Session, ToolCall
from tests.helpers.attached import image_file, text_file

SESSION = Session("s", 'Trip & "more"', 0.0, 0.0, leaf_id="b")


def said(user: str, assistant: str, calls: tuple[ToolCall, ...] = ()) -> list[Message]:
    return [
        Message("a", "s", None, "ada", "", "user", user, 0.0),
        Message("b", "s", "a", "ada", "", "assistant", assistant, 1.0, tool_calls=calls),
        Message("c", "s", "a", "ada", "", "assistant", "another branch", 2.0),
    ]


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def test_markdown_is_drawn_and_only_the_current_branch() -> None:
    page = chat_as_html(SESSION, said("Where?", "**Kyoto**\n\n| a |\n|---|\n| 1 |"), {"ada": "Ada"})
    assert "<strong>Kyoto</strong>" in page
    assert "<table>" in page
    assert "another branch" not in page
    assert "<title>Trip &amp; &quot;more&quot;</title>" in page
    assert "Ada · " in page


def test_nothing_that_a_message_says_becomes_a_tag_or_is_loaded() -> None:
    bad = (
        "<script>alert(1)</script> ![x](http://far/away.png) <img src=x onerror=y>"
        " [go](javascript:alert(1))"
    )
    page = chat_as_html(SESSION, said(bad, bad, (ToolCall("1", "<b>", "<i>"),)), {})
    tags = Tags()
    tags.feed(page)
    names = {name for name, _attributes in tags.found}
    assert not names & {"script", "img", "iframe", "link", "b", "i"}
    links = [attributes.get("href") or "" for name, attributes in tags.found if name == "a"]
    assert not any(link.startswith("javascript") for link in links)
    assert "[x]" in page


def test_attached_files_are_named_for_reading() -> None:
    messages = said("Look", "I see")
    messages[0] = replace(messages[0], attachments=(text_file("a<b>.md").about, image_file().about))
    assert "<p>Attached: a&lt;b&gt;.md, photo.png</p>" in chat_as_html(SESSION, messages, {})
    assert "Attached: a<b>.md, photo.png" in chat_as_markdown(SESSION, messages, {})
