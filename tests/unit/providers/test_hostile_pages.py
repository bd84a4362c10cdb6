"""Pages and documents made to do harm, over a real server on loopback."""

from __future__ import annotations

import gzip
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from chatty_desktop.domain.errors import ChattyError, Invalid, Refused
from chatty_desktop.providers.apart import TooHard
from chatty_desktop.providers.attaching import Attaching
from chatty_desktop.providers.page_text import page_text
from chatty_desktop.providers.pages import WebPages
from tests.helpers.servers.http import LoopbackServer, Received, Reply


class PageServer(LoopbackServer):
    """Answers with what was put under a path: headers and bytes; endless ones go on and on."""

    def __init__(self) -> None:
        super().__init__()
        self.pages: dict[str, tuple[int, dict[str, str], bytes]] = {}

    async def respond(self, received: Received, reply: Reply) -> None:
        if received.path == "/endless":
            await reply.begin("text/html")
            while True:
                await reply.piece(b"<p>more" * 9_000)
        status, headers, body = self.pages[received.path]
        kind = headers.pop("Content-Type", "text/html")
        await reply.whole(status, body, kind, headers)


@pytest_asyncio.fixture
async def server() -> AsyncIterator[PageServer]:
    async with PageServer() as made:
        yield made


@pytest.fixture
def pages() -> WebPages:
    return WebPages(lambda: True)


NESTED = b"<div>" * 400_000
UNFOLDS = b"".join(b"<font a=%d>" % number for number in range(100_000)) + b"<p>" * 200_000
"""Each paragraph has all the formats again, as HTML has it."""


@pytest.mark.parametrize("content", [NESTED, UNFOLDS], ids=["nested", "unfolds"])
async def test_a_page_that_no_parser_comes_to_the_end_of_is_given_up(content: bytes) -> None:
    with pytest.raises(TooHard):
        await page_text(content, "text/html", None, seconds=1.5)


async def test_a_page_is_read_whole_with_its_characters(
    server: PageServer, pages: WebPages
) -> None:
    body = "<title>Größe</title><main><h1>Eins</h1><p>Zwei drei 😀</main>".encode()
    server.pages["/"] = (200, {"Content-Type": "text/html; charset=utf-8"}, body)
    page = await pages.fetch(f"{server.address}/")
    assert (page.title, page.text) == ("Größe", "# Eins\n\nZwei drei 😀")


async def test_a_small_page_that_unpacks_to_gigabytes_is_refused(
    server: PageServer, pages: WebPages
) -> None:
    once = gzip.compress(b"\0" * 30_000_000)
    server.pages["/once"] = (200, {"Content-Encoding": "gzip"}, once)
    with pytest.raises(Refused, match="larger than 3 MB"):
        await pages.fetch(f"{server.address}/once")
    # Twice packed, a few bytes would be all of it at once.
    server.pages["/twice"] = (200, {"Content-Encoding": "gzip, gzip"}, gzip.compress(once))
    with pytest.raises(Refused, match="packed in a way"):
        await pages.fetch(f"{server.address}/twice")


async def test_a_page_without_an_end_is_refused(server: PageServer, pages: WebPages) -> None:
    with pytest.raises(Refused, match="larger than 3 MB"):
        await pages.fetch(f"{server.address}/endless")


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        ({"Content-Type": "text/html; charset=no-such"}, b"<p>words"),
        ({"Content-Type": "text/html; charset=utf-16"}, b"<p>odd number of bytes"),
        ({"Content-Type": "text/html"}, b"<meta charset=utf-7><p>+ADw-words"),
        ({"Content-Type": "text/html; charset=rot13"}, b"<p>words"),
        ({"Content-Type": "text/html; charset=zlib"}, b"<p>words"),
        ({"Content-Type": "text/html; charset=idna"}, b"<p>" + b"a." * 5_000),
        ({"Content-Type": "application/json; charset=base64"}, b"{}"),
        ({"Content-Type": "text/plain; charset=utf-8\0"}, b"words"),
        ({"Content-Type": "text/html", "Content-Encoding": "gzip"}, b"not packed at all"),
        ({"Content-Type": "text/plain"}, b"\xed\xa0\x80 words"),
    ],
)
async def test_a_page_that_lies_about_its_coding_is_read_or_refused(
    server: PageServer, pages: WebPages, headers: dict[str, str], body: bytes
) -> None:
    server.pages["/"] = (200, headers, body)
    try:
        said = (await pages.fetch(f"{server.address}/")).text
    except ChattyError as error:
        said = str(error)
    assert said.encode()


@pytest.mark.parametrize(
    "target",
    ["file:///etc/passwd", "ftp://127.0.0.1/", "http://user:key@127.0.0.1/", "http://[::1",
     "gopher:x", "http://0x7f.1:1/", "//", "http://" + "a" * 70_000, "http://a\u0001b/"],
)  # fmt: skip
async def test_a_page_that_sends_elsewhere_is_not_followed_there(
    server: PageServer, pages: WebPages, target: str
) -> None:
    server.pages["/"] = (302, {"Location": target}, b"")
    with pytest.raises(ChattyError):
        await pages.fetch(f"{server.address}/")


async def test_a_page_may_not_send_to_this_computer(server: PageServer) -> None:
    asked: list[int] = []

    def private() -> bool:
        asked.append(1)
        return len(asked) <= 2  # the first address and its connection, not the next one

    server.pages["/"] = (302, {"Location": "http://127.0.0.1:9/"}, b"")
    with pytest.raises(Refused, match="not on the public internet"):
        await WebPages(private).fetch(f"{server.address}/")


# --- documents ---------------------------------------------------------------------------------


def _pdf(page: bytes, extra: bytes = b"") -> bytes:
    return (
        b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
        b"2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
        + page + extra + b"\ntrailer<</Root 1 0 R>>\n%%EOF"
    )  # fmt: skip


@pytest.mark.parametrize(
    "data",
    [
        _pdf(b"3 0 obj<</Type/Pages/Kids[2 0 R]/Count 1/Parent 2 0 R>>endobj"),
        _pdf(b"3 0 obj<</Type/Page/Parent 2 0 R/Contents 3 0 R>>endobj"),
        _pdf(b"3 0 obj " + b"[" * 100_000 + b"endobj"),
        _pdf(b"3 0 obj<</Type/Page/MediaBox[0 0 1e99 1e99]/Contents 4 0 R>>endobj",
             b"\n4 0 obj<</Length 9999999999>>stream\nBT\nendstream endobj"),
        b"%PDF-1.7\n" + b"\0" * 1_000,
        b"%PDF-",
    ],
    ids=["ring", "itself", "nested", "sizes", "zeros", "nothing"],
)  # fmt: skip
async def test_a_document_that_leads_nowhere_is_refused(data: bytes) -> None:
    with pytest.raises(Invalid, match="report"):
        await Attaching().data(data, "report.pdf")
