"""settings.json on disk."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from chatty_desktop.domain.errors import StorageFailed
from chatty_desktop.domain.events import Event, SettingsChanged
from chatty_desktop.domain.settings import ProviderSettings, Settings
from chatty_desktop.storage.settings_file import SettingsFile, write_atomically


async def load(file: Path) -> SettingsFile:
    settings = SettingsFile(file, lambda _event: None)
    await settings.load()
    return settings


async def test_a_first_start_writes_the_defaults(tmp_path: Path) -> None:
    settings = await load(tmp_path / "settings.json")
    assert settings.current.default_model == "local/starter"
    written = json.loads((tmp_path / "settings.json").read_text("utf-8"))
    assert written["providers"][0]["kind"] == "llama_cpp"
    assert settings.notices == []


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('{"providers": [,]}', "line 1"),
        ("", "not JSON"),
        ('{"providers": [{"id": "x", "kind": "telepathy"}]}', "providers.0.kind"),
        ("[]", "settings.json could not be read"),
        ('{"providers": [{"id": "a", "kind": "openai"}, {"id": "a", "kind": "ollama"}]}', "two"),
    ],
)
async def test_a_broken_file_is_set_aside_with_a_notice_and_never_lost(
    tmp_path: Path, text: str, named: str
) -> None:
    file = tmp_path / "settings.json"
    file.write_text(text, "utf-8")
    settings = await load(file)
    (notice,) = settings.notices
    assert named in notice.text
    (aside,) = tmp_path.glob("settings.broken-*.json")  # noqa: ASYNC240
    assert aside.read_text("utf-8") == text
    assert aside.name in notice.text
    assert settings.current == Settings()


async def test_a_file_of_other_encoding_is_set_aside_too(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_bytes(b'{"default_model": "\xff\xfe"}')
    assert "UTF-8" in (await load(file)).notices[0].text


async def test_fields_of_a_newer_version_survive_being_saved(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_text('{"theme": "dark", "providers": [{"id": "x", "kind": "openai", "tags": [1]}]}')
    events: list[Event] = []
    settings = SettingsFile(file, events.append)
    await settings.load()
    await settings.save(settings.current.model_copy(update={"default_model": "x/small"}))
    written = json.loads(file.read_text("utf-8"))
    assert (written["theme"], written["providers"][0]["tags"]) == ("dark", [1])
    assert events == [SettingsChanged()]
    assert (await load(file)).current.default_model == "x/small"


async def test_keys_are_never_in_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHATTY_KEY_LAB", "very-secret")
    settings = await load(tmp_path / "settings.json")
    await settings.save(Settings(providers=(ProviderSettings(id="lab", kind="openai"),)))
    assert "very-secret" not in (tmp_path / "settings.json").read_text("utf-8")


def test_a_write_that_fails_leaves_the_old_file_whole(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_text("old", "utf-8")
    with pytest.raises(UnicodeEncodeError):
        write_atomically(file, "new \ud800")
    assert file.read_text("utf-8") == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["settings.json"]


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(StorageFailed, match="could not be written"):
        write_atomically(tmp_path / "gone" / "settings.json", "x")
