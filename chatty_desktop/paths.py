"""The one place that knows where files lie."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import chatty_desktop

APP_NAME = "chatty-desktop"


@dataclass(frozen=True, slots=True)
class Paths:
    """Folders and files of one data folder. Nothing is made until `create` is called."""

    data: Path

    @property
    def database(self) -> Path:
        return self.data / "chatty.db"

    @property
    def settings(self) -> Path:
        return self.data / "settings.json"

    @property
    def places(self) -> Path:
        """Where the chats are when they are not in this folder; there is no such file elsewhere."""
        return self.data / "places.json"

    @property
    def keys(self) -> Path:
        """Keys of providers where there is no keyring and the person agreed; nobody else can read
        it, and no copy of the folder takes it along."""
        return self.data / "keys.json"

    @property
    def window(self) -> Path:
        """Sizes and positions of the window and its panels (ini)."""
        return self.data / "window.ini"

    @property
    def lock(self) -> Path:
        return self.data / "chatty.lock"

    @property
    def backups(self) -> Path:
        """Copies of the database, one before each migration."""
        return self.data / "backups"

    @property
    def episodes(self) -> Path:
        """The index of episodes (LanceDB); can be deleted, it is built again from the database."""
        return self.data / "episodes"

    @property
    def models(self) -> Path:
        """Model files assembled or downloaded by the app; can be deleted and made again."""
        return self.data / "models"

    @property
    def restore(self) -> Path:
        """A backup that was unpacked and checked, to take the place of what is here at the next
        start."""
        return self.data / "restore"

    @property
    def read_before(self) -> Path:
        """What local engines have read of the app's own prompts; can be deleted."""
        return self.data / "read-before"

    @property
    def logs(self) -> Path:
        return self.data / "logs"

    def create(self) -> None:
        """Make the folders. Raises `OSError`."""
        for folder in (self.data, self.models, self.logs):
            folder.mkdir(parents=True, exist_ok=True)


def default_data_folder() -> Path:
    """`CHATTY_DATA_DIR`, else the system's folder for an app's own data."""
    named = os.environ.get("CHATTY_DATA_DIR")
    if named:
        return Path(named).expanduser()
    from platformdirs import user_data_path  # costs 10 ms of every start

    return user_data_path(APP_NAME, appauthor=False)


def resources_folder() -> Path:
    """Prompts, starter agents, icons: inside the package when installed, beside it in a
    checkout."""
    package = Path(chatty_desktop.__file__).parent
    installed = package / "resources"
    return installed if installed.is_dir() else package.parent / "resources"
