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
KEYWORDS = {"tr": 1, "N_": 1, "trn": 2}
"""Functions, and how many of their first arguments are texts."""


def source() -> Catalog:
    """Every text of the window, as the code has it now, and what models are for."""
    catalog = Catalog(project="Chatty Desktop", charset="utf-8", fuzzy=False)
    for file in sorted(CODE.rglob("*.py")):
        for text in texts(file.read_text("utf-8")):
            # Without the line: every edit of the code would change the catalogues.
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
