"""No memory, in the inspector."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chatty_desktop.domain.memory import LayerSnapshot
from chatty_desktop.ui.inspector.layer_view import SentenceView
from chatty_desktop.ui.language import tr


class View(SentenceView):
    """Says that nothing is remembered."""

    def sentence(self, layer: LayerSnapshot, config: Mapping[str, Any]) -> str:
        return tr(
            "No memory: the model sees the new message alone."
            " What was said before stays in the chat, but is not sent."
        )
