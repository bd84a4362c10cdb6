"""What can be done at the ledger: a row read whole, folded again, the rows written to a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from chatty_desktop.domain.ledger_export import LedgerForm
from chatty_desktop.domain.memory import LedgerFilter
from chatty_desktop.domain.messages import Scope
from chatty_desktop.engine.memories import Memories
from chatty_desktop.ui.controls import ModelChoices
from chatty_desktop.ui.exchange.files import ask_where_to_write, write_chat_file
from chatty_desktop.ui.inspector.ledger_view import LedgerView
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.tasks import Tasks


class LedgerActs:
    """Carries out what is asked at the ledger of the scope that `scope` gives. `folded` is called
    when a row was folded again."""

    def __init__(
        self,
        view: LedgerView,
        *,
        memories: Memories,
        choices: ModelChoices,
        scope: Callable[[], Scope | None],
        folded: Callable[[], object],
        tasks: Tasks,
    ) -> None:
        self._view = view
        self._memories = memories
        self._choices = choices
        self._scope = scope
        self._folded = folded
        self._tasks = tasks
        view.fold_again_wanted.connect(self._fold_again)
        view.whole_wanted.connect(lambda each: tasks.start(self._read_row(each)))
        view.detail.models_wanted.connect(self._ask_for_models)
        view.filter.export_wanted.connect(self._export_ledger)

    async def _read_row(self, entry_id: str) -> None:
        found = await self._memories.ledger_row(entry_id)
        if found is not None:
            self._view.detail.show_whole(*found)

    def _ask_for_models(self) -> None:
        self._tasks.start(self._choices.load(None))

    def _export_ledger(self, form: LedgerForm) -> None:
        scope, wanted = self._scope(), self._view.filter.wanted
        if scope is not None:
            ask_where_to_write(
                self._view,
                tr("Export the ledger"),
                "ledger",
                form,
                lambda file: self._tasks.start(self._exporting(scope, wanted, form, file)),
            )

    async def _exporting(
        self, scope: Scope, wanted: LedgerFilter, form: LedgerForm, file: Path
    ) -> None:
        await write_chat_file(file, await self._memories.export_ledger(scope, wanted, form))

    def _fold_again(self, entry_id: str, model: str) -> None:
        self._view.show_folding(entry_id, True)
        self._tasks.start(
            self._folding(entry_id, model or None),
            failed=lambda text: self._view.show_failure(entry_id, text),
        )

    async def _folding(self, entry_id: str, model: str | None) -> None:
        scope = self._scope()
        try:
            await self._memories.fold_again(entry_id, model)
        finally:
            self._view.show_folding(entry_id, False)
        if scope == self._scope():
            self._view.choose_newest()
            self._folded()
