"""Downloads from real servers on loopback, with the faults such servers have."""

from __future__ import annotations

import asyncio
import hashlib
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from chatty_desktop.app import App
from chatty_desktop.domain.downloads import Download, DownloadState
from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.events import DownloadChanged, Event
from chatty_desktop.providers.downloads import Downloads
from chatty_desktop.providers.transfer import TransferPatience
from tests.helpers.gguf import CHAT, header
from tests.helpers.servers import FileServer
from tests.helpers.servers.http import CERTIFICATE
from tests.helpers.waiting import until

MODEL = header(CHAT) + bytes(range(256)) * 2_000
OTHER = header(CHAT) + bytes(range(255, -1, -1)) * 2_000
DIGEST = hashlib.sha256(MODEL).hexdigest()
PATH = "/models/tiny.gguf"
QUICK = TransferPatience(connect=5, read=5, waits=(0.0, 0.0), longest_wait=1.0)


class Watched:
    """Downloads into a folder, and every state they were shown in."""

    def __init__(self, folder: Path, **options: object) -> None:
        self.folder = folder
        self.shown: list[Download] = []
        self._news = asyncio.Event()
        options = {"patience": QUICK, "spare": 0, **options}
        self.downloads = Downloads(folder, self._take, **options)  # type: ignore[arg-type]

    def _take(self, event: Event) -> None:
        assert isinstance(event, DownloadChanged)
        self.shown.append(event.download)
        self._news.set()

    async def until(self, holds: Callable[[Download], bool]) -> Download:
        """The first state from now on that something holds of; 20 s at most."""
        async with asyncio.timeout(20):
            while True:
                for shown in self.downloads.all():
                    if holds(shown):
                        return shown
                self._news.clear()
                await self._news.wait()

    async def reach(self, state: DownloadState) -> Download:
        return await self.until(lambda shown: shown.state == state)

    def names(self) -> list[str]:
        return sorted(file.name for file in self.folder.iterdir())

    def states(self) -> list[str]:
        """The states one after the other, without repetitions."""
        found: list[str] = []
        for shown in self.shown:
            if found[-1:] != [shown.state]:
                found.append(shown.state)
        return found


@asynccontextmanager
async def watched(folder: Path, **options: object) -> AsyncIterator[Watched]:
    made = Watched(folder, **options)
    await made.downloads.load()
    try:
        yield made
    finally:
        await made.downloads.close()


@pytest.fixture
async def server() -> AsyncIterator[FileServer]:
    async with FileServer({PATH: MODEL}) as started:
        yield started


@pytest.fixture
async def watch(tmp_path: Path) -> AsyncIterator[Watched]:
    async with watched(tmp_path / "models") as made:
        yield made


def content(shown: Download) -> bytes:
    return Path(shown.path).read_bytes()


def ranges(server: FileServer) -> list[str | None]:
    return [request.headers.get("range") for request in server.requests]


async def test_a_model_comes_whole_under_its_name(server: FileServer, watch: Watched) -> None:
    begun = await watch.downloads.start(server.url(PATH), sha256=DIGEST, size=len(MODEL))
    assert begun.total == len(MODEL)
    done = await watch.reach("finished")
    assert content(done) == MODEL
    assert watch.names() == ["tiny.gguf"]
    assert (done.done, done.total, done.reason) == (len(MODEL), len(MODEL), "")
    assert watch.states()[0] == "waiting" and watch.states()[-1] == "finished"


async def test_a_connection_that_is_cut_is_taken_up_where_it_broke(
    server: FileServer, watch: Watched
) -> None:
    server.cuts.extend([100_000, 50_000])
    await watch.downloads.start(server.url(PATH), sha256=DIGEST)
    assert content(await watch.reach("finished")) == MODEL
    assert ranges(server) == [None, "bytes=100000-", "bytes=150000-"]
    assert any("broke off" in shown.reason for shown in watch.shown)


async def test_after_some_tries_without_anything_new_it_pauses_and_says_why(
    server: FileServer, watch: Watched
) -> None:
    server.cuts.extend([100_000, 0, 0])
    await watch.downloads.start(server.url(PATH))
    paused = await watch.reach("paused")
    assert "broke off" in paused.reason and "Try again later" in paused.reason
    assert paused.done == 100_000
    await watch.downloads.resume(paused.id)
    assert content(await watch.reach("finished")) == MODEL


async def test_a_server_that_is_not_there_is_named(tmp_path: Path) -> None:
    async with FileServer() as gone:
        url = gone.url(PATH)
    async with watched(tmp_path) as watch:
        await watch.downloads.start(url)
        assert "127.0.0.1" in (await watch.reach("paused")).reason


