"""What the settings of the embedder say of numbers, times and trials."""

from __future__ import annotations

from chatty_desktop.domain.embedding import EmbedderId
from chatty_desktop.domain.episodes import EpisodeCounts
from chatty_desktop.domain.settings import EmbedderSettings
from chatty_desktop.engine.embedding_trial import Trial
from chatty_desktop.ui.language import number, tr, trn

APART = 0.03
"""Cosines nearer to each other than this do not tell two sentences apart."""


def duration(seconds: float) -> str:
    """About how long something takes."""
    if seconds < 10:
        return tr("a few seconds")
    if seconds < 90:
        return trn("about {count} second", "about {count} seconds", round(seconds / 10) * 10)
    if seconds < 90 * 60:
        return trn("about {count} minute", "about {count} minutes", max(2, round(seconds / 60)))
    return trn("about {count} hour", "about {count} hours", max(2, round(seconds / 3600)))


def episodes(count: int) -> str:
    return trn("{count} episode", "{count} episodes", count)


def trial_lines(trial: Trial) -> list[str]:
    """What a trial found, a line each."""
    lines = [
        tr(
            "It works: {numbers} numbers for each message, two of them in {ms} ms.",
            numbers=number(trial.embedder.dimension),
            ms=number(max(1, round(1000 * trial.seconds))),
        ),
        tr(
            "A sentence that answers a question scored {related}, an unrelated one {unrelated}.",
            related=f"{trial.related:.2f}",
            unrelated=f"{trial.unrelated:.2f}",
        ),
    ]
    if trial.related - trial.unrelated < APART:
        lines.append(tr("It hardly tells the two apart. Is it an embedding model?"))
    return lines


def count_lines(counts: EpisodeCounts, present: EmbedderSettings | None) -> list[str]:
    """How many episodes are searched and how many are not, a line for each embedder."""
    lines = []
    for by, count in counts.embedded.items():
        searched = present is not None and _is(by, present)
        said = tr("searched") if searched else tr("not searched")
        lines.append(
            tr(
                "{episodes} by {name} ({numbers} numbers), {searched}",
                episodes=episodes(count),
                name=by.name,
                numbers=by.dimension,
                searched=said,
            )
        )
    if counts.without_vector:
        lines.append(
            tr("{episodes} by none yet, not searched", episodes=episodes(counts.without_vector))
        )
    return lines


def _is(by: EmbedderId, embedder: EmbedderSettings) -> bool:
    return (by.provider, by.model) == (embedder.provider, embedder.model)
