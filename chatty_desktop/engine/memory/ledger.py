"""Ledger rows: what memory asked a model, and how it ended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chatty_desktop.domain.ids import new_id
from chatty_desktop.domain.memory import LedgerEntry, LedgerKind, Outcome
from chatty_desktop.domain.messages import Message
from chatty_desktop.domain.timing import Began
from chatty_desktop.engine.asking import Asker
from chatty_desktop.engine.memory.contract import Surroundings


def ledger_row(
    around: Surroundings,
    asker: Asker,
    kind: LedgerKind,
    run_id: str,
    messages: Sequence[Message],
    *,
    began: Began,
    outcome: Outcome,
    reason: str,
    attempts: int,
    consumed: bool,
    patch: dict[str, Any] | None = None,
    dropped: Sequence[dict[str, Any]] = (),
) -> LedgerEntry:
    """The row of what `asker` was asked about the messages since it `began`, ended now."""
    return LedgerEntry(
        id=new_id(),
        run_id=run_id,
        agent_id=around.scope.agent_id,
        session_id=around.scope.session_id,
        layer=around.layer,
        kind=kind,
        outcome=outcome,
        reason=reason,
        attempts=attempts,
        model=asker.model.reference,
        message_ids=tuple(message.id for message in messages),
        patch=patch,
        dropped=tuple(dropped),
        reply=asker.reply,
        consumed=consumed,
        started_at=began.at,
        finished_at=began.now,
        prompt_tokens=asker.prompt_tokens,
        completion_tokens=asker.completion_tokens,
        prompt=asker.asked,
    )


def in_words(entry: LedgerEntry) -> tuple[str, str, str]:
    """What the run log says of a row: of how many messages it is, which model was asked and how
    long it took, and how much was left out of its answer, "" for nothing."""
    count = len(entry.message_ids)
    return (
        "1 message" if count == 1 else f"{count} messages",
        f"{entry.model}, {entry.finished_at - entry.started_at:.1f} s",
        f" Left out: {len(entry.dropped)}." if entry.dropped else "",
    )
