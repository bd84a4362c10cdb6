"""MCP through the real SDK, with servers that are processes of their own."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil
import pytest

from chatty_desktop.domain.errors import Invalid, Unreachable
from chatty_desktop.domain.mcp import McpText
from chatty_desktop.domain.settings import Settings
from chatty_desktop.domain.tools import ToolResult
from chatty_desktop.providers.mcp.servers import McpServers
from tests.helpers.mcp_bench import Bench
from tests.helpers.mcp_servers import HERE, entry
from tests.helpers.servers import Fixed, FixedServer


async def until(holds: Callable[[], Any]) -> None:
    for _ in range(3_000):
        if holds():
            return
        await asyncio.sleep(0.01)
    raise AssertionError(f"This did not come true: {holds}")


@pytest.fixture
def nothing_left() -> Callable[[], None]:
    """A check that no process is left of those that a test began, not even a zombie. Beside them
    there may be a server that the whole run of tests shares, with what it begins when it likes."""
    others = set(psutil.Process().children())

    def check() -> None:
        below = psutil.Process().children(recursive=True)
        assert [each for each in below if others.isdisjoint({each, *each.parents()})] == []

    return check


@pytest.fixture
async def bench(tmp_path: Path, nothing_left: Callable[[], None]) -> AsyncIterator[Bench]:
    made = Bench(tmp_path / "logs")
    yield made
    await made.servers.close()
    nothing_left()


def run(*command: str, **more: Any) -> subprocess.Popen[bytes]:
    """A process that is not the app's."""
    return subprocess.Popen([sys.executable, *command], **more)


@asynccontextmanager
async def good_at_an_address(port: int = 0) -> AsyncIterator[tuple[str, subprocess.Popen[bytes]]]:
    """The good server over streamable HTTP, in a process of its own."""
    if not port:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
    process = run(
        str(HERE / "good.py"),
        "http",
        str(port),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )

    def open_() -> bool:
        with socket.socket() as asking:
            return asking.connect_ex(("127.0.0.1", port)) == 0

    try:
        await until(open_)
        yield f"http://127.0.0.1:{port}/mcp", process
    finally:
        process.kill()
        process.wait()


def port_of(url: str) -> int:
    return urlsplit(url).port or 0


# --- one that behaves -------------------------------------------------------------------------


@pytest.fixture(params=["program", "address"])
async def good(bench: Bench, request: pytest.FixtureRequest) -> AsyncIterator[Bench]:
    """A good server both ways."""
    if request.param == "program":
        bench.configure(s=entry("good"))
        yield bench
        return
    async with good_at_an_address() as (url, _process):
        bench.configure(s={"url": url})
        yield bench
        await bench.servers.close()


async def test_nothing_is_started_before_it_is_needed(bench: Bench) -> None:
    bench.configure(s=entry("good"))
    await asyncio.sleep(0.05)
    assert bench.state().phase == "off"
    tools = {spec.name: spec for spec in await bench.servers.tools()}
    assert bench.state().phase == "ready"
    assert bench.state().title == "good 1.2"
    add = tools["s__add"]
    assert add.source == "s" and add.description == "Add two whole numbers."
    assert add.parameters["required"] == ["a", "b"]
    assert add.policy == "ask"


async def test_tools_are_called_one_after_another_and_at_once(good: Bench) -> None:
    await good.servers.tools()
    assert await good.call("add", a=1, b=2) == ToolResult("3")
    results = await asyncio.gather(*(good.call("add", a=n, b=n) for n in range(20)))
    assert [result.text for result in results] == [str(2 * n) for n in range(20)]


async def test_a_tool_that_fails_gives_a_result_that_says_so(good: Bench) -> None:
    await good.servers.tools()
    failed = await good.call("fail")
    assert failed.failed and "fail" in failed.text
    wrong = await good.call("add", a="one", b=2)
    assert wrong.failed and "integer" in wrong.text


async def test_what_is_no_text_is_named_and_what_is_too_long_is_cut(good: Bench) -> None:
    await good.servers.tools()
    assert "image/png" in (await good.call("picture")).text
    long = (await good.call("long", letters=1_200_000)).text
    assert len(long) < 1_001_000 and "200000 more characters" in long


