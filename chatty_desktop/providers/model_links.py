"""Names in the app's own folder for files of other programs that have none."""

from __future__ import annotations

import logging
import os
from pathlib import Path

from chatty_desktop.domain.model_files import ModelFile
from chatty_desktop.providers.download_address import plain_name
from chatty_desktop.providers.part_file import free_name

log = logging.getLogger(__name__)


def adopted(file: ModelFile, folder: Path) -> str:
    """What to call a file in the settings; `folder` is the app's own folder of models. Works on
    the disk."""
    path = Path(file.path)
    if path.is_relative_to(folder):
        return path.relative_to(folder).as_posix()
    if path.suffix.lower() == ".gguf":
        return file.path
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for there in sorted(folder.glob("*.gguf")):
            if there.is_symlink() and os.path.realpath(there) == os.path.realpath(path):
                return there.name
        link = free_name(folder, plain_name(file.name))
        link.symlink_to(path)
    except OSError as error:
        # On Windows links need a right that few people have.
        log.info("%s gets no link: %s", path, error)
        return file.path
    return link.name
