"""What episodic memory holds: how many episodes by which embedder, what the last message brought
back with its scores, and what was left out and why."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QVBoxLayout, QWidget

from chatty_desktop.domain.memory import LayerSnapshot
from chatty_desktop.ui.inspector.episode_card import EpisodeCard
from chatty_desktop.ui.language import N_, number, tr, trn
from chatty_desktop.ui.pieces import TextButton, Words, caption, emphasise, replace
from chatty_desktop.ui.plain import Label
from chatty_desktop.ui.readable import shortened
from chatty_desktop.ui.theme import Theme, set_tone
from chatty_desktop.ui.tokens import S

_REASONS = {
    "below threshold": N_("Not near enough"),
    "not among the best": N_("Others are nearer"),
    "shown already": N_("Shown word for word anyway"),
    "other branch": N_("Said on another branch"),
}


class EpisodicView(QWidget):
    """One episodic layer.

    message_wanted: the id of a message the person pressed.
    reembed_wanted: the person wants every episode embedded by the present embedder.
    stop_wanted: and now no more.
    remove_wanted: the id of a message that is not to be recalled any more.
    """

    message_wanted = Signal(str)
    reembed_wanted = Signal()
    stop_wanted = Signal()
    remove_wanted = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._drawn: tuple[Any, ...] | None = None
        self._wanted = False
        self.may_remove = False
        self._heading = Label()
        self._heading.setFont(theme.heading())
        set_tone(self._heading, "memory")
        self._counts = Words(tone="muted")
        self.reembed = TextButton(tr("Re-embed"))
        self.reembed.clicked.connect(self.reembed_wanted)
        self._bar = QProgressBar()
        self._bar.setProperty("tone", "memory")
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName(tr("Episodes embedded"))
        self._progress = caption(theme)
        self.stop = TextButton(tr("Stop"))
        self.stop.clicked.connect(self.stop_wanted)
        self._under_way = QWidget()
        row = QHBoxLayout(self._under_way)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(S)
        row.addWidget(self._bar, 1)
        row.addWidget(self._progress)
        row.addWidget(self.stop)
        self._under_way.hide()
        self._cards = QWidget()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(S)
        column.addWidget(self._heading)
        column.addWidget(self._counts)
        column.addWidget(self.reembed)
        column.addWidget(self._under_way)
        column.addWidget(self._cards)

    def show_episodes(self, layer: LayerSnapshot) -> None:
        """Draw the layer; its cards only when they are not what they were."""
        episodes = layer.episodes or {}
        self._heading.setText(_episodes(episodes["total"]))
        self._counts.setText("\n".join(count_lines(episodes)))
        unsearched = episodes["embedder"] is not None and episodes["not_embedded"] > 0
        self.reembed.setVisible(unsearched and self._under_way.isHidden())
        self._wanted = unsearched
        drawn = (episodes["query"], layer.recalled, episodes["left_out"])
        if drawn != self._drawn:
            self._drawn = drawn
            self._draw(episodes["query"], layer.recalled or (), episodes["left_out"])

    def show_progress(self, done: int, total: int) -> None:
        """Show how far embedding again has come; 0 of 0 ends it."""
        self._under_way.setVisible(total > 0)
        self.reembed.setVisible(total == 0 and self._wanted)
        if total:
            self._bar.setRange(0, total)
            self._bar.setValue(done)
            self._progress.setText(tr("{done} of {total}", done=number(done), total=number(total)))

    def _draw(
        self, query: str | None, recalled: Sequence[Mapping[str, Any]], left_out: Sequence[Any]
    ) -> None:
        now = time.time()
        cards = QWidget()
        column = QVBoxLayout(cards)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(S)
        if query is not None:
            about = shortened(" ".join(query[:400].split()), 80, 1)
            column.addWidget(
                _title(tr("Recalled for “{about}” ({count})", about=about, count=len(recalled)))
            )
            if not recalled:
                column.addWidget(Words(tr("Nothing was near enough."), "muted"))
            for row in recalled:
                column.addWidget(self._card(row, scores(row), now))
            if left_out:
                column.addWidget(_title(tr("Left out")))
            for row in left_out:
                reason = tr(_REASONS.get(row["left_out"], row["left_out"]))
                column.addWidget(self._card(row, f"{scores(row)} · {reason}", now))
        replace(self, self._cards, cards)
        self._cards = cards

    def _card(self, row: Mapping[str, Any], remark: str, now: float) -> EpisodeCard:
        card = EpisodeCard(
            self._theme,
            role=row["role"],
            at=row["at"],
            said=row["content"],
            remark=remark,
            now=now,
        )
        message_id = row["id"]
        card.remove.setVisible(self.may_remove)
        card.remove.triggered.connect(lambda: self.remove_wanted.emit(message_id))
        card.pressed.connect(lambda: self.message_wanted.emit(message_id))
        return card


def count_lines(episodes: Mapping[str, Any]) -> list[str]:
    """How many episodes are searched and how many are not, and why, a line each."""
    lines = []
    if episodes["embedder"] is None:
        lines.append(
            tr("No embedder is configured, so nothing is recalled. Nothing is lost either.")
        )
    for by in episodes["by_embedder"]:
        count, embedder = _episodes(by["count"]), by["embedder"]
        if by["searched"]:
            lines.append(tr("{episodes} by {embedder}", episodes=count, embedder=embedder))
        else:
            lines.append(
                tr("{episodes} by {embedder}, not searched", episodes=count, embedder=embedder)
            )
    if waiting := episodes["without_vector"]:
        lines.append(tr("{episodes} without a vector, not searched", episodes=_episodes(waiting)))
    return lines


def scores(row: Mapping[str, Any]) -> str:
    """The scores of a message in words."""
    cosine = f"{row['score']:.2f}"
    near = tr("Cosine {score}", score=cosine)
    if row["lexical"] is None:
        return near
    percent = round(100 * row["lexical"])
    return tr("{near} · words {percent} %", near=near, percent=percent)


def _episodes(count: int) -> str:
    return trn("{count} episode", "{count} episodes", count)


def _title(text: str) -> Words:
    label = Words(text)
    emphasise(label)
    return label
