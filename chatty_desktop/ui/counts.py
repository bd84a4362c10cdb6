"""What went with a deletion, in words."""

from __future__ import annotations

from chatty_desktop.domain.messages import DeletionCounts
from chatty_desktop.ui.language import trn


def counted(counts: DeletionCounts) -> str:
    """The messages, and of what was made of them all that there was any of."""
    parts = [trn("{count} message", "{count} messages", counts.messages)]
    if counts.revisions:
        parts.append(trn("{count} state of memory", "{count} states of memory", counts.revisions))
    if counts.summaries:
        parts.append(trn("{count} summary", "{count} summaries", counts.summaries))
    if counts.facts:
        parts.append(trn("{count} fact", "{count} facts", counts.facts))
    if counts.episodes:
        parts.append(trn("{count} episode", "{count} episodes", counts.episodes))
    if counts.ledger_rows:
        parts.append(trn("{count} ledger row", "{count} ledger rows", counts.ledger_rows))
    return ", ".join(parts)
