"""Episodic, in the inspector: the episodes, and what the last message brought back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtWidgets import QWidget

from chatty_desktop.domain.memory import LayerSnapshot
from chatty_desktop.ui.inspector.episodic_view import EpisodicView
from chatty_desktop.ui.inspector.layer_view import LayerView
from chatty_desktop.ui.theme import Theme


class View(LayerView):
    """The frame of a layer around its episodes."""

    def __init__(self, kind: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(kind, theme, parent)
        self._episodes = EpisodicView(theme)
        self._episodes.message_wanted.connect(self.message_wanted)
        self._episodes.reembed_wanted.connect(self.reembed_wanted)
        self._episodes.stop_wanted.connect(self.stop_wanted)
        self.body.addWidget(self._episodes)

    def show_body(self, layer: LayerSnapshot, config: Mapping[str, Any]) -> None:
        self._episodes.setVisible(layer.episodes is not None)
        if layer.episodes is not None:
            self._episodes.show_episodes(layer)

    def show_embedding(self, done: int, total: int) -> None:
        self._episodes.show_progress(done, total)
