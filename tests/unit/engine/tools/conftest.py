"""The app's own tools over real stores, with pages that come from nowhere."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from chatty_desktop.domain.pages import Page
from chatty_desktop.domain.tools import ToolResult, ToolUse
from chatty_desktop.engine.tools.built_in import BuiltInTools
from chatty_desktop.engine.tools.contract import Reach
from tests.helpers.desk import STATE, Desk
from tests.helpers.scripted import ScriptedModel, ScriptedModels

Use = Callable[..., Awaitable[ToolResult]]


class OnePage:
    """`ports.Pages` with one page."""

    async def fetch(self, url: str) -> Page:
        return Page(url, "A page", "Its text.")


@pytest.fixture
def model() -> ScriptedModel:
    return ScriptedModel()


@pytest.fixture
async def desk(tmp_path: Path, model: ScriptedModel) -> AsyncIterator[Desk]:
    (tmp_path / "data").mkdir()
    desk = await Desk.open(tmp_path / "data", ScriptedModels(model), STATE)
    yield desk
    await desk.close()


@pytest.fixture
def box(desk: Desk, tmp_path: Path) -> BuiltInTools:
    return BuiltInTools(
        Reach(
            pages=OnePage(),
            messages=desk.messages,
            episodes=desk.episodes,
            embedders=desk.embedders,
            inspect=desk.memories.inspect,
            closed=tmp_path / "data",
        )
    )


@pytest.fixture
def given(tmp_path: Path) -> Path:
    """The folder that the person has given; beside it lies one that they have not."""
    folder = tmp_path / "given"
    folder.mkdir()
    return folder


@pytest.fixture
def use(desk: Desk, box: BuiltInTools, given: Path) -> Use:
    """Use a tool by its name."""

    async def use(name: str, **arguments: Any) -> ToolResult:
        spec = next(spec for spec in await box.tools() if spec.name == name)
        folders = (str(given),)
        return await box.call(ToolUse(desk.scope, "c1", spec, arguments, folders))

    return use
