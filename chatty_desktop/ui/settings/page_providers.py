"""Settings: Providers."""

from __future__ import annotations

import asyncio
from typing import Any

from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.events import Event, KeyChanged
from chatty_desktop.domain.keys import KeyState
from chatty_desktop.domain.provider_tests import ProviderTest
from chatty_desktop.domain.provider_use import added, in_order
from chatty_desktop.domain.settings import ProviderSettings, Settings
from chatty_desktop.ui.language import N_, tr
from chatty_desktop.ui.pieces import Problem
from chatty_desktop.ui.settings.page import Page, Surroundings
from chatty_desktop.ui.settings.providers.adding import Adding
from chatty_desktop.ui.settings.providers.card import ProviderCard
from chatty_desktop.ui.settings.providers.form import ProviderForm
from chatty_desktop.ui.settings.providers.keeping import KeyKeeping
from chatty_desktop.ui.settings.providers.list import ProviderList
from chatty_desktop.ui.settings.providers.new import NewProvider, name_problem
from chatty_desktop.ui.settings.providers.parting import Parting
from chatty_desktop.ui.settings.providers.renaming import Renaming
from chatty_desktop.ui.settings.providers.trying import Trials

NO_KEYRING = N_("This computer has no keyring that the app can use.")
"""What the keyring says of itself, marked here for the translators."""


