"""The key of an MCP server is nowhere but where it is kept, whatever the server does with it."""

from __future__ import annotations

import json
import logging
from contextlib import suppress
from pathlib import Path

from chatty_desktop.app import App
from chatty_desktop.domain.errors import ChattyError
from chatty_desktop.domain.events import Event
from chatty_desktop.domain.mcp_pasting import read_pasted
from chatty_desktop.domain.messages import Scope
from chatty_desktop.domain.tools import ToolUse
from chatty_desktop.domain.work import Work
from chatty_desktop.ui.log_file import logging_to
from tests.helpers.keyrings import MemoryKeyring, system_keyring
from tests.helpers.mcp_servers import entry
from tests.helpers.servers import Fixed, FixedServer, Received
from tests.integration.test_planted_key import holding

KEY = "planted-mcp-0123456789"


def repeats_its_headers(received: Received) -> Fixed:
    return Fixed(400, json.dumps({"error": f"not with {dict(received.headers)}"}))


async def test_a_key_of_a_server_is_in_no_file_and_no_notice(
    data_dir: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    told: list[Event] = []
    keyring = MemoryKeyring()
    with system_keyring(keyring), logging_to(data_dir / "logs"):
        async with FixedServer(repeats_its_headers) as careless:
            pasted = {
                "program": entry("good", env={"SOME_TOKEN": KEY}),
                "dies": entry("bad", "says-its-key", env={"SOME_TOKEN": KEY}),
                "address": {
                    "url": f"{careless.address}/mcp?api_key={KEY}",
                    "headers": {"Authorization": f"Bearer {KEY}"},
                },
                "nobody": {"url": f"http://127.0.0.1:9/mcp?api_key={KEY}"},
            }
            app = await App.open(data_dir)
            app.events.subscribe(told.append)
            await app.tool_servers.add(read_pasted(json.dumps({"mcpServers": pasted})))
            tools = {spec.name: spec for spec in await app.mcp.tools()}
            whisper = ToolUse(
                Scope("a", "s"), "c", tools["program__whisper"], {"text": f"my key is {KEY}"}
            )
            with suppress(ChattyError):
                await app.mcp.call(whisper)
            environment = ToolUse(Scope("a", "s"), "c", tools["program__environment"], {})
            assert KEY in (await app.mcp.call(environment)).text, "the program was given it"
            assert any(KEY in str(request.headers) for request in careless.requests)
            assert "•••" in await app.mcp.read_log("program")
            assert "•••" in await app.mcp.read_log("dies")
            assert app.mcp.states()["dies"].phase == "failed"
            assert KEY not in repr(app.mcp.states())
            await app.data.back_up(out / "backup.zip", Work())
            await app.data.export(out / "export.zip", Work())
            logging.getLogger("chatty_desktop").info("the log is written")
            await app.close()
    assert KEY in keyring.kept.values()
    assert holding(tmp_path, KEY) == []
    assert KEY not in repr(told)
