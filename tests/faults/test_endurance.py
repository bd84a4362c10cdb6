"""The same use of the real window over and over: nothing of a round is held once it is over."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.endurance.level import SHORT, lived

pytestmark = pytest.mark.skipif(os.name == "nt", reason="counts as Linux and macOS do")


@pytest.mark.timeout(280)
async def test_use_that_goes_on_leaves_nothing_behind(data_dir: Path) -> None:
    rounds = await lived(data_dir, SHORT)
    assert len(rounds) == SHORT.rounds
    assert not SHORT.rising(rounds), (SHORT.rising(rounds), rounds)
