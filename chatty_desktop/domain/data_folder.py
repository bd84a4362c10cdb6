"""What lies in the data folder, as values. Sizes are in bytes, times in seconds since 1970 UTC."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from chatty_desktop.domain.json_text import read_json

PlaceKind = Literal["database", "episodes", "models", "backups", "logs", "other"]

BackupKind = Literal[
    "by_hand", "daily", "before_update", "before_restore", "before_move", "damaged"
]


@dataclass(frozen=True, slots=True)
class PlaceSize:
    """What one kind of things takes on the disk."""

    kind: PlaceKind
    bytes: int
    files: int


@dataclass(frozen=True, slots=True)
class DataCounts:
    """How much of everything is stored; `states` are revisions of Σ."""

    chats: int = 0
    messages: int = 0
    agents: int = 0
    states: int = 0
    summaries: int = 0
    facts: int = 0
    episodes: int = 0
    ledger_rows: int = 0

    def as_json(self) -> dict[str, int]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class IndexOnDisk:
    """The index of episodes. `compacted_at` None: not yet."""

    tables: int = 0
    files: int = 0
    bytes: int = 0
    compactions: int = 0
    compacted_at: float | None = None


@dataclass(frozen=True, slots=True)
class Compacted:
    """What compaction came to: bytes of the database, files and bytes of the index."""

    database_before: int
    database_after: int
    index_before: IndexOnDisk
    index_after: IndexOnDisk


@dataclass(frozen=True, slots=True)
class StoredBackup:
    """A backup in the data folder; `file` is its whole path."""

    file: str
    kind: BackupKind
    made_at: float
    bytes: int


@dataclass(frozen=True, slots=True)
class BackupContents:
    """What a backup holds, once it is known to be whole."""

    made_at: float
    counts: DataCounts
    settings: bool


@dataclass(frozen=True, slots=True)
class Erasing:
    """What is deleted besides every chat with its memory."""

    agents: bool = False
    models: bool = False
    backups: bool = True


@dataclass(frozen=True, slots=True)
class Erased:
    """What went."""

    counts: DataCounts
    model_files: int = 0
    backups: int = 0
    left: tuple[str, ...] = ()
    """Files that could not be deleted."""


_SECRET = re.compile(
    r"(api|access|auth|secret|private)?[ _-]?(key|token|secret|password|passwd|authorization)",
    re.IGNORECASE,
)
_USER_IN_ADDRESS = re.compile(r"(?<=://)[^/@\s]+@")


def without_secrets(value: Any) -> Any:
    """A JSON value less what is called a key, a password or the like, and less the name and
    password in an address: keys have no place in settings, but hands put them there."""
    if isinstance(value, Mapping):
        return {
            key: without_secrets(part)
            for key, part in value.items()
            if not (isinstance(part, str) and _SECRET.fullmatch(str(key)))
        }
    if isinstance(value, list):
        return [without_secrets(part) for part in value]
    return _USER_IN_ADDRESS.sub("", value) if isinstance(value, str) else value


def settings_without_secrets(text: str) -> str:
    """settings.json for a backup."""
    return json.dumps(without_secrets(read_json(text)), indent=2, ensure_ascii=False) + "\n"
