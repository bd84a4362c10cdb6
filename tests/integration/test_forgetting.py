"""What is forgotten is gone to the last byte of the data folder, whatever memory made of it."""

from __future__ import annotations

import sqlite3
import zipfile
import zlib
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from numpy.typing import NDArray

from chatty_desktop.domain.forgetting import ForgetPlan, ForgetTarget, Proof
from chatty_desktop.domain.ids import new_id
from chatty_desktop.domain.measurement import Measurement
from chatty_desktop.domain.messages import Message
from chatty_desktop.domain.titles import title_from
from chatty_desktop.domain.work import Work
from chatty_desktop.engine.forgetting import Forgetting
from chatty_desktop.paths import Paths
from chatty_desktop.storage.forgetting import StoredForgetting
from chatty_desktop.storage.measurements import StoredMeasurements
from tests.helpers.attached import text_file
from tests.helpers.bag_of_words import BagOfWords
from tests.helpers.desk import STATE, Desk
from tests.helpers.diligent import Diligent, OneModel, order

PLANTED = "xyloplant77"

STRATEGIES: dict[str, dict[str, Any]] = {
    "none": {"kind": "none"},
    "window": {"kind": "window"},
    "full_transcript": {"kind": "full_transcript"},
    "summarized": {"kind": "summarized", "every": 2},
    "episodic": {"kind": "episodic", "threshold": 0.0},
    "semantic": {"kind": "semantic"},
    "state": STATE,
    "composite": {
        "kind": "composite",
        "layers": [
            STATE,
            {"kind": "semantic"},
            {"kind": "episodic", "threshold": 0.0},
            {"kind": "summarized", "every": 2},
            {"kind": "window", "max_messages": 4},
        ],
    },
}
MADE: dict[str, set[str]] = {
    "none": set(),
    "window": set(),
    "full_transcript": set(),
    "summarized": {"summary", "ledger"},
    "episodic": {"episode"},
    "semantic": {"fact", "ledger"},
    "state": {"state", "ledger"},
    "composite": {"state", "fact", "summary", "episode", "ledger"},
}
each_strategy = pytest.mark.parametrize("kind", STRATEGIES)


class Dense(BagOfWords):
    """Vectors without zeros, as embedding models make them, and one for each text."""

    async def embed_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = []
        for text in texts:
            row = np.random.default_rng(zlib.crc32(text.encode())).normal(size=self.dimension)
            rows.append(row / np.linalg.norm(row))
        return np.array(rows, np.float32)


class Room:
    """A desk whose chat has the planted word in its second exchange, and one who forgets."""

    def __init__(self, desk: Desk, folder: Path) -> None:
        self.desk = desk
        self.folder = folder
        store = StoredForgetting(desk.database, Paths(folder), desk.episodes)
        self.forgetting = Forgetting(store, desk.chat, desk.bus.publish)

    async def planted(self) -> Message:
        reply = await self.desk.messages.page(self.desk.session.id)
        return next(message for message in reply if PLANTED in message.content)

    async def forget(self, target: ForgetTarget) -> tuple[ForgetPlan, Proof]:
        plan = await self.forgetting.plan(target)
        await self.forgetting.carry_out(plan, Work())
        await self.desk.chat.wait(self.desk.session.id)
        return plan, await self.forgetting.prove(plan.needles, Work())

    def files_that_say(self, word: str) -> list[str]:
        """By an own look at every byte, not by the search that is tested."""
        found = word.encode().lower()
        return [name for name, held in self._files() if found in held.lower()]

    def files_that_hold(self, vector: bytes) -> list[str]:
        return [name for name, held in self._files() if vector in held]

    def _files(self) -> Iterator[tuple[str, bytes]]:
        for path in sorted(self.folder.rglob("*")):
            if path.is_file():
                yield str(path.relative_to(self.folder)), path.read_bytes()


@asynccontextmanager
async def room(folder: Path, kind: str) -> AsyncIterator[Room]:
    desk = await Desk.open(folder, OneModel(Diligent()), STRATEGIES[kind])
    desk.embedders.embedder = Dense()
    made = Room(desk, folder)
    try:
        await desk.say(order("open", "hotel"))
        await desk.say(order("goal", PLANTED))
        for place in ("Nara", "Osaka", "Kobe"):
            await desk.say(order("working_on", place))
        await desk.episodes.compact()
        yield made
    finally:
        await desk.close()


