"""A data folder as it looks after some days of use, for pictures and for trying the window."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from PySide6.QtCore import QBuffer, QByteArray, QIODevice
from PySide6.QtGui import QColor, QImage, QLinearGradient, QPainter

from chatty_desktop.app import App
from chatty_desktop.domain.attachments import AttachedFile
from chatty_desktop.domain.events import LogEntry
from chatty_desktop.domain.ids import new_id
from chatty_desktop.domain.memory import LayerStart, LedgerEntry, Outcome, StateRevision
from chatty_desktop.domain.messages import Message, Role, Scope, Session, Status, ToolCall
from chatty_desktop.domain.requests import Usage
from chatty_desktop.domain.runs import Run, Section

DAY = 86_400.0
MODEL = "local/starter"

CODE = '''Here is a small script that adds up the budget. It reads one line per entry:

```python
from pathlib import Path

def total(file: Path) -> int:
    """Yen over all lines like `hotel 42000`."""
    amounts = (line.split()[-1] for line in file.read_text().splitlines() if line.strip())
    return sum(int(amount) for amount in amounts)

print(f"{total(Path('budget.txt')):,} yen")
```

Run it with `python budget.py`. A line without a number at its end stops it with an error, so \
keep notes in a file of their own.'''

TABLE = """With three nights and one day trip this is what it comes to:

| what | nights | yen |
|:--|:-:|--:|
| guesthouse in Higashiyama | 3 | 42,000 |
| train to Nara and back | – | 1,440 |
| food, 6,000 a day | – | 18,000 |
| **together** | 3 | **61,440** |

That leaves **8,560 yen** for entrance fees. More on the passes: <https://www.japan-guide.com>."""

PLAN = """A quiet first day could look like this:

1. **Morning:** Nanzen-ji, before the buses come; the aqueduct behind it is free.
2. **Noon:** walk the *Philosopher's Path* north, soba on the way.
3. **Evening:** Gion, then back along the river.

> Temples close at five in November, most let nobody in after half past four.

Shall I plan the second day around Arashiyama or around Fushimi?"""


FORMULAS = r"""The roots of $ax^2 + bx + c = 0$ come from completing the square:

$$
x_{1,2} = \frac{-b \pm \sqrt{b^2 - 4ac}}{2a}
$$

With \(a = 1\), \(b = -3\), \(c = 2\) the discriminant is $b^2 - 4ac = 1$, so $x_1 = 2$ and
$x_2 = 1$.

\[ \begin{pmatrix} 1 & 1 \\ 2 & 1 \end{pmatrix}
\begin{pmatrix} p \\ q \end{pmatrix} = \begin{pmatrix} 3 \\ 4 \end{pmatrix}, \qquad
\sum_{k=1}^{n} k = \frac{n(n+1)}{2} \]

What is left to do:

- [x] find the roots
- [ ] check them
  - [x] $x_1$
  - [ ] $x_2$
- [ ] draw the parabola"""

WIDE = """هذه فقرة بالعربية، وفيها كلمة English وعدد 42.

| n | n² | n³ | n⁴ | n⁵ | n⁶ | n⁷ | n⁸ | n⁹ | n¹⁰ | digits of n¹⁰ | remark |
|--|--|--|--|--|--|--|--|--|--|--|--|
| 2 | 4 | 8 | 16 | 32 | 64 | 128 | 256 | 512 | 1024 | 4 | the binary thousand |
| 3 | 9 | 27 | 81 | 243 | 729 | 2187 | 6561 | 19683 | 59049 | 5 | |
| 12 | 144 | 1728 | 20736 | 248832 | 2985984 | 35831808 | 429981696 | 5159780352 | 61917364224 |"""


