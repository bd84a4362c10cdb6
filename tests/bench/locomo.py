"""How much of what answers a question recall finds: `python -m tests.bench.locomo FOLDER [NAME…]`.

FOLDER holds the conversations of LoCoMo ("Evaluating Very Long-Term Conversational Memory of LLM
Agents", ACL 2024; repository snap-research/locomo), a JSON file each: `session_N` lists of turns
{speaker, dia_id, text, blip_caption?}, and `qa` lists of {question, evidence, category}. The turns
go through the real store and the built-in embedder as one chat; a question is asked as a new
message. Questions without an answer (category 5) are left out. It takes minutes a conversation.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from chatty_desktop.domain.embedding import EmbedderId
from chatty_desktop.domain.messages import Message, Scope
from chatty_desktop.domain.ranking import by_vector, by_vector_and_words
from chatty_desktop.providers.built_in_embedder import BuiltInEmbedder
from chatty_desktop.storage.database import Database
from chatty_desktop.storage.episodes import StoredEpisodes
from chatty_desktop.storage.index_places import IndexFolder
from chatty_desktop.storage.messages import StoredMessages
from chatty_desktop.storage.sessions import StoredSessions

AT = (5, 10, 20, 50)
RANKINGS = {"vector": by_vector, "hybrid": by_vector_and_words}
SCOPE = Scope("ada", "s0")


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    evidence: frozenset[str]


Found = dict[tuple[str, int], list[float]]
"""(ranking, first so many) to the share of its evidence found, for each question."""


async def measure(file: Path) -> Found:
    """One conversation through the store; how much of its evidence each ranking finds."""
    said, questions = await asyncio.to_thread(_read, file)
    found: Found = {(ranking, at): [] for ranking in RANKINGS for at in AT}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        database = await Database.open(folder / "chatty.db", folder / "backups")
        store = StoredEpisodes(database, IndexFolder(folder / "episodes"), print)
        messages = StoredMessages(database)
        sessions = StoredSessions(database, lambda _event: None, messages.forget)
        await sessions.create("LoCoMo", SCOPE.agent_id, SCOPE.session_id)
        embedder = BuiltInEmbedder("local")
        identity = EmbedderId(embedder.provider, embedder.model, 384)
        for message in said:
            await messages.append(message)
            await store.record([(message, message.parent_id)])
        # The names of the speakers stand in the texts already, in place of the roles.
        vectors = await embedder.embed_texts([message.content for message in said])
        await store.add_vectors(identity, [message.id for message in said], vectors)
        queries = await embedder.embed_queries([question.text for question in questions])
        for question, query in zip(questions, queries, strict=True):
            scored = await store.score(identity, SCOPE, query[None], question.text)
            for ranking, rank in RANKINGS.items():
                best = rank(scored, _allowed, top_k=max(AT), threshold=-1.0)
                ids = [each.message_id for each in best if not each.left_out]
                for at in AT:
                    hit = question.evidence.intersection(ids[:at])
                    found[ranking, at].append(len(hit) / len(question.evidence))
        await store.close()
        await database.close()
    return found


def _read(file: Path) -> tuple[list[Message], list[Question]]:
    document: dict[str, Any] = json.loads(file.read_text("utf-8"))
    said: list[Message] = []
    numbers = sorted(int(key[8:]) for key in document if re.fullmatch(r"session_\d+", key))
    for number in numbers:
        for turn in document[f"session_{number}"]:
            picture = f" [shares {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            said.append(
                Message(
                    id=turn["dia_id"],
                    session_id=SCOPE.session_id,
                    parent_id=said[-1].id if said else None,
                    agent_id=SCOPE.agent_id,
                    run_id="",
                    role="user" if turn["speaker"] == document["speaker_a"] else "assistant",
                    content=f"{turn['speaker']}: {turn['text']}{picture}",
                    at=1.7e9 + len(said),
                )
            )
    known = {message.id for message in said}
    questions = []
    for asked in document["qa"]:
        named = re.findall(r"D\d+:\d+", " ".join(asked["evidence"]))
        evidence = frozenset(named) & known
        if asked["category"] != 5 and evidence:
            questions.append(Question(str(asked["question"]), evidence))
    return said, questions


def _allowed(_message_id: str) -> Literal[""]:
    return ""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.locomo")
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", help="such as 26 30; all without one")
    arguments = parser.parse_args()
    files = sorted(arguments.folder.glob("*.json"))
    if not files:
        parser.error(f"there are no conversations in {arguments.folder}")
    whole: Found = {}
    for file in files:
        if arguments.names and file.stem not in arguments.names:
            continue
        for key, values in asyncio.run(measure(file)).items():
            whole.setdefault(key, []).extend(values)
        print(f"{file.stem}: {len(whole['vector', AT[0]])} questions so far", flush=True)
        for ranking in RANKINGS:
            shares = (sum(whole[ranking, at]) / len(whole[ranking, at]) for at in AT)
            line = "  ".join(f"@{at} {share:.3f}" for at, share in zip(AT, shares, strict=True))
            print(f"  {ranking:7} {line}", flush=True)


if __name__ == "__main__":
    main()
