"""A request as the bytes that go to a server, for whoever wants to send it again by hand."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class WireRequest:
    """`key_variable` is the environment variable that stands where the key would be, "" where the
    server takes none: a key is never in it."""

    url: str
    body: dict[str, Any]
    key_variable: str = ""

    def as_json(self) -> str:
        """The body."""
        return json.dumps(self.body, ensure_ascii=False, indent=2)

    def as_curl(self) -> str:
        """A command for a shell of Linux or macOS."""
        lines = [f"curl -N {shlex.quote(self.url)}", "-H 'Content-Type: application/json'"]
        if self.key_variable:
            lines.append(f'-H "Authorization: Bearer ${self.key_variable}"')
        lines.append("--data-binary @- <<'JSON'")
        # In the JSON every line break is escaped, so that no line of it can be the end mark.
        return " \\\n  ".join(lines) + f"\n{self.as_json()}\nJSON\n"
