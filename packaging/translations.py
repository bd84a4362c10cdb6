"""Bring the catalogues up to date with the texts in the code and compile them.

    python packaging/translations.py

New texts come into each `chatty.po` untranslated, texts that are gone leave it, and what is
translated becomes the `chatty.mo` beside it, which the app reads. Says what is still to translate
and exits with 1 then.
"""

from __future__ import annotations

import ast
import io
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "resources" / "translations"
MODELS = ROOT / "resources" / "catalogue.json"
CODE = ROOT / "chatty_desktop" / "ui"
FOR_MODELS = {
    "domain/exporting.py",
    "domain/questions.py",
    "domain/titles.py",
    "engine/embedding_trial.py",
    "providers/probing.py",
}
"""Files whose texts go to models or into files, not into the window."""

BELOW = [
    file
    for name in ("app.py", "domain", "engine", "providers", "storage")
    for file in sorted((ROOT / "chatty_desktop" / name).rglob("*.py"))
    or [ROOT / "chatty_desktop" / name]
    if "tools" not in file.parts and "/".join(file.parts[-2:]) not in FOR_MODELS
]
"""Where texts stand as they are, without a mark."""

WITH_PIECES = {
    "agents.py",
    "causes.py",
    "download_address.py",
    "episodic.py",
    "extracting.py",
    "failures.py",
    "gguf.py",
    "grounding.py",
    "json_text.py",
    "ledger.py",
    "restoring.py",
    "run_warnings.py",
    "semantic.py",
    "state.py",
    "strategies.py",
    "summarized.py",
    "transfer.py",
}
"""The files with reasons as a part of a sentence."""

_SENTENCE = re.compile(r"([A-Z](?![A-Z]{2})|\{0\}:? \S+ \S).*\s.*([.?!…]|\{\d\})$", re.DOTALL)
_PIECE = re.compile(r"^(?!PRAGMA).*[A-Za-z]{2}.* .*[a-z]{2}|^(\{0\}|1) [a-z]{4,}", re.DOTALL)

KEYWORDS = {"tr": 1, "N_": 1, "trn": 2}
"""Functions, and how many of their first arguments are texts."""


def source() -> Catalog:
    """Every text of the window, as the code has it now, and what models are for."""
    catalog = Catalog(project="Chatty Desktop", charset="utf-8", fuzzy=False)
    for file in sorted(CODE.rglob("*.py")):
        for text in texts(file.read_text("utf-8")):
            # Without the line: every edit of the code would change the catalogues.
            catalog.add(text, locations=[(file.relative_to(ROOT).as_posix(), 0)])
    for file in BELOW:
        for text in texts_below(file.read_text("utf-8"), pieces=file.name in WITH_PIECES):
            catalog.add(text, locations=[(file.relative_to(ROOT).as_posix(), 0)])
    for model in json.loads(MODELS.read_text("utf-8"))["models"]:
        catalog.add(model["purpose"], locations=[(f"resources/{MODELS.name}", 0)])
    return catalog


def texts(code: str) -> Iterator[str | tuple[str, str]]:
    """The texts that `tr` and `N_` are called with, and the pairs of `trn`. Read from the syntax
    tree: Babel's own reader of Python does not look into f-strings before Python 3.12."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            wanted = KEYWORDS.get(node.func.id, 0)
            found = [
                str(each.value) for each in node.args[:wanted] if isinstance(each, ast.Constant)
            ]
            if wanted and len(found) == wanted and all(found):
                yield found[0] if wanted == 1 else (found[0], found[1])


def texts_below(code: str, *, pieces: bool = False) -> Iterator[str]:
    """The sentences in code that is not the ui's: errors, notices, reasons; with `pieces` also what
    is put into sentences. `{0}`, `{1}` stand in them for what is put in. Docstrings, assertions
    and the log's own texts are left out."""
    waiting: list[ast.AST] = [ast.parse(code)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.JoinedStr | ast.Constant):
            text = _as_text(node)
            if _is_sentence(text) or (pieces and len(text) < 150 and _PIECE.search(text)):
                yield text
        elif not _unread(node):
            waiting += ast.iter_child_nodes(node)


def _is_sentence(text: str) -> bool:
    words = re.findall(r"[A-Za-z]{2,}", text)
    return _SENTENCE.match(text) is not None and (len(words) > 1 or "." in text)


def _as_text(node: ast.JoinedStr | ast.Constant) -> str:
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    found, places = "", 0
    for part in parts:
        if isinstance(part, ast.Constant):
            value = part.value if isinstance(part.value, str) else ""
            found += value.replace("{", "{{").replace("}", "}}")
        else:
            found += f"{{{places}}}"
            places += 1
    return found.strip()


def _unread(node: ast.AST) -> bool:
    """Whether no person reads what is in it."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.Call):
        called = node.func
        logs = isinstance(called, ast.Attribute) and ast.unparse(called.value) == "log"
        looks = isinstance(called, ast.Attribute) and called.attr in ("removeprefix", "startswith")
        return (
            logs
            or looks
            or ast.unparse(called) in ("ToolSpec", "ChatMessage", "cast", "re.compile", "text")
        )
    return isinstance(node, ast.Assert)


def catalogues() -> list[Path]:
    """The .po file of each language."""
    return sorted(FOLDER.glob("*/LC_MESSAGES/chatty.po"))


def read(file: Path) -> Catalog:
    with file.open("rb") as stream:
        return read_po(stream, locale=file.parts[-3])


def compiled(catalog: Catalog) -> bytes:
    """The .mo file of a catalogue."""
    stream = io.BytesIO()
    write_mo(stream, catalog)
    return stream.getvalue()


def entries(catalog: Catalog) -> Iterator[Message]:
    """Its messages, without the header."""
    return (message for message in catalog if message.id)


def untranslated(catalog: Catalog) -> list[str]:
    """The texts that have no translation, or a guess that nobody has looked at."""
    return [
        str(message.id)
        for message in entries(catalog)
        if message.fuzzy
        or not (all(message.string) if isinstance(message.string, tuple) else message.string)
    ]


def main() -> int:
    texts = source()
    missing = 0
    for file in catalogues():
        catalog = read(file)
        catalog.update(texts, no_fuzzy_matching=True, update_creation_date=False)
        catalog.obsolete.clear()
        catalog.msgid_bugs_address = ""
        # Else the day of every run would stand in it.
        catalog.revision_date = catalog.creation_date
        with file.open("wb") as stream:
            write_po(stream, catalog, width=100, sort_output=True, omit_header=False)
        file.with_suffix(".mo").write_bytes(compiled(catalog))
        for text in untranslated(catalog):
            missing += 1
            print(f"{file.parts[-3]}: not translated: {text}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