class SettingsPage(Page):
    """Where models come from: who is there, in which order, and whether they answer."""

    def __init__(self, around: Surroundings) -> None:
        super().__init__(around)
        self.keys: dict[str, KeyState] = {}
        self.forms: dict[str, ProviderForm] = {}
        self._shown: dict[str, ProviderSettings] = {}
        self._checks: dict[str, asyncio.Task[None]] = {}
        self._trials = Trials(around.app, around.tasks, self)
        self._trials.ended.connect(self._tried)
        self.report = Problem(around.theme, "accent", "info")
        self.keyring = Problem(around.theme, "accent", "key")
        self.list = ProviderList(around.theme)
        self.list.card_added.connect(self._dress_card)
        self.list.order_changed.connect(self._put_in_order)
        self.adding = Adding(around.theme, lambda: list(self._shown))
        self.adding.opened.connect(self._dress_new)
        self.adding.closed.connect(lambda new: self._trials.stop(new.form))
        self._keeping = KeyKeeping(self, around.app, around.tasks)
        self._renaming = Renaming(self, around.app, around.tasks)
        self._parting = Parting(self, around.app, around.tasks)
        self._renaming.done.connect(self.report.say)
        self._parting.done.connect(self.report.say)
        self._parting.failed.connect(self.say)
        column = self.group(
            tr("Where models come from"),
            tr(
                "This computer, Ollama, a server of your own, or a service that gives you an"
                " address and a key. Where no other model is named, the first that answers serves,"
                " from top to bottom."
            ),
        )
        for part in (self.report, self.keyring, self.list, self.adding):
            column.addWidget(part)
        self.close_column()

    # --- what the dialog asks of it ------------------------------------------------------------

    def show_settings(self, settings: Settings) -> None:
        entries = {entry.id: entry for entry in settings.providers}
        self._follow_names(entries)
        self.list.show_ids(list(entries))
        for name in self._shown.keys() - entries.keys():
            self._forget(name)
        for name, entry in entries.items():
            self.list.cards[name].show_provider(entry, self.keys.get(name))
            if form := self.forms.get(name):
                form.show_entry(entry)
            if self.isVisible() and self._shown.get(name) != entry:
                self._look(name, entry)
        self._shown = entries

    def entered(self) -> None:
        for name, entry in self._shown.items():
            self._look(name, entry)
        self.tasks.start(self._look_for_keyring())

    def event_happened(self, event: Event) -> None:
        if isinstance(event, KeyChanged) and self.isVisible():
            entry = self._shown.get(event.provider_id)
            if entry is not None:
                self._look(event.provider_id, entry)

    # --- how they are --------------------------------------------------------------------------

    def _look(self, name: str, entry: ProviderSettings) -> None:
        """Ask a provider, and where its key comes from."""
        if earlier := self._checks.pop(name, None):
            earlier.cancel()
        self.list.cards[name].show_checking()
        self._checks[name] = self.tasks.start(self._check(entry))

    async def _check(self, entry: ProviderSettings) -> None:
        if entry.kind != "llama_cpp":
            self.keys[entry.id] = state = await self.app.keys.state(entry.id)
            if card := self.list.cards.get(entry.id):
                card.show_provider(entry, state)
            if form := self.forms.get(entry.id):
                form.key.show_state(state, keyring=self._has_keyring)
        test = await self.app.models.test(entry, thorough=False)
        if card := self.list.cards.get(entry.id):
            card.show_test(test)

    @property
    def _has_keyring(self) -> bool:
        return not self.keyring.text()

    async def _look_for_keyring(self) -> None:
        trouble = await self.app.keys.keyring_trouble()
        if trouble:
            trouble = tr(
                "{trouble} A key can come from an environment variable, CHATTY_KEY_ and the name of"
                " its provider, or be kept in a file that only you can read, if you agree.",
                trouble=tr(trouble),
            )
        self.keyring.say(trouble)
        for name, form in self.forms.items():
            form.key.show_state(self.keys.get(name), keyring=not trouble)
        if self.adding.new is not None:
            self.adding.new.form.key.show_state(None, keyring=not trouble)

    def _forget(self, name: str) -> None:
        """A provider is gone."""
        if check := self._checks.pop(name, None):
            check.cancel()
        if form := self.forms.pop(name, None):
            self._trials.stop(form)
        self.keys.pop(name, None)

    # --- one of them ---------------------------------------------------------------------------

    def _dress_card(self, name: str) -> None:
        card = self.list.cards[name]
        card.edit_toggled.connect(lambda wanted: self._edit(card, wanted))
        card.check_wanted.connect(lambda: self._check_again(card))
        card.delete_wanted.connect(lambda: self._delete(card))

    def _check_again(self, card: ProviderCard) -> None:
        name = self.list.name_of(card)
        self._look(name, self._shown[name])

    def _delete(self, card: ProviderCard) -> None:
        self._clear()
        self._parting.ask(self.list.name_of(card))

    def _edit(self, card: ProviderCard, wanted: bool) -> None:
        name = self.list.name_of(card)
        if not wanted:
            if form := self.forms.pop(name, None):
                self._trials.stop(form)
            card.fold()
            return
        for other in self.list.cards.values():
            if other is not card:
                other.edit.setChecked(False)
        form = ProviderForm(self.theme, self._shown[name].kind, saves_key=True)
        form.show_entry(self._shown[name])
        form.key.show_state(self.keys.get(name), keyring=self._has_keyring)
        card.unfold(form)
        self.forms[name] = form
        form.address_written.connect(lambda: self._put_address(form))
        form.context_written.connect(lambda: self._put_context(form))
        form.name_written.connect(lambda: self._rename(form))
        form.key.save_wanted.connect(
            lambda key: self._keeping.store(self._name_of(form), key, form.key)
        )
        form.key.forget_wanted.connect(lambda: self._keeping.forget(self._name_of(form), form.key))
        form.page_wanted.connect(self.page_wanted)
        form.trial.wanted.connect(lambda: self._try(form))
        form.trial.stopped.connect(lambda: self._trials.stop(form))
        form.edited.connect(lambda: self._trials.stop(form))
        first = form.name_line if self._shown[name].kind == "llama_cpp" else form.address_line
        first.setFocus()

    def _name_of(self, form: ProviderForm) -> str:
        """The name of the provider that a form is of; it may be called otherwise by now."""
        return next((name for name, other in self.forms.items() if other is form), "")

    def _put_address(self, form: ProviderForm) -> None:
        name, address = self._name_of(form), form.written_address()
        entry = self._shown.get(name)
        if entry is None or entry.base_url == address:
            form.address.say("")
            return
        if address is None and entry.kind == "openai":
            # Left empty it would be OpenAI's own: no place to send a chat to by mistake.
            form.address.say(tr("Write the address of the server."))
            return
        if self._is_usable(entry.model_copy(update={"base_url": address}), form):
            self._put(name, form, "base_url", address)

    def _put_context(self, form: ProviderForm) -> None:
        name, context = self._name_of(form), form.written_context()
        entry = self._shown.get(name)
        if entry is not None and form.fits() and entry.context_length != context:
            self._put(name, form, "context_length", context)

    def _put(self, name: str, form: ProviderForm, what: str, value: object) -> None:
        def change(now: Settings) -> Settings:
            entry = now.provider(name)
            if entry is None:
                raise Invalid(tr("The provider {name} is no longer there.", name=name))
            return now.with_provider(entry.model_copy(update={what: value}))

        self._clear()
        self.apply(change, form.address if what == "base_url" else form.context)

    def _rename(self, form: ProviderForm) -> None:
        old, new = self._name_of(form), form.written_name()
        if new == old or old not in self._shown:
            form.name.say("")
            return
        problem = name_problem(new, self._shown.keys())
        form.name.say(problem)
        if not problem:
            self._clear()
            self._renaming.ask(old, new, form)

    def _follow_names(self, entries: dict[str, ProviderSettings]) -> None:
        """A provider that was renamed here keeps its card and its open form."""
        if self._renaming.under_way is None:
            return
        old, new = self._renaming.under_way
        if new in entries and old not in entries and old in self._shown:
            self.list.rename(old, new)
            everything: tuple[dict[str, Any], ...] = (
                self.forms,
                self.keys,
                self._shown,
                self._checks,
            )
            for named in everything:
                if old in named:
                    named[new] = named.pop(old)

    def _put_in_order(self, ids: list[str]) -> None:
        self._clear()
        self.apply(lambda now: in_order(now, ids))

    # --- a new one -----------------------------------------------------------------------------

    def _dress_new(self, new: NewProvider) -> None:
        self._clear()
        form = new.form
        form.key.show_state(None, keyring=self._has_keyring)
        form.page_wanted.connect(self.page_wanted)
        form.trial.wanted.connect(
            lambda: self._trials.begin(form, new.written(), new.written_key())
        )
        form.trial.stopped.connect(lambda: self._trials.stop(form))
        form.edited.connect(lambda: self._trials.stop(form))
        new.add_wanted.connect(lambda entry, key: self._add(entry, key, new))

    def _add(self, entry: ProviderSettings, key: str, new: NewProvider) -> None:
        if self._is_usable(entry, new.form):
            self._clear()
            self.tasks.start(self._adding(entry, key), failed=new.form.name.say)

    async def _adding(self, entry: ProviderSettings, key: str) -> None:
        await self.app.settings.change(lambda now: added(now, entry))
        self.adding.close_form()
        if key:
            self._keeping.store(entry.id, key, None)

    # --- trying out ----------------------------------------------------------------------------

    def _try(self, form: ProviderForm) -> None:
        self._trials.begin(form, form.written(self._name_of(form)), form.key.typed())

    def _tried(self, entry: ProviderSettings, key: str | None, test: ProviderTest) -> None:
        """What was tried as it is in the settings says how the provider is, too."""
        if key is None and self._shown.get(entry.id) == entry:
            self.list.cards[entry.id].show_test(test)

    def _is_usable(self, entry: ProviderSettings, form: ProviderForm) -> bool:
        """Whether an address could be one; says so beside the field where not."""
        try:
            self.app.models.check(entry)
        except Invalid as error:
            form.address.say(str(error))
            return False
        form.address.say("")
        return True

    def _clear(self) -> None:
        """Take away what was said of the last thing done."""
        self.report.say("")
        self.say("")
