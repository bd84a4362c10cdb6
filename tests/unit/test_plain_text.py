"""No place of the window lets Qt take foreign text for HTML, which loads what it names."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import chatty_desktop

UI = Path(chatty_desktop.__file__).parent / "ui"

LABELS = {"plain.py"}
BOXES = {"questions.py", "desktop.py"}
HTML = {"chat/body.py", "chat/copying.py", "guide/window.py"}
"""Where the rendered Markdown of a message is drawn, where it is copied, which draws nothing, and
our own pages."""


def sniffing(tree: ast.AST, name: str) -> Iterator[str]:
    """The lines of a file that hand Qt a text it would look into for HTML."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name("QLabel")) if name not in LABELS:
                yield f"{name}:{node.lineno}: QLabel, not Label"
            case ast.ClassDef(bases=[ast.Name("QLabel"), *_]) if name not in LABELS:
                yield f"{name}:{node.lineno}: QLabel, not Label"
            case ast.Call(func=ast.Name("QMessageBox")) if name not in BOXES:
                yield f"{name}:{node.lineno}: QMessageBox, not ask or confirm"
            case ast.Call(func=ast.Attribute(attr="setHtml" | "insertHtml" | "setMarkdown")):
                if name not in HTML:
                    yield f"{name}:{node.lineno}: HTML"
            case ast.Call(func=ast.Attribute(attr="setTextFormat"), args=[given]):
                if "PlainText" not in ast.unparse(given):
                    yield f"{name}:{node.lineno}: a label of rich text"
            case ast.Call(func=ast.Attribute(attr="setToolTip" | "setStatusTip" | "setWhatsThis")):
                if not is_plain(node.args[-1]):
                    yield f"{name}:{node.lineno}: a tooltip without tip()"
            case ast.Call(func=ast.Attribute(attr="showText"), args=[_, given, *_]):
                if not (is_plain(given) or ast.unparse(given).endswith(".toolTip()")):
                    yield f"{name}:{node.lineno}: a tooltip without tip()"
            case ast.Call(func=ast.Attribute(attr="setItemData" | "setData"), args=args):
                if _is_of_tooltips(*args) and not any(is_plain(given) for given in args):
                    yield f"{name}:{node.lineno}: a tooltip without tip()"
            case ast.If(test=test, body=body) if _is_of_tooltips(test):
                yield from _returned(body, name)
            case ast.match_case(pattern=pattern, body=body) if _is_of_tooltips(pattern):
                yield from _returned(body, name)


def is_plain(given: ast.expr) -> bool:
    """Whether it is a call of `tip`, or a sentence of our own with nothing put into it."""
    match given:
        case ast.Call(func=ast.Name("tip")) | ast.Constant(""):
            return True
        case ast.Call(func=ast.Name("tr"), keywords=[]):
            return True
        case ast.IfExp(body=body, orelse=orelse):
            return is_plain(body) and is_plain(orelse)
    return False


def _is_of_tooltips(*nodes: ast.AST) -> bool:
    return any(
        isinstance(node, ast.Attribute) and node.attr == "ToolTipRole"
        for each in nodes
        for node in ast.walk(each)
    )


def _returned(body: list[ast.stmt], name: str) -> Iterator[str]:
    for node in (each for line in body for each in ast.walk(line)):
        if isinstance(node, ast.Return) and node.value and not is_plain(node.value):
            yield f"{name}:{node.lineno}: a tooltip without tip()"


def test_every_label_and_every_tooltip_takes_foreign_text_as_it_is() -> None:
    files = sorted(UI.rglob("*.py"))
    found = [
        line
        for file in files
        for line in sniffing(ast.parse(file.read_text("utf-8")), file.relative_to(UI).as_posix())
    ]
    assert len(files) > 200
    assert found == []


@pytest.mark.parametrize(
    "line",
    [
        "label = QLabel(name)",
        "class Odd(QLabel): pass",
        "box = QMessageBox(parent)",
        "label.setTextFormat(Qt.TextFormat.RichText)",
        "card.setToolTip(file.path)",
        "card.setToolTip(f'{a} {b}')",
        "card.setToolTip(tr('Model: {model}', model=model))",
        "card.setToolTip(tip(name) if name else other)",
        "tree.setToolTip(0, text)",
        "QToolTip.showText(place, text, self)",
        "self.setItemData(1, choice.label, Qt.ItemDataRole.ToolTipRole)",
        "item.setData(Qt.ItemDataRole.ToolTipRole, text)",
        "def data(role):\n if role == Qt.ItemDataRole.ToolTipRole:\n  return row.text",
        "def data(role):\n match role:\n  case Qt.ItemDataRole.ToolTipRole:\n   return row.text",
        "self.view.setHtml(text)",
    ],
)
def test_a_place_that_lets_qt_look_for_html_is_found(line: str) -> None:
    assert len(list(sniffing(ast.parse(line), "odd.py"))) == 1
