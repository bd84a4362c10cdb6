"""What a deletion took along, in words."""

from __future__ import annotations

from collections.abc import Sequence

from chatty_desktop.domain.messages import DeletionCounts
from chatty_desktop.ui.language import tr, trn


def deleted(titles: Sequence[str], counts: DeletionCounts) -> str:
    """One line for the person."""
    gone = [trn("{count} message", "{count} messages", counts.messages)]
    if counts.revisions:
        gone.append(trn("{count} state of memory", "{count} states of memory", counts.revisions))
    if counts.summaries:
        gone.append(trn("{count} summary", "{count} summaries", counts.summaries))
    if counts.facts:
        gone.append(trn("{count} fact", "{count} facts", counts.facts))
    if counts.episodes:
        gone.append(trn("{count} episode", "{count} episodes", counts.episodes))
    if counts.ledger_rows:
        gone.append(trn("{count} ledger row", "{count} ledger rows", counts.ledger_rows))
    what = ", ".join(gone)
    if len(titles) == 1:
        return tr("Deleted “{title}”: {what}.", title=titles[0], what=what)
    chats = trn("{count} chat", "{count} chats", len(titles))
    return tr("Deleted {chats}: {what}.", chats=chats, what=what)
