"""The starter model from its real wheels."""

from __future__ import annotations

from pathlib import Path

from chatty_desktop.providers.starter import STARTER


def test_the_starter_model_is_put_together_to_the_byte(starter_file: Path) -> None:
    assert starter_file.stat().st_size == STARTER.size
    names = sorted(file.name for file in starter_file.parent.iterdir())
    assert names == [STARTER.file_name, f"{STARTER.file_name}.checked"]