async def test_cancelling_a_call_reaches_the_server(good: Bench, tmp_path: Path) -> None:
    await good.servers.tools()
    note = tmp_path / "note"
    begun = tmp_path / "begun"
    call = asyncio.create_task(
        good.call("slow", seconds=60, note=str(note), begun=str(begun)),
    )
    await until(begun.exists)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    await until(note.exists)
    assert (await good.call("add", a=1, b=1)).text == "2"


async def test_a_tool_that_came_later_is_offered(good: Bench) -> None:
    await good.servers.tools()
    await until(lambda: good.state().phase == "ready")
    await asyncio.sleep(0.3)
    await good.call("grow")
    await until(lambda: "s__grown" in [spec.name for spec in good.servers.known_tools()])
    assert (await good.call("grown")).text == "grown"


async def test_resources_and_prompts_can_be_read(good: Bench) -> None:
    (resource,) = await good.servers.resources()
    assert resource.name == "today"
    assert await good.servers.read(resource.uri) == McpText("Buy milk.")
    (prompt,) = await good.servers.prompts()
    assert prompt.arguments[0].name == "name" and prompt.arguments[0].required
    assert await good.servers.prompt("greet", {"name": "Ada"}) == "Greet Ada warmly."
    with pytest.raises(Invalid):
        await good.servers.read("notes://nowhere")


async def test_a_tool_that_is_switched_off_is_not_offered_and_not_called(bench: Bench) -> None:
    bench.configure(s=entry("good"))
    await bench.servers.tools()
    use = bench.use("s__fail")
    process = (await bench.call("place")).text
    bench.configure(s=entry("good", disabled_tools=["fail"]))
    assert "s__fail" not in [spec.name for spec in await bench.servers.tools()]
    with pytest.raises(Invalid):
        await bench.servers.call(use)
    assert (await bench.call("place")).text == process, "a switch starts nothing anew"


