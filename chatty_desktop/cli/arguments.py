"""What can be written on the command line."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import chatty_desktop


def parse(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """The call as a namespace; `command` None opens the window. Exits with 2 on a wrong call."""
    everywhere = argparse.ArgumentParser(add_help=False)
    everywhere.add_argument(
        "--data-dir",
        type=Path,
        default=argparse.SUPPRESS,
        metavar="DIR",
        help="work on this data folder (else CHATTY_DATA_DIR, else your own)",
    )
    everywhere.add_argument(
        "--database",
        default=argparse.SUPPRESS,
        metavar="URL",
        help="work on the chats in this PostgreSQL database, as postgresql://user@server/name"
        " (else CHATTY_DATABASE_URL, else where `move` brought them, else the data folder)",
    )
    everywhere.add_argument(
        "--episodes",
        default=argparse.SUPPRESS,
        metavar="URL",
        help="use the index of episodes at s3://bucket/folder, gs://…, az://… or in another folder"
        " (else CHATTY_EPISODES_URL, else where `move` brought it, else the data folder)",
    )
    everywhere.add_argument(
        "--take-over",
        action="store_true",
        default=argparse.SUPPRESS,
        help="part another machine that works on that database from it",
    )
    json = argparse.ArgumentParser(add_help=False, parents=[everywhere])
    json.add_argument("--json", action="store_true", help="print one JSON document")
    session = argparse.ArgumentParser(add_help=False, parents=[json])
    session.add_argument(
        "--session", type=_text, required=True, metavar="S", help="a session's title or id"
    )
    scope = argparse.ArgumentParser(add_help=False, parents=[session])
    scope.add_argument(
        "--agent", type=_text, required=True, metavar="A", help="an agent's name or id"
    )

    parser = argparse.ArgumentParser(
        prog="chatty-desktop",
        description="Chat with language models on this computer and see what they remember."
        " Without a command it opens the window.",
        parents=[everywhere],
    )
    parser.add_argument(
        "--version", action="version", version=f"%(prog)s {chatty_desktop.__version__}"
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    ask = commands.add_parser(
        "ask", parents=[scope], help="send a message; prints the reply once memory has settled"
    )
    ask.add_argument("text", type=_text, metavar="TEXT")
    ask.add_argument(
        "--attach",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="send a text, PDF or image along; may be given several times",
    )
    commands.add_parser("inspect", parents=[scope], help="what the agent remembers in the session")
    commands.add_parser("prompt", parents=[scope], help="the last request sent to the model")
    commands.add_parser("log", parents=[session], help="the run log of the session")

    reembed = commands.add_parser(
        "reembed",
        parents=[json],
        help="embed the episodes of every session with the embedder of the settings",
    )
    reembed.add_argument(
        "--stop-after", type=_count, metavar="N", help="embed N of them; the rest waits"
    )

    measure = commands.add_parser(
        "measure",
        parents=[json],
        help="measure how well models keep the state of an agent; nothing else is changed",
    )
    measure.add_argument(
        "--agent", type=_text, required=True, metavar="A", help="an agent's name or id"
    )
    measure.add_argument(
        "--model",
        type=_text,
        required=True,
        action="append",
        metavar="M",
        help="a model to measure, as provider/model; can be given several times",
    )
    source = measure.add_mutually_exclusive_group()
    source.add_argument(
        "--script",
        type=_text,
        metavar="NAME|FILE",
        help="one of the app's own conversations, or a file with one"
        " (else the own one that fits the agent's fields best)",
    )
    source.add_argument(
        "--chat",
        type=_text,
        metavar="S",
        help="a chat of the agent, by title or id; its right answers are not known",
    )

    for name, what in (
        ("backup", "write the database and the settings, never keys, into one file"),
        ("export", "write every chat, to read and as JSON, and every agent into one file"),
    ):
        written = commands.add_parser(name, parents=[json], help=what)
        written.add_argument("--to", type=Path, required=True, metavar="FILE.zip")
        written.add_argument("--replace", action="store_true", help="replace a file of that name")
    restore = commands.add_parser(
        "restore", parents=[json], help="bring a backup back; what is there now is backed up first"
    )
    restore.add_argument("file", type=Path, metavar="FILE")

    move = commands.add_parser(
        "move",
        parents=[json],
        help="keep all chats and memory in a PostgreSQL database from now on, or here again",
    )
    where = move.add_mutually_exclusive_group(required=True)
    where.add_argument("--to", metavar="URL", help="an empty database; no password in the address")
    where.add_argument("--back", action="store_true", help="into the data folder")
    where.add_argument(
        "--episodes-to",
        metavar="URL",
        help="the index of episodes alone: s3://bucket/folder, gs://…, az://… or another folder",
    )
    where.add_argument(
        "--episodes-back", action="store_true", help="the index of episodes, into the data folder"
    )
    move.add_argument(
        "--without-chats",
        action="store_true",
        help="copy nothing: use what is there, as a second machine does",
    )

    agents = commands.add_parser("agents", help="list, import and export agents")
    actions = agents.add_subparsers(dest="action", metavar="ACTION", required=True)
    actions.add_parser("list", parents=[json], help="the agents' names")
    import_ = actions.add_parser(
        "import", parents=[everywhere], help="store an agent file, replacing one of its name"
    )
    import_.add_argument("file", type=Path, metavar="FILE")
    export = actions.add_parser("export", parents=[everywhere], help="print an agent file")
    export.add_argument("name", type=_text, metavar="NAME")

    graph = commands.add_parser("graph", help="run graphs of agents")
    actions = graph.add_subparsers(dest="action", metavar="ACTION", required=True)
    graph_run = actions.add_parser(
        "run",
        parents=[session],
        help="run a graph file; prints the result once memory has settled",
    )
    graph_run.add_argument("file", type=Path, metavar="FILE")
    graph_run.add_argument("text", type=_text, metavar="TEXT")
    actions.add_parser(
        "resume",
        parents=[session],
        help="run what the last run of a session left: what failed, was skipped or stopped",
    )
    # Not as defaults of the options: one given before the command would be reset by the command's.
    given = argparse.Namespace(
        data_dir=None, database=None, episodes=None, take_over=False, json=False
    )
    return parser.parse_args(argv, given)


def _text(text: str) -> str:
    """What can be stored: bytes that are no text in the terminal's encoding cannot."""
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise argparse.ArgumentTypeError(f"is not text in this terminal's encoding: {text!r}")
    return text


def _count(text: str) -> int:
    """A whole number from 1 on."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return number
