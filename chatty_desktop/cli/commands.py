"""The headless commands. Each takes the open app and the call, prints, and returns the status."""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

from chatty_desktop.app import App
from chatty_desktop.cli import data, measuring, shapes
from chatty_desktop.cli.printing import document, json_text, say, tell
from chatty_desktop.domain.agents import Agent, read_agent, write_agent
from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.events import MessageCommitted
from chatty_desktop.domain.graphs import read_graph
from chatty_desktop.domain.messages import Message, Scope, Session, Status
from chatty_desktop.reading import read_text

T = TypeVar("T")
Command = Callable[[App, argparse.Namespace], Awaitable[int]]


async def ask(app: App, call: argparse.Namespace) -> int:
    """One run; prints the reply after memory has settled. A session not there is made."""
    agent = await _agent(app, call.agent)
    files = [await app.attaching.file(path) for path in call.attach]
    session = await app.sessions.find(call.session)
    if session is None:
        session = await app.sessions.create(
            title=call.session, agent_id=agent.id, titled_by="person"
        )
    replies: list[Message] = []

    def take(event: object) -> None:
        if isinstance(event, MessageCommitted) and event.message.role == "assistant":
            replies.append(event.message)

    app.events.subscribe(take)
    await app.chat.send(session.id, agent.id, call.text, files)
    await app.chat.wait(session.id)
    reply = replies[-1]
    if call.json:
        document(shapes.reply(reply, agent, session))
    elif reply.content:
        say(reply.content)
    if reply.error:
        tell(reply.error)
    memory = await app.memories.inspect(Scope(agent.id, session.id), 0)
    if waiting := [layer.waiting for layer in memory.layers if layer.waiting]:
        keys = ", ".join(key for entry in waiting for key in entry.patch or ())
        tell(
            f"A change of memory waits for you ({keys}): {agent.name} asks before it keeps what was"
            " folded. Open the chat in the window to accept, change or refuse it."
        )
    return 0 if reply.status in (Status.COMPLETE, Status.TRUNCATED) else 1


async def inspect(app: App, call: argparse.Namespace) -> int:
    """What the agent remembers in the session, and its ledger, oldest row first."""
    scope = await _scope(app, call)
    snapshot = await app.memories.inspect(scope, ledger_limit=1_000_000)
    known = {message.id: message for message in await app.messages.branch(scope.session_id)}
    for entry in snapshot.ledger:
        for message_id in entry.message_ids:
            if message_id not in known:
                message = await app.messages.get(message_id)
                if message:
                    known[message_id] = message
    found = shapes.memory(snapshot, known)
    if call.json:
        document(found)
    else:
        say(shapes.memory_as_text(found))
    return 0


async def prompt(app: App, call: argparse.Namespace) -> int:
    """The last run's request by section."""
    request = await app.memories.last_request(await _scope(app, call))
    if request is None:
        raise Invalid(f"{call.agent} has not been asked anything in {call.session!r} yet.")
    if call.json:
        document(shapes.request(request))
        return 0
    for section in request.sections:
        say(f"── {section.origin} · {section.role} · about {section.tokens} tokens")
        say(section.content)
    return 0


async def log(app: App, call: argparse.Namespace) -> int:
    """The run log of the session, oldest line first."""
    session = await _session(app, call.session)
    entries = await app.runs.read_log(session.id)
    if call.json:
        document([shapes.log_entry(entry) for entry in entries])
        return 0
    for entry in entries:
        at = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(entry.at))
        say(f"{at}  {entry.level:7}  {entry.text}")
    return 0


async def agents(app: App, call: argparse.Namespace) -> int:
    """List, import or export agents."""
    if call.action == "list":
        found = await app.agents.list()
        if call.json:
            document([shapes.agent(agent) for agent in found])
        else:
            for agent in found:
                say(agent.name)
    elif call.action == "import":
        agent = await app.agents.import_(await _read_file(call.file, "an agent file", read_agent))
        tell(f"Imported {agent.name}.")
    else:
        json_text(write_agent((await _agent(app, call.name)).definition).rstrip("\n"))
    return 0


async def reembed(app: App, call: argparse.Namespace) -> int:
    """Embed what the embedder of the settings has not embedded yet. What is done stays done when
    it is interrupted."""
    came = await app.reembedding.run(call.stop_after)
    if call.json:
        document({"embedded": came.done, "left": came.left})
    else:
        say(f"Embedded {came.done}; {came.left} left.")
    return 0


async def measure(app: App, call: argparse.Namespace) -> int:
    """Measure how well models keep the agent's state."""
    return await measuring.measure(app, await _agent(app, call.agent), call)


async def graph(app: App, call: argparse.Namespace) -> int:
    """One run of a graph file, or the rest of the last one; prints the result after all memory has
    settled."""
    if call.action == "run":
        session = await _begin_graph(app, call)
    else:
        session = await _session(app, call.session)
        await app.graph_runs.resume(session.id)
    await app.graph_runs.wait(session.id)
    run = await app.graph_runs.newest(session.id)
    (result,) = await app.messages.page(session.id, limit=1)
    assert run is not None
    replies = {node.node: await app.messages.get(node.reply_id or "") for node in run.nodes}
    if call.json:
        document(shapes.graph_run(run, result, replies, session))
    elif result.content:
        say(result.content)
    if result.error:
        tell(result.error)
    return 0 if run.status == "done" else 1


async def _begin_graph(app: App, call: argparse.Namespace) -> Session:
    """Begin a run in a session, which is made when it is not there."""
    drawn = await _read_file(call.file, "a graph file", read_graph)
    session = await app.sessions.find(call.session)
    is_new = session is None
    if session is None:
        session = await app.sessions.create(call.session, titled_by="person", kind="graph")
    try:
        await app.graph_runs.start(session.id, drawn, call.text)
    except Invalid:
        if is_new:
            await app.sessions.delete(session.id)
        raise
    return session


COMMANDS: dict[str, Command] = {
    "ask": ask,
    "inspect": inspect,
    "prompt": prompt,
    "log": log,
    "reembed": reembed,
    "measure": measure,
    "backup": data.backup,
    "export": data.export,
    "agents": agents,
    "graph": graph,
}


async def _read_file(file: Path, what: str, read: Callable[[str], T]) -> T:
    """What a file holds. Raises `Invalid` naming the file."""
    try:
        text = await asyncio.to_thread(read_text, file)
    except (OSError, UnicodeDecodeError, Invalid) as error:
        raise Invalid(f"{file} cannot be read: {error}") from error
    try:
        return read(text)
    except Invalid as error:
        raise Invalid(f"{file} is not {what}: {error}") from error


async def _agent(app: App, name: str) -> Agent:
    found = await app.agents.by_name(name) or await app.agents.get(name)
    if found is None:
        names = ", ".join(agent.name for agent in await app.agents.list()) or "none yet"
        raise Invalid(f"There is no agent called {name!r}. The agents are: {names}.")
    return found


async def _session(app: App, name: str) -> Session:
    found = await app.sessions.find(name)
    if found is None:
        raise Invalid(f"There is no session called {name!r}.")
    return found


async def _scope(app: App, call: argparse.Namespace) -> Scope:
    agent = await _agent(app, call.agent)
    return Scope(agent.id, (await _session(app, call.session)).id)