async def test_an_authority_of_the_persons_own_counts_and_one_that_is_gone_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = FileServer({PATH: MODEL})
    server.tls = True
    async with server, watched(tmp_path / "models") as watch:
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "gone.pem"))
        begun = await watch.downloads.start(server.url(PATH), sha256=DIGEST)
        assert "gone.pem) cannot be read" in (await watch.reach("paused")).reason
        monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
        await watch.downloads.resume(begun.id)
        assert content(await watch.reach("finished")) == MODEL


async def test_a_wrong_checksum_removes_the_file(server: FileServer, watch: Watched) -> None:
    await watch.downloads.start(server.url(PATH), sha256="0" * 64)
    failed = await watch.reach("failed")
    assert "checksum" in failed.reason and DIGEST[:12] in failed.reason
    assert watch.names() == []
    # The same again, with the right one, begins anew.
    await watch.downloads.start(server.url(PATH), sha256=DIGEST)
    assert content(await watch.reach("finished")) == MODEL
    assert len(watch.downloads.all()) == 1


async def test_a_checksum_holds_over_a_break(server: FileServer, watch: Watched) -> None:
    server.cuts.append(100_000)
    server.etag = ""
    await watch.downloads.start(server.url(PATH), sha256=DIGEST)
    assert content(await watch.reach("finished")) == MODEL
    assert ranges(server) == [None, "bytes=100000-"]


async def test_a_server_without_ranges_begins_again_and_it_is_said(
    server: FileServer, watch: Watched
) -> None:
    server.ranges = False
    server.cuts.append(100_000)
    await watch.downloads.start(server.url(PATH), sha256=DIGEST)
    assert content(await watch.reach("finished")) == MODEL
    assert any("cannot go on in the middle" in shown.reason for shown in watch.shown)


async def test_a_file_that_has_changed_is_begun_again(server: FileServer, watch: Watched) -> None:
    server.cuts.extend([100_000, 0, 0])
    await watch.downloads.start(server.url(PATH))
    paused = await watch.reach("paused")
    server.files[PATH], server.etag = OTHER, '"two"'
    await watch.downloads.resume(paused.id)
    assert content(await watch.reach("finished")) == OTHER
    assert any("has changed" in shown.reason for shown in watch.shown)


async def test_without_a_mark_or_a_checksum_nothing_is_put_together_from_two_files(
    server: FileServer, watch: Watched
) -> None:
    server.etag = ""
    server.cuts.append(100_000)
    await watch.downloads.start(server.url(PATH))
    assert content(await watch.reach("finished")) == MODEL
    assert ranges(server) == [None, None]


async def test_a_server_that_sends_another_piece_is_asked_for_all(
    server: FileServer, watch: Watched
) -> None:
    server.cuts.append(100_000)
    server.shifted = 10
    await watch.downloads.start(server.url(PATH))
    assert content(await watch.reach("finished")) == MODEL


async def test_a_file_that_became_shorter_is_begun_again(
    server: FileServer, watch: Watched
) -> None:
    server.cuts.extend([400_000, 0, 0])
    await watch.downloads.start(server.url(PATH))
    paused = await watch.reach("paused")
    server.files[PATH] = MODEL[:300_000]
    await watch.downloads.resume(paused.id)
    assert content(await watch.reach("finished")) == MODEL[:300_000]


@pytest.mark.parametrize("told", [True, False])
async def test_a_length_that_is_a_lie_or_not_told_costs_nothing(
    server: FileServer, watch: Watched, told: bool
) -> None:
    server.told_length = told
    server.lie = 500 if told else 0
    await watch.downloads.start(server.url(PATH), sha256=DIGEST)
    assert content(await watch.reach("finished")) == MODEL


async def test_a_server_that_never_gets_to_the_end_is_given_up(
    server: FileServer, watch: Watched
) -> None:
    server.ranges = False
    server.cuts.extend([100_000] * 50)
    await watch.downloads.start(server.url(PATH))
    assert "broke off" in (await watch.reach("paused")).reason
    assert len(server.requests) < 5


async def test_a_file_of_another_size_than_the_catalogue_says_is_not_taken(
    server: FileServer, watch: Watched
) -> None:
    await watch.downloads.start(server.url(PATH), size=len(MODEL) + 1)
    assert "not the one that was meant" in (await watch.reach("failed")).reason
    assert watch.names() == []


