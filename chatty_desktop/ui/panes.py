"""The two panes that every window with a chat has, out of the parts of the app."""

from __future__ import annotations

from chatty_desktop.app import App
from chatty_desktop.ui.chat.pane import ChatPane
from chatty_desktop.ui.inspector.panel import InspectorPanel
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme


def chat_pane(app: App, theme: Theme, tasks: Tasks) -> ChatPane:
    """A chat pane on the empty page."""
    return ChatPane(
        chat=app.chat,
        memories=app.memories,
        sessions=app.sessions,
        messages=app.messages,
        agents=app.agents,
        models=app.models,
        runs=app.runs,
        drafts=app.drafts,
        reading=app.attaching,
        offers=app.mcp,
        consents=app.consents,
        settings=lambda: app.settings.current,
        events=app.events,
        theme=theme,
        tasks=tasks,
    )


def inspector_panel(app: App, theme: Theme, tasks: Tasks) -> InspectorPanel:
    """An inspector of no memory yet."""
    return InspectorPanel(
        memories=app.memories,
        acts=app.memory_acts,
        past=app.past,
        reembedding=app.reembedding,
        models=app.models,
        wire=app.sent.wire,
        events=app.events,
        theme=theme,
        tasks=tasks,
    )
