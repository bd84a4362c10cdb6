"""A real PostgreSQL server from the system's package, for the run of the tests."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

_USER = "chatty"
LOCKED = "locked"
"""A user, not made yet, who is asked for a password; the other is let in."""

_STARTING_SECONDS = 60.0


def programs() -> Path | None:
    """The folder of the server's programs; Debian keeps them off the path."""
    found = shutil.which("initdb")
    folders = [Path(found).resolve().parent] if found else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((folder for folder in folders if (folder / "initdb").exists()), None)


def why_not() -> str:
    """Why there can be no server here, "" where there can."""
    if sys.platform == "win32":
        return "the server is started on a socket of Unix"
    try:
        import psycopg  # noqa: F401
    except ImportError:
        return "psycopg is not installed"
    return "" if programs() else "PostgreSQL is not installed (Debian: apt-get install postgresql)"


class Server:
    """A server in a folder of its own, on a socket in it. It does not run as root."""

    def __init__(self, folder: Path) -> None:
        found = programs()
        assert found is not None
        self.folder = folder
        self._programs = found
        self._process: subprocess.Popen[bytes] | None = None
        self._as: dict[str, Any] = {}
        if os.geteuid() == 0:
            self._as = {"user": "nobody", "extra_groups": []}
            shutil.chown(folder, "nobody")
        subprocess.run(
            [found / "initdb", "-D", folder / "data", "-U", _USER, "-A", "trust", "-E", "UTF8",
             "--locale=C", "--no-sync"],
            check=True, capture_output=True, timeout=100, cwd=folder, **self._as,
        )  # fmt: skip

        access = self.folder / "data" / "pg_hba.conf"
        access.write_text(f"local all {LOCKED} scram-sha-256\n{access.read_text()}")

    def url(self, database: str = "postgres", user: str = _USER) -> str:
        return f"postgresql://{user}@/{database}?host={self.folder}"

    def start(self) -> None:
        """Start it, and wait until it answers."""
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [self._programs / "postgres", "-D", self.folder / "data", "-k", self.folder,
                 "-c", "listen_addresses=", "-c", "fsync=off", "-c", "lc_messages=C"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder, **self._as,
            )  # fmt: skip
        deadline = time.monotonic() + _STARTING_SECONDS
        while True:
            try:
                self.run("SELECT 1")
            except Exception:
                assert time.monotonic() < deadline, (self.folder / "log").read_text()
                assert self._process.poll() is None, (self.folder / "log").read_text()
                time.sleep(0.05)
            else:
                return

    def stop(self) -> None:
        """End it at once: connections break, what was committed stays."""
        if self._process is not None:
            self._process.send_signal(2)  # SIGINT, "fast"
            try:
                self._process.wait(20)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait(10)
            self._process = None

    def run(self, statement: str, database: str = "postgres") -> list[tuple[Any, ...]]:
        """What a statement of the server's owner gives."""
        import psycopg

        with psycopg.connect(self.url(database), autocommit=True, connect_timeout=5) as connection:
            done = connection.execute(statement)
            return done.fetchall() if done.description else []


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[Server]:
    """A server that runs; skips the test where there can be none."""
    if reason := why_not():
        pytest.skip(reason)
    # Its socket's path has to be short, and another user has to get at it.
    folder = Path(tempfile.mkdtemp(prefix="chatty-pg-", dir="/tmp"))
    server = None
    try:
        server = Server(folder)
        server.start()
        yield server
    finally:
        if server is not None:
            server.stop()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def postgresql_url(postgresql_server: Server) -> Iterator[str]:
    """The address of a new schema on it, which is made faster than a database."""
    schema = f"t{os.urandom(6).hex()}"
    postgresql_server.run(f"CREATE SCHEMA {schema}")
    yield f"{postgresql_server.url()}&options=-csearch_path%3D{schema}"
    # What a test that failed left open would be waited for.
    postgresql_server.run(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE application_name LIKE 'chatty-desktop%'"
    )
    postgresql_server.run(f"DROP SCHEMA {schema} CASCADE")
