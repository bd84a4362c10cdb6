"""Agent files on disk."""

from __future__ import annotations

from typing import Final

from chatty_desktop.domain.agents import read_agent, write_agent
from chatty_desktop.ui.json_files import JsonFiles
from chatty_desktop.ui.language import N_

AGENT_FILES: Final = JsonFiles(
    kinds=N_("Agent files (*.json);;All files (*)"),
    bring=N_("Import agent"),
    refused=N_("{name} is not an agent file. {error}"),
    called="agent",
    from_text=read_agent,
    to_text=write_agent,
)
