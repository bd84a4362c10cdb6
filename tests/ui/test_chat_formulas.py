"""Formulas in LaTeX are drawn where they can be read, and stay as they were written elsewhere."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtGui import QTextDocument

from chatty_desktop.ui.chat.body import MessageBody
from chatty_desktop.ui.chat.formula import on_a_line, set_off
from chatty_desktop.ui.chat.formula_rules import LONGEST
from chatty_desktop.ui.chat.formula_tree import DEEPEST
from chatty_desktop.ui.chat.markdown import css, render
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import LIGHT

KNOWN_TAGS = re.compile(
    r"</?(?:p|br|i|b|sub|sup|em|strong|s|code|ul|ol|li|a|h[1-6]|hr ?/?|span|div|"
    r"table|thead|tbody|tr|td|th)(?: [^<>]*)?>"
)


def words(html: str) -> str:
    document = QTextDocument()
    document.setHtml(html)
    return document.toPlainText().strip()


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("x^2", "x2"),
        (r"\alpha_i \in \mathbb{R}", "αi ∈ ℝ"),
        (r"\frac{a+b}{c}", "(a + b)/c"),
        (r"\frac{1}{2}", "1/2"),
        (r"-b \pm \sqrt{b^2-4ac}", "−b ± √b2 − 4ac"),
        (r"e^{i\pi}+1=0", "eiπ + 1 = 0"),
        (r"2^{2^n}", "22^n"),
        (r"\sin x", "sin x"),
        (r"f'(x)", "f′(x)"),
        (r"\text{if } x \ge 0", "if x ≥ 0"),
        (r"\left( \frac{x}{y} \right)", "(x/y)"),
        (r"\hat{y} \neq \overline{AB}", "ŷ ≠ AB"),
        (r"\mathcal{L}", "ℒ"),
        (r"50\,\%", "50 %"),
        ("a < b", "a < b"),
        (r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}", "(a, b; c, d)"),
        (r"\sqrt[3]{x}", "3√x"),
        ("x^10", "x10"),
        (r"\binom{n}{k}", "C(n, k)"),
        (r"A \not= B", "A =\u0338 B"),
    ],
)
def test_a_formula_on_a_line_reads_as_mathematics(source: str, shown: str) -> None:
    html = on_a_line(source)
    assert html is not None
    assert words(html) == shown


@pytest.mark.parametrize(
    "source",
    [r"\foo{x}", "x^", "{x", "x}", r"\frac{1}", "x_1_2", r"\begin{table}x\end{table}", r"\left( x",
     "a" * (LONGEST + 1), "{" * (DEEPEST + 1) + "x" + "}" * (DEEPEST + 1), r"\begin{cases} x"],
)  # fmt: skip
def test_a_formula_that_cannot_be_read_stays_as_it_was_written(source: str) -> None:
    assert on_a_line(source) is None
    assert set_off(source) is None


def test_what_cannot_be_read_is_shown_as_code_with_its_marks() -> None:
    assert r"<code>$\foo{x}$</code>" in render(r"so $\foo{x}$ it is", LIGHT).html
    assert r"<code>\[\foo{x}\]</code>" in render(r"\[\foo{x}\]", LIGHT).html


@pytest.mark.parametrize(
    "text",
    [
        "It costs $5 and $10.",
        "US$5 or A$7",
        "between $5-$10 a month",
        "from $5 million to 6$ at most",
        r"the price is \$5 and \$6",
        "`$a$` stays",
        "$ a $",
        "a [link](https://example.org/$a$)",
        r"an array\[0\] of it",
    ],
)
def test_money_code_and_escapes_are_no_formulas(text: str) -> None:
    html = render(text, LIGHT).html
    assert "<i>" not in html
    assert "<sub>" not in html


@pytest.mark.parametrize("formula", ["$x^2$", r"\(x^2\)", "$$x^2$$", r"\[x^2\]", "$$\nx^2\n$$"])
@pytest.mark.parametrize("around", ["{}", "so\n{}\nand", "- item\n\n  {}", "> {}"])
def test_every_way_of_marking_a_formula_is_known(formula: str, around: str) -> None:
    if "\n" in formula:
        formula = formula.replace("\n", "\n> " if around[0] == ">" else "\n  ")
    html = render(around.format(formula), LIGHT).html
    assert "<i>x</i><sup>2</sup>" in html
    assert "$" not in html
    assert "\\" not in html


def test_fractions_and_matrices_that_are_set_off_are_tables_the_code_after_them_finds_its_place(
    theme: Theme,
) -> None:
    text = (
        "$$\\frac{a}{b} = \\begin{pmatrix} 1 \\\\ 2 \\end{pmatrix} + \\sum_{i=1}^n i$$\n\n"
        "| a |\n|--|\n| $x$ |\n\n```python\nx = 1\n```\n"
    )
    body = MessageBody(theme)
    body.show_rendered(render(text, theme.tokens))
    assert [block.text for _frame, block, _buttons in body.panels._panels] == ["x = 1"]
    frame = body.panels._panels[0][0]
    assert frame.firstCursorPosition().block().text() == "x = 1"


def frames(html: str) -> int:
    document = QTextDocument()
    document.setDefaultStyleSheet(css(LIGHT, "monospace"))
    document.setHtml(html)
    count = 0
    waiting = list(document.rootFrame().childFrames())
    while waiting:
        count += 1
        waiting += waiting.pop().childFrames()
    return count


PIECES = st.sampled_from(
    ["$", "$$", "\\(", "\\)", "\\[", "\\]", "{", "}", "^", "_", "\\frac", "\\sqrt", "\\left(",
     "\\right)", "\\begin{matrix}", "\\end{matrix}", "\\begin{aligned}", "\\end{aligned}", "&",
     "\\\\", "x", "2", "+", "=", "<b>", "\n", " ", "\\text{", "\\alpha", "\\sum", "'", "`",
     "- [ ] ", "- ", "> ", "|", "\n\n", "\\mathbb", "\\hat", "<img src=x>", "\"", "\\not", "[", "]",
     "%"]
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, max_size=40).map("".join))
def test_whatever_is_written_makes_only_the_tags_that_are_known(text: str) -> None:
    rendered = render(text, LIGHT)
    assert "<" not in KNOWN_TAGS.sub("", rendered.html)
    assert frames(rendered.html) == len(rendered.blocks)


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, max_size=30).map("".join))
def test_a_formula_is_read_or_not_and_never_makes_a_tag_of_its_own(source: str) -> None:
    drawn = set_off(source)
    assert (drawn is None) == (on_a_line(source) is None)
    if drawn is not None:
        assert "<" not in KNOWN_TAGS.sub("", drawn.html)
        assert frames(drawn.html) == drawn.tables


@settings(max_examples=30, deadline=None)
@given(st.lists(PIECES, min_size=1, max_size=4).map("".join))
def test_a_pattern_repeated_over_a_whole_piece_is_drawn(pattern: str) -> None:
    text = (pattern * (16_000 // len(pattern) + 1))[:16_000]
    assert "<" not in KNOWN_TAGS.sub("", render(text, LIGHT).html)
