"""Settings: Tools."""

from __future__ import annotations

from collections.abc import Collection, Coroutine, Mapping
from functools import partial
from typing import Any

from PySide6.QtWidgets import QCheckBox, QVBoxLayout

from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.events import Event, McpChanged
from chatty_desktop.domain.mcp import McpState
from chatty_desktop.domain.mcp_settings import McpServer, name_problem
from chatty_desktop.domain.settings import Settings
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.pieces import Words, caption
from chatty_desktop.ui.questions import confirm
from chatty_desktop.ui.settings.key_file import FileWords, Saving, keep_keys
from chatty_desktop.ui.settings.page import Page, Surroundings
from chatty_desktop.ui.settings.tools.adding import Adding
from chatty_desktop.ui.settings.tools.built_in import BuiltIn
from chatty_desktop.ui.settings.tools.card import ServerCard
from chatty_desktop.ui.settings.tools.form import ServerForm
from chatty_desktop.ui.settings.tools.words import WHAT_IT_IS, command_words
from chatty_desktop.ui.tasks import Failed
from chatty_desktop.ui.tokens import XS, S


class SettingsPage(Page):
    """What agents can work with: the MCP servers, whether they run, what they have."""

    def __init__(self, around: Surroundings) -> None:
        super().__init__(around)
        self.cards: dict[str, ServerCard] = {}
        self.adding = Adding(around.theme)
        self.adding.save_wanted.connect(self._add_by_form)
        self.adding.add_wanted.connect(self._ask_to_add)
        column = self.group(tr("MCP servers"), tr(WHAT_IT_IS))
        self.none = Words(tr("There is none yet."), "muted")
        self._list = QVBoxLayout()
        self._list.setSpacing(S)
        column.addWidget(self.none)
        column.addLayout(self._list)
        column.addWidget(self.adding)
        own = self.group(
            tr("Tools that come with the app"),
            tr("Which of them an agent may use is chosen where the agent is edited."),
        )
        own.addWidget(BuiltIn(around.theme))
        self.private_pages = QCheckBox(tr("Fetch pages of this computer and its network"))
        self.private_pages.clicked.connect(self._fetch_private_pages)
        hint = tr(
            "Such as the page of a router, or of a program that runs here. A web page can talk an"
            " agent into reading these and telling what they say, so leave it off unless you need"
            " it."
        )
        risk = caption(around.theme, hint)
        risk.setWordWrap(True)
        self.private_pages.setAccessibleDescription(hint)
        reach = QVBoxLayout()
        reach.setSpacing(XS)
        reach.addWidget(self.private_pages)
        reach.addWidget(risk)
        own.addLayout(reach)
        self.close_column()

    # --- what the dialog asks of it ------------------------------------------------------------

    def show_settings(self, settings: Settings) -> None:
        servers = settings.mcp_servers
        for name in self.cards.keys() - servers.keys():
            card = self.cards.pop(name)
            self._list.removeWidget(card)
            card.hide()
            card.deleteLater()
        for place, name in enumerate(servers):
            if name not in self.cards:
                self.cards[name] = self._made(name)
                self._list.insertWidget(place, self.cards[name])
        self.none.setVisible(not servers)
        self.private_pages.setChecked(settings.fetch_private_pages)
        self._show_states()

    def entered(self) -> None:
        self._show_states()

    def event_happened(self, event: Event) -> None:
        if isinstance(event, McpChanged) and event.server in self.cards:
            self._show_state(event.server)

    def _show_states(self) -> None:
        for name in self.cards:
            self._show_state(name)

    def _show_state(self, name: str) -> None:
        server = self.settings.mcp_servers.get(name)
        if server is not None:
            state = self.app.mcp.states().get(name, McpState())
            self.cards[name].show_server(server, state)

    def _fetch_private_pages(self, wanted: bool) -> None:
        self.apply(lambda now: now.model_copy(update={"fetch_private_pages": wanted}))

    # --- one of them ---------------------------------------------------------------------------

    def _made(self, name: str) -> ServerCard:
        card = ServerCard(self.theme, name)
        card.switched.connect(lambda on: self._change(name, {"enabled": on}))
        card.tool_switched.connect(lambda tool, on: self._switch_tool(name, tool, on))
        card.start_wanted.connect(lambda: self._do(self._starting(name)))
        card.stop_wanted.connect(lambda: self._do(self.app.mcp.stop(name)))
        card.restart_wanted.connect(lambda: self._do(self.app.mcp.restart(name)))
        card.delete_wanted.connect(lambda: self._ask_to_delete(name))
        card.log_wanted.connect(lambda: self._do(self._read_log(name)))
        card.save_wanted.connect(partial(self._save, card))
        return card

    async def _starting(self, name: str) -> None:
        self.app.mcp.start(name)

    async def _read_log(self, name: str) -> None:
        text = await self.app.mcp.read_log(name)
        card = self.cards.get(name)
        if card is not None and card.log is not None:
            card.log.show_text(text)

    def _change(self, name: str, values: Mapping[str, object]) -> None:
        self.apply(lambda now: now.with_mcp_server(name, _changed(now, name, values)))

    def _switch_tool(self, name: str, tool: str, on: bool) -> None:
        def change(now: Settings) -> Settings:
            return now.with_mcp_server(name, _changed(now, name, {}).with_tool(tool, on))

        self.apply(change)

    def _save(self, card: ServerCard, name: str, server: McpServer, marked: set[str]) -> None:
        form = card.form
        others = self.settings.mcp_servers.keys() - {card.name}
        if form is not None and self._is_no_name(form, name, others):
            return

        def failed(problem: str) -> None:
            (form.say if form is not None and card.form is form else self.problem.say)(problem)

        def saving(into_file: bool) -> Coroutine[Any, Any, None]:
            return self._saving(card, name, server, marked, into_file)

        self._keep(saving, failed, name)

    async def _saving(
        self, card: ServerCard, name: str, server: McpServer, marked: set[str], into_file: bool
    ) -> None:
        await self.app.tool_servers.save(
            name, server, marked=marked, old_name=card.name, into_file=into_file
        )
        card.fold()

    def _ask_to_delete(self, name: str) -> None:
        self.say("")
        confirm(
            self,
            tr("Delete the MCP server {name}?", name=name),
            tr(
                "It is stopped and leaves the settings with its keys. Agents that use its tools"
                " go on without them."
            ),
            tr("Delete"),
            lambda: self._do(self.app.tool_servers.remove(name)),
            danger=True,
        )

    # --- new ones ------------------------------------------------------------------------------

    def _add_by_form(self, name: str, server: McpServer, marked: set[str]) -> None:
        form = self.adding.form
        if form is not None and self._is_no_name(form, name, self.settings.mcp_servers.keys()):
            return

        async def saving(into_file: bool) -> None:
            await self.app.tool_servers.add({name: server}, marked=marked, into_file=into_file)
            self.adding.close_form()

        self._keep(saving, self.adding.say, name)

    def _ask_to_add(self, servers: Mapping[str, McpServer]) -> None:
        """Pasted text was written by others: say what it will run before it can."""
        programs = {name: server for name, server in servers.items() if server.is_program}
        if not programs:
            self._add(servers)
            return
        lines = "\n".join(f"{name}: {command_words(s)[:300]}" for name, s in programs.items())
        confirm(
            self,
            tr("Let this run on this computer?"),
            tr(
                "{commands}\n\nThis is what will be started when an agent needs it. It runs with"
                " your rights: it can read and change all that you can. Go on only if you trust"
                " where it comes from.",
                commands=lines,
            ),
            tr("Add it"),
            lambda: self._add(servers),
        )

    def _add(self, servers: Mapping[str, McpServer]) -> None:
        async def saving(into_file: bool) -> None:
            there = self.settings.mcp_servers
            left = {name: s for name, s in servers.items() if name not in there or not into_file}
            await self.app.tool_servers.add(left, into_file=into_file)
            self.adding.close_form()

        self._keep(saving, self.adding.say, ", ".join(servers))

    def _is_no_name(self, form: ServerForm, name: str, taken: Collection[str]) -> bool:
        """Whether a name cannot be one; says so beside its field."""
        problem = name_problem(name, taken)
        form.name.say(tr(problem) if problem else "")
        return bool(problem)

    # --- doing it ------------------------------------------------------------------------------

    def _do(self, work: Coroutine[Any, Any, None]) -> None:
        self.say("")
        self.tasks.start(work, failed=self.problem.say)

    def _keep(self, saving: Saving, failed: Failed, name: str) -> None:
        """Save what has keys in it."""
        self.say("")

        def words(reason: str) -> FileWords:
            return FileWords(
                tr("Keep the keys of {name} in a file?", name=name),
                tr(
                    "{reason}\n\nThe keys can be kept in the file {file}, which only you can read."
                    " Whoever gets into your account or at a copy of the disk can read them there.",
                    reason=reason,
                    file=self.app.paths.keys,
                ),
                keep=tr("Keep them in the file"),
                leave=tr("Do not store them"),
            )

        keep_keys(self, self.tasks, saving, words, failed)


def _changed(now: Settings, name: str, values: Mapping[str, object]) -> McpServer:
    server = now.mcp_servers.get(name)
    if server is None:
        raise Invalid(tr("The MCP server {name} is no longer there.", name=name))
    return server.model_copy(update=dict(values))
