"""Source code as coloured HTML."""

from __future__ import annotations

import time
from html import escape

from chatty_desktop.ui.tokens import Tokens

_LONGEST = 40_000
"""Characters; longer code is shown without colours, since highlighting would hold up the loop."""

_LONGEST_LINE = 400
"""Characters; code with a longer line has no colours either. Many lexers look through a whole line
again from each of its letters, some for seconds, and nothing stops them within one look."""

_USUAL = ("python", "javascript", "html", "css", "bash", "sql", "json", "cpp", "java")
"""Languages that are much asked about."""

_SLOW = frozenset({"tnt"})
"""Languages whose lexers take seconds also for short lines."""

_SECONDS = 0.03
"""Of the processor that colours may take. Some texts, such as a page of nothing but "&", take
Pygments a hundred times as long as others of their length; from there on they have none."""


def load_usual() -> None:
    """Load what colours the usual languages. It takes up to 60 ms for each, which whoever draws the
    first code of it would wait for."""
    from pygments.lexers import get_lexer_by_name

    for language in _USUAL:
        get_lexer_by_name(language)


def highlight(code: str, language: str, tokens: Tokens) -> str:
    """The code, escaped, with `<span>`s of colour where Pygments knows the language."""
    if not language or len(code) > _LONGEST or _longest_line(code) > _LONGEST_LINE:
        return escape(code)
    # Imported here: no code block, no Pygments, and the window shows sooner.
    from pygments.lexers import get_lexer_by_name
    from pygments.token import Comment, Keyword, Literal, Name, Number, Operator, String
    from pygments.util import ClassNotFound

    try:
        lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return escape(code)
    if _SLOW & set(lexer.aliases):
        return escape(code)
    colours = (
        (Comment, tokens.code_comment),
        (Keyword, tokens.code_keyword),
        (Operator.Word, tokens.code_keyword),
        (Name.Tag, tokens.code_keyword),
        (Name.Function, tokens.code_name),
        (Name.Class, tokens.code_name),
        (Name.Builtin, tokens.code_name),
        (Name.Decorator, tokens.code_name),
        (Name.Attribute, tokens.code_name),
        (String, tokens.code_string),
        (Number, tokens.code_number),
        (Literal, tokens.code_string),
    )
    # As the lexers read it.
    code = code.replace("\r\n", "\n").replace("\r", "\n")
    parts: list[str] = []
    end = 0
    until = time.thread_time() + _SECONDS
    for kind, text in lexer.get_tokens(code):
        colour = next((colour for parent, colour in colours if kind in parent), "")
        shown = escape(text)
        parts.append(f'<span style="color:{colour}">{shown}</span>' if colour else shown)
        end += len(text)
        if time.thread_time() > until:
            break
    return "".join(parts) + escape(code[end:])


def _longest_line(code: str) -> int:
    return max(map(len, code.splitlines()), default=0)