async def test_a_program_gets_what_it_is_given_and_the_basics_alone(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRIVATE_THING", "of the app")
    monkeypatch.setenv("REGION", "eu")
    given = {"GIVEN": "yes", "WHERE": "${env:REGION}", "TOKEN": "${keyring:mcp/s/TOKEN}"}
    bench.keys["mcp/s/TOKEN"] = "t0ken"
    bench.configure(s=entry("good", env=given, cwd=str(tmp_path)))
    await bench.servers.tools()
    found = (await bench.call("environment")).text
    assert '"GIVEN": "yes"' in found and '"WHERE": "eu"' in found and '"TOKEN": "t0ken"' in found
    assert '"PATH"' in found and "PRIVATE_THING" not in found and "PYTHONPATH" not in found
    assert (await bench.call("place")).text.endswith(str(tmp_path))


async def test_its_log_keeps_what_it_writes_but_no_key(bench: Bench) -> None:
    bench.keys["mcp/s/TOKEN"] = "planted-0123"
    bench.configure(s=entry("good", env={"TOKEN": "${keyring:mcp/s/TOKEN}"}))
    await bench.servers.tools()
    await bench.call("whisper", text="my key is planted-0123, psst")
    assert "my key is •••, psst" in await bench.servers.read_log("s")
    assert all(b"planted" not in file.read_bytes() for file in bench.logs.iterdir())


async def test_settings_that_change_begin_anew_and_what_is_gone_ends(bench: Bench) -> None:
    bench.configure(s=entry("good"))
    await bench.servers.tools()
    first = int((await bench.call("place")).text.split()[0])
    bench.configure(s=entry("good", env={"NEW": "1"}))
    await until(lambda: not psutil.pid_exists(first))
    await until(lambda: bench.state().phase == "ready")
    assert "NEW" in (await bench.call("environment")).text
    second = int((await bench.call("place")).text.split()[0])
    bench.configure()
    await until(lambda: not psutil.pid_exists(second))
    assert bench.servers.states() == {}


async def test_a_key_that_is_another_one_now_reaches_the_server(bench: Bench) -> None:
    bench.keys["mcp/s/TOKEN"] = "first"
    bench.configure(s=entry("good", env={"TOKEN": "${keyring:mcp/s/TOKEN}"}))
    await bench.servers.tools()
    place = (await bench.call("place")).text
    bench.keys["mcp/s/TOKEN"] = "second"
    bench.servers.renew("mcp/s/OTHER")
    assert (await bench.call("place")).text == place
    bench.servers.renew("mcp/s/TOKEN")
    await until(lambda: bench.state().phase != "ready")
    await until(lambda: bench.state().phase == "ready")
    assert "second" in (await bench.call("environment")).text


async def test_a_missing_key_is_said(bench: Bench) -> None:
    bench.configure(s=entry("good", env={"TOKEN": "${keyring:mcp/s/TOKEN}"}))
    await bench.servers.tools()
    assert "a key that is not stored (mcp/s/TOKEN)" in bench.state().reason


async def test_one_is_started_stopped_and_started_again_by_hand(bench: Bench) -> None:
    bench.configure(s=entry("good", start_with_app=True), off=entry("good", enabled=False))
    bench.servers.begin()
    await until(lambda: bench.state().phase == "ready")
    await bench.servers.stop("s")
    assert bench.state().phase == "off" and bench.state().tools, "what it had is still known"
    await bench.servers.restart("s")
    await until(lambda: bench.state().phase == "ready")
    with pytest.raises(Invalid, match="switched off"):
        bench.servers.start("off")
    assert bench.state("off").phase == "off"


# --- those that do not ------------------------------------------------------------------------


async def ready(bench: Bench, way: str, *args: str, **more: Any) -> None:
    bench.configure(s=entry("bad", way, *args, **more))
    await bench.servers.tools()
    assert bench.state().phase == "ready", bench.state().reason


async def test_one_that_ends_at_once_is_said_with_its_last_words(bench: Bench) -> None:
    bench.configure(s=entry("bad", "ends-at-once"))
    assert await bench.servers.tools() == []
    assert bench.state().phase == "failed"
    assert "exit status 2" in bench.state().reason
    assert "no such flag: --verbsoe" in bench.state().reason
    with pytest.raises(Unreachable, match="exit status 2"):
        await bench.call("anything")


async def test_a_program_that_is_not_there_is_said(bench: Bench, tmp_path: Path) -> None:
    bench.configure(
        s={"command": "no-such-program-here"}, t=entry("good", cwd=str(tmp_path / "gone"))
    )
    await bench.servers.tools()
    assert "no program no-such-program-here" in bench.state().reason
    assert "is not there" in bench.state("t").reason


async def test_one_that_hangs_holds_up_nobody_for_longer_than_a_run_waits(
    tmp_path: Path, nothing_left: Callable[[], None]
) -> None:
    servers = McpServers(tmp_path, lambda _name: none(), lambda _event: None, list_seconds=0.2)
    hanging = {"a": entry("bad", "hangs-at-start"), "b": entry("bad", "hangs-in-greeting")}
    servers.apply(Settings.model_validate({"mcpServers": hanging}))
    async with asyncio.timeout(30):
        assert await servers.tools() == []
        assert await servers.tools() == []
        assert {state.phase for state in servers.states().values()} == {"starting"}
        await servers.close()
    nothing_left()


async def none() -> None:
    return None


async def test_a_server_that_knows_only_the_old_greeting_is_greeted_so(bench: Bench) -> None:
    await ready(bench, "only-old")
    assert (await bench.call("tool_0")).text == "well"


async def test_words_on_stdout_that_are_no_message_are_passed_over(bench: Bench) -> None:
    await ready(bench, "chatty-start")
    assert (await bench.call("tool_0")).text == "well"
    assert "please wait" in await bench.servers.read_log("s")


async def test_a_call_that_never_returns_ends_with_its_time(bench: Bench) -> None:
    await ready(bench, "hangs-in-call", timeout_seconds=0.3)
    result = await bench.call("tool_0")
    assert result.failed and "0.3 s" in result.text
    assert bench.state().phase == "ready"


async def test_one_that_dies_in_mid_call_is_started_again_and_said(bench: Bench) -> None:
    await ready(bench, "dies-in-call")
    with pytest.raises(Unreachable, match="gone"):
        await bench.call("tool_0")
    await until(lambda: "started again" in bench.notices)
    assert "exit status 3" in bench.notices and "the last word" in bench.notices
    await until(lambda: bench.state().phase == "ready")


async def test_one_that_dies_too_often_is_left_alone(bench: Bench) -> None:
    await ready(bench, "dies-in-call")
    for _ in range(3):
        await until(lambda: bench.state().phase == "ready")
        with pytest.raises(Unreachable):
            await bench.call("tool_0")
        await until(lambda: bench.state().phase != "ready")
    await until(lambda: bench.state().phase == "failed")
    assert "too often" in bench.state().reason
    with pytest.raises(Unreachable, match="too often"):
        await bench.call("tool_0")
    bench.servers.start("s")  # a person may
    await until(lambda: bench.state().phase == "ready")


@pytest.mark.parametrize(
    ("way", "said"),
    [("garbage", "no MCP message"), ("flood-stdout", "flooded"), ("endless-line", "more than 16")],
)
async def test_a_flood_on_stdout_ends_it(bench: Bench, way: str, said: str) -> None:
    await ready(bench, way)
    with pytest.raises(Unreachable):
        await bench.call("tool_0")
    await until(lambda: said in bench.notices)


async def test_a_flood_on_stderr_fills_no_disk_and_holds_up_no_call(bench: Bench) -> None:
    await ready(bench, "flood-stderr")
    assert (await bench.call("tool_0")).text == "well"
    await bench.servers.read_log("s")
    assert sum(file.stat().st_size for file in bench.logs.iterdir()) < 600_000


async def test_five_hundred_tools_are_listed_and_described_within_bounds(bench: Bench) -> None:
    await ready(bench, "", "500")
    tools = await bench.servers.tools()
    assert len(tools) == 500 == len({spec.name for spec in tools})
    assert max(len(spec.description) for spec in tools) < 5_000


async def test_of_too_many_tools_the_first_are_taken_and_it_is_said(bench: Bench) -> None:
    await ready(bench, "", "1200")
    assert len(await bench.servers.tools()) == 1_000
    assert "more than 1000 tools" in bench.state().remark


async def test_a_list_against_the_protocol_is_said(bench: Bench) -> None:
    bench.configure(s=entry("bad", "no-schema"))
    await bench.servers.tools()
    assert "protocol does not allow" in bench.state().reason


async def test_half_a_character_in_a_list_is_shown_as_unreadable(bench: Bench) -> None:
    bench.configure(s=entry("bad", "half-characters"))
    (tool,) = await bench.servers.tools()
    assert tool.description == "cut in half: \ufffd"


async def test_a_tool_whose_schema_no_request_can_hold_is_left_out_and_it_is_said(
    bench: Bench,
) -> None:
    bench.configure(s=entry("bad", "infinite"))
    (tool,) = await bench.servers.tools()
    assert tool.name == "s__sound"
    assert "1 of its tools are left out" in bench.state().remark


async def test_one_that_does_not_end_is_ended(
    bench: Bench, nothing_left: Callable[[], None]
) -> None:
    await ready(bench, "never-ends")
    await bench.servers.stop("s")
    nothing_left()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere closed pipes have to do")
async def test_a_program_that_ignores_its_pipes_ends_with_a_killed_app(tmp_path: Path) -> None:
    code = f"""
import asyncio, psutil
from pathlib import Path
from chatty_desktop.domain.settings import Settings
from chatty_desktop.providers.mcp.servers import McpServers
from tests.helpers.mcp_servers import entry
async def key(name): return None
async def main():
    servers = McpServers(Path({str(tmp_path)!r}), key, lambda event: None)
    value = {{"mcpServers": {{"s": entry("bad", "never-ends")}}}}
    servers.apply(Settings.model_validate(value))
    assert await servers.tools()
    print(psutil.Process().children()[0].pid, flush=True)
    await asyncio.sleep(600)
asyncio.run(main())
"""
    app = run(
        "-c",
        code,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(HERE.parents[2])},
    )
    assert app.stdout is not None
    line = await asyncio.to_thread(app.stdout.readline)
    server = int(line)
    assert psutil.pid_exists(server)
    app.send_signal(signal.SIGKILL)
    app.wait()
    app.stdout.close()
    await until(lambda: not psutil.pid_exists(server) or _is_zombie(server))


