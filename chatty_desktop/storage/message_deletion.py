"""Deleting messages with everything that was made of them.

What memory made after a deleted message goes too, on every branch that holds it: Σ, a summary or
a fact noted later may say what the deleted message said. The messages that stay are then in no
batch any more, so they are in the queue again and are taken in anew.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Column, Connection, delete, insert, select, update

from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.messages import DeletionCounts, Scope
from chatty_desktop.storage import tables

_M = tables.messages.c

_AT_ONCE = 500
"""Values in one statement."""


@dataclass(frozen=True, slots=True)
class Deleted:
    """What went: the ids of the messages, the scopes whose memory lost something, and counts."""

    message_ids: tuple[str, ...]
    scopes: tuple[Scope, ...]
    counts: DeletionCounts


@dataclass(frozen=True, slots=True)
class _Node:
    id: str
    parent_id: str | None
    agent_id: str
    run_id: str
    role: str
    node: str


class _Tree:
    """A session's messages without their texts."""

    def __init__(self, nodes: Iterable[_Node]) -> None:
        self.nodes = {node.id: node for node in nodes}
        self.children: dict[str | None, list[str]] = {}
        for node in self.nodes.values():
            self.children.setdefault(node.parent_id, []).append(node.id)

    def below(self, ids: Iterable[str]) -> set[str]:
        """The messages and everything that follows them, on every branch."""
        found: set[str] = set()
        waiting = list(ids)
        while waiting:
            each = waiting.pop()
            if each not in found:
                found.add(each)
                waiting += self.children.get(each, ())
        return found

    def meant(self, message_id: str, *, following: bool) -> set[str]:
        """What goes with a message: a call and its results stay together; a message of the person
        takes the answers to it along, in all their versions; of an answer all its steps go."""
        node = self.nodes[message_id]
        while following and node.role == "tool" and node.parent_id in self.nodes:
            node = self.nodes[node.parent_id]
        if following:
            return self.below([node.id])
        if node.node and node.role == "user":
            return self._answers_in_graph(node)
        if node.role == "user":
            return self._answers(node.id)
        return {
            each.id
            for each in self.nodes.values()
            if each.role != "user" and (each.id == node.id or each.run_id == node.run_id != "")
        }

    def kept_above(self, message_id: str, gone: set[str]) -> str | None:
        """The nearest message before one that stays."""
        at: str | None = message_id
        while at is not None and at in gone:
            at = self.nodes[at].parent_id
        return at

    def kept_below(self, message_id: str, gone: set[str]) -> list[str]:
        """The nearest messages after one that stay, on every branch."""
        found: list[str] = []
        waiting = list(self.children.get(message_id, ()))
        while waiting:
            each = waiting.pop()
            if each in gone:
                waiting += self.children.get(each, ())
            else:
                found.append(each)
        return found

    def newest_leaf(self, message_id: str | None, gone: set[str]) -> str | None:
        """The end of the newest branch below a message, itself where nothing is below it. Ids
        grow with time."""
        at = message_id
        while below := [each for each in self.children.get(at, ()) if each not in gone]:
            at = max(below)
        return at

    def _answers_in_graph(self, asked: _Node) -> set[str]:
        """What a graph was given goes with the whole run of it, what one node was sent with what
        that node said, up to what comes after in its place: nodes take turns in one log."""
        found = {asked.id}
        for each in self._after(asked.id):
            if not asked.agent_id or each.node == asked.node:
                if each.role == "user" and each.node == asked.node:
                    break
                found.add(each.id)
        return found

    def _after(self, message_id: str) -> Iterator[_Node]:
        """What follows a message, down every branch."""
        waiting = list(self.children.get(message_id, ()))
        while waiting:
            each = waiting.pop()
            yield self.nodes[each]
            waiting += self.children.get(each, ())

    def _answers(self, message_id: str) -> set[str]:
        found = {message_id}
        waiting = [message_id]
        while waiting:
            for each in self.children.get(waiting.pop(), ()):
                if self.nodes[each].role != "user":
                    found.add(each)
                    waiting.append(each)
        return found


def delete_messages(
    connection: Connection, session_id: str, message_id: str, *, following: bool
) -> Deleted:
    """Delete a message with what belongs to it (`_Tree.meant`), or with all that follows it.

    What follows and stays is joined to what was before. Raises `Invalid` when the message is not
    in the session.
    """
    rows = connection.execute(
        select(_M.id, _M.parent_id, _M.agent_id, _M.run_id, _M.role, _M.node).where(
            _M.session_id == session_id
        )
    )
    tree = _Tree(_Node(*row) for row in rows)
    if message_id not in tree.nodes:
        raise Invalid("That message is no longer there.")
    gone = tree.meant(message_id, following=following)
    touched = tree.below(gone)
    memory = _forget_memory(connection, session_id, touched)
    _mend_starts(connection, session_id, tree, gone)
    _mend_episodes(connection, session_id, gone)
    forget_measured(connection, session_id)
    _forget_runs(connection, session_id, tree, gone, touched)
    _rejoin(connection, session_id, tree, gone)
    episodes = _delete(connection, tables.episodes.c.message_id, gone)
    messages = _delete(connection, _M.id, gone)
    agents = sorted({tree.nodes[each].agent_id for each in touched})
    return Deleted(
        tuple(sorted(gone)),
        tuple(Scope(agent_id, session_id) for agent_id in agents),
        replace(memory, messages=messages, episodes=episodes),
    )