@dataclass
class _Chat:
    """Writes one session, minute by minute."""

    app: App
    session: Session
    agent_id: str
    at: float
    leaf: str | None = None
    run_id: str = ""
    messages: list[Message] = field(default_factory=list)

    async def say(
        self, role: Role, text: str, *, files: Sequence[AttachedFile] = (), **values: Any
    ) -> Message:
        self.at += 40
        if role == "user":
            self.run_id = new_id(self.at)
        message = Message(
            id=new_id(self.at),
            session_id=self.session.id,
            parent_id=self.leaf,
            agent_id=self.agent_id,
            run_id=self.run_id,
            role=role,
            content=text,
            at=self.at,
            model=MODEL if role == "assistant" else "",
            seconds=values.pop("seconds", 3.4 if role == "assistant" else 0.0),
            **values,
        )
        await self.app.messages.append(message, files)
        self.leaf = message.id
        self.messages.append(message)
        return message

    async def call(
        self,
        text: str,
        tool: str,
        arguments: dict[str, Any],
        answer: str,
        *,
        reasoning: str = "",
        error: str = "",
        seconds: float = 1.4,
    ) -> None:
        """A step: the call, and its result."""
        call = ToolCall("call_0", tool, json.dumps(arguments))
        await self.say("assistant", text, tool_calls=(call,), reasoning=reasoning)
        await self.say("tool", answer, tool_call_id=call.id, error=error, seconds=seconds)

    async def log(self, level: Any, text: str) -> None:
        await self.app.runs.log(self.session.id, LogEntry(self.run_id, self.at, level, text))


async def fill(app: App, now: float) -> Session:
    """Write the sample into an open, new data folder; returns the chat worth showing."""
    agents = {agent.name: agent.id for agent in await app.agents.list()}
    companion, notes = agents["Companion"], agents["Project notes"]
    for title, days in (
        ("Why is the sky darker at altitude?", 1),
        ("Thesis: outline of chapter two", 2),
        ("Sourdough that will not rise", 4),
        ("Letter to the landlord", 9),
        ("Regular expressions for dates", 16),
        ("Names for a grey cat", 45),
    ):
        chat = await _begin(app, title, companion, now - days * DAY)
        await chat.say("user", title)
        await chat.say("assistant", "Let us look at it step by step. What have you tried so far?")
    await _formulas(app, companion, now)
    await _failed(app, notes, now)
    await _receipts(app, companion, now)
    await _steps(app, agents.get("Helper", companion), now)
    return await _kyoto(app, notes, now)


async def _begin(app: App, title: str, agent_id: str, at: float) -> _Chat:
    session = await app.sessions.create(title, agent_id)
    return _Chat(app, session, agent_id, at)


async def _formulas(app: App, agent_id: str, now: float) -> None:
    chat = await _begin(app, "Quadratic equations", agent_id, now - 5 * 3600)
    await chat.say("user", "How do I solve quadratic equations?")
    await chat.say(
        "assistant", FORMULAS, reasoning="Complete the square.", thought_seconds=8.2, seconds=21.0
    )
    await chat.log(
        "warning", f"The fold of 2 messages was refused ({MODEL}, 2.1 s): the answer was no list."
    )
    await chat.say("user", "And a table of powers, please.")
    await chat.say("assistant", WIDE)


async def _failed(app: App, agent_id: str, now: float) -> None:
    chat = await _begin(app, "Trip photos: sort by place", agent_id, now - 3 * 3600)
    text = "Write me a shell loop that sorts photos into folders by place."
    first = await chat.say("user", text)
    scope = Scope(agent_id, chat.session.id)
    await app.memory.add_layer_start(scope, "state", LayerStart(first.id, chat.at))
    await chat.say(
        "assistant",
        "Sure. First the places have to be read from the pictures. The loop beg",
        status=Status.STOPPED,
    )
    await chat.say("user", "Go on, with exiftool please.")
    await chat.say(
        "assistant",
        "",
        status=Status.FAILED,
        seconds=0.0,
        error="The server at 127.0.0.1:8080 does not answer (connection refused)."
        " Start it, or choose another model for this agent.",
    )


