"""Pages are fetched as text, from the public internet alone unless the person allows more."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatty_desktop.domain.errors import Invalid, Refused, Unreachable
from chatty_desktop.domain.pages import out_of_bounds
from chatty_desktop.providers.pages import LARGEST, WebPages, checked_url
from tests.helpers.servers.fixed import Fixed, FixedServer
from tests.helpers.servers.http import CERTIFICATE, Received

PAGE = Fixed(
    body="<html><head><title>Deer</title><script>evil()</script></head>"
    "<body><nav>Home</nav><main><h1>Deer of Nara</h1><p>They bow.</p></main></body></html>",
    content_type="text/html; charset=utf-8",
)


def open_pages() -> WebPages:
    return WebPages(lambda: True)


async def test_a_page_is_read_as_text() -> None:
    async with FixedServer(PAGE) as server:
        page = await open_pages().fetch(f"{server.address}/deer")
    assert page.title == "Deer"
    assert "They bow." in page.text
    assert "evil" not in page.text


async def test_an_authority_of_the_persons_own_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    server = FixedServer(PAGE)
    server.tls = True
    async with server:
        with pytest.raises(Unreachable, match="certificate"):
            await open_pages().fetch(server.address)
        monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
        assert (await open_pages().fetch(server.address)).title == "Deer"


async def test_this_computer_is_not_fetched_from_unless_that_is_allowed() -> None:
    async with FixedServer(PAGE) as server:
        port = server.address.rpartition(":")[2]
        for host in ("127.0.0.1", "localhost", "0.0.0.0", "[::1]", "127.1", "2130706433"):
            with pytest.raises((Refused, Unreachable)):
                await WebPages(lambda: False).fetch(f"http://{host}:{port}/")
        assert server.requests == []


async def test_every_step_of_a_redirect_is_held_to_the_rule() -> None:
    allowed = iter([True, True, False, False])

    def rule(received: Received) -> Fixed:
        return Fixed.sent_on("/secret") if received.path == "/" else PAGE

    async with FixedServer(rule) as server:
        with pytest.raises(Refused, match="not on the public internet"):
            await WebPages(lambda: next(allowed)).fetch(server.address)
        assert [request.path for request in server.requests] == ["/"]


async def test_redirects_without_an_end_are_left() -> None:
    async with FixedServer(Fixed.sent_on("/again")) as server:
        with pytest.raises(Refused, match="redirected more than"):
            await open_pages().fetch(server.address)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (Fixed(404, "gone", "text/plain"), "answered 404"),
        (Fixed(body="x", content_type="image/png"), "no text but image/png"),
        (Fixed(body="x" * (LARGEST + 1), content_type="text/plain"), "larger than"),
        (Fixed(body="<html><body></body></html>", content_type="text/html"), "no text"),
        (Fixed.sent_on("file:///etc/passwd"), "no address of a page"),
    ],
)
async def test_what_is_no_page_is_refused_with_the_reason(answer: Fixed, why: str) -> None:
    async with FixedServer(answer) as server:
        with pytest.raises((Refused, Invalid), match=why):
            await open_pages().fetch(server.address)


async def test_a_server_that_hangs_is_left_after_a_while() -> None:
    async with FixedServer(None) as server:
        with pytest.raises(Unreachable, match="did not come"):
            await WebPages(lambda: True, seconds=0.2).fetch(server.address)


@pytest.mark.parametrize(
    "url",
    ["", "deer", "ftp://far.example/", "file:///etc/passwd", "http://", "http://a b/",
     "http://me:key@far.example/", "http://far.example:port/", "javascript:alert(1)"],
)  # fmt: skip
def test_what_is_no_address_of_a_page_is_told_apart(url: str) -> None:
    with pytest.raises(Invalid):
        checked_url(url)


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
     "0.0.0.0", "224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1%eth0", "fc00::1",
     "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "nonsense"],
)  # fmt: skip
def test_addresses_of_this_network_are_out_of_bounds(address: str) -> None:
    assert out_of_bounds(address)


@given(st.ip_addresses(network="10.0.0.0/8") | st.ip_addresses(network="fc00::/7"))
def test_no_address_of_a_private_network_is_in_bounds(address: object) -> None:
    assert out_of_bounds(str(address))
    assert out_of_bounds(f"::ffff:{address}") or ":" in str(address)


def test_the_public_internet_is_in_bounds() -> None:
    assert not any(map(out_of_bounds, ("93.184.215.14", "2606:2800:21f::1")))
