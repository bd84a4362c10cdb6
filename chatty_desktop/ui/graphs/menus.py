"""Menus made of what is there: the agents that can be added, the nodes that one can lead to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QMenu

from chatty_desktop.domain.agents import Agent
from chatty_desktop.domain.graphs import NodeKind
from chatty_desktop.ui.graphs.actions import GraphActions
from chatty_desktop.ui.graphs.canvas import Canvas
from chatty_desktop.ui.graphs.draft import Draft
from chatty_desktop.ui.graphs.seen import kind_name
from chatty_desktop.ui.graphs.steps import GraphSteps
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.tokens import L


class GraphMenus:
    """Opens them over the canvas; `agents` by name and by id."""

    def __init__(
        self,
        draft: Draft,
        canvas: Canvas,
        steps: GraphSteps,
        actions: GraphActions,
        agents: Callable[[], Mapping[str, Agent]],
    ) -> None:
        self._draft, self._canvas, self._steps = draft, canvas, steps
        self._actions, self._agents = actions, agents
        canvas.menu_wanted.connect(self._open)
        actions.add_menu.aboutToShow.connect(lambda: self._fill_add(actions.add_menu))

    def connect_to(self) -> QMenu | None:
        """The nodes that the one with the keyboard can lead to; ticked where it does."""
        source = self._canvas.current
        if source is None:
            return None
        menu = self._new()
        graph = self._draft.graph
        for target in self._canvas.drawing.order:
            there = (source, target) in graph.edges
            node = graph.node(target)
            if target == source or node is None or (node.kind == "input" and not there):
                continue
            action = menu.addAction(target.replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(there)
            action.triggered.connect(
                lambda on, target=target: self._steps.join(source, target, connect=on)
            )
        hidden = self._canvas.window().isHidden()
        menu.popup(QCursor.pos() if hidden else self._canvas.mapToGlobal(QPoint(L, L)))
        return menu

    def _open(self, at: QPoint) -> None:
        menu = self._new()
        menu.addMenu(self._fill_add(QMenu(tr("Add"), menu)))
        menu.addActions(self._actions.of_nodes)
        menu.popup(at)

    def _fill_add(self, menu: QMenu) -> QMenu:
        menu.clear()
        kinds: tuple[NodeKind, ...] = ("input", "output")
        for kind in kinds:
            menu.addAction(kind_name(kind), partial(self._steps.add, kind))
        menu.addSeparator()
        for agent in {each.id: each for each in self._agents().values()}.values():
            name = agent.name
            shown = name.replace("&", "&&")
            menu.addAction(shown, partial(self._steps.add, "agent", name))
        return menu

    def _new(self) -> QMenu:
        menu = QMenu(self._canvas.window())
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        return menu