async def _steps(app: App, agent_id: str, now: float) -> None:
    """A run with tools: what it says first, its steps, and the reply."""
    chat = await _begin(app, "Budget file: what is left?", agent_id, now - 2 * 3600)
    await chat.say("user", "How much of the 70,000 yen is left? The list is in budget.txt.")
    await chat.call(
        "Let me look at the list first.", "list_files", {"path": "."}, "budget.txt\nold/"
    )
    await chat.call(
        "",
        "read_file",
        {"path": "budget.txt"},
        "guesthouse 42000\ntrain to Nara 1440\nfood 18000\n",
        reasoning="The list is there. I read it.",
    )
    why = "There is no file old/2025.txt in the folders of this agent."
    await chat.call("", "read_file", {"path": "old/2025.txt"}, why, error=why, seconds=0.1)
    sum_ = {"expression": "70000 - (42000 + 1440 + 18000)"}
    await chat.call("", "calculator", sum_, "8560", seconds=0.02)
    await chat.say("assistant", "**8,560 yen** are left: 70,000 less 61,440.", seconds=9.3)
    await chat.say("user", "And what time is it in Kyoto?")
    zone = {"time_zone": "Asia/Tokyo"}
    await chat.call("", "clock", zone, "Tuesday, 1 December 2026, 21:30 (Asia/Tokyo)", seconds=0.01)
    await chat.say("assistant", "Half past nine in the evening.", seconds=1.2)


async def _kyoto(app: App, agent_id: str, now: float) -> Session:
    chat = await _begin(app, "Kyoto trip", agent_id, now - 1500)
    scope = Scope(agent_id, chat.session.id)
    first = await chat.say(
        "user", "I want to go to Kyoto in November, three nights, for at most 70,000 yen."
    )
    await app.memory.add_layer_start(scope, "state", LayerStart(first.id, chat.at))
    await chat.say("assistant", PLAN, reasoning="Three nights. November is busy, so early starts.")
    state: dict[str, Any] = {}
    state = await _fold(
        app,
        chat,
        state,
        {"goal": "three nights in Kyoto in November for at most 70,000 yen"},
        chat.messages[-2:],
    )
    await chat.say("user", "Around Fushimi. What will it cost with a day in Nara?")
    await chat.say("assistant", TABLE)
    patch = {
        "decided": ["second day: Fushimi", "one day trip to Nara"],
        "open": ["book the guesthouse in Higashiyama"],
    }
    dropped = ({"key": "deadline", "value": "Friday", "reason": "not in the new messages"},)
    state = await _fold(app, chat, state, patch, chat.messages[-2:], dropped=dropped)
    await _fold(
        app,
        chat,
        state,
        {"budget": "61,440 yen"},
        chat.messages[-1:],
        outcome="refused",
        reason="the key “budget” is not one of the fields",
    )
    await chat.say("user", "Can you write me something that adds up a budget file?")
    last = await chat.say("assistant", CODE, seconds=8.1)
    await chat.log("info", f"{MODEL} answered in 8.1 s: 412 tokens in, 168 out.")
    await chat.log("warning", "Memory was not updated: the model could not be reached.")
    strategy = await _strategy(app, agent_id)
    for number, run_id, counted in ((-4, new_id(), 371), (-2, chat.run_id, 412)):
        run = Run(run_id, chat.session.id, agent_id, strategy, MODEL, last.at)
        await app.runs.start(run)
        sections = _sections(strategy, state if number == -2 else {}, chat.messages, number)
        await app.runs.ask(run, sections, counted - 7, options={"temperature": 0.7})
        await app.runs.answered(run_id, Usage(counted, 168))
    await app.runs.finish(chat.run_id, "done")
    return chat.session


