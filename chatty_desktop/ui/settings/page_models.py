"""Settings: which models there are, which of them answers, and how each is asked."""

from __future__ import annotations

import asyncio

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from chatty_desktop.domain.models import (
    Findings,
    ProbeStep,
    with_model,
    with_options,
    without_model,
)
from chatty_desktop.domain.requests import SAMPLING, ModelChoice
from chatty_desktop.domain.settings import Settings
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.pieces import Problem, TextButton, row_list
from chatty_desktop.ui.settings.models.adding import AddModel
from chatty_desktop.ui.settings.models.asking import Offers
from chatty_desktop.ui.settings.models.choosing import ChosenModels
from chatty_desktop.ui.settings.models.delegate import ModelDelegate
from chatty_desktop.ui.settings.models.form import ModelForm
from chatty_desktop.ui.settings.models.rows import Heading, ModelRow, ModelRows, Row, found
from chatty_desktop.ui.settings.page import Page, Surroundings
from chatty_desktop.ui.tokens import S

_TALLEST = 300
"""Height of the list in pixels before it scrolls."""

_FEW = 8
"""So many models are found without a search."""


class SettingsPage(Page):
    """Pickers, the list of models, and the form of the one that is chosen in it.

    chosen: the two pickers. offers: what the providers have. search, list, rows: over all models,
    and what is in the list. down: the remarks on providers that could not be asked, by id. add:
    names a model by hand. form: of the model that is chosen in the list.
    """

    def __init__(self, around: Surroundings) -> None:
        super().__init__(around)
        self.offers = Offers(self.app, self.tasks, self)
        self._found: dict[str, Findings] = {}
        self._steps: dict[str, ProbeStep] = {}
        self._failed: dict[str, str] = {}
        self._probes: dict[str, asyncio.Task[None]] = {}
        self.down: dict[str, _Down] = {}
        self._reference = ""
        self.chosen = ChosenModels(self.app.models, self.theme)
        self.group(tr("In use")).addWidget(self.chosen)
        self._models = self.group(
            tr("All models"), tr("The star marks the one for chats. Choose a model to set it up.")
        )
        self.search = QLineEdit()
        self.search.setPlaceholderText(tr("Search models"))
        self.search.setAccessibleName(tr("Search models"))
        self.search.setClearButtonEnabled(True)
        self.rows = ModelRows()
        self._delegate = ModelDelegate(self.theme)
        self.list = row_list(tr("Models"), self.rows, self._delegate)
        self.list.setUniformItemSizes(False)
        self.list.setProperty("panel", "framed")
        self.add = AddModel(self.theme)
        self.form = ModelForm(self.theme)
        self._troubles = QVBoxLayout()
        self._troubles.setSpacing(S)
        self._models.addLayout(self._troubles)
        for widget in (self.search, self.list, self.add):
            self._models.addWidget(widget)
        self.column.addWidget(self.form)
        self.close_column()
        self._connect()

    def show_settings(self, settings: Settings) -> None:
        self.chosen.show_settings(settings)
        self.add.show_settings(settings)
        self.offers.follow(settings)
        self._draw()

    def entered(self) -> None:
        self.offers.ask_all()

    def _connect(self) -> None:
        self.offers.changed.connect(self._draw)
        self.chosen.chosen.connect(self._choose)
        self.chosen.titles_wanted.connect(self._name_chats)
        self.chosen.at_once_set.connect(self._run_at_once)
        self.search.textChanged.connect(self._draw)
        self.list.selectionModel().currentChanged.connect(self._select)
        self._delegate.starred.connect(lambda ref: self._choose("default_model", ref))
        self.add.added.connect(self._add)
        self.form.option_set.connect(self._set_option)
        self.form.reset.connect(self._reset)
        self.form.made_default.connect(lambda: self._choose("default_model", self._reference))
        self.form.removed.connect(self._remove)
        self.form.abilities.wanted.connect(self._find_out)
        self.form.abilities.stopped.connect(self._stop)
        self.theme.changed.connect(self._fit)

    # --- drawing -----------------------------------------------------------------------------

    def _draw(self) -> None:
        """Draw what is known now: the list, what cannot be asked, the form."""
        offered = list(self.offers.rows(self.settings))
        self.chosen.offer(
            [
                ModelChoice(row.reference, row.label, row.provider, row.kind, row.there is True)
                for _entry, models in offered
                for row in models
            ]
        )
        count = sum(len(models) for _entry, models in offered)
        self.search.setVisible(count > _FEW or bool(self.search.text()))
        rows: list[Row] = []
        for entry, models in offered:
            shown = found(models, self.search.text())
            if shown or not self.search.text():
                rows.append(Heading(entry.id, self._state(entry.id, bool(models))))
            rows += shown
        if self.rows.show_rows(rows):
            self._fit()
            self._keep_selected()
        self._show_troubles()
        self._show_form()

    def _state(self, provider_id: str, any_models: bool) -> str:
        if provider_id in self.offers.asking and not any_models:
            return tr("asking …")
        if provider_id in self.offers.problems:
            return tr("not reached")
        return "" if any_models else tr("no models")

    def _show_troubles(self) -> None:
        """A remark for each provider that could not be asked."""
        problems = self.offers.problems
        for gone in [name for name in self.down if name not in problems]:
            self.down[gone].hide()
            self.down.pop(gone).deleteLater()
        for name, problem in problems.items():
            if name not in self.down:
                self.down[name] = down = _Down(self, name)
                down.retry.clicked.connect(lambda _checked, name=name: self.offers.ask(name))
                self._troubles.addWidget(down)
            self.down[name].say(problem)
            self.down[name].retry.setEnabled(name not in self.offers.asking)

    def _keep_selected(self) -> None:
        """Choose the same model again, else the default one, else the first."""
        index = self.rows.index_of(self._reference)
        if not index.isValid():
            index = self.rows.index_of(self.settings.default_model or "")
        models = self.rows.models()
        if not index.isValid() and models:
            index = self.rows.index_of(models[0].reference)
        self.list.setCurrentIndex(index)

    def _show_form(self) -> None:
        row = self.rows.row(self.rows.index_of(self._reference))
        self.form.setVisible(isinstance(row, ModelRow))
        if isinstance(row, ModelRow):
            self.form.show_model(row, self._found.get(row.reference))
            self.form.abilities.show_step(self._steps.get(row.reference))
            self.form.abilities.problem.say(self._failed.get(row.reference, ""))

    def _fit(self) -> None:
        """As high as its rows, up to a limit."""
        high = 2 * S
        for number in range(self.rows.rowCount()):
            high += self.list.sizeHintForRow(number)
            if high > _TALLEST:
                break
        self.list.setFixedHeight(min(high, _TALLEST))

    def _select(self) -> None:
        row = self.rows.row(self.list.currentIndex())
        reference = row.reference if isinstance(row, ModelRow) else ""
        if reference == self._reference:
            return
        self._reference = reference
        self._show_form()
        if reference:
            self.offers.ask_about(reference)

    # --- what is done ------------------------------------------------------------------------

    def _choose(self, use: str, reference: str | None) -> None:
        field = next((f for name, f in self.chosen.fields.items() if name == use), None)
        self.apply(lambda settings: settings.model_copy(update={use: reference}), field)

    def _name_chats(self, wanted: bool) -> None:
        self.apply(lambda settings: settings.model_copy(update={"automatic_titles": wanted}))

    def _run_at_once(self, agents: int) -> None:
        self.apply(lambda settings: settings.model_copy(update={"graph_nodes_at_once": agents}))

    def _set_option(self, name: str, value: float | None) -> None:
        reference = self._reference
        self.apply(
            lambda settings: with_options(settings, reference, **{name: value}),
            self.form.fields.get(name),
        )

    def _reset(self) -> None:
        reference = self._reference
        nothing = dict.fromkeys([*SAMPLING, "context_length"])
        self.apply(lambda settings: with_options(settings, reference, **nothing))

    def _add(self, reference: str) -> None:
        self._reference = reference
        self.search.clear()
        self.apply(lambda settings: with_model(settings, reference))

    def _remove(self) -> None:
        reference = self._reference
        self._found.pop(reference, None)
        self.apply(lambda settings: without_model(settings, reference))

    # --- finding out -------------------------------------------------------------------------

    def _find_out(self) -> None:
        reference = self._reference
        if reference in self._probes:
            return
        self._failed.pop(reference, None)
        task = self.tasks.start(
            self._probe(reference), failed=lambda reason: self._not_found_out(reference, reason)
        )
        self._probes[reference] = task
        task.add_done_callback(lambda _task: self._ended(reference))

    def _stop(self) -> None:
        if task := self._probes.get(self._reference):
            task.cancel()

    async def _probe(self, reference: str) -> None:
        def tell(step: ProbeStep) -> None:
            self._steps[reference] = step
            self._show_form()

        found_out = await self.app.probing.find_out(reference, tell)
        self._found[reference] = found_out
        self.offers.learn(reference, found_out.card)

    def _not_found_out(self, reference: str, reason: str) -> None:
        self._failed[reference] = reason

    def _ended(self, reference: str) -> None:
        self._probes.pop(reference, None)
        self._steps.pop(reference, None)
        self._show_form()


class _Down(Problem):
    """Why a provider could not be asked, and the button to ask it again."""

    def __init__(self, page: Page, provider_id: str, parent: QWidget | None = None) -> None:
        super().__init__(page.theme, "warning", parent=parent)
        self.retry = TextButton(tr("Try again"))
        self.retry.setAccessibleName(tr("Ask {provider} again", provider=provider_id))
        layout = self.layout()
        assert layout is not None
        layout.addWidget(self.retry)
        layout.setAlignment(self.retry, Qt.AlignmentFlag.AlignTop)