def _is_zombie(process_id: int) -> bool:
    try:
        return bool(psutil.Process(process_id).status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


# --- addresses --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "said"), [(401, "wants a key"), (404, "Look at its path"), (500, "HTTP 500")]
)
async def test_an_address_that_refuses_is_said_with_what_to_do(
    bench: Bench, status: int, said: str
) -> None:
    async with FixedServer(lambda _received: Fixed(status, "no")) as server:
        bench.configure(s={"url": f"{server.address}/mcp", "headers": {"X-Key": "abc"}})
        await bench.servers.tools()
        assert said in bench.state().reason
        assert server.requests[0].headers["x-key"] == "abc"


async def test_an_address_where_nobody_is_is_said(bench: Bench) -> None:
    bench.configure(s={"url": "http://127.0.0.1:9/mcp"})
    await bench.servers.tools()
    assert "cannot be reached" in bench.state().reason


async def test_an_address_that_falls_silent_in_mid_call_is_said(bench: Bench) -> None:
    async with good_at_an_address() as (url, process):
        bench.configure(s={"url": url})
        await bench.servers.tools()
        call = asyncio.create_task(bench.call("slow", seconds=60))
        await asyncio.sleep(0.3)
        process.kill()
        with pytest.raises(Unreachable):
            await call
        await until(lambda: bench.state().phase == "failed")
        assert "cannot be reached" in bench.state().reason


