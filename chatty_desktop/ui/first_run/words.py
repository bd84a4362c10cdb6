"""How the first run names what it found."""

from __future__ import annotations

from pathlib import PurePath

from PySide6.QtCore import QLocale

from chatty_desktop.domain.model_files import PLACE_NAMES, ModelFile, OllamaModel
from chatty_desktop.ui.language import number, tr


def size(count: int) -> str:
    """Bytes as people say them."""
    return QLocale().formattedDataSize(count, 1, QLocale.DataSizeFormat.DataSizeSIFormat)


def file_label(file: ModelFile) -> str:
    """A model file in one line of a list."""
    return _joined(file.name, size(file.size), PLACE_NAMES[file.place])


def file_lines(file: ModelFile) -> str:
    """What is worth knowing of a model file before it is chosen."""
    reads = (
        tr("reads up to {tokens} tokens", tokens=number(file.context_length))
        if file.context_length
        else ""
    )
    folder = str(PurePath(file.path).parent)
    return _joined(file.parameters, file.quantization, reads, tr("in {folder}", folder=folder))


def ollama_label(model: OllamaModel) -> str:
    """A model of Ollama in one line of a list."""
    return _joined(model.name, model.parameters, size(model.size) if model.size else "")


def _joined(*parts: str) -> str:
    return " · ".join(part for part in parts if part)