def forget_measured(connection: Connection, session_id: str) -> None:
    """What was measured with a chat holds its words."""
    measured = tables.measurements.c.session_id == session_id
    connection.execute(delete(tables.measurements).where(measured))


def _forget_memory(connection: Connection, session_id: str, touched: set[str]) -> DeletionCounts:
    """Delete the ledger rows that took a touched message in, and what was made in them or after
    one."""
    ledger = tables.ledger.c
    read = select(ledger.id, ledger.message_ids).where(ledger.session_id == session_id)
    rows = {
        row.id
        for row in connection.execute(read)
        if not touched.isdisjoint(json.loads(row.message_ids))
    }
    waiting = tables.waiting_patches.c
    read = select(waiting.id, waiting.message_ids).where(waiting.session_id == session_id)
    undecided = {
        row.id
        for row in connection.execute(read)
        if not touched.isdisjoint(json.loads(row.message_ids))
    }
    _delete(connection, waiting.id, undecided)
    made: list[list[int]] = []
    for table in (tables.state_revisions, tables.summaries, tables.facts):
        c = table.c
        read = select(c.seq, c.after_message_id, c.ledger_id).where(c.session_id == session_id)
        found = [
            row
            for row in connection.execute(read)
            if row.after_message_id in touched or row.ledger_id in rows
        ]
        rows |= {row.ledger_id for row in found}
        made.append([row.seq for row in found])
    states, summaries, facts = made
    return DeletionCounts(
        revisions=_delete(connection, tables.state_revisions.c.seq, states),
        summaries=_delete(connection, tables.summaries.c.seq, summaries),
        facts=_delete(connection, tables.facts.c.seq, facts),
        ledger_rows=_delete(connection, ledger.id, rows),
    )


def _mend_starts(connection: Connection, session_id: str, tree: _Tree, gone: set[str]) -> None:
    """A layer that began with a deleted message begins with what follows it."""
    table = tables.layer_starts
    read = select(table).where(table.c.session_id == session_id)
    for row in connection.execute(read).all():
        if row.message_id not in gone:
            continue
        connection.execute(delete(table).where(table.c.seq == row.seq))
        for after in tree.kept_below(row.message_id, gone):
            values = {"agent_id": row.agent_id, "layer": row.layer, "at": row.at}
            connection.execute(
                insert(table).values(session_id=session_id, message_id=after, **values)
            )


def _mend_episodes(connection: Connection, session_id: str, gone: set[str]) -> None:
    """The episode before one is the nearest that stays. What was recalled last goes: it shows
    texts."""
    c = tables.episodes.c
    read = select(c.message_id, c.before_id).where(c.session_id == session_id)
    before = {row.message_id: row.before_id for row in connection.execute(read)}
    for message_id, before_id in before.items():
        if before_id in gone and message_id not in gone:
            while before_id in gone:
                before_id = before.get(before_id)
            connection.execute(
                update(tables.episodes)
                .where(c.message_id == message_id)
                .values(before_id=before_id)
            )
    connection.execute(delete(tables.recalls).where(tables.recalls.c.session_id == session_id))


def _forget_runs(
    connection: Connection, session_id: str, tree: _Tree, gone: set[str], touched: set[str]
) -> None:
    """Requests of the deleted messages and of what followed hold their texts, or what memory made
    of them; runs of which nothing is left go with their log."""
    kept = {node.run_id for node in tree.nodes.values() if node.id not in gone}
    over = {tree.nodes[each].run_id for each in gone} - kept - {""}
    _delete(connection, tables.requests.c.run_id, {tree.nodes[each].run_id for each in touched})
    _delete(connection, tables.run_log.c.run_id, over)
    _delete(connection, tables.runs.c.id, over)
    _delete(connection, tables.graph_runs.c.input_id, gone)
    _mend_graph_runs(connection, session_id, gone, over)


def _mend_graph_runs(
    connection: Connection, session_id: str, gone: set[str], over: set[str]
) -> None:
    """A node's run no longer names what is gone."""
    c = tables.graph_runs.c
    read = select(c.id, c.nodes).where(c.session_id == session_id)
    for row in connection.execute(read).all():
        nodes = json.loads(row.nodes)
        for node in nodes:
            for name in ("prompt_id", "reply_id"):
                if node[name] in gone:
                    node[name] = None
            if node["run_id"] in over:
                node["run_id"] = ""
        connection.execute(
            update(tables.graph_runs).where(c.id == row.id).values(nodes=json.dumps(nodes))
        )


def _rejoin(connection: Connection, session_id: str, tree: _Tree, gone: set[str]) -> None:
    """Join what stays to what was before the deleted messages, and the session's end with it."""
    for node in tree.nodes.values():
        if node.id not in gone and node.parent_id in gone:
            above = tree.kept_above(node.parent_id, gone)
            connection.execute(
                update(tables.messages).where(_M.id == node.id).values(parent_id=above)
            )
    this = tables.sessions.c.id == session_id
    leaf = connection.scalar(select(tables.sessions.c.leaf_id).where(this))
    if leaf in gone:
        end = tree.newest_leaf(tree.kept_above(leaf, gone), gone)
        connection.execute(update(tables.sessions).where(this).values(leaf_id=end))


def _delete(connection: Connection, column: Column[Any], values: Collection[Any]) -> int:
    """Delete the rows in which a column holds one of the values; how many there were."""
    ordered, count = sorted(values), 0
    for start in range(0, len(ordered), _AT_ONCE):
        some = ordered[start : start + _AT_ONCE]
        count += connection.execute(delete(column.table).where(column.in_(some))).rowcount
    return count
