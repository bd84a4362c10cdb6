"""What a question of a tool means to the rest of the chat it is asked in."""

from __future__ import annotations

from PySide6.QtCore import QObject

from chatty_desktop.ui.chat.composer import Composer
from chatty_desktop.ui.chat.consent.questions import Questions
from chatty_desktop.ui.chat.transcript import Transcript


class QuestionsInChat(QObject):
    """Marks the calls that wait among the messages, and moves the keyboard to a question and back
    to the composer."""

    def __init__(
        self, questions: Questions, transcript: Transcript, composer: Composer, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._questions = questions
        self._transcript = transcript
        self._composer = composer
        questions.came.connect(self._came)
        questions.changed.connect(self._changed)

    def _came(self) -> None:
        """The keyboard goes to a question, unless something is being written."""
        card = self._questions.card
        if card is not None and not self._composer.text and self._composer.input.hasFocus():
            card.setFocus()

    def _changed(self) -> None:
        self._transcript.drawn.set_asking(self._questions.call_ids())
        if self._questions.answered:
            # The card goes, and with it the place of the keyboard.
            self._composer.input.setFocus()
