"""How texts are marked for the embedding model: for those who know why."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from chatty_desktop.domain.embedding import prefixes_of
from chatty_desktop.domain.settings import EmbedderSettings
from chatty_desktop.ui.controls import Field
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.pieces import TextButton, caption
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import M


class PrefixesForm(QWidget):
    """Two texts behind a link.

    changed: the query's and the text's prefix, None where it is that of the model's family.
    """

    changed = Signal(object, object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = ""
        self.open = TextButton(tr("Advanced"))
        self.open.setCheckable(True)
        self.query, self.text = QLineEdit(), QLineEdit()
        self._query_field = Field(tr("Before what is looked for"), self.query, theme)
        self._text_field = Field(tr("Before what is stored"), self.text, theme)
        holds = caption(
            theme,
            tr(
                "Many models want what is looked for and what is stored marked differently. A"
                " change holds from now on; what is embedded already stays as it is."
            ),
        )
        holds.setWordWrap(True)
        self.reset = TextButton(tr("As this kind of model is known to want it"))
        self.reset.clicked.connect(lambda: self.changed.emit(None, None))
        inner = QWidget()
        fields = QVBoxLayout(inner)
        fields.setContentsMargins(0, 0, 0, 0)
        fields.setSpacing(M)
        fields.addWidget(holds)
        for field in (self._query_field, self._text_field):
            fields.addWidget(field)
        fields.addWidget(self.reset)
        inner.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(M)
        column.addWidget(self.open)
        column.addWidget(inner)
        self.open.toggled.connect(inner.setVisible)
        for line in (self.query, self.text):
            line.editingFinished.connect(self._edited)

    def show_embedder(self, embedder: EmbedderSettings) -> None:
        """Draw the prefixes of a model, without touching the one that is being typed."""
        known = prefixes_of(embedder.model)
        same = embedder.model == self._model
        self._model = embedder.model
        shown = (
            (self.query, self._query_field, embedder.query_prefix, known.query),
            (self.text, self._text_field, embedder.text_prefix, known.text),
        )
        for line, field, own, family in shown:
            if not (same and line.hasFocus() and line.isModified()):
                line.setText(family if own is None else own)
                line.setModified(False)
            field.hint(
                tr("This kind of model is known to want “{prefix}”.", prefix=family)
                if family
                else tr("Nothing is known of this kind of model; most want nothing here.")
            )
        self.reset.setVisible((embedder.query_prefix, embedder.text_prefix) != (None, None))

    def _edited(self) -> None:
        if not (self.query.isModified() or self.text.isModified()):
            return
        for line in (self.query, self.text):
            line.setModified(False)
        known = prefixes_of(self._model)
        query, text = self.query.text(), self.text.text()
        self.changed.emit(
            None if query == known.query else query, None if text == known.text else text
        )