@pytest.mark.parametrize(
    ("status", "words"), [(401, "sign in"), (403, "sign in"), (404, "any more"), (418, "418")]
)
async def test_a_server_that_says_no_is_not_asked_again(
    server: FileServer, watch: Watched, status: int, words: str
) -> None:
    server.statuses.append(status)
    await watch.downloads.start(server.url(PATH))
    assert words in (await watch.reach("paused")).reason
    assert len(server.requests) == 1


async def test_a_busy_server_is_asked_again(server: FileServer, watch: Watched) -> None:
    server.statuses.extend([503, 429])
    server.retry_after = "0"
    await watch.downloads.start(server.url(PATH))
    assert content(await watch.reach("finished")) == MODEL


async def test_one_that_wants_a_long_wait_pauses(server: FileServer, watch: Watched) -> None:
    server.statuses.append(429)
    server.retry_after = "3600"
    await watch.downloads.start(server.url(PATH))
    assert "status 429" in (await watch.reach("paused")).reason


@pytest.mark.parametrize("body", [b"<html>Please sign in</html>", b"GG", b"", header(CHAT)[:60]])
async def test_what_is_no_model_is_removed(server: FileServer, watch: Watched, body: bytes) -> None:
    server.files[PATH] = body
    await watch.downloads.start(server.url(PATH))
    assert (await watch.reach("failed")).reason
    assert watch.names() == []


async def test_it_follows_to_where_the_file_lies(server: FileServer, watch: Watched) -> None:
    async with FileServer() as front:
        front.redirect = server.url(PATH)
        server.cuts.append(100_000)
        await watch.downloads.start(front.url("/x/page.gguf"), sha256=DIGEST)
        done = await watch.reach("finished")
        assert content(done) == MODEL and done.name == "page.gguf"


# --- paused, resumed, cancelled ----------------------------------------------------------------


async def half_way(server: FileServer, watch: Watched) -> Download:
    """A download of which 100,000 bytes have come and no more come."""
    server.held, server.held_after = asyncio.Event(), 100_000
    await watch.downloads.start(server.url(PATH), sha256=DIGEST)
    return await watch.until(lambda shown: shown.done > 0)


async def test_pause_keeps_what_has_come_and_resume_goes_on(
    server: FileServer, watch: Watched
) -> None:
    running = await half_way(server, watch)
    await watch.downloads.pause(running.id)
    paused = watch.downloads.all()[0]
    assert paused.state == "paused"
    await server.requests[0].ended.wait()
    assert watch.names() == ["tiny.gguf.part", "tiny.gguf.part.json"]
    assert server.held is not None
    server.held.set()
    await watch.downloads.resume(running.id)
    assert content(await watch.reach("finished")) == MODEL
    assert ranges(server) == [None, f"bytes={paused.done}-"]


async def test_cancel_removes_everything(server: FileServer, watch: Watched) -> None:
    running = await half_way(server, watch)
    await watch.downloads.cancel(running.id)
    assert watch.names() == []
    assert watch.downloads.all() == []
    assert watch.shown[-1].state == "gone"


async def test_a_third_download_waits_for_a_place(server: FileServer, watch: Watched) -> None:
    server.held, server.held_after = asyncio.Event(), 50_000
    for number in (1, 2, 3):
        server.files[f"/m{number}.gguf"] = MODEL
        await watch.downloads.start(server.url(f"/m{number}.gguf"))
    await watch.until(lambda shown: shown.name == "m1.gguf" and shown.done > 0)
    await watch.until(lambda shown: shown.name == "m2.gguf" and shown.done > 0)
    assert [shown.state for shown in watch.downloads.all()] == ["running", "running", "waiting"]
    assert len(server.requests) == 2
    server.held.set()
    await watch.until(lambda shown: shown.name == "m3.gguf" and shown.state == "finished")


async def test_a_name_that_is_taken_gets_a_number(server: FileServer, watch: Watched) -> None:
    server.files["/other/tiny.gguf"] = OTHER
    await watch.downloads.start(server.url(PATH))
    await watch.downloads.start(server.url("/other/tiny.gguf"))
    await watch.until(lambda shown: "other" in shown.url and shown.state == "finished")
    await watch.until(lambda shown: "other" not in shown.url and shown.state == "finished")
    assert [content(shown) for shown in watch.downloads.all()] == [MODEL, OTHER]
    assert watch.names() == ["tiny-2.gguf", "tiny.gguf"]


