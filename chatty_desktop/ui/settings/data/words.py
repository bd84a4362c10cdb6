"""Amounts of data in words."""

from __future__ import annotations

import time

from PySide6.QtCore import QLocale

from chatty_desktop.domain.data_folder import (
    BackupKind,
    Compacted,
    DataCounts,
    Erased,
    IndexOnDisk,
    PlaceKind,
)
from chatty_desktop.ui.language import N_, tr, trn
from chatty_desktop.ui.readable import when

PLACES: dict[PlaceKind, str] = {
    "database": N_("Chats and memory"),
    "episodes": N_("Index of episodes"),
    "models": N_("Models"),
    "backups": N_("Backups"),
    "logs": N_("Logs"),
    "other": N_("Settings and other files"),
}

BACKUPS: dict[BackupKind, str] = {
    "by_hand": N_("made by you"),
    "daily": N_("the daily one"),
    "before_update": N_("made before an update"),
    "before_restore": N_("made before a restore"),
    "before_move": N_("kept when the chats were moved to a server"),
    "damaged": N_("damaged database, kept as it was"),
}

PARTS = (
    N_("Copying the database"),
    N_("Packing"),
    N_("Copying"),
    N_("Unpacking"),
    N_("Checking"),
    N_("Exporting"),
    N_("Compacting the database"),
    N_("Compacting the index of episodes"),
    N_("Building the index of episodes"),
    N_("Deleting"),
)
"""What long work says of itself (`Work.what`)."""


def size(count: int) -> str:
    """Bytes, as "1.2 MB"."""
    exact = 0 if count < 1000 else 1
    return QLocale().formattedDataSize(count, exact, QLocale.DataSizeFormat.DataSizeSIFormat)


def said_of_places(server: str, index: str) -> str:
    """Where everything is, by the addresses of the database and of the index of episodes, "" for
    one that is in the folder."""
    if not server and not index:
        return tr("Everything that the app keeps is in this folder, and nowhere else but for keys.")
    if not server:
        return tr(
            "The index of episodes is at {index}. Everything else that the app keeps is in this"
            " folder, and nowhere else but for keys.",
            index=index,
        )
    if not index:
        return tr(
            "Chats, agents and memory are in a database on a server: {server}. Settings,"
            " models, backups and the index of episodes are in this folder, for this computer"
            " alone.",
            server=server,
        )
    return tr(
        "Chats, agents and memory are in a database on a server: {server}. The index of episodes is"
        " at {index}. Settings, models and backups are in this folder, for this computer alone.",
        server=server,
        index=index,
    )


def moment(at: float) -> str:
    return when(at, time.time())


def amounts(counts: DataCounts, *, agents: bool = True) -> list[str]:
    """Each kind of things there are some of: "12 chats", "340 messages", …"""
    all_ = (
        (counts.chats, trn("{count} chat", "{count} chats", counts.chats)),
        (counts.messages, trn("{count} message", "{count} messages", counts.messages)),
        (counts.agents if agents else 0, trn("{count} agent", "{count} agents", counts.agents)),
        (
            counts.states,
            trn("{count} state of memory", "{count} states of memory", counts.states),
        ),
        (counts.summaries, trn("{count} summary", "{count} summaries", counts.summaries)),
        (counts.facts, trn("{count} fact", "{count} facts", counts.facts)),
        (counts.episodes, trn("{count} episode", "{count} episodes", counts.episodes)),
        (
            counts.ledger_rows,
            trn("{count} ledger row", "{count} ledger rows", counts.ledger_rows),
        ),
    )
    # Unbroken, so that no line begins with what is counted.
    return [words.replace(" ", "\u00a0") for count, words in all_ if count]


def stored(counts: DataCounts) -> str:
    """All that is stored, in one line."""
    return " · ".join(amounts(counts)) or tr("Nothing is stored yet.")


def index(found: IndexOnDisk) -> str:
    """The index of episodes, and when it was compacted."""
    if not found.files:
        return tr("The index of episodes is empty.")
    files = trn("{count} file", "{count} files", found.files)
    if found.compacted_at is None:
        return tr("The index of episodes has {files}; it was not compacted yet.", files=files)
    return trn(
        "The index of episodes has {files}; it was compacted once: {when}.",
        "The index of episodes has {files}; it was compacted {count} times, last {when}.",
        found.compactions,
        files=files,
        when=moment(found.compacted_at),
    )


def compacted(came: Compacted) -> str:
    """What compaction came to."""
    return tr(
        "Compacted. Chats and memory: {before} before, {after} now. Index of episodes:"
        " {files_before}, {index_before} before, {files_after}, {index_after} now.",
        before=size(came.database_before),
        after=size(came.database_after),
        files_before=trn("{count} file", "{count} files", came.index_before.files),
        index_before=size(came.index_before.bytes),
        files_after=trn("{count} file", "{count} files", came.index_after.files),
        index_after=size(came.index_after.bytes),
    )


def erased(came: Erased) -> str:
    """What was deleted, and what stayed."""
    gone = amounts(came.counts)
    if came.model_files:
        gone.append(trn("{count} model file", "{count} model files", came.model_files))
    if came.backups:
        gone.append(trn("{count} backup", "{count} backups", came.backups))
    lines = [tr("Deleted: {what}.", what=", ".join(gone) or tr("there was nothing"))]
    if came.counts.agents:
        lines.append(tr("The agents that come with the app are back at the next start."))
    if came.left:
        lines.append(
            tr("These could not be deleted; delete them by hand: {files}", files=_some(came.left))
        )
    return "\n".join(lines)


def _some(files: tuple[str, ...]) -> str:
    more = len(files) - 5
    return ", ".join(files[:5]) + (f" … (+{more})" if more > 0 else "")
