"""Ledger rows for other programs: a line of JSON each, or a table."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Literal

from chatty_desktop.domain.memory import LedgerEntry
from chatty_desktop.domain.messages import Message

LedgerForm = Literal["jsonl", "csv"]

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""How a cell begins that a spreadsheet would carry out."""


def written(entries: Iterable[LedgerEntry], known: Mapping[str, Message], form: LedgerForm) -> str:
    """The rows with the messages that went in, those in `known`, and with all that was asked."""
    rows = [_row(entry, known) for entry in entries]
    if form == "jsonl":
        return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
    text = _Text()
    writer = csv.DictWriter(text, fieldnames=_COLUMNS, lineterminator="\r\n")
    writer.writeheader()
    writer.writerows({name: _cell(value) for name, value in row.items()} for row in rows)
    return "".join(text.parts)


class _Text:
    """What a CSV writer writes into."""

    def __init__(self) -> None:
        self.parts: list[str] = []

    def write(self, part: str) -> None:
        self.parts.append(part)


def _row(entry: LedgerEntry, known: Mapping[str, Message]) -> dict[str, Any]:
    return {
        "id": entry.id,
        "at": datetime.fromtimestamp(entry.finished_at, UTC).isoformat(timespec="milliseconds"),
        "kind": entry.kind,
        "layer": entry.layer,
        "outcome": entry.outcome,
        "reason": entry.reason,
        "attempts": entry.attempts,
        "model": entry.model,
        "seconds": round(entry.finished_at - entry.started_at, 3),
        "prompt_tokens": entry.prompt_tokens,
        "completion_tokens": entry.completion_tokens,
        "messages": [
            {"id": each, "role": known[each].role, "content": known[each].content}
            for each in entry.message_ids
            if each in known
        ],
        "prompt": [{"role": role, "content": content} for role, content in entry.prompt],
        "reply": entry.reply,
        "patch": entry.patch,
        "dropped": list(entry.dropped),
    }


_COLUMNS = (
    "id",
    "at",
    "kind",
    "layer",
    "outcome",
    "reason",
    "attempts",
    "model",
    "seconds",
    "prompt_tokens",
    "completion_tokens",
    "messages",
    "prompt",
    "reply",
    "patch",
    "dropped",
)


def _cell(value: Any) -> Any:
    if value is None or isinstance(value, int | float):
        return value
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"'{text}" if text.startswith(_FORMULA) else text
