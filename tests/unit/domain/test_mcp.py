"""Entries of MCP servers: pasted, their keys taken out and put in, the names of their tools."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.mcp import offered_names
from chatty_desktop.domain.mcp_pasting import read_pasted
from chatty_desktop.domain.mcp_secrets import filled, key_names, parted, unwrapped, wrapped
from chatty_desktop.domain.mcp_settings import McpServer
from chatty_desktop.domain.settings import Settings, checked, read_settings, write_settings

PASTED = """{
  "mcpServers": {
    "github": {
      "command": "npx",
      "args": ["-y", "server-github", "--api-key", "abc123", "--log=debug"],
      "env": {"GITHUB_TOKEN": "ghp_0123456789abcdef", "RETRIES": 3}
    },
    "search": {
      "type": "http",
      "url": "https://example.org/mcp?api_key=kkk&safe=1",
      "headers": {"Authorization": "Bearer abc", "X-Region": "eu"},
      "disabled": true
    }
  }
}"""


def test_the_usual_json_is_read_whole() -> None:
    servers = read_pasted(PASTED)
    assert list(servers) == ["github", "search"]
    assert servers["github"].env["RETRIES"] == "3"
    assert servers["github"].is_program and not servers["search"].is_program
    assert not servers["search"].enabled


@pytest.mark.parametrize(
    "text",
    [
        '{"servers": {"a": {"command": "x"}}}',
        '{"mcp": {"servers": {"a": {"command": "x"}}}}',
        '{"a": {"command": "x"}}',
        '"a": {"command": "x"},',
    ],
)
def test_parts_of_it_and_other_programs_forms_are_read_too(text: str) -> None:
    assert read_pasted(text) == {"a": McpServer(command="x")}


def test_an_entry_alone_has_no_name_yet() -> None:
    assert read_pasted('{"command": "x"}') == {"": McpServer(command="x")}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"mcpServers":\n{"a": }}', "Line 2, column 7: this is not JSON"),
        ('{"mcpServers": {\n"a": {\n"command": 3}}}', "Line 3, a: command: "),
        ('{"b": {"command": "x"},\n"a": {"args": []}}', "Line 2, a: It has neither a command"),
        ('{"a": {"type": "sse", "url": "http://x"}}', "SSE"),
        ('{"a": {"url": "ftp://x"}}', "http://"),
        ('{"a": "npx"}', "an object in braces"),
        ("[]", "an object in braces"),
        ("{}", "no server in it"),
        ("  ", "nothing in it"),
        ("[" * 100_000, "not JSON"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_place(text: str, said: str) -> None:
    with pytest.raises(Invalid, match=re.escape(said)):
        read_pasted(text)


def test_what_looks_like_a_key_leaves_the_entry_and_comes_back() -> None:
    servers = read_pasted(PASTED)
    for name, server in servers.items():
        found = parted(name, server)
        written = write_settings(Settings().with_mcp_server(name, found.server))
        for key in ("abc123", "ghp_0123456789abcdef", "kkk", "Bearer abc"):
            assert key not in written
        assert filled(found.server, found.keys, {}) == server
        assert sorted(key_names(found.server)) == sorted(found.keys)
    assert parted("search", servers["search"]).server.headers == {
        "Authorization": "Bearer ${keyring:mcp/search/Authorization}",
        "X-Region": "eu",
    }


def test_a_marked_value_is_a_key_however_it_looks() -> None:
    server = McpServer(command="x", env={"HOME_TOWN": "Ulm", "SIZE": "3"})
    assert parted("a", server, {"HOME_TOWN"}).keys == {"mcp/a/HOME_TOWN": "Ulm"}


def test_a_new_key_never_takes_the_place_of_one_that_is_still_used() -> None:
    server = McpServer(command="x", args=("--token", "new", "--key", "${keyring:mcp/a/argument-2}"))
    found = parted("a", server)
    assert found.keys == {"mcp/a/argument-2-2": "new"}


def test_a_missing_key_and_a_missing_variable_are_named() -> None:
    with pytest.raises(Invalid, match="mcp/a/T"):
        filled(McpServer(command="x", env={"T": "${keyring:mcp/a/T}"}), {}, {})
    server = McpServer(command="x", args=("${env:REGION}", "${REGION}", "$REGION"))
    with pytest.raises(Invalid, match="REGION"):
        filled(server, {}, {})
    assert filled(server, {}, {"REGION": "eu"}).args == ("eu", "eu", "$REGION")


@given(st.text())
def test_any_secret_fits_into_the_keyring(secret: str) -> None:
    kept = wrapped(secret)
    assert unwrapped(kept) == secret
    assert kept.isascii() and kept.isprintable() and " " not in kept


def test_servers_are_in_the_file_under_the_key_that_others_use() -> None:
    value = {"mcpServers": {"a": {"command": "x", "autoApprove": ["y"], "disabled_tools": ["z"]}}}
    settings = read_settings(json.dumps(value))
    assert settings.mcp_servers["a"].disabled_tools == ("z",)
    assert json.loads(write_settings(checked(settings)))["mcpServers"] == value["mcpServers"]
    assert "mcpServers" not in json.loads(write_settings(Settings()))


def test_an_entry_that_cannot_be_used_leaves_the_settings_readable() -> None:
    settings = read_settings('{"mcpServers": {"a": {"type": "sse", "url": "http://x"}, "b": {}}}')
    assert all(server.problem for server in settings.mcp_servers.values())


def test_a_renamed_server_keeps_its_place() -> None:
    settings = Settings()
    for name in ("a", "b", "c"):
        settings = settings.with_mcp_server(name, McpServer(command=name))
    renamed = settings.with_mcp_server("z", McpServer(command="b"), instead_of="b")
    assert list(renamed.mcp_servers) == ["a", "z", "c"]


PAIRS = st.lists(st.tuples(st.text(min_size=1), st.text(min_size=1)), unique=True, max_size=20)


@given(PAIRS)
def test_names_of_tools_are_unique_and_fit_every_service(pairs: list[tuple[str, str]]) -> None:
    names = offered_names(pairs)
    assert len(set(names.values())) == len(pairs)
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name) for name in names.values())


def test_names_of_tools_that_would_be_alike_are_both_marked() -> None:
    alike = offered_names([("a__b", "c"), ("a", "b__c")])
    assert len(set(alike.values())) == 2
    assert all(re.fullmatch("a__b__c_[0-9a-f]{8}", name) for name in alike.values())
    assert offered_names([("git", "log")]) == {("git", "log"): "git__log"}
