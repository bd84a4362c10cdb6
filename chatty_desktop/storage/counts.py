"""How much is stored."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection, Table, func, select

from chatty_desktop.domain.data_folder import DataCounts
from chatty_desktop.storage import tables

COUNTED: Final[dict[str, Table]] = {
    "chats": tables.sessions,
    "messages": tables.messages,
    "agents": tables.agents,
    "states": tables.state_revisions,
    "summaries": tables.summaries,
    "facts": tables.facts,
    "episodes": tables.episodes,
    "ledger_rows": tables.ledger,
}
"""The fields of `DataCounts` and what they count."""


def count_rows(connection: Connection) -> DataCounts:
    """How much is stored in a database of this version."""
    return DataCounts(
        **{
            name: connection.scalar(select(func.count()).select_from(table)) or 0
            for name, table in COUNTED.items()
        }
    )
