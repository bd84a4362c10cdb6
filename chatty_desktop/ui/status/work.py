"""What works in the background, gathered from events and put into words."""

from __future__ import annotations

from dataclasses import dataclass

from chatty_desktop.domain.downloads import Download
from chatty_desktop.domain.events import (
    DownloadChanged,
    EmbeddingProgress,
    Event,
    ModelProgress,
    RunPhaseChanged,
)
from chatty_desktop.ui.language import number, tr, trn


@dataclass(frozen=True, slots=True)
class Work:
    """One thing that goes on. `page` is the page of the settings that has to do with it."""

    words: str
    icon: str
    page: str


class BackgroundWork:
    """Everything that goes on, by the events of the app."""

    def __init__(self) -> None:
        self._settling: set[str] = set()
        self._loading: dict[str, ModelProgress] = {}
        self._downloads: dict[str, Download] = {}
        self._embedding = EmbeddingProgress(0, 0)

    def take(self, event: Event) -> bool:
        """Take note of an event; whether it is one of work."""
        match event:
            case RunPhaseChanged(session_id=session_id, phase=phase):
                self._settling.discard(session_id)
                if phase == "settling":
                    self._settling.add(session_id)
            case ModelProgress(model=model, text=text):
                self._loading.pop(model, None)
                if text:
                    self._loading[model] = event
            case DownloadChanged(download=download):
                self._downloads.pop(download.id, None)
                if download.active:
                    self._downloads[download.id] = download
            case EmbeddingProgress():
                self._embedding = event
            case _:
                return False
        return True

    def under_way(self, answering: str | None = None) -> list[Work]:
        """All of it, what the person waits for first. The loading of the model `answering` is
        told elsewhere."""
        works = [
            Work(_progress(p.text, p.done, p.total), "spinner-gap", "engine")
            for model, p in self._loading.items()
            if p.total or model != answering
        ]
        if self._settling:
            count = len(self._settling)
            text = trn("Updating memory", "Updating memory of {count} chats", count)
            works.append(Work(text, "brain", "models"))
        works += [_download(download) for download in self._downloads.values()]
        if self._embedding.total:
            text = tr(
                "Embedding again: {done} of {total}",
                done=number(self._embedding.done),
                total=number(self._embedding.total),
            )
            works.append(Work(text, "target", "embedder"))
        return works


def _download(download: Download) -> Work:
    name = download.name
    if download.state == "waiting":
        text = tr("{name} waits to be downloaded", name=name)
    elif download.state == "checking":
        text = tr("Checking {name}", name=name)
    else:
        text = _progress(tr("Downloading {name}", name=name), download.done, download.total)
    return Work(text, "download-simple", "downloads")


def _progress(text: str, done: int, total: int) -> str:
    if not total:
        return text
    return tr("{what} · {percent} %", what=text, percent=100 * min(done, total) // total)