async def test_an_address_that_was_away_is_back_with_the_next_call(bench: Bench) -> None:
    async with good_at_an_address() as (url, process):
        bench.configure(s={"url": url})
        await bench.servers.tools()
        await bench.servers.tools()
        assert await bench.call("add", a=1, b=2) == ToolResult("3")
        process.kill()
        process.wait()
        async with good_at_an_address(port_of(url)):
            # Whatever the old server knew of the session, this one does not.
            assert (await bench.call("add", a=2, b=3)).text == "5"
            assert bench.state().phase == "ready"


@pytest.fixture
async def away(
    tmp_path: Path, nothing_left: Callable[[], None]
) -> AsyncIterator[tuple[Bench, str]]:
    """A server that was ready and cannot be reached any more, waiting before it is started again;
    and its address."""
    bench = Bench(tmp_path / "logs", back_off=(0.1, 60.0))
    async with good_at_an_address() as (url, process):
        bench.configure(s={"url": url})
        await bench.servers.tools()
        process.kill()
        process.wait()
        with pytest.raises(Unreachable):
            await bench.call("add", a=1, b=2)
        await until(lambda: "again in 60 s" in bench.notices)
    yield bench, url
    await bench.servers.close()
    nothing_left()


async def test_no_proxy_comes_between_this_computer_and_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    bench = Bench(tmp_path / "logs")
    async with good_at_an_address() as (url, _process):
        bench.configure(s={"url": url})
        await bench.servers.tools()
        assert await bench.call("add", a=1, b=2) == ToolResult("3")
        await bench.servers.close()


async def test_whoever_wants_one_that_was_away_waits_for_no_back_off(
    away: tuple[Bench, str],
) -> None:
    bench, url = away
    async with good_at_an_address(port_of(url)):
        assert (await bench.call("add", a=2, b=3)).text == "5"
        await bench.servers.close()


async def test_one_that_stays_away_is_left_alone_for_a_while(away: tuple[Bench, str]) -> None:
    bench, _url = away
    with pytest.raises(Unreachable, match="cannot be reached"):
        await bench.call("add", a=1, b=2)
    assert bench.state().phase == "failed"
