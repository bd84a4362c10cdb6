"""The guide's pages for programmers hold: what they say to write is written, and works."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from shutil import copytree, ignore_patterns

import pytest

import chatty_desktop
from chatty_desktop.paths import resources_folder
from tests.helpers.folder import settings_for
from tests.helpers.servers import OpenAIServer
from tests.unit.test_architecture import python

BLOCK = re.compile(
    r"^`(chatty_desktop/[\w/.]+)`[^\n]*\n\n```(python|diff)\n(.*?)^```$", re.M | re.S
)


def follow(page: str, folder: Path) -> None:
    """Do to a copy of the app what a page says."""
    package = Path(chatty_desktop.__file__).parent
    copytree(package, folder / "chatty_desktop", ignore=ignore_patterns("__pycache__"))
    copytree(resources_folder(), folder / "resources", ignore=ignore_patterns("pictures"))
    text = (resources_folder() / "guide" / page).read_text("utf-8")
    blocks = BLOCK.findall(text)
    assert len(blocks) == len(re.findall(r"^```(?:python|diff)$", text, re.M))
    for path, kind, block in blocks:
        file = folder / path
        if kind == "python":
            assert not file.exists()
            file.write_text(block, "utf-8")
        else:
            change(file, block.splitlines())


def change(file: Path, lines: list[str]) -> None:
    """Apply a block of " " what stays, "-" what goes, and "+" what comes."""
    before = "".join(f"{line[1:]}\n" for line in lines if line[:1] != "+")
    after = "".join(f"{line[1:]}\n" for line in lines if line[:1] != "-")
    text = file.read_text("utf-8")
    assert text.count(before) == 1, f"{file.name}:\n{before}"
    file.write_text(text.replace(before, after), "utf-8")


TOOL = """
import asyncio, re
from chatty_desktop.app import App
from chatty_desktop.domain.messages import Scope
from chatty_desktop.domain.tools import ToolUse
from chatty_desktop.ui.settings.tools.built_in import tool_title

async def main():
    app = await App.open(DATA)
    dice = next(spec for spec in await app.tools.tools() if spec.name == "dice")
    result = await app.tools.call(ToolUse(Scope("a", "s"), "c", dice, {"count": 3}))
    assert re.fullmatch(r"\\d, \\d, \\d; together \\d+", result.text), result
    print(dice.policy, tool_title("dice"))
    await app.close()

asyncio.run(main())
"""

PROVIDER = """
import asyncio
from chatty_desktop.app import App
from chatty_desktop.ui.settings.providers.words import KINDS

async def main():
    app = await App.open(DATA)
    agent = await app.agents.by_name("Small talk")
    session = await app.sessions.create("Talk", agent.id)
    await app.chat.send(session.id, agent.id, "Hello there!")
    await app.chat.wait(session.id)
    print((await app.messages.page(session.id))[0].content, KINDS[-1].title)
    await app.close()

asyncio.run(main())
"""

STRATEGY = """
import asyncio
from chatty_desktop.app import App
from chatty_desktop.domain.agents import read_agent
from chatty_desktop.domain.messages import Scope
from chatty_desktop.ui.agents.strategy_form import FormParts, about, build_form, kinds

async def main():
    app = await App.open(DATA)
    text = '{"name": "A", "memory_strategy": {"kind": "ends", "first": 1, "last": 2}}'
    agent = await app.agents.save(read_agent(text))
    session = await app.sessions.create("Talk", agent.id)
    for number in range(5):
        await app.chat.send(session.id, agent.id, f"question {number}")
        await app.chat.wait(session.id)
    scope = Scope(agent.id, session.id)
    runs = await app.memories.asked_for(scope)
    request, *_ = await app.memories.request_of(runs[0].run_id, None)
    asked = [s.content for s in request.sections if s.role == "user"]
    snapshot = await app.memories.inspect(scope)
    print(asked, snapshot.layers[0].size, kinds()[-1], about("ends").title)
    await app.close()

from PySide6.QtWidgets import QApplication
from chatty_desktop.ui.controls import ModelChoices
from chatty_desktop.ui.theme import Theme
asyncio.run(main())
qt = QApplication([])
form = build_form("ends", FormParts(Theme(qt, "light"), None))
form.set({"first": 2})
print(form.value())
"""


@pytest.mark.parametrize(
    ("page", "code", "said"),
    [
        ("adding-a-tool.md", TOOL, "allow Dice"),
        ("adding-a-provider.md", PROVIDER, "Hello there! Parrot"),
        (
            "adding-a-strategy.md",
            STRATEGY,
            "['question 0', 'question 3', 'question 4'] 4 ends Ends\n"
            "{'kind': 'ends', 'first': 2, 'last': 6}",
        ),
    ],
    ids=["a tool", "a provider", "a kind of memory"],
)
async def test_what_a_walk_through_says_to_write_works(
    page: str, code: str, said: str, tmp_path: Path
) -> None:
    copy, data = tmp_path / "copy", tmp_path / "data"
    await asyncio.to_thread(follow, page, copy)
    async with OpenAIServer() as server:
        settings_for(data, server.base_url)
        if code is PROVIDER:
            bird = {"providers": [{"id": "bird", "kind": "parrot"}], "default_model": "bird/polly"}
            await asyncio.to_thread((data / "settings.json").write_text, json.dumps(bird))
        code = f"from pathlib import Path\nDATA = Path({str(data)!r})\n{code}"
        assert await asyncio.to_thread(python, code, copy) == said
