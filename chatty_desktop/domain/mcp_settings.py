"""MCP servers as they are configured: the entries that programs share under `mcpServers`."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

SHARED_KEY = "mcpServers"
"""What the entries stand under, in this app's settings and in those of other programs."""

MOST_LETTERS = 64
"""Of a server's name."""


class McpServer(BaseModel):
    """One server: a program that is run (`command`, `args`, `env`, `cwd`), or an address that is
    spoken to (`url`, `headers`).

    Values may hold placeholders: `${keyring:name}` for what the keyring keeps, `${env:NAME}` or
    `${NAME}` for a variable of the app's own environment. `type` is what other programs write; the
    fields say it too. One that is not `enabled` is never started. `start_with_app`: it is started
    with the app, not when it is first needed. `disabled_tools` are its own names of tools that no
    model is offered. `timeout_seconds`: how long one call may take, None for the usual time. What
    other programs write besides is kept as it is.
    """

    model_config = ConfigDict(defer_build=True, extra="allow", frozen=True)

    type: str | None = None
    command: str | None = None
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = Field(default_factory=dict)
    cwd: str | None = None
    url: str | None = None
    headers: Mapping[str, str] = Field(default_factory=dict)
    enabled: bool = True
    start_with_app: bool = False
    disabled_tools: tuple[str, ...] = ()
    timeout_seconds: float | None = Field(default=None, gt=0, le=86_400)

    @field_validator("args", mode="before")
    @classmethod
    def _words(cls, value: Any) -> Any:
        return [_text(entry) for entry in value] if isinstance(value, list | tuple) else value

    @field_validator("env", "headers", mode="before")
    @classmethod
    def _texts(cls, value: Any) -> Any:
        if value is None:
            return {}
        return {k: _text(v) for k, v in value.items()} if isinstance(value, Mapping) else value

    @property
    def problem(self) -> str:
        """Why it could never be started, "" when it could. Not a rule of the file: one entry that
        cannot be used must not make the others unreadable."""
        if self.command and self.url:
            return "It has both a command and a url: one of them has to go."
        if self.type == "sse":
            return "It speaks SSE, the older way over HTTP, which this app does not."
        if not self.command and not self.url:
            return "It has neither a command, a program to run, nor a url, an address to speak to."
        if self.url and not self.url.startswith(("http://", "https://", "${")):
            return "Its url has to begin with http:// or https://."
        return ""

    @property
    def is_program(self) -> bool:
        """Whether it is run on this computer."""
        return bool(self.command)

    @property
    def launch(self) -> McpServer:
        """It as far as it matters to a running one: when this changes it is started anew."""
        return McpServer(
            command=self.command,
            args=self.args,
            env=self.env,
            cwd=self.cwd,
            url=self.url,
            headers=self.headers,
        )

    def with_tool(self, name: str, wanted: bool) -> McpServer:
        """The same, with one of its tools offered or not."""
        others = tuple(tool for tool in self.disabled_tools if tool != name)
        return self.model_copy(update={"disabled_tools": others if wanted else (*others, name)})


def name_problem(name: str, taken: Collection[str]) -> str:
    """What speaks against the name of a server, "" when nothing does."""
    if not name.strip():
        return "Give it a name."
    if len(name) > MOST_LETTERS:
        return f"A name has at most {MOST_LETTERS} letters."
    if any(letter in "/${}" or not letter.isprintable() for letter in name):
        return "A name has no slash, no braces and no dollar sign in it."
    return "There is a server of that name already." if name in taken else ""


def _text(value: Any) -> Any:
    """Numbers and switches as the texts that other programs read them as."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int | float) else value
