"""Full transcript, in the inspector."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chatty_desktop.domain.memory import LayerSnapshot
from chatty_desktop.ui.inspector.layer_view import SentenceView, messages
from chatty_desktop.ui.language import tr


class View(SentenceView):
    """Says how many messages that is."""

    def sentence(self, layer: LayerSnapshot, config: Mapping[str, Any]) -> str:
        if not layer.size:
            return tr("The model will see this whole chat, word for word.")
        return tr(
            "The next request carries the whole chat word for word: {messages} so far.",
            messages=messages(layer.size),
        )
