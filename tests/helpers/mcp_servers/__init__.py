"""MCP servers for tests, written with the SDK; each is started as a process of its own."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


def entry(name: str, *args: str, **more: Any) -> dict[str, Any]:
    """The entry of one of the servers in this folder, as it stands in `mcpServers`."""
    return {"command": sys.executable, "args": [str(HERE / f"{name}.py"), *args], **more}
