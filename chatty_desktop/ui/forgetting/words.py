"""How what goes, and what was still found, is told."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from chatty_desktop.domain.forgetting import DerivedKind, ForgetPlan, Proof, TargetKind, Trace
from chatty_desktop.ui.language import N_, tr, trn
from chatty_desktop.ui.readable import size as number_of_bytes

TITLES: Final[dict[TargetKind, str]] = {
    "message": N_("Forget a message"),
    "following": N_("Forget a message and what follows"),
    "session": N_("Forget a chat"),
    "fact": N_("Forget a fact"),
}


def counted(kind: DerivedKind, count: int) -> str:
    """So many things of a kind."""
    match kind:
        case "message":
            return trn("{count} message", "{count} messages", count)
        case "title":
            return tr("The title of the chat, which was made of it")
        case "draft":
            return trn("{count} draft", "{count} drafts", count)
        case "file":
            return trn("{count} attached file", "{count} attached files", count)
        case "state":
            return trn("{count} version of Σ", "{count} versions of Σ", count)
        case "summary":
            return trn("{count} summary", "{count} summaries", count)
        case "fact":
            return trn("{count} fact", "{count} facts", count)
        case "episode":
            return trn(
                "{count} episode with its vector", "{count} episodes with their vectors", count
            )
        case "ledger":
            return trn("{count} ledger row", "{count} ledger rows", count)
        case "waiting":
            return trn(
                "{count} change that waits for you", "{count} changes that wait for you", count
            )
        case "measurement":
            return trn(
                "{count} measurement made with the chat",
                "{count} measurements made with the chat",
                count,
            )
        case "request":
            return trn("{count} request that was sent", "{count} requests that were sent", count)
        case "log":
            return trn("{count} line of the run log", "{count} lines of the run log", count)


def what_follows(plan: ForgetPlan) -> str:
    """What a person should know before it is done."""
    if plan.target.kind == "fact":
        return tr(
            "This goes for good, wherever it was noted or sent. The messages that it was taken from"
            " stay and still say it; to be rid of those too, forget the messages."
        )
    if plan.target.kind == "session":
        return tr("This goes for good, with all that memory made of it.")
    return tr(
        "This goes for good, with all that memory made of it and since. What memory made of the"
        " messages that stay, it makes once more."
    )


def verdict(proof: Proof) -> str:
    """What the search came to, in one line."""
    if proof.clean and proof.beyond:
        return tr("Nothing of it is left in the database or on this machine.")
    if proof.clean:
        return tr("Nothing of it is left.")
    if not proof.traces:
        return tr("Not every file could be read, so this is no proof.")
    if all(trace.kind == "message" for trace in proof.traces):
        return tr("It is gone. Messages that stay say some of the words too.")
    if all(trace.kind in ("backup", "message") for trace in proof.traces):
        return tr("It is gone from all that the app works with. Backups still hold it.")
    return tr("Something of it is still there.")


def looked_for(proof: Proof) -> str:
    """What was looked for, and where."""
    needles = proof.needles
    what = []
    if needles.words:
        what.append(tr("the words {words}", words=", ".join(f"“{w}”" for w in needles.words)))
    if needles.ids:
        what.append(
            trn(
                "the number of {count} message", "the numbers of {count} messages", len(needles.ids)
            )
        )
    if needles.vectors:
        what.append(trn("{count} vector", "{count} vectors", len(needles.vectors)))
    return tr(
        "Looked for {what}, in every row of {tables} tables, in the index of words, and in every"
        " byte of {files} files ({size}).",
        what="; ".join(what),
        tables=proof.tables,
        files=proof.files,
        size=number_of_bytes(proof.bytes),
    )


def where(trace: Trace) -> str:
    """Where something was found."""
    match trace.kind:
        case "message":
            return tr("In a message that stays:")
        case "row":
            return tr("In the table {table} of the database", table=trace.where)
        case "words":
            return tr("In the index of words of the database")
        case "backup":
            return tr("In the backup {file}", file=Path(trace.where).name)
        case "log":
            return tr("In the log file {file}", file=Path(trace.where).name)
        case "index":
            return tr("In the index of episodes: {file}", file=Path(trace.where).name)
        case "database":
            return tr("In the file of the database: {file}", file=Path(trace.where).name)
        case "file":
            return tr("In the file {file}", file=trace.where)
