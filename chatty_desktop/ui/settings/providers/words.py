"""What the page of the providers says of kinds, keys and uses."""

from __future__ import annotations

from dataclasses import dataclass

from chatty_desktop.domain.keys import KeyState
from chatty_desktop.domain.provider_tests import ProviderTest
from chatty_desktop.domain.provider_use import ProviderUse
from chatty_desktop.domain.settings import ProviderKind, ProviderSettings
from chatty_desktop.ui.language import N_, tr, trn

OLLAMA_ADDRESS = "http://127.0.0.1:11434"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of provider as a person knows it. `name` is what a new one is called."""

    kind: ProviderKind
    title: str
    hint: str
    icon: str
    name: str


KINDS = (
    Kind(
        "openai",
        N_("A server that speaks OpenAI's API"),
        N_(
            "Most programs and services do: LM Studio, llama.cpp, vLLM, Jan, OpenRouter, OpenAI"
            " itself. You need its address, and a key if it asks for one."
        ),
        "globe",
        "server",
    ),
    Kind(
        "ollama",
        N_("Ollama"),
        N_("The program of that name, on this computer or on another one in your network."),
        "hard-drives",
        "ollama",
    ),
    Kind(
        "llama_cpp",
        N_("On this computer"),
        N_("The app runs model files itself. No other program is needed, and nothing is sent."),
        "cpu",
        "local",
    ),
)


@dataclass(frozen=True, slots=True)
class KnownAddress:
    """Where a server usually is, and what to call the provider."""

    title: str
    address: str
    name: str


KNOWN_ADDRESSES = (
    KnownAddress("LM Studio", "http://127.0.0.1:1234/v1", "lm-studio"),
    KnownAddress("llama.cpp", "http://127.0.0.1:8080/v1", "llama-cpp"),
    KnownAddress("vLLM", "http://127.0.0.1:8000/v1", "vllm"),
    KnownAddress("Jan", "http://127.0.0.1:1337/v1", "jan"),
    KnownAddress("KoboldCpp", "http://127.0.0.1:5001/v1", "koboldcpp"),
    KnownAddress("OpenRouter", "https://openrouter.ai/api/v1", "openrouter"),
    KnownAddress("OpenAI", "https://api.openai.com/v1", "openai"),
    KnownAddress("Mistral", "https://api.mistral.ai/v1", "mistral"),
    KnownAddress("Groq", "https://api.groq.com/openai/v1", "groq"),
)


def kind_of(entry: ProviderSettings) -> Kind:
    return next(kind for kind in KINDS if kind.kind == entry.kind)


def where(entry: ProviderSettings) -> str:
    """The kind and the address in a few words."""
    if entry.kind == "llama_cpp":
        return tr("Model files, run by the app")
    if entry.kind == "ollama":
        return f"{tr('Ollama')} · {entry.base_url or OLLAMA_ADDRESS}"
    return entry.base_url or "https://api.openai.com/v1"


def key_words(state: KeyState) -> str:
    """Where a key comes from, "" where there is none."""
    if state.source == "environment":
        return tr("key from {variable}", variable=state.variable)
    if state.source == "keyring":
        return tr("key in the keyring")
    return tr("key in a private file") if state.source == "file" else ""


def works(test: ProviderTest) -> str:
    """What came of a test that went well, in one line."""
    if test.lists:
        said = trn("{count} model", "{count} models", len(test.models))
    else:
        said = tr("no list of models")
    if not test.address:
        return said
    return f"{said} · {tr('{count} ms', count=test.milliseconds)}"


def goes_along(use: ProviderUse, key: bool) -> list[str]:
    """What a renamed provider takes along, part by part."""
    parts = [tr("the default model")] if use.default_model else []
    parts += [tr("the model for memory")] if use.extractor else []
    parts += [tr("the embedder")] if use.embedder else []
    if use.agents:
        parts.append(agents_words(use))
    parts += [tr("the key")] if key else []
    return parts


def agents_words(use: ProviderUse) -> str:
    """The agents that name a provider: how many, and the first of them."""
    shown = ", ".join(use.agents[:3]) + (" …" if len(use.agents) > 3 else "")
    return trn("{count} agent ({names})", "{count} agents ({names})", len(use.agents), names=shown)


def removal(use: ProviderUse) -> str:
    """What a removal does, a sentence for each thing that depends on the provider."""
    lines: list[str] = []
    if use.default_model:
        lines.append(
            tr("The default model is one of its: the first provider that answers takes its place.")
        )
    if use.extractor:
        lines.append(
            tr("The model for memory is one of its: the first provider that answers stands in.")
        )
    if use.embedder:
        lines.append(
            tr("It embeds: without it no episodes are recalled. They are kept, and none is lost.")
        )
    if use.agents:
        lines.append(
            tr(
                "{agents} named a model of it. They keep that name, and cannot answer until they"
                " get another model or the provider is back.",
                agents=agents_words(use),
            )
        )
    return "\n\n".join(lines) or tr("Nothing else names it.")
