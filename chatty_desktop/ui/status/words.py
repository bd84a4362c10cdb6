"""How the model that answers stands, in words."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath

from chatty_desktop.domain.engines import LoadedModel
from chatty_desktop.domain.standing import Standing
from chatty_desktop.ui.language import tr, translated
from chatty_desktop.ui.tokens import Tone


@dataclass(frozen=True, slots=True)
class Said:
    """What a part of the line says. `page`: the page of the settings that it opens."""

    words: str
    icon: str
    tone: Tone
    story: str
    page: str


def said(
    standing: Standing | None, agent: str, loaded: LoadedModel | None, answering: bool
) -> Said:
    """The model of an agent of that name. `standing` None: not asked yet. `loaded`: what the
    local engine holds of it. `answering`: in the chat that is open."""
    if standing is None:
        words = tr("Asking for the model …")
        return Said(words, "circle-dashed", "muted", words, "providers")
    if standing.reference is None:
        story = tr(
            "No model can answer: {agent} names none, there is no default model, and no provider"
            " of the settings answered.",
            agent=agent,
        )
        return Said(tr("No model answers"), "warning-circle", "danger", story, "providers")
    local = standing.kind == "llama_cpp"
    page = "engine" if local and not standing.problem else "providers"
    name = _name(standing.reference, local)
    state, icon, tone, more = _state(standing, loaded, answering)
    lines = [standing.reference, _why(standing, agent), more]
    words = tr("{model} · {state}", model=name, state=state)
    return Said(words, icon, tone, "\n".join(line for line in lines if line), page)


def _name(reference: str, local: bool) -> str:
    provider_id, _, name = reference.partition("/")
    if local:
        name = tr("Starter model") if name == "starter" else PurePath(name).stem
    return tr("{model} ({provider})", model=name, provider=provider_id)


def _why(standing: Standing, agent: str) -> str:
    if standing.chosen_by == "agent":
        return tr("It is the model of {agent}.", agent=agent)
    if standing.chosen_by == "default":
        return tr("It is the default model; {agent} names none.", agent=agent)
    return tr(
        "It is the first model available: {agent} names none, and there is no default.",
        agent=agent,
    )


def _state(
    standing: Standing, loaded: LoadedModel | None, answering: bool
) -> tuple[str, str, Tone, str]:
    if standing.problem:
        return tr("cannot answer"), "warning-circle", "danger", translated(standing.problem)
    if loaded is not None and loaded.state == "loading":
        return tr("loading …"), "spinner-gap", "accent", tr("It is being loaded into memory.")
    if answering:
        return tr("answering"), "chat-circle-dots", "accent", ""
    if standing.kind == "llama_cpp":
        return _local_state(loaded)
    if not standing.listed:
        more = tr("Its server is up but does not list this model. It may know it all the same.")
        return tr("not listed"), "warning", "warning", more
    return tr("ready"), "check-circle", "success", tr("Its server is up.")


def _local_state(loaded: LoadedModel | None) -> tuple[str, str, Tone, str]:
    if loaded is None:
        more = tr("It is loaded into memory with the next message.")
        return tr("not loaded"), "circle-dashed", "muted", more
    if loaded.state == "busy":
        more = tr("It works for memory or for another chat.")
        return tr("at work"), "gear-six", "accent", more
    return tr("ready"), "check-circle", "success", tr("It is loaded.")