async def test_the_same_address_twice_is_one_download(server: FileServer, watch: Watched) -> None:
    first = await half_way(server, watch)
    again = await watch.downloads.start(server.url(PATH))
    assert again.id == first.id
    assert len(server.requests) == 1
    with pytest.raises(Invalid, match="another checksum"):
        await watch.downloads.start(server.url(PATH), sha256="1" * 64)


async def test_an_app_that_is_closed_goes_on_after_a_restart(
    server: FileServer, data_dir: Path
) -> None:
    server.held, server.held_after = asyncio.Event(), 100_000
    app = await App.open(data_dir)
    await app.downloads.start(server.url(PATH), sha256=DIGEST)
    await until(lambda: app.downloads.all()[0].done)
    await app.close()
    server.held.set()
    app = await App.open(data_dir)
    try:
        await app.downloads.load()
        (left,) = app.downloads.all()
        assert (left.state, left.total) == ("paused", len(MODEL))
        assert 0 < left.done <= 100_000
        await app.downloads.resume(left.id)
        await until(lambda: app.downloads.all()[0].state == "finished")
        assert content(app.downloads.all()[0]) == MODEL
        assert [file.name for file in await app.discovery.model_files()] == ["tiny"]
    finally:
        await app.close()
    assert ranges(server) == [None, f"bytes={left.done}-"]


async def test_a_part_that_was_damaged_between_runs_is_found_out(
    server: FileServer, tmp_path: Path
) -> None:
    async with watched(tmp_path) as watch:
        await half_way(server, watch)
    part = tmp_path / "tiny.gguf.part"
    part.write_bytes(part.read_bytes()[:-1] + b"x")
    assert server.held is not None
    server.held.set()
    async with watched(tmp_path) as watch:
        await watch.downloads.resume(watch.downloads.all()[0].id)
        assert "checksum" in (await watch.reach("failed")).reason


async def test_a_note_that_is_broken_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "a.gguf.part.json").write_text("{")
    (tmp_path / "b.gguf.part.json").write_text('{"url": 5, "name": "b.gguf"}')
    (tmp_path / "c.gguf.part.json").write_text(json.dumps({"url": "u", "name": "../c.gguf"}))
    async with watched(tmp_path) as watch:
        assert watch.downloads.all() == []


# --- the disk ----------------------------------------------------------------------------------


async def test_a_disk_without_room_is_told_before_anything_comes(
    server: FileServer, tmp_path: Path
) -> None:
    async with watched(tmp_path, spare=10**18) as watch:
        await watch.downloads.start(server.url(PATH))
        paused = await watch.reach("paused")
        assert "free" in paused.reason and paused.done == 0


FULL = """
import asyncio, resource, signal, sys
from pathlib import Path
from chatty_desktop.providers.downloads import Downloads

async def main():
    url, folder, limit = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    if limit:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    downloads = Downloads(folder, lambda event: None, spare=0)
    await downloads.load()
    await downloads.start(url)
    while downloads.all()[0].active:
        await asyncio.sleep(0.01)
    shown = downloads.all()[0]
    print(shown.state, shown.done, shown.reason)
    await downloads.close()

asyncio.run(main())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no limits for files there")
async def test_a_disk_that_fills_up_keeps_what_has_come(server: FileServer, tmp_path: Path) -> None:
    def run(limit: int) -> str:
        command = [sys.executable, "-c", FULL, server.url(PATH), str(tmp_path), str(limit)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    said = await asyncio.to_thread(run, 200_000)
    assert said.startswith("paused 200000 The disk is full")
    assert await asyncio.to_thread(run, 0) == f"finished {len(MODEL)}"
    assert (tmp_path / "tiny.gguf").read_bytes() == MODEL
    assert ranges(server) == [None, "bytes=200000-"]


async def test_a_folder_that_cannot_be_made_is_told(server: FileServer, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    async with watched(tmp_path / "file") as watch:
        with pytest.raises(Exception, match="cannot be written"):
            await watch.downloads.start(server.url(PATH))


# --- deleting ----------------------------------------------------------------------------------


async def test_a_model_is_deleted_only_in_the_folder_of_the_app(
    server: FileServer, watch: Watched, tmp_path: Path
) -> None:
    await watch.downloads.start(server.url(PATH))
    done = await watch.reach("finished")
    other = tmp_path / "other.gguf"
    other.write_bytes(b"GGUF")
    for path in (str(other), str(watch.folder / "../other.gguf")):
        with pytest.raises(Invalid, match="belongs to another program"):
            await watch.downloads.delete_model(path)
    await watch.downloads.delete_model(done.path)
    assert watch.names() == [] and other.exists()
    assert watch.downloads.all() == []
