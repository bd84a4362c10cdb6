"""Calling a provider otherwise, with a question where something cannot go along."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMessageBox, QWidget

from chatty_desktop.app import App
from chatty_desktop.domain.embedder_choice import embedded_by
from chatty_desktop.domain.keys import KeyState, environment_name
from chatty_desktop.domain.provider_use import ProviderUse
from chatty_desktop.ui.language import tr, trn
from chatty_desktop.ui.questions import ask
from chatty_desktop.ui.settings.providers.form import ProviderForm
from chatty_desktop.ui.settings.providers.words import goes_along
from chatty_desktop.ui.tasks import Tasks


class Renaming(QObject):
    """Renames providers.

    under_way: the old and the new name of the one that is being renamed, None when none is.
    done: it was renamed; the text tells what went along.
    """

    done = Signal(str)

    def __init__(self, over: QWidget, app: App, tasks: Tasks) -> None:
        super().__init__(over)
        self._over = over
        self._app = app
        self._tasks = tasks
        self.under_way: tuple[str, str] | None = None

    def ask(self, old: str, new: str, form: ProviderForm) -> None:
        """Rename it, at once where all that names it can go along."""
        self._tasks.start(self._weigh(old, new, form), failed=form.name.say)

    async def _weigh(self, old: str, new: str, form: ProviderForm) -> None:
        use = await self._app.providers.use(old)
        key = await self._app.keys.state(old)
        left = await self._left_behind(new, use, key)
        if not left:
            await self._rename(old, new, use, key)
            return
        button = QMessageBox.StandardButton

        def answered(answer: QMessageBox.StandardButton) -> None:
            if answer == button.Yes:
                self._tasks.start(self._rename(old, new, use, key), failed=form.name.say)
            else:
                form.name_line.setText(old)

        ask(
            self._over,
            tr("Call {old} {new} from now on?", old=old, new=new),
            "\n\n".join(left),
            (button.Cancel, button.Yes),
            answered,
            {button.Yes: tr("Rename")},
        )

    async def _left_behind(self, new: str, use: ProviderUse, key: KeyState) -> list[str]:
        """What cannot go along, a sentence each."""
        left = []
        if use.embedder:
            counts = await self._app.episodes.counts()
            if episodes := embedded_by(counts, self._app.settings.current.embedder):
                left.append(
                    trn(
                        "{count} episode was embedded under the old name. It is not recalled until"
                        " it is embedded again, on the page Embedder.",
                        "{count} episodes were embedded under the old name. They are not recalled"
                        " until they are embedded again, on the page Embedder.",
                        episodes,
                    )
                )
        if key.source == "environment":
            left.append(
                tr(
                    "Its key comes from {old}. Under the new name it is looked for in {new}.",
                    old=key.variable,
                    new=environment_name(new),
                )
            )
        return left

    async def _rename(self, old: str, new: str, use: ProviderUse, key: KeyState) -> None:
        self.under_way = (old, new)
        try:
            await self._app.providers.rename(old, new)
        finally:
            self.under_way = None
        along = goes_along(use, key.source in ("keyring", "file"))
        said = tr("{old} is called {new} now.", old=old, new=new)
        if along:
            said = f"{said} {tr('Went along: {parts}.', parts=', '.join(along))}"
        self.done.emit(said)