@each_strategy
async def test_no_byte_of_a_forgotten_message_is_left_in_any_file(
    tmp_path: Path, kind: str
) -> None:
    async with room(tmp_path, kind) as at:
        message = await at.planted()
        assert at.files_that_say(PLANTED)
        before = await at.forgetting.plan(target_of(message))
        found = await at.forgetting.prove(before.needles, Work())
        assert any(PLANTED in trace.found for trace in found.traces), "the search finds nothing"
        plan, proof = await at.forget(target_of(message))
        assert PLANTED in plan.needles.words
        assert {item.kind for item in plan.items} >= {"message", "request", *MADE[kind]}
        assert at.files_that_say(PLANTED) == []
        assert proof.traces == ()
        assert proof.clean
        assert proof.files > 0
        # What was said besides is there, and memory knows it.
        said = [each.content for each in await at.desk.messages.page(at.desk.session.id)]
        assert order("open", "hotel") in said
        assert len(said) == 8
        document = str(await at.desk.memories.inspect(at.desk.scope))
        assert PLANTED not in document


@each_strategy
async def test_no_byte_of_a_forgotten_chat_is_left_in_any_file(tmp_path: Path, kind: str) -> None:
    async with room(tmp_path, kind) as at:
        target = ForgetTarget("session", at.desk.session.id, at.desk.session.id)
        plan, proof = await at.forget(target)
        assert plan.count("message") == 10
        assert at.files_that_say(PLANTED) == []
        assert at.files_that_say("Osaka") == []
        assert proof.clean


@pytest.mark.parametrize("kind", ["episodic", "composite"])
async def test_the_vector_of_a_forgotten_message_is_in_no_file_of_the_index(
    tmp_path: Path, kind: str
) -> None:
    async with room(tmp_path, kind) as at:
        message = await at.planted()
        plan = await at.forgetting.plan(target_of(message))
        assert plan.needles.vectors
        (vector,) = plan.needles.vectors
        before = at.files_that_hold(vector)
        assert any(name.startswith("episodes") for name in before)
        _plan, proof = await at.forget(target_of(message))
        assert proof.clean
        assert at.files_that_hold(vector) == []


async def test_telling_what_would_go_changes_nothing(tmp_path: Path) -> None:
    async with room(tmp_path, "composite") as at:
        message = await at.planted()
        before = await everything(at)
        plan = await at.forgetting.plan(target_of(message))
        assert plan.count("state") > 0
        assert await everything(at) == before


async def test_a_forgotten_fact_is_gone_and_its_messages_are_named(tmp_path: Path) -> None:
    async with room(tmp_path, "semantic") as at:
        facts = (await at.desk.layer()).facts or ()
        fact = next(each for each in facts if PLANTED in each.fact)
        target = ForgetTarget("fact", at.desk.session.id, fact.id)
        plan, proof = await at.forget(target)
        assert plan.sources == fact.source_ids
        assert plan.count("fact") == 1
        assert plan.count("ledger") == 1
        assert plan.count("request") >= 1, "requests that sent it"
        assert proof.clean
        left = (await at.desk.layer()).facts or ()
        assert fact.id not in {each.id for each in left}
        assert (await at.desk.layer()).pending == (), "its messages are not read once more"


@pytest.mark.parametrize("kind", ["fact", "message"])
async def test_what_was_measured_with_a_chat_goes_with_what_is_forgotten_of_it(
    tmp_path: Path, kind: Literal["fact", "message"]
) -> None:
    async with room(tmp_path, "semantic") as at:
        session, measurements = at.desk.session.id, StoredMeasurements(at.desk.database)
        made = Measurement(
            id=new_id(),
            agent_id=at.desk.agent.id,
            model="test/small",
            source=f"About {PLANTED}",
            session_id=session,
            at=1.0,
            fields=("goal",),
        )
        await measurements.keep(made)
        facts = (await at.desk.layer()).facts or ()
        fact = next(each for each in facts if PLANTED in each.fact)
        target = fact.id if kind == "fact" else (await at.planted()).id
        plan, proof = await at.forget(ForgetTarget(kind, session, target))
        assert plan.count("measurement") == 1
        assert await measurements.of_agent(at.desk.agent.id) == []
        assert proof.clean


async def test_a_change_that_waits_for_the_person_goes_with_its_message(tmp_path: Path) -> None:
    async with room(tmp_path, "state") as at:
        await at.desk.equip(approve_memory=True)
        await at.desk.say(order("open", "boat"))
        last = (await at.desk.messages.page(at.desk.session.id))[-2]
        plan, proof = await at.forget(ForgetTarget("message", at.desk.session.id, last.id))
        assert plan.count("waiting") == 1
        assert proof.clean
        assert (await at.desk.layer()).waiting is None


