"""Window, in the inspector."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chatty_desktop.domain.memory import LayerSnapshot
from chatty_desktop.ui.inspector.layer_view import SentenceView, messages
from chatty_desktop.ui.language import tr, trn


class View(SentenceView):
    """Says how many messages the window holds, and where it begins."""

    def sentence(self, layer: LayerSnapshot, config: Mapping[str, Any]) -> str:
        most = trn("the last message", "the last {count} messages", config["max_messages"])
        if not layer.size:
            return tr("The model will see {most} of this chat, word for word.", most=most)
        return tr(
            "The next request carries {messages} word for word (this memory holds {most}).",
            messages=messages(layer.size),
            most=most,
        )
