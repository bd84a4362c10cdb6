"""The graph editor: drawing, joining, undoing, another memory for a node, saving."""

from __future__ import annotations

import asyncio
from functools import partial
from operator import eq
from pathlib import Path

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog

from chatty_desktop.domain.events import Event, GraphRunChanged
from chatty_desktop.domain.graph_problems import problems_of
from chatty_desktop.domain.graphs import read_graph, write_graph
from chatty_desktop.ui.graphs.editor import GraphEditor
from chatty_desktop.ui.theme import Theme
from tests.helpers.servers import Answer, OpenAIServer
from tests.ui.opened import Opened, opened
from tests.ui.panels import answer, says, until


async def editor_of(at: Opened, graph: str | None) -> GraphEditor:
    stored = await at.app.graphs.by_name(graph) if graph else None
    at.window.others.edit_graph(stored.id if stored else None)
    editor = at.window.others.graph_editor
    assert editor is not None
    await until(editor.isVisible)
    await at.tasks.idle()
    return editor


def drag(editor: GraphEditor, start: QPointF, end: QPointF) -> None:
    view = editor.canvas
    a, b = view.mapFromScene(start), view.mapFromScene(end)
    left = Qt.MouseButton.LeftButton
    QTest.mousePress(view.viewport(), left, pos=a)
    for step in (a + (b - a) / 2, b):
        QTest.mouseMove(view.viewport(), step)
    QTest.mouseRelease(view.viewport(), left, pos=QPoint(b))


async def test_a_graph_is_drawn_joined_saved_and_read_again(
    tmp_path: Path, theme: Theme, server: OpenAIServer
) -> None:
    async with opened(tmp_path / "data", theme, server) as at:
        editor = await editor_of(at, None)
        QTest.keyClicks(editor.side.name, "Mine")
        editor.steps.add("input", None, QPointF(0, 0))
        editor.steps.add("agent", "Small talk", QPointF(300, 0))
        editor.steps.add("output", None, QPointF(600, 0))
        editor.canvas.fit()
        ids = [node.id for node in editor.draft.graph.nodes]
        nodes = editor.canvas.drawing.nodes
        drag(editor, nodes[ids[0]].outlet(), editor.canvas.drawing.middle(ids[1]))
        drag(editor, nodes[ids[1]].outlet(), editor.canvas.drawing.middle(ids[2]))
        assert editor.draft.graph.edges == ((ids[0], ids[1]), (ids[1], ids[2]))
        assert problems_of(editor.draft.graph, editor._agents) == ()
        editor.do.save.trigger()
        await until(lambda: not editor.dirty)
        stored = await at.app.graphs.by_name("Mine")
        assert stored is not None
        assert stored.graph == editor.draft.graph


async def test_a_circle_is_refused_with_the_nodes_named(
    tmp_path: Path, theme: Theme, server: OpenAIServer
) -> None:
    async with opened(tmp_path / "data", theme, server) as at:
        editor = await editor_of(at, "Draft and revise")
        before = editor.draft.graph
        editor.steps.connect("final", "draft")
        assert editor.draft.graph == before
        assert "final" in editor.side.problem.text()
        assert "draft" in editor.side.problem.text()


async def test_keys_walk_the_nodes_delete_one_and_undo_brings_it_back(
    tmp_path: Path, theme: Theme, server: OpenAIServer
) -> None:
    async with opened(tmp_path / "data", theme, server) as at:
        editor = await editor_of(at, "Draft and revise")
        before = editor.draft.graph
        canvas = editor.canvas
        canvas.choose(["task"])
        QTest.keyClick(canvas, Qt.Key.Key_Right)
        assert canvas.chosen == ["draft"]
        assert "Writer" in canvas.accessibleDescription()
        editor.do.delete.trigger()
        assert editor.draft.graph.node("draft") is None
        assert all("draft" not in edge for edge in editor.draft.graph.edges)
        editor.do.undo.trigger()
        assert editor.draft.graph == before


async def test_a_node_gets_another_memory_and_a_new_name_that_prompts_follow(
    tmp_path: Path, theme: Theme, server: OpenAIServer
) -> None:
    async with opened(tmp_path / "data", theme, server) as at:
        editor = await editor_of(at, "Draft and revise")
        editor.canvas.choose(["review"])
        editor.side.form.memory.setCurrentIndex(1)
        editor.side.form.memory.activated.emit(1)
        choice = editor.side.form.strategy.choice
        choice.setCurrentIndex(choice.findData("window"))
        node = editor.draft.graph.node("review")
        assert node is not None
        assert node.memory_override is not None
        assert node.memory_override.kind == "window"
        assert editor.canvas.drawing.nodes["review"].seen.own
        editor.side.form.name.setText("check")
        editor.side.form.name.editingFinished.emit()
        final = editor.draft.graph.node("final")
        assert final is not None
        assert "{check}" in final.prompt
        assert problems_of(editor.draft.graph, editor._agents) == ()
        editor.save()
        await until(lambda: not editor.dirty)


async def test_a_graph_runs_shows_where_its_nodes_stand_and_runs_again_in_its_session(
    tmp_path: Path, theme: Theme, server: OpenAIServer
) -> None:
    async with opened(tmp_path / "data", theme, server) as at:
        editor = await editor_of(at, "Draft and revise")
        bar = editor.run_bar
        ended: list[str] = []

        def heard(event: Event) -> None:
            if isinstance(event, GraphRunChanged):
                ended.append(event.status)

        at.app.events.subscribe(heard)
        for turn in (1, 2):
            times = ["running", "done"] * turn
            QTest.keyClicks(bar.input, "A poem")
            bar.run.click()
            await until(partial(eq, ended, times))
            assert bar.open.isVisible()
            live = editor.canvas.drawing.nodes["result"].seen.live
            assert live is not None
            assert live.tone == "success"
        assert bar.session_id is not None
        editor.canvas.choose(["draft"])
        assert editor.side.memory_of.text().endswith("the agent's own")
        said = await at.app.messages.page(bar.session_id)
        draft = [m.content for m in said if m.node == "draft" and m.role == "assistant"]
        assert editor.side.words.text.toPlainText() == draft[-1] != ""
        assert editor.side.inspector._scope is not None
        assert editor.side.inspector._scope.session_id == bar.session_id
        await at.app.graph_runs.wait(bar.session_id)
        assert len(await at.app.graph_runs.list(bar.session_id)) == 2


