"""The prompt template of a node: text with `{name}` in it. Nothing in it is ever run.

A name is `input`, for what the graph was given, or the id of a node whose edge leads here. `{{` and
`}}` stand for single braces; a brace that belongs to no name is a brace.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from chatty_desktop.domain.graphs import Graph, Node

INPUT = "input"
"""The name of what the graph was given."""

_PLACE = re.compile(r"\{\{|\}\}|\{([^{}\"\n]+)\}")


def names_in(template: str) -> tuple[str, ...]:
    """The names a template uses, each once, in their order."""
    found = (match[1].strip() for match in _PLACE.finditer(template) if match[1] is not None)
    return tuple(dict.fromkeys(name for name in found if name))


def names_for(graph: Graph, node: Node) -> tuple[str, ...]:
    """The names that the template of a node may use."""
    return tuple(dict.fromkeys((INPUT, *(source.id for source in graph.before(node.id)))))


def filled(template: str, texts: Mapping[str, str]) -> str:
    """The template with the texts in place of their names; a name without a text stays."""

    def put(match: re.Match[str]) -> str:
        if match[1] is None:
            return match[0][0]
        return texts.get(match[1].strip(), match[0])

    return _PLACE.sub(put, template)


def prompt_of(graph: Graph, node: Node, given: str, texts: Mapping[str, str]) -> str:
    """What a node is sent. `given` is the graph's input, `texts` what the nodes before it came to,
    by their ids. Without a template: those texts, each under its node's id where there are several
    and the node is an agent's."""
    before = [source.id for source in graph.before(node.id)]
    if node.prompt.strip():
        return filled(node.prompt, {**{each: texts[each] for each in before}, INPUT: given})
    if len(before) == 1 or node.kind == "output":
        return "\n\n".join(texts[each] for each in before)
    return "\n\n".join(f"{each}:\n{texts[each]}" for each in before)


def renamed(template: str, old: str, new: str) -> str:
    """The template with another name in the places of one."""

    def put(match: re.Match[str]) -> str:
        mine = match[1] is not None and match[1].strip() == old
        return f"{{{new}}}" if mine else match[0]

    return _PLACE.sub(put, template)
