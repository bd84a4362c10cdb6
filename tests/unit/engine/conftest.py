"""A desk over a fresh folder, with one scripted model."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.helpers.desk import STATE, Desk
from tests.helpers.scripted import ScriptedModel, ScriptedModels


@pytest.fixture
def model() -> ScriptedModel:
    return ScriptedModel()


@pytest.fixture
def models(model: ScriptedModel) -> ScriptedModels:
    return ScriptedModels(model)


@pytest.fixture
async def desk(tmp_path: Path, models: ScriptedModels) -> AsyncIterator[Desk]:
    """Ada, whose memory is State, in the session "Talk"."""
    desk = await Desk.open(tmp_path, models, STATE)
    yield desk
    await desk.close()
