"""The files of a message, or of what is being written."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QSizePolicy, QWidget

from chatty_desktop.domain.attachments import Attachment
from chatty_desktop.ui.chat.files.chip import FileChip
from chatty_desktop.ui.chat.files.flow import Flow
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.theme import Theme


class FileRow(QWidget):
    """asked: what is to be done with a file (`WithFile`, `WantPicture`). changed: one was
    removed. redrawn: the room that is needed may be another."""

    asked = Signal(object)
    changed = Signal()
    redrawn = Signal()

    def __init__(
        self,
        theme: Theme,
        *,
        large: bool = False,
        removable: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._large = large
        self._removable = removable
        self._files: tuple[Attachment, ...] = ()
        self.chips: list[FileChip] = []
        self._flow = Flow()
        self.setLayout(self._flow)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setAccessibleName(tr("Attached files"))
        self.hide()

    def event(self, event: QEvent) -> bool:
        taken = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            # A chip has another size, as with other letters.
            self.redrawn.emit()
        return taken

    @property
    def files(self) -> tuple[Attachment, ...]:
        return self._files

    def set_files(self, files: Sequence[Attachment]) -> None:
        """Show these and no others; those that stay are not drawn again."""
        if tuple(files) == self._files:
            return
        kept = {chip.file: chip for chip in self.chips}
        self._files = tuple(files)
        chips: list[FileChip] = []
        while self._flow.takeAt(0) is not None:
            pass
        for file in files:
            chip = kept.pop(file, None) or self._chip(file)
            self._flow.addWidget(chip)
            chips.append(chip)
        for gone in kept.values():
            gone.hide()
            gone.deleteLater()
        self.chips = chips
        self.setVisible(bool(files))
        self.updateGeometry()
        self.redrawn.emit()

    def _chip(self, file: Attachment) -> FileChip:
        chip = FileChip(file, self._theme, large=self._large, removable=self._removable)
        chip.asked.connect(self.asked)
        chip.removed.connect(lambda: self._remove(file))
        return chip

    def _remove(self, file: Attachment) -> None:
        place = self._files.index(file)
        self.set_files([each for each in self._files if each != file])
        # The keyboard stays among the files.
        if self.chips:
            self.chips[min(place, len(self.chips) - 1)].setFocus()
        self.changed.emit()
