"""Where files lie."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatty_desktop.paths import Paths, default_data_folder, resources_folder


def test_everything_lies_inside_the_data_folder(data_dir: Path) -> None:
    paths = Paths(data_dir)
    named = (
        paths.database,
        paths.settings,
        paths.window,
        paths.lock,
        paths.backups,
        paths.models,
        paths.logs,
    )
    assert all(path.is_relative_to(data_dir) for path in named)
    assert len(set(named)) == len(named)


def test_nothing_is_made_before_create_and_create_may_be_called_again(data_dir: Path) -> None:
    paths = Paths(data_dir / "deeper")
    assert not data_dir.exists()
    paths.create()
    paths.create()
    assert paths.models.is_dir() and paths.logs.is_dir()


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(OSError, match="file"):
        Paths(tmp_path / "file" / "data").create()


def test_the_environment_names_the_data_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHATTY_DATA_DIR", str(tmp_path / "elsewhere"))
    assert default_data_folder() == tmp_path / "elsewhere"
    monkeypatch.setenv("CHATTY_DATA_DIR", "~/chats")
    assert default_data_folder() == Path.home() / "chats"


@pytest.mark.parametrize("value", [None, ""])
def test_without_a_name_it_is_the_systems_folder_for_the_app(
    value: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if value is None:
        monkeypatch.delenv("CHATTY_DATA_DIR")
    else:
        monkeypatch.setenv("CHATTY_DATA_DIR", value)
    folder = default_data_folder()
    assert folder.name == "chatty-desktop"
    assert folder.is_relative_to(Path.home())


def test_a_checkout_has_its_resources_beside_the_package() -> None:
    folder = resources_folder()
    assert list(folder.glob("prompts/*.md"))
    assert list(folder.glob("agents/*.json"))
