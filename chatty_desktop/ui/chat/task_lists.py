"""Lists of tasks: an item that begins with [ ] or [x] has a box in place of its bullet."""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore

_TASK = re.compile(r"\[([ xX])\]\s+")
_OPEN, _DONE = "☐", "☑"


def add_task_lists(parser: MarkdownIt) -> None:
    """Teach a parser lists of tasks. A list all of whose items are tasks has no bullets: its token
    has the attribute `tasks`."""
    parser.core.ruler.after("inline", "task_lists", _tasks)


def _tasks(state: StateCore) -> None:
    lists: list[tuple[int, bool]] = []
    for place, token in enumerate(state.tokens):
        if token.type in ("bullet_list_open", "ordered_list_open"):
            lists.append((place, True))
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            opened, all_tasks = lists.pop()
            if all_tasks:
                state.tokens[opened].attrSet("tasks", "true")
        elif token.type == "list_item_open" and not _mark(state, place):
            lists[-1] = (lists[-1][0], False)


def _mark(state: StateCore, item: int) -> bool:
    """Put the box in front of the words of a list item that is a task; whether it is one."""
    paragraph = state.tokens[item + 1 : item + 3]
    if [token.type for token in paragraph] != ["paragraph_open", "inline"]:
        return False
    children = paragraph[1].children or []
    if not children or children[0].type != "text":
        return False
    task = _TASK.match(children[0].content)
    if task is None:
        return False
    box = _OPEN if task[1] == " " else _DONE
    children[0].content = f"{box}\u2002{children[0].content[task.end() :]}"
    return True