def _sections(
    strategy: dict[str, Any], state: dict[str, Any], messages: list[Message], new: int
) -> tuple[Section, ...]:
    """What a State memory sends, the message at `new` being the one to answer."""
    return (
        Section("system", text="You help to plan journeys. Be brief, name prices in yen."),
        Section("spec", text=f"You have a memory of this conversation. {strategy['spec']}"),
        Section("state", text=f"Your memory so far: {json.dumps(state, ensure_ascii=False)}"),
        Section("last_exchange", "user", messages=tuple(messages[new - 2 : new])),
        Section("new", "user", messages=(messages[new],)),
    )


async def _strategy(app: App, agent_id: str) -> dict[str, Any]:
    agent = await app.agents.get(agent_id)
    assert agent is not None
    return agent.definition.memory_strategy.model_dump(mode="json")


async def _fold(
    app: App,
    chat: _Chat,
    state: dict[str, Any],
    patch: dict[str, Any],
    messages: list[Message],
    *,
    outcome: Outcome = "accepted",
    reason: str = "",
    dropped: tuple[dict[str, Any], ...] = (),
) -> dict[str, Any]:
    """A fold of some messages, in the ledger; Σ after it."""
    accepted = outcome == "accepted"
    entry = LedgerEntry(
        id=new_id(chat.at + 2),
        run_id=chat.run_id,
        agent_id=chat.agent_id,
        session_id=chat.session.id,
        layer="state",
        kind="fold",
        outcome=outcome,
        reason=reason,
        attempts=1 if accepted else 2,
        model=MODEL,
        message_ids=tuple(message.id for message in messages),
        patch=patch,
        dropped=dropped,
        reply=json.dumps({"changes": [{"key": k, "value": v} for k, v in patch.items()]}),
        consumed=True,
        started_at=chat.at + 1,
        finished_at=chat.at + 2.6,
        prompt_tokens=640,
        completion_tokens=48,
    )
    after = {**state, **patch} if accepted else state
    revision = StateRevision(
        id=new_id(chat.at + 3),
        agent_id=chat.agent_id,
        session_id=chat.session.id,
        layer="state",
        after_message_id=messages[-1].id,
        state=after,
        patch=patch,
        ledger_id=entry.id,
        at=chat.at + 2.6,
    )
    await app.memory.settle_fold(entry, revision if accepted else None)
    return after


async def _receipts(app: App, agent_id: str, now: float) -> None:
    """A message with a picture and a text."""
    chat = await _begin(app, "Receipts of the trip", agent_id, now - 4 * 3600)
    files = await read_sample_files(app)
    await chat.say(
        "user",
        "What did we spend on trains?",
        attachments=tuple(f.about for f in files),
        files=files,
    )
    await chat.say("assistant", "Going by the list, **48,200 yen**; the photo shows one ticket.")


async def read_sample_files(app: App) -> list[AttachedFile]:
    """A photo, a receipt and a list, as they are when a person attaches them."""
    photo = QImage(900, 600, QImage.Format.Format_RGB32)
    painter = QPainter(photo)
    sky = QLinearGradient(0, 0, 0, 600)
    sky.setColorAt(0, QColor("#7fb2d9"))
    sky.setColorAt(1, QColor("#f3d9b8"))
    painter.fillRect(photo.rect(), sky)
    painter.setBrush(QColor("#4d6b57"))
    painter.drawEllipse(-200, 380, 900, 500)
    painter.setBrush(QColor("#38503f"))
    painter.drawEllipse(350, 420, 900, 500)
    painter.end()
    data = QByteArray()
    into = QBuffer(data)
    into.open(QIODevice.OpenModeFlag.WriteOnly)
    photo.save(into, "PNG")  # type: ignore[call-overload]
    table = "date,line,yen\n" + "".join(
        f"2026-05-{day:02},Nozomi,{14_000 + day}\n" for day in range(1, 30)
    )
    return [
        await app.attaching.data(bytes(data.data()), "from the window of the train.png"),
        await app.attaching.data(table.encode(), "trains.csv"),
    ]
