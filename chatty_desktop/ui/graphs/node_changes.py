"""What the person changes in the form of a node: steps of the draft, or not finished yet."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QObject, Signal

from chatty_desktop.domain import graph_editing as edits
from chatty_desktop.ui.graphs.canvas import Canvas
from chatty_desktop.ui.graphs.draft import Draft
from chatty_desktop.ui.graphs.node_form import NodeForm
from chatty_desktop.ui.language import tr

_MEMORY = "memory_override"


class NodeChanges(QObject):
    """Takes each change into the draft; what cannot be taken stays in the form until it can.

    unfinished: why it cannot, by the id of the node.
    changed: there may be something else to show, also where the draft stayed as it was.
    """

    changed = Signal()

    def __init__(self, draft: Draft, canvas: Canvas, form: NodeForm) -> None:
        super().__init__(draft)
        self._draft, self._canvas, self._form = draft, canvas, form
        self.unfinished: dict[str, str] = {}
        draft.changed.connect(self._drop_deleted)
        form.renamed.connect(self._rename)
        form.changed.connect(self._change)

    def forget(self) -> None:
        """Nothing is unfinished: another graph is shown."""
        self.unfinished = {}

    def _rename(self, name: str) -> None:
        node = self._form.node
        if node is None:
            return
        old = node.id
        try:
            graph = edits.called(self._draft.graph, old, name)
        except edits.NodeInvalid as error:
            self._form.say({"id": dict(error.problems).get("id", str(error))})
            return
        if old in self.unfinished:
            self.unfinished[name] = self.unfinished.pop(old)
        self._draft.change(graph, tr("Rename"))
        self._canvas.choose([name])

    def _change(self, field: str, value: Any) -> None:
        node = self._form.node
        if node is None:
            return
        if field == _MEMORY:
            self.unfinished.pop(node.id, None)
        try:
            graph = edits.changed(self._draft.graph, node.id, **{field: value})
        except edits.NodeInvalid as error:
            within = [(path.removeprefix(_MEMORY).strip("."), why) for path, why in error.problems]
            self.unfinished[node.id] = "; ".join(why for _path, why in within)
            self._form.say_memory(within)
        else:
            self._draft.change(graph, tr("Change a node"), f"{node.id} {field}")
        self.changed.emit()

    def _drop_deleted(self) -> None:
        graph = self._draft.graph
        self.unfinished = {
            node_id: why
            for node_id, why in self.unfinished.items()
            if graph.node(node_id) is not None
        }
