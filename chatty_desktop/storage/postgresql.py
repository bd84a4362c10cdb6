"""`backend.Backend` over a database on a PostgreSQL server, for people with several machines.

One machine at a time works on it (`postgresql_claim`). psycopg, which speaks to the server, is
loaded here and nowhere else, and only when a server is used.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Column, ColumnElement, Connection, Engine, Table, create_engine, event, text
from sqlalchemy import cast as as_type
from sqlalchemy.dialects.postgresql import JSON
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError
from sqlalchemy.sql import func
from sqlalchemy.sql.selectable import TableValuedAlias
from sqlalchemy.types import Text

from chatty_desktop.domain.errors import Invalid, StorageFailed
from chatty_desktop.domain.work import Work
from chatty_desktop.storage import migrations, tables
from chatty_desktop.storage.postgresql_claim import Claim, machine_name
from chatty_desktop.storage.postgresql_failures import told
from chatty_desktop.storage.postgresql_schema import OWN_TABLES, check_server, create, number_rows
from chatty_desktop.storage.postgresql_words import ServerWords
from chatty_desktop.storage.row_copies import write_copied_backup

_PATIENCE: dict[str, Any] = {
    "connect_timeout": 10,
    "keepalives_idle": 20,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 35_000,
}
"""For how long a network that is gone is waited for; what the address says counts more."""

_SERVER_PATIENCE = (
    "SET tcp_keepalives_idle = 30; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3;"
    " SET tcp_user_timeout = 60000"
)
"""So that a machine that was shut or has lost its network keeps its claim for a minute, not for
two hours."""

_STOP_LOOK_SECONDS = 0.1


class PostgresqlServer:
    """The database at an address, until `close`. With `take_over` another machine that works on it
    is parted from it."""

    def __init__(self, url: URL, *, take_over: bool = False) -> None:
        self._url = url
        self.engine = _engine(url)
        self.words = ServerWords()
        self._claim = Claim(self.engine, self.place, take_over=take_over)

    @property
    def place(self) -> str:
        return shown(self._url)

    @property
    def files(self) -> Sequence[Path]:
        return ()

    @property
    def beyond(self) -> str:
        return (
            "The database is on a server. What the server keeps beside its tables (its log, its"
            " copies, its backups) and what your other machines keep (their index of episodes,"
            " their backups) is not looked through here. Ask whoever runs the server, and open the"
            " app on the other machines once."
        )

    def migrate(self, steps: Sequence[migrations.Step]) -> None:
        with self.engine.connect() as connection:
            check_server(connection)
        self._claim.take()
        with self._claim.transaction(synced=True) as connection:
            number = migrations.applied(connection)
            if number == 0:
                # The steps that are not known here are those of a later version.
                number = min(len(steps), len(migrations.STEPS))
                create(connection, number)
            if number > len(steps):
                raise StorageFailed(
                    f"The database at {self.place} was written by a newer version of Chatty"
                    " Desktop. Install that version on this machine too."
                )
            # One transaction, which the server takes back whole where a step fails.
            for each in range(number, len(steps)):
                migrations.apply(connection, each + 1, steps[each])
            number_rows(connection)
            self._claim.note(connection)

    @contextmanager
    def writing(self, *, synced: bool) -> Iterator[Connection]:
        with self._claim.transaction(synced=synced) as connection:
            yield connection

    def failure(self, error: DBAPIError) -> StorageFailed:
        return told(error, self.place)

    @contextmanager
    def stoppable(self, connection: Connection, work: Work) -> Iterator[None]:
        driver: Any = connection.connection.driver_connection
        ended = threading.Event()

        def watch() -> None:
            while not ended.wait(_STOP_LOOK_SECONDS):
                if work.stopping:
                    driver.cancel_safe(timeout=5)

        watching = threading.Thread(target=watch, name="database-stop", daemon=True)
        watching.start()
        try:
            yield
        finally:
            ended.set()
            watching.join()

    def close(self) -> None:
        self._claim.release()
        self.engine.dispose()

    # --- the parts of queries ----------------------------------------------------------------

    def json_items(self, column: Column[str], name: str) -> TableValuedAlias:
        items = func.json_array_elements(as_type(column, JSON))
        return items.table_valued("value", name=name).render_derived()

    def json_text(self, item: ColumnElement[Any], key: str) -> ColumnElement[str]:
        # `->>` would resolve the escapes of the whole item, and cannot those of a zero byte.
        return func.btrim(as_type(item.op("->")(key), Text), '"')

    def names(self, word: str, connection: Connection) -> bool:
        """What the server keeps is in no file that is looked through."""
        return False

    # --- long work ---------------------------------------------------------------------------

    def size(self, connection: Connection) -> int:
        sizes = text(
            "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) FROM pg_class c"
            " WHERE c.relnamespace = current_schema()::regnamespace AND c.relname = ANY(:names)"
        )
        return int(connection.scalar(sizes, {"names": [*tables.metadata.tables, *OWN_TABLES]}))

    def begin(self, connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")

    def back_up(
        self, connection: Connection, settings: str | None, target: Path, work: Work
    ) -> None:
        write_copied_backup(self, connection, settings, target, work)

    def compact(self, connection: Connection, work: Work) -> None:
        work.begin("Compacting the database")
        self._vacuum(connection)

    def blank(self, connection: Connection, work: Work) -> None:
        """The files of the tables are written anew. The server's own log of what was written, its
        copies and its backups are not in our hands."""
        work.begin("Blanking what was deleted in the database")
        self._vacuum(connection)

    def erase(self, connection: Connection, kept: Sequence[Table]) -> None:
        gone = [table.name for table in tables.metadata.sorted_tables if table not in kept]
        with connection.engine.connect() as transaction, transaction.begin():
            self._claim.check(transaction)
            transaction.exec_driver_sql(f"TRUNCATE {', '.join(['search_rows', *gone])}")

    def scrub(self, connection: Connection) -> None:
        """The files of the tables went with their rows."""

    def _vacuum(self, connection: Connection) -> None:
        names = ", ".join(["search_rows", *tables.metadata.tables])
        connection.exec_driver_sql(f"VACUUM (FULL, ANALYZE) {names}")


def shown(url: URL) -> str:
    """An address for the person, without a password and without what else is asked for in it."""
    return url.set(drivername="postgresql", password=None, query={}).render_as_string()


def _engine(url: URL) -> Engine:
    try:
        from psycopg.types.string import StrBinaryDumper, StrDumperUnknown
    except ImportError as error:
        raise Invalid(
            "What speaks to PostgreSQL is not installed here. Install it with:"
            " pip install 'chatty-desktop[postgres]'."
        ) from error

    class Binary(StrBinaryDumper):
        def dump(self, obj: str) -> Any:
            return super().dump(_storable(obj))

    class Plain(StrDumperUnknown):
        def dump(self, obj: str) -> Any:
            return super().dump(_storable(obj))

    patience = {key: value for key, value in _PATIENCE.items() if key not in url.query}
    engine = create_engine(
        url.set(drivername="postgresql+psycopg"),
        connect_args={
            "application_name": f"chatty-desktop on {machine_name()}"[:63],
            # Where the database has no encoding texts would come as bytes, the version too.
            "client_encoding": "utf8",
            **patience,
        },
    )

    def configure(connection: Any, _record: object) -> None:
        for dumper in (Binary, Plain):
            connection.adapters.register_dumper(str, dumper)
        connection.execute(_SERVER_PATIENCE)
        connection.commit()

    event.listen(engine, "connect", configure)
    return engine


def _storable(said: str) -> str:
    """The server's texts hold no zero bytes, which a model or a paste may bring."""
    return said.replace("\0", "\ufffd") if "\0" in said else said
