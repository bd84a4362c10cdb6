"""settings.json changed by hand while the app runs."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from chatty_desktop.domain.errors import StorageFailed
from chatty_desktop.domain.events import Event, Notice, SettingsChanged
from chatty_desktop.domain.settings import Settings
from chatty_desktop.storage.settings_file import SettingsFile
from tests.helpers.waiting import until


@dataclass
class Followed:
    """Settings that are followed on disk, with what was told of them."""

    file: Path
    settings: SettingsFile
    events: list[Event]

    def write(self, text: str) -> None:
        self.file.write_text(text, "utf-8")

    def rename_over(self, text: str) -> None:
        """Save as many editors do."""
        new = self.file.with_name("settings.json~")
        new.write_text(text, "utf-8")
        new.replace(self.file)

    def written(self) -> dict[str, Any]:
        value: dict[str, Any] = json.loads(self.file.read_text("utf-8"))
        return value

    def broken(self) -> list[str]:
        """What was set aside."""
        return [each.read_text("utf-8") for each in self.file.parent.glob("settings.broken-*")]

    @property
    def notices(self) -> list[str]:
        return [event.text for event in self.events if isinstance(event, Notice)]

    @property
    def model(self) -> str | None:
        return self.settings.current.default_model


@pytest.fixture
async def followed(tmp_path: Path) -> AsyncIterator[Followed]:
    events: list[Event] = []
    file = tmp_path / "settings.json"
    settings = SettingsFile(file, events.append, look_seconds=0.02, patience_seconds=0.3)
    await settings.load()
    settings.watch()
    yield Followed(file, settings, events)
    await settings.close()


def with_model(model: str) -> Any:
    return lambda settings: settings.model_copy(update={"default_model": model})


@pytest.mark.parametrize("how", ["write", "rename_over"])
async def test_what_is_saved_by_hand_holds_at_once(followed: Followed, how: str) -> None:
    getattr(followed, how)('{"default_model": "local/mine", "mood": "sunny"}')
    await until(lambda: followed.model == "local/mine")
    assert followed.events == [SettingsChanged()]
    await followed.settings.change(with_model("local/other"))
    assert followed.written()["mood"] == "sunny"
    assert followed.broken() == []


async def test_a_change_in_the_app_is_made_to_what_the_hand_wrote_a_moment_before(
    tmp_path: Path,
) -> None:
    settings = SettingsFile(tmp_path / "settings.json", lambda _event: None)
    await settings.load()  # not followed: the hand is always quicker than a look
    (tmp_path / "settings.json").write_text('{"memory_extractor_model": "lab/big", "x": 1}')
    await settings.change(with_model("local/other"))
    written = json.loads((tmp_path / "settings.json").read_text("utf-8"))
    assert written["memory_extractor_model"] == "lab/big"
    assert written["default_model"] == "local/other"
    assert written["x"] == 1
    assert settings.current.memory_extractor_model == "lab/big"


async def test_the_app_s_own_writing_is_not_taken_for_a_change(followed: Followed) -> None:
    for number in range(5):
        await followed.settings.change(with_model(f"local/{number}"))
        await asyncio.sleep(0.05)
    assert followed.events == [SettingsChanged()] * 5


async def test_another_way_of_writing_the_same_settings_changes_nothing(
    followed: Followed,
) -> None:
    followed.write(json.dumps(followed.written()))
    followed.rename_over(json.dumps(followed.written(), indent=8))
    await asyncio.sleep(0.2)
    assert followed.events == []


async def test_a_file_seen_half_written_is_waited_for(followed: Followed) -> None:
    whole = '{"default_model": "local/mine"}'
    for end in range(0, len(whole) + 1, 4):
        followed.write(whole[:end])
        await asyncio.sleep(0.03)
    followed.write(whole)
    await until(lambda: followed.model == "local/mine")
    assert (followed.broken(), followed.notices) == ([], [])


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('{\n "default_model": "a/b",,\n}', "line 2, column 25"),
        ('{"providers": [\n  {"id": "x",\n\n   "kind": "psi"}]}', "line 4: providers.0.kind"),
        (
            '{"providers": [{"id": "x", "kind": "openai", "model_options": {\n"m": {\n'
            '"top_p": 1,\n"temperature": -1}}}]}',
            "line 4: providers.0.model_options.m.temperature",
        ),
    ],
)  # fmt: skip
async def test_a_broken_file_is_set_aside_with_its_line_and_the_settings_hold(
    followed: Followed, text: str, named: str
) -> None:
    await followed.settings.change(with_model("local/held"))
    followed.write(text)
    await until(lambda: followed.notices)
    (notice,) = followed.notices
    assert named in notice
    assert followed.broken() == [text]
    assert followed.model == followed.written()["default_model"] == "local/held"
    # Mended in the editor and saved again, it holds.
    followed.write('{"default_model": "local/mended"}')
    await until(lambda: followed.model == "local/mended")


async def test_a_change_in_the_app_never_writes_over_a_broken_file(tmp_path: Path) -> None:
    events: list[Event] = []
    file = tmp_path / "settings.json"
    settings = SettingsFile(file, events.append, patience_seconds=0.1)
    await settings.load()
    file.write_text("{ my long work, one comma too many, }")
    await settings.change(with_model("local/other"))
    aside = [each.read_text() for each in tmp_path.glob("settings.broken-*")]  # noqa: ASYNC240
    assert aside == ["{ my long work, one comma too many, }"]
    assert json.loads(file.read_text())["default_model"] == "local/other"
    assert [type(event) for event in events] == [Notice, SettingsChanged]


async def test_two_broken_files_within_a_second_are_both_kept(followed: Followed) -> None:
    followed.write("{ one")
    await until(lambda: len(followed.notices) == 1)
    followed.write("{ two")
    await until(lambda: len(followed.notices) == 2)
    assert sorted(followed.broken()) == ["{ one", "{ two"]


async def test_a_file_that_was_deleted_is_written_anew_and_said_so(followed: Followed) -> None:
    await followed.settings.change(with_model("local/held"))
    followed.file.unlink()
    await until(lambda: followed.notices)
    assert "gone" in followed.notices[0]
    assert followed.written()["default_model"] == "local/held"
    assert followed.model == "local/held"


async def test_a_file_that_cannot_be_read_is_told_once_and_never_written_over(
    followed: Followed,
) -> None:
    kept = followed.file.rename(followed.file.with_name("kept"))
    followed.file.mkdir()
    await until(lambda: followed.notices)
    with pytest.raises(StorageFailed, match="cannot be read"):
        await followed.settings.change(with_model("local/other"))
    await asyncio.sleep(0.1)
    assert len(followed.notices) == 1
    assert followed.model == Settings().default_model
    followed.file.rmdir()
    kept.rename(followed.file)
    await followed.settings.change(with_model("local/other"))
    assert followed.written()["default_model"] == "local/other"


@pytest.mark.skipif(os.name == "nt", reason="links want rights there")
async def test_a_link_to_a_file_elsewhere_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "dotfiles").mkdir()
    (tmp_path / "dotfiles" / "chatty.json").write_text('{"default_model": "local/mine"}')
    file = tmp_path / "settings.json"
    file.symlink_to(tmp_path / "dotfiles" / "chatty.json")
    settings = SettingsFile(file, lambda _event: None)
    await settings.load()
    await settings.change(with_model("local/other"))
    assert file.is_symlink()
    assert "local/other" in (tmp_path / "dotfiles" / "chatty.json").read_text()
