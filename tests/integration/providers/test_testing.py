"""Trying out a server: each thing that can be wrong with it is said as what it is."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from chatty_desktop.domain.provider_tests import ProviderTest
from chatty_desktop.domain.settings import ProviderSettings
from chatty_desktop.paths import Paths
from chatty_desktop.providers.registry import ProviderRegistry
from tests.helpers.servers import Fixed, FixedServer, OllamaServer, OpenAIServer
from tests.integration.providers.conftest import QUICK, no_key

KEY = "sk-planted-0123456789"
DISCARD = "http://127.0.0.1:9"


@pytest.fixture
async def registry(tmp_path: Path) -> AsyncIterator[ProviderRegistry]:
    made = ProviderRegistry(Paths(tmp_path), no_key, lambda event: None, patience=QUICK)
    yield made
    await made.close()


def openai(url: str, provider_id: str = "lab") -> ProviderSettings:
    return ProviderSettings(id=provider_id, kind="openai", base_url=url)


def ollama(url: str) -> ProviderSettings:
    return ProviderSettings(id="lab", kind="ollama", base_url=url)


def failed(test: ProviderTest, *words: str) -> None:
    """The test failed, and says all of these."""
    assert not test.usable
    for word in words:
        assert word in test.problem


# --- what works ------------------------------------------------------------------------------


@pytest.mark.parametrize("prefix", ["/v1", ""])
@pytest.mark.parametrize(
    "form",
    [
        "http://127.0.0.1:{port}",
        "http://127.0.0.1:{port}/",
        "127.0.0.1:{port}",
        "localhost:{port}",
        "http://127.0.0.1:{port}/v1",
        "http://127.0.0.1:{port}/v1/",
        " http://127.0.0.1:{port}/v1/chat/completions ",
        "http://127.0.0.1:{port}/v1/models",
    ],
)
async def test_every_form_of_an_address_leads_to_the_place_of_the_api(
    registry: ProviderRegistry, form: str, prefix: str
) -> None:
    async with OpenAIServer(models=("small", "large"), prefix=prefix) as server:
        test = await registry.test(openai(form.format(port=server.port)))
    assert test.usable and test.remark == ""
    assert test.models == ("small", "large")
    assert test.address.endswith(f":{server.port}{prefix}")
    assert test.milliseconds >= 0


@pytest.mark.parametrize("form", ["{url}", "{url}/", "{url}/v1", "{url}/api", "127.0.0.1:{port}"])
async def test_every_form_of_ollamas_address_leads_to_it(
    registry: ProviderRegistry, form: str
) -> None:
    async with OllamaServer(models=("tiny:latest",)) as server:
        test = await registry.test(ollama(form.format(url=server.address, port=server.port)))
    assert test == replace(
        ProviderTest(),
        models=("tiny:latest",),
        address=server.address,
        milliseconds=test.milliseconds,
    )


async def test_a_listing_of_2000_models_is_read_whole(registry: ProviderRegistry) -> None:
    names = tuple(f"vendor/model-{number}" for number in range(2000))
    async with OpenAIServer(models=names) as server:
        assert (await registry.test(openai(server.base_url))).models == names
    async with OllamaServer(models=names) as server:
        assert (await registry.test(ollama(server.base_url))).models == names


async def test_a_server_without_a_list_serves_and_its_models_are_named_by_hand(
    registry: ProviderRegistry,
) -> None:
    def rule(received: object) -> Fixed:
        path = getattr(received, "path", "")
        if path == "/v1/chat/completions":
            return Fixed(400, json.dumps({"error": {"message": "messages is missing"}}))
        return Fixed(404, "{}")

    async with FixedServer(rule) as server:
        test = await registry.test(openai(server.address))
    assert test.usable and not test.lists and test.models == ()
    assert test.address == f"{server.address}/v1"
    assert "name them by hand" in test.remark


async def test_a_server_with_an_empty_list_is_told_of(registry: ProviderRegistry) -> None:
    async with OpenAIServer(models=()) as server:
        test = await registry.test(openai(server.base_url))
    assert test.usable and test.lists and "no models yet" in test.remark
    async with OllamaServer(models=()) as server:
        test = await registry.test(ollama(server.base_url))
    assert test.usable and "no models yet" in test.remark


async def test_a_move_within_the_same_server_is_followed(registry: ProviderRegistry) -> None:
    def rule(received: object) -> Fixed:
        path = getattr(received, "path", "")
        if path == "/v1/models":
            return Fixed.sent_on("/v1/models/", 307)
        return Fixed(200, json.dumps({"data": [{"id": "small"}]}))

    async with FixedServer(rule) as server:
        assert (await registry.test(openai(server.address))).models == ("small",)


# --- keys ------------------------------------------------------------------------------------


async def test_a_key_that_is_not_stored_yet_is_sent_and_proved(registry: ProviderRegistry) -> None:
    async with OpenAIServer(key=KEY) as server:
        test = await registry.test(openai(server.base_url), KEY)
        assert test.usable and test.remark == "", "the list was refused without the key"
        failed(
            await registry.test(openai(server.base_url)),
            "wants a key",
            "401",
            "CHATTY_KEY_LAB",
        )
        failed(await registry.test(openai(server.base_url), "sk-other"), "refused the key", "401")
    async with OllamaServer(key=KEY) as ollama_server:
        failed(await registry.test(ollama(ollama_server.base_url), "x"), "refused the key")


async def test_a_list_that_everyone_may_read_proves_no_key(registry: ProviderRegistry) -> None:
    async with OpenAIServer() as server:
        test = await registry.test(openai(server.base_url), KEY)
        assert test.usable and "whether the key is right" in test.remark
        again = await registry.test(openai(server.base_url), KEY, thorough=False)
        assert again.remark == ""
        assert len(server.requests) == 3


async def test_the_stored_key_is_used_unless_another_is_given(tmp_path: Path) -> None:
    async def stored(provider_id: str) -> str | None:
        return KEY if provider_id == "lab" else None

    registry = ProviderRegistry(Paths(tmp_path), stored, lambda event: None, patience=QUICK)
    async with OpenAIServer(key=KEY) as server:
        assert (await registry.test(openai(server.base_url))).usable
        failed(await registry.test(openai(server.base_url), ""), "wants a key")
        failed(await registry.test(openai(server.base_url, "other")), "wants a key")


async def test_a_server_that_repeats_the_key_is_not_repeated(registry: ProviderRegistry) -> None:
    def rule(received: object) -> Fixed:
        sent = getattr(received, "headers", {}).get("authorization", "")
        return Fixed(401, json.dumps({"error": {"message": f"no such key: {sent}"}}))

    async with FixedServer(rule) as server:
        for entry in (openai(server.address), ollama(server.address)):
            test = await registry.test(entry, KEY)
            failed(test, "no such key")
            assert KEY not in repr(test)


# --- what a server says ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Fixed(401, '{"error": "unauthorized"}'), ["wants a key", "401", "unauthorized"]),
        (Fixed(403, '{"error": "no access"}'), ["key", "403", "no access"]),
        (Fixed(404, '{"detail": "Not Found"}'), ["nothing at that address", "404"]),
        (
            Fixed(429, '{"error": "slow down"}', headers={"Retry-After": "30"}),
            ["no more requests for now", "slow down", "Try again in 30 s"],
        ),
        (Fixed(429, '{"error": "slow down"}'), ["429", "Try again later"]),
        (
            Fixed(500, '{"error": "out of memory"}'),
            ["failed", "500", "out of memory", "its own log"],
        ),
        (Fixed.page("Bad Gateway", 502), ["failed", "502"]),
        (Fixed.page("Sign in to the network"), ["a web page", "Sign in to the network", "proxy"]),
        (Fixed.page("Blocked", 403), ["a web page", "Blocked", "403", "proxy"]),
        (Fixed(407, ""), ["proxy", "407"]),
        (Fixed(200, '{"hello": "world"}'), ["did not answer as such a server does", "hello"]),
        (Fixed(200, ""), ["did not answer as such a server does"]),
    ],
)
@pytest.mark.parametrize("kind", ["openai", "ollama"])
async def test_each_answer_that_is_none_has_its_own_sentence(
    registry: ProviderRegistry, kind: str, answer: Fixed, words: list[str]
) -> None:
    async with FixedServer(answer) as server:
        entry = (openai if kind == "openai" else ollama)(server.address)
        test = await registry.test(entry)
    failed(test, "lab (http://127.0.0.1:", *words)
    assert test.address == "" and test.models == ()


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_a_server_that_sends_on_names_the_address_to_write(
    registry: ProviderRegistry, status: int
) -> None:
    def rule(received: object) -> Fixed:
        return Fixed.sent_on(f"https://models.test{getattr(received, 'path', '')}", status)

    async with FixedServer(rule) as server:
        test = await registry.test(openai(server.address), KEY)
        failed(test, "sends every request on to https://models.test/v1")
        assert test.better_address == "https://models.test/v1"
        test = await registry.test(ollama(server.address))
        assert test.better_address == "https://models.test"


async def test_a_server_that_sends_in_a_circle_is_left(registry: ProviderRegistry) -> None:
    async with FixedServer(Fixed.sent_on("/v1/models")) as server:
        failed(await registry.test(openai(server.address)), "in a circle")


# --- no answer -------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["openai", "ollama"])
async def test_a_wrong_port_and_an_unknown_name_are_told_apart(
    registry: ProviderRegistry, kind: str
) -> None:
    entry = openai if kind == "openai" else ollama
    failed(await registry.test(entry(DISCARD)), "refused", "no program listens", "Is ")
    failed(await registry.test(entry("http://nowhere.invalid:8080")), "nowhere.invalid", "spelling")


async def test_ollama_without_its_port_is_sent_to_it(registry: ProviderRegistry) -> None:
    test = await registry.test(ollama("127.0.0.1"))
    failed(test, "http://127.0.0.1:11434")
    assert test.better_address == "http://127.0.0.1:11434"


@pytest.mark.parametrize("kind", ["openai", "ollama"])
async def test_a_certificate_that_nobody_trusts_is_told_as_such(
    registry: ProviderRegistry, kind: str
) -> None:
    server = OpenAIServer()
    server.tls = True
    async with server:
        test = await registry.test((openai if kind == "openai" else ollama)(server.address))
        failed(test, "certificate", "self-signed", "SSL_CERT_FILE")
        assert server.requests == []


@pytest.mark.parametrize("kind", ["openai", "ollama"])
async def test_https_and_http_mixed_up_are_found_out_both_ways(
    registry: ProviderRegistry, kind: str
) -> None:
    entry = openai if kind == "openai" else ollama
    async with OpenAIServer() as plain:
        test = await registry.test(entry(plain.address.replace("http", "https", 1)))
        failed(test, "does not speak https", "Write http://")
        assert test.better_address == plain.address
    secret = OpenAIServer()
    secret.tls = True
    async with secret:
        test = await registry.test(entry(secret.address.replace("https", "http", 1)))
        failed(test, "speaks https on that port")
        assert test.better_address == secret.address


async def test_a_server_that_says_it_wants_https_is_understood(registry: ProviderRegistry) -> None:
    said = "400 The plain HTTP request was sent to HTTPS port"
    async with FixedServer(Fixed.page(said, 400)) as server:
        test = await registry.test(openai(server.address))
    failed(test, "speaks https on that port")


async def test_a_server_that_hangs_is_left_after_a_while(tmp_path: Path) -> None:
    hasty = ProviderRegistry(
        Paths(tmp_path), no_key, lambda event: None, patience=replace(QUICK, question=0.3)
    )
    async with FixedServer(None) as server:
        failed(await hasty.test(openai(server.address)), "said nothing for 0.3 s", "loading")
        failed(await hasty.test(ollama(server.address)), "said nothing for 0.3 s")


async def test_what_breaks_off_without_a_word_is_told_as_such(registry: ProviderRegistry) -> None:
    async def hang_up(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    silent = await asyncio.start_server(hang_up, "127.0.0.1", 0)
    port = silent.sockets[0].getsockname()[1]
    failed(await registry.test(openai(f"http://127.0.0.1:{port}")), "broke off without an answer")
    silent.close()


async def test_a_test_that_is_cancelled_hangs_up(registry: ProviderRegistry) -> None:
    async with FixedServer(None) as server:
        testing = asyncio.create_task(registry.test(openai(server.address)))
        while not server.requests:  # noqa: ASYNC110  # nothing tells of it
            await asyncio.sleep(0.01)
        testing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await testing
        await server.requests[0].left.wait()


# --- nobody to ask ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("ftp://x", "not the address of a server"),
        ("", "not the address of a server"),
        ("https://me:secret@x.org/v1", "before the @"),
        ("https://x.org/v1?key=secret", "question mark"),
    ],
)
async def test_what_is_no_address_is_told_without_asking(
    registry: ProviderRegistry, url: str, words: str
) -> None:
    test = await registry.test(openai(url or " "))
    failed(test, words)
    assert "secret" not in test.problem


async def test_the_local_engine_says_which_of_its_files_are_there(
    registry: ProviderRegistry, tmp_path: Path
) -> None:
    pytest.importorskip("xllamacpp")
    there = tmp_path / "there.gguf"
    there.write_bytes(b"GGUF")
    models = (str(there), str(tmp_path / "gone.gguf"))
    local = ProviderSettings(id="local", kind="llama_cpp", models=models)
    test = await registry.test(local)
    assert test.usable and test.models == (str(there),)
    assert "gone.gguf" in test.remark
    none = await registry.test(local.model_copy(update={"models": models[1:]}))
    assert none.usable and "no model files" in none.remark
