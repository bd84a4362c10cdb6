"""Settings: Embedder."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QScrollArea

from chatty_desktop.domain.agents import Agent
from chatty_desktop.domain.embedder_choice import is_built_in, same_model, switch, with_threshold
from chatty_desktop.domain.embedding import suggested_threshold
from chatty_desktop.domain.episodes import ToEmbed
from chatty_desktop.domain.events import AgentsChanged, EmbeddingProgress, Event, MemoryChanged
from chatty_desktop.domain.settings import EmbedderSettings, Settings
from chatty_desktop.engine.embedding_trial import Trial, try_embedder
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.settings.embedder.change import ChangeCard
from chatty_desktop.ui.settings.embedder.choice import EmbedderChoice
from chatty_desktop.ui.settings.embedder.episodes import EpisodesView
from chatty_desktop.ui.settings.embedder.prefixes import PrefixesForm
from chatty_desktop.ui.settings.embedder.thresholds import Thresholds, unsuited
from chatty_desktop.ui.settings.embedder.trial import TrialView
from chatty_desktop.ui.settings.page import Page, Surroundings
from chatty_desktop.ui.throttle import Throttle

COUNT_MS = 1_000
"""Episodes are counted no more often than this."""


class SettingsPage(Page):
    """Which model embeds, whether it works, what a change does, and what is embedded."""

    def __init__(self, around: Surroundings) -> None:
        super().__init__(around)
        theme = around.theme
        self._present: EmbedderSettings | None = None
        self._wanted: EmbedderSettings | None = None
        self._asking = self._choosing = False
        self._asked = 0
        self.choice = EmbedderChoice(self.app.models, theme)
        self.change = ChangeCard(theme)
        self.trial = TrialView(theme)
        self.prefixes = PrefixesForm(theme)
        self.episodes = EpisodesView(theme)
        self.thresholds = Thresholds()
        column = self.group(
            tr("Which model embeds"),
            tr(
                "The model by which episodic memory finds what was said before: it turns each"
                " message into numbers, and messages that mean something similar get similar ones."
            ),
        )
        for part in (self.choice, self.trial, self.change, self.prefixes):
            column.addWidget(part)
        self.group(
            tr("Episodes"),
            tr(
                "An episode is a message that an agent with episodic memory has kept. Each is found"
                " by the embedder that embedded it."
            ),
        ).addWidget(self.episodes)
        self.group(
            tr("Thresholds of the agents"),
            tr("How near a message must be to be recalled. Scores differ from model to model."),
        ).addWidget(self.thresholds)
        self.close_column()
        self._counting = Throttle(COUNT_MS, self._count, self)
        # In a small window the question is below what can be seen, once it is laid out.
        self._laid_out = QTimer(self, singleShot=True, interval=0)
        self._laid_out.timeout.connect(self._bring_question_into_sight)
        self.choice.chosen.connect(self._chosen)
        self.choice.undecided.connect(self._undecided)
        self.trial.wanted.connect(self._test)
        self.change.change_wanted.connect(self._change)
        self.change.cancelled.connect(self._cancel)
        self.prefixes.changed.connect(self._mark)
        self.episodes.reembed_wanted.connect(self._reembed)
        self.episodes.stop_wanted.connect(self.app.reembedding.stop)
        self.thresholds.wanted.connect(lambda ids: self.tasks.start(self._take_over(ids)))

    # --- what the dialog asks of it ------------------------------------------------------------

    def show_settings(self, settings: Settings) -> None:
        other = settings.embedder != self._present
        self._present = settings.embedder
        if not (self._asking or self._choosing):
            self.choice.show_embedder(settings, self._present)
        elif same_model(self._wanted, self._present):
            self._cancel()
        self._arrange()
        if other:
            self._counting.request()

    def entered(self) -> None:
        self.tasks.start(self.choice.load(self.settings))
        self._counting.request()

    def event_happened(self, event: Event) -> None:
        match event:
            case EmbeddingProgress(done=done, total=total):
                self.episodes.show_progress(done, total)
                if total == 0:
                    self._counting.request()
            case AgentsChanged() | MemoryChanged() if self.isVisible():
                self._counting.request()
            case _:
                pass

    # --- choosing and trying -----------------------------------------------------------------

    def _chosen(self, embedder: EmbedderSettings | None) -> None:
        if same_model(embedder, self._present):
            self._cancel()
        elif not self._asking or not same_model(embedder, self._wanted):
            self._cancel_trial()
            self.change.hide()
            self._asking, self._choosing, self._wanted = True, False, embedder
            self._arrange()
            self.tasks.start(self._weigh(embedder))

    def _undecided(self) -> None:
        """A model is wanted, and none is named yet."""
        self._cancel_trial()
        self._leave()
        self._choosing = True

    def _cancel(self) -> None:
        self._cancel_trial()
        self._leave()
        self.choice.show_embedder(self.settings, self._present)

    def _leave(self) -> None:
        """There is no question any more."""
        self._asking, self._choosing, self._wanted = False, False, None
        self.change.hide()
        self._arrange()

    async def _weigh(self, embedder: EmbedderSettings | None) -> None:
        """Say what a change to it does, and try it; make it at once where there is nothing to
        lose."""
        counts = await self.app.episodes.counts()
        waiting = ToEmbed()
        if embedder is not None:
            waiting = await self.app.episodes.to_embed(embedder.provider, embedder.model, None)
        agents = await self.app.agents.list()
        if not self._asking or not same_model(embedder, self._wanted):
            return
        effect = switch(counts, self._present, embedder, waiting)
        if counts.total == 0:
            self._put(embedder)
        else:
            suggested = suggested_threshold(embedder.model) if embedder else None
            names = [agent.name for agent in agents if unsuited(agent, suggested)]
            self.change.ask(_name(self._present), _name(embedder), effect, names)
            self._laid_out.start()
        if embedder is not None:
            self._try(embedder)

    def _bring_question_into_sight(self) -> None:
        viewport = self.parentWidget()
        area = viewport.parentWidget() if viewport is not None else None
        if isinstance(area, QScrollArea) and self.change.isVisible():
            area.ensureWidgetVisible(self.change)

    def _test(self) -> None:
        embedder = self._wanted if self._asking else self._present
        if embedder is not None:
            self._try(embedder)

    def _cancel_trial(self) -> None:
        self._asked += 1
        self.trial.begin("")

    def _try(self, embedder: EmbedderSettings) -> None:
        self._asked += 1
        self.trial.begin(_name(embedder))
        at = self._asked
        self.tasks.start(self._trying(embedder, at), failed=lambda reason: self._failed(reason, at))

    async def _trying(self, embedder: EmbedderSettings, at: int) -> None:
        trial: Trial = await try_embedder(self.app.embedders.of(embedder))
        if at == self._asked:
            self.trial.show_trial(trial)
            self.change.show_trial(trial)
            self._laid_out.start()

    def _failed(self, reason: str, at: int) -> None:
        if at == self._asked:
            self.trial.show_failure(reason)

    # --- changing ----------------------------------------------------------------------------

    def _put(self, embedder: EmbedderSettings | None) -> None:
        self._leave()
        self.apply(lambda now: now.model_copy(update={"embedder": embedder}))

    def _change(self, reembed: bool) -> None:
        embedder = self._wanted
        self._leave()
        self.say("")
        self.tasks.start(self._changing(embedder, reembed), failed=self._not_changed)

    async def _changing(self, embedder: EmbedderSettings | None, reembed: bool) -> None:
        await self.app.settings.change(lambda now: now.model_copy(update={"embedder": embedder}))
        if reembed:
            # What was under way embeds for the one before.
            await self.app.reembedding.ended()
            self._reembed()

    def _not_changed(self, reason: str) -> None:
        self.choice.show_embedder(self.settings, self._present)
        self.say(reason)

    def _mark(self, query: str | None, text: str | None) -> None:
        def change(now: Settings) -> Settings:
            if now.embedder is None:
                return now
            update = {"query_prefix": query, "text_prefix": text}
            return now.model_copy(update={"embedder": now.embedder.model_copy(update=update)})

        self.apply(change)

    def _arrange(self) -> None:
        """Show what goes with the embedder: the prefixes of one that can be marked."""
        present = self._present
        marked = present is not None and not is_built_in(self.settings, present)
        self.prefixes.setVisible(marked and not self._asking)
        if marked and present is not None:
            self.prefixes.show_embedder(present)
        tried = self._wanted if self._asking else present
        self.trial.setVisible(tried is not None)

    # --- episodes and thresholds ---------------------------------------------------------------

    def _count(self) -> None:
        self.tasks.start(self._counting_all())

    async def _counting_all(self) -> None:
        counts = await self.app.episodes.counts()
        present = self._present
        waiting = 0
        if present is not None:
            waiting = await self.app.episodes.count_unembedded(
                present.provider, present.model, None
            )
        agents = await self.app.agents.list()
        if present == self._present:
            self.episodes.show_counts(counts, present, waiting)
            self.thresholds.show_agents(agents, _name(present), _suggested(present))

    def _reembed(self) -> None:
        self.episodes.problem.say("")
        self.tasks.start(self.app.reembedding.run(), failed=self.episodes.problem.say)

    async def _take_over(self, agent_ids: list[str]) -> None:
        suggested = _suggested(self._present)
        for agent_id in agent_ids:
            agent: Agent | None = await self.app.agents.get(agent_id)
            if agent is None or suggested is None:
                continue
            memory = with_threshold(agent.definition.memory_strategy, suggested)
            definition = agent.definition.model_copy(update={"memory_strategy": memory})
            await self.app.agents.save(definition, agent_id)


def _suggested(embedder: EmbedderSettings | None) -> float | None:
    return suggested_threshold(embedder.model) if embedder is not None else None


def _name(embedder: EmbedderSettings | None) -> str:
    return f"{embedder.provider}/{embedder.model}" if embedder is not None else ""