async def test_the_same_agent_in_two_nodes_is_inspected_node_by_node(
    tmp_path: Path, theme: Theme, server: OpenAIServer
) -> None:
    async with opened(tmp_path / "data", theme, server) as at:
        editor = await editor_of(at, "Draft and revise")
        QTest.keyClicks(editor.run_bar.input, "A poem")
        editor.run_bar.run.click()
        await until(editor.run_bar.open.isVisible)
        session = editor.run_bar.session_id
        assert session is not None
        await at.app.graph_runs.wait(session)
        await at.tasks.idle()
        panel = editor.side.inspector

        def kinds() -> list[str]:
            return [layer.kind for layer in panel.memory._layers]

        async def shows(node: str, kind: str, sent: str) -> None:
            editor.canvas.choose([node])
            panel.tabs.setCurrentWidget(panel.time)
            await until(lambda: kinds() == [kind])
            panel.tabs.setCurrentWidget(panel.prompt)
            model = panel.prompt.model
            await until(
                lambda: any(sent in str(model.index(row).data()) for row in range(model.rowCount()))
            )

        await shows("draft", "window", "Write this: A poem")
        await shows("final", "state", "The task was: A poem")


async def test_a_graph_is_exported_and_imported_again_beside_the_one_of_its_name(
    tmp_path: Path, theme: Theme, server: OpenAIServer
) -> None:
    async with opened(tmp_path / "data", theme, server) as at:
        graphs = at.window.graphs
        await until(lambda: graphs.chosen is not None)
        stored = graphs.chosen
        assert stored is not None
        graphs.export_action.trigger()
        dialog = graphs.findChild(QFileDialog)
        assert dialog is not None
        file = tmp_path / "exported.json"
        dialog.fileSelected.emit(str(file))
        dialog.close()
        await until(lambda: says(graphs, f"Exported {stored.name} to"))
        assert read_graph(file.read_text("utf-8")) == stored.graph
        graphs.import_from(file)
        await answer(graphs, "Keep both")
        await until(lambda: graphs.chosen is not None and graphs.chosen.name == f"{stored.name} 2")
        assert says(graphs, f"Added {stored.name} 2")


async def test_a_file_that_is_no_graph_is_refused_with_its_name_and_the_reason(
    tmp_path: Path, theme: Theme, server: OpenAIServer
) -> None:
    async with opened(tmp_path / "data", theme, server) as at:
        graphs = at.window.graphs
        await until(lambda: graphs.chosen is not None)
        before = graphs.list.count()
        for content, reason in (
            (b'{"name": "x", "nodes": 3}', "line 1: nodes"),
            (b"{", "not JSON"),
            (b"\xff\xfe", "It is not UTF-8 text."),
        ):
            file = tmp_path / "no_graph.json"
            file.write_bytes(content)
            graphs.import_from(file)
            await until(partial(says, graphs, reason))
            assert says(graphs, "no_graph.json is not a graph file")
        assert graphs.list.count() == before


async def test_the_window_takes_a_file_exports_it_and_goes_back_to_what_is_stored(
    tmp_path: Path, theme: Theme, server: OpenAIServer
) -> None:
    async with opened(tmp_path / "data", theme, server) as at:
        editor = await editor_of(at, "Draft and revise")
        before = editor.draft.graph
        assert not editor.do.revert.isEnabled()
        file = tmp_path / "other.json"
        other = before.model_copy(update={"name": "Other"})
        file.write_text(write_graph(other), "utf-8")
        editor.import_from(file)
        await until(lambda: editor.draft.graph == other)
        editor.do.export.trigger()
        dialog = editor.findChild(QFileDialog)
        assert dialog is not None
        written = tmp_path / "written.json"
        dialog.fileSelected.emit(str(written))
        dialog.close()
        await until(written.exists)
        assert read_graph(written.read_text("utf-8")) == other
        editor.do.revert.trigger()
        await until(lambda: editor.draft.graph == before)
        assert not editor.dirty
        editor.do.undo.trigger()
        assert editor.draft.graph == other
        file.write_text("[]", "utf-8")
        editor.import_from(file)
        await until(partial(says, editor, "other.json is not a graph file"))
        editor.close()
        await answer(editor, "Discard")
        await until(lambda: not editor.isVisible())


async def test_what_a_node_says_can_be_read_while_it_is_still_saying_it(
    tmp_path: Path, theme: Theme, server: OpenAIServer
) -> None:
    async with opened(tmp_path / "data", theme, server) as at:
        editor = await editor_of(at, "Draft and revise")
        rest = asyncio.Event()
        server.script(Answer("Once upon a time", held=rest, held_after=2))
        editor.canvas.choose(["draft"])
        assert editor.side.words.isHidden()
        QTest.keyClicks(editor.run_bar.input, "A tale")
        editor.run_bar.run.click()
        await until(lambda: editor.side.words.text.toPlainText().strip() == "Once upon")
        assert editor.side.words.isVisible()
        rest.set()
        await until(lambda: editor.side.words.text.toPlainText() == "Once upon a time")
        await until(editor.run_bar.open.isVisible)
