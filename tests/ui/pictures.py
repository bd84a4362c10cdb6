"""The pictures of the README and the guide, from the real window on the sample data folder.

    python -m tests.ui.pictures [--only NAME]

Two pixels to a point, since most screens are sharp; few colours, since few are in them.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO

from PIL import Image
from PySide6.QtCore import QBuffer, QIODevice
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QWidget

from chatty_desktop.paths import resources_folder
from chatty_desktop.ui.loop import Loop
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.translations import speak
from tests.ui.screenshots import VIEWS, Stage, View, application_at, graph_of, staged

COLOURS = 128


@dataclass(frozen=True)
class Picture:
    """`part` of the window, or what the view shows, drawn at `size` in points; `dark`: also in dark
    colours, for what is seen most."""

    view: View
    size: tuple[int, int]
    part: Callable[[Stage], QWidget] | None = None
    dark: bool = False


def _inspector(stage: Stage) -> QWidget:
    return stage.window.inspector


async def _looking_back(stage: Stage) -> None:
    await VIEWS["chat"].prepare(stage)
    stage.window.actions_.look_back.trigger()
    await stage.settle()
    bar = stage.window.inspector.time.bar
    bar.slider.setValue(bar.slider.maximum() // 2)
    await stage.settle()


def _chat(stage: Stage) -> QWidget:
    return stage.window.chat


def _graph(stage: Stage) -> QWidget:
    window = stage.window.others.graph_editor
    assert window is not None
    window.resize(900, 460)
    window.canvas.fit()
    return window


PICTURES = {
    "main": Picture(VIEWS["chat"], (1160, 740), dark=True),
    "inspector-memory": Picture(VIEWS["chat"], (1240, 800), _inspector, dark=True),
    "inspector-prompt": Picture(VIEWS["prompt"], (1240, 900), _inspector, dark=True),
    "inspector-ledger": Picture(VIEWS["ledger"], (1240, 900), _inspector, dark=True),
    "inspector-past": Picture(View(_looking_back), (1240, 800), _inspector, dark=True),
    "replay": Picture(VIEWS["replay"], (980, 560)),
    "forgotten": Picture(VIEWS["gone"], (720, 300)),
    "strategy": Picture(VIEWS["editor"], (660, 640)),
    "consent": Picture(VIEWS["consent-mcp"], (1240, 640), _chat),
    "graph": Picture(View(lambda stage: graph_of(stage, 5)), (1240, 780), _graph),
}


def main() -> None:
    arguments = argparse.ArgumentParser(prog="tests.ui.pictures")
    arguments.add_argument("--only", default="", help="the pictures whose names begin so")
    chosen = arguments.parse_args()
    application = application_at("2")
    loop = Loop(application)
    asyncio.set_event_loop(loop)
    with loop:
        speak(application, "en")
        theme = Theme(application, "light")
        for name, picture in PICTURES.items():
            if name.startswith(chosen.only):
                loop.run_until_complete(_take(theme, name, picture))


async def _take(theme: Theme, name: str, picture: Picture) -> None:
    async with staged(theme, name, picture.view) as stage:
        stage.window.resize(*picture.size)
        for scheme in ("light", "dark") if picture.dark else ("light",):
            theme.force("dark" if scheme == "dark" else "light")
            await stage.settle()
            widget = (picture.part or picture.view.picture)(stage)
            if widget is not stage.window and picture.part is None:
                widget.resize(*picture.size)
            await stage.settle()
            file = resources_folder() / "pictures" / f"{name}-{scheme}.png"
            file.write_bytes(await asyncio.to_thread(_small, _png(widget.grab())))
        theme.force("light")


def _png(picture: QPixmap) -> bytes:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    picture.save(buffer, "PNG")
    return bytes(buffer.data().data())


def _small(png: bytes) -> bytes:
    out = BytesIO()
    few = Image.open(BytesIO(png)).convert("RGB")
    few = few.quantize(COLOURS, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    few.save(out, "PNG", optimize=True)
    return out.getvalue()


if __name__ == "__main__":
    main()
