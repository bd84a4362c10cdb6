"""Episodic, in the inspector: the episodes, what the last message brought back, and a search."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtWidgets import QWidget

from chatty_desktop.domain.episodes import EpisodesFound
from chatty_desktop.domain.memory import LayerSnapshot
from chatty_desktop.ui.inspector.episode_search import EpisodeSearch
from chatty_desktop.ui.inspector.episodic_view import EpisodicView
from chatty_desktop.ui.inspector.layer_view import LayerView
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.questions import confirm
from chatty_desktop.ui.theme import Theme


class View(LayerView):
    """The frame of a layer around its episodes; while something was searched for, around
    what was found."""

    def __init__(self, kind: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(kind, theme, parent)
        self._any = False
        self._search = EpisodeSearch(theme)
        self._search.message_wanted.connect(self.message_wanted)
        self._search.search_wanted.connect(self.search_wanted)
        self._search.showing_changed.connect(lambda _showing: self._arrange())
        self._episodes = EpisodicView(theme)
        self._episodes.message_wanted.connect(self.message_wanted)
        self._episodes.remove_wanted.connect(self._remove)
        self._search.remove_wanted.connect(self._remove)
        self._episodes.reembed_wanted.connect(self.reembed_wanted)
        self._episodes.stop_wanted.connect(self.stop_wanted)
        self.body.addWidget(self._search)
        self.body.addWidget(self._episodes)
        self._arrange()

    def show_body(self, layer: LayerSnapshot, config: Mapping[str, Any]) -> None:
        self._any = layer.episodes is not None
        if layer.episodes is not None:
            self._episodes.may_remove = self._search.may_remove = self.doing is not None
            self._episodes.show_episodes(layer)
            # There may be more to find, or be said on another branch now.
            self._search.search()
        self._arrange()

    def show_embedding(self, done: int, total: int) -> None:
        self._episodes.show_progress(done, total)

    def show_found(self, text: str, found: EpisodesFound) -> None:
        self._search.show_found(text, found)

    def show_search_failure(self, text: str, reason: str) -> None:
        self._search.show_failure(text, reason)

    def _remove(self, message_id: str) -> None:
        doing = self.doing
        if doing is not None:
            confirm(
                self.window(),
                tr("Remove this episode?"),
                tr(
                    "The message stays in the chat, but the agent will never be reminded of it"
                    " again."
                ),
                tr("Remove"),
                lambda: doing.do(lambda scope: doing.acts.remove_episode(scope, message_id)),
                danger=True,
            )

    def _arrange(self) -> None:
        self._search.setVisible(self._any)
        self._episodes.setVisible(self._any and not self._search.showing)
