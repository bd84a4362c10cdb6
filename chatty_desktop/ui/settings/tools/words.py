"""MCP servers in words: how one is, what it is, what it will run."""

from __future__ import annotations

import shlex

from chatty_desktop.domain.mcp import McpState
from chatty_desktop.domain.mcp_settings import McpServer
from chatty_desktop.ui.language import N_, tr, translated, trn
from chatty_desktop.ui.tokens import Tone

WHAT_IT_IS = N_(
    "An MCP server gives models tools that the app has not: of a code host, a database, a calendar."
    " Most are programs that run on this computer and may do there all that you may; others are at"
    " an address, which then sees what models send them. Add only what you trust."
)

SAID_OF_ENTRIES = (
    N_("It has both a command and a url: one of them has to go."),
    N_("It speaks SSE, the older way over HTTP, which this app does not."),
    N_("It has neither a command, a program to run, nor a url, an address to speak to."),
    N_("Its url has to begin with http:// or https://."),
    N_("Give it a name."),
    N_("A name has no slash, no braces and no dollar sign in it."),
    N_("There is a server of that name already."),
)
"""What entries and names say of themselves, marked here for the translators."""

EXAMPLE = """{
  "mcpServers": {
    "name": {"command": "npx", "args": ["-y", "…"]}
  }
}"""


def state_words(server: McpServer, state: McpState) -> tuple[str, Tone, str]:
    """Icon, tone and text of how a server is."""
    if not server.enabled:
        return "circle", "muted", tr("Switched off")
    if server.problem:
        return "warning-circle", "danger", tr(server.problem)
    if state.phase == "ready":
        offered = [tool for tool in state.tools if tool.name not in server.disabled_tools]
        said = trn("Ready · {count} tool", "Ready · {count} tools", len(state.tools))
        if len(offered) < len(state.tools):
            left_out = len(state.tools) - len(offered)
            said += " · " + trn("{count} of them off", "{count} of them off", left_out)
        return "check-circle", "success", f"{said}\n{translated(state.remark)}".strip()
    if state.phase == "starting":
        return "circle-dashed", "muted", f"{tr('Starting …')}\n{translated(state.reason)}".strip()
    if state.phase == "failed":
        return "warning-circle", "danger", translated(state.reason)
    starts = tr("It starts with the app.") if server.start_with_app else ""
    return "circle", "muted", starts or tr("Off. It starts when an agent needs it.")


def command_words(server: McpServer) -> str:
    """What is run or spoken to, as one would write it."""
    if server.is_program:
        return shlex.join([server.command or "", *server.args])
    return server.url or ""