async def test_a_fact_that_was_corrected_by_hand_is_forgotten_in_all_its_versions(
    tmp_path: Path,
) -> None:
    async with room(tmp_path, "semantic") as at:
        facts = (await at.desk.layer()).facts or ()
        fact = next(each for each in facts if PLANTED in each.fact)
        await at.desk.acts.change_fact(at.desk.scope, "semantic", fact.id, "Something else.")
        corrected = ((await at.desk.layer()).facts or ())[-1]
        assert corrected.replaces == fact.id
        plan, proof = await at.forget(ForgetTarget("fact", at.desk.session.id, corrected.id))
        assert plan.count("fact") == 2
        assert plan.count("ledger") == 2
        assert proof.clean
        assert await at.desk.memory.facts_about(at.desk.scope, "semantic", [fact.subject]) == []


async def test_a_message_that_stays_and_says_the_word_is_told_of(tmp_path: Path) -> None:
    async with room(tmp_path, "window") as at:
        message = await at.planted()
        again = await at.desk.say(f"Was it {PLANTED} that I said?")
        plan = await at.forgetting.plan(target_of(message))
        assert PLANTED not in plan.needles.words, "what stays says it too"
        await at.forgetting.carry_out(plan, Work())
        proof = await at.forgetting.prove(plan.needles.with_words(f"{PLANTED}, "), Work())
        assert not proof.clean
        said = [trace for trace in proof.traces if trace.kind == "message"]
        assert [trace.message_id for trace in said] == [again.parent_id]


async def test_a_backup_that_still_holds_it_is_told_of_and_can_be_deleted(tmp_path: Path) -> None:
    async with room(tmp_path, "window") as at:
        backups = tmp_path / "backups"
        backups.mkdir(exist_ok=True)
        with zipfile.ZipFile(backups / "old.zip", "w", zipfile.ZIP_DEFLATED) as packed:
            packed.writestr("chatty.db", f"… {PLANTED} …" * 50)
        with sqlite3.connect(backups / "before.db") as old:
            old.execute("CREATE TABLE t (said TEXT)")
            old.execute("INSERT INTO t VALUES (?)", (PLANTED,))
        old.close()
        logs = tmp_path / "logs"
        logs.mkdir()
        (logs / "app.log").write_text(f"refused: {PLANTED.upper()}")
        plan, proof = await at.forget(target_of(await at.planted()))
        kinds = {(trace.kind, Path(trace.where).name) for trace in proof.traces}
        assert kinds == {("backup", "old.zip"), ("backup", "before.db"), ("log", "app.log")}
        for trace in proof.traces:
            await at.forgetting.remove(trace)
        again = await at.forgetting.prove(plan.needles, Work())
        assert again.clean
        assert (logs / "app.log").read_bytes() == b""


async def test_a_file_that_was_attached_goes_with_its_message(tmp_path: Path) -> None:
    async with room(tmp_path, "full_transcript") as at:
        kept = "".join(f"{PLANTED} wrote line {number}.\n" for number in range(40))
        file = text_file("letter.txt", kept)
        sent = await at.desk.chat.send(
            at.desk.session.id, at.desk.agent.id, "Look at this.", files=[file]
        )
        await at.desk.chat.wait(at.desk.session.id)
        await at.desk.say("Thank you.")
        first = await at.planted()
        await at.forget(target_of(first))
        assert at.files_that_say("wrote line 39")
        plan, proof = await at.forget(target_of(sent))
        assert plan.count("file") == 1
        assert file.about.digest in plan.needles.ids
        assert at.files_that_say("wrote line 39") == []
        assert at.files_that_say(file.about.digest) == []
        assert proof.clean


async def test_a_title_made_of_a_forgotten_message_is_made_anew(tmp_path: Path) -> None:
    desk = await Desk.open(tmp_path, OneModel(Diligent()), {"kind": "window"})
    try:
        at = Room(desk, tmp_path)
        desk.session = await desk.sessions.create(title_from(order("goal", PLANTED)))
        await desk.say(order("goal", PLANTED))
        await desk.say(order("open", "hotel"))
        plan, proof = await at.forget(target_of(await at.planted()))
        session = await desk.sessions.get(desk.session.id)
        assert session is not None
        assert plan.count("title") == 1
        assert session.title == order("open", "hotel")
        assert proof.clean
    finally:
        await desk.close()


def target_of(message: Message) -> ForgetTarget:
    return ForgetTarget("message", message.session_id, message.id)


async def everything(at: Room) -> list[object]:
    """Every row of every table."""

    def read(connection: Any) -> list[object]:
        from chatty_desktop.storage import tables

        return [
            list(map(tuple, connection.execute(table.select())))
            for table in tables.metadata.sorted_tables
        ]

    return await at.desk.database.read(read)
