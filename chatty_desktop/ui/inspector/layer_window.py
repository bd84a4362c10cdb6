"""Window, in the inspector."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chatty_desktop.domain.memory import LayerSnapshot
from chatty_desktop.ui.inspector.layer_view import SentenceView, messages


class View(SentenceView):
    """Says how many messages the window holds, and where it begins."""

    def sentence(self, layer: LayerSnapshot, config: Mapping[str, Any]) -> str:
        most = f"the last {config['max_messages']} messages"
        if not layer.size:
            return f"The model will see {most} of this chat, word for word."
        return (
            f"The next request carries {messages(layer.size)} word for word"
            f" (this memory holds {most})."
        )
