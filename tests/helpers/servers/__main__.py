"""A scripted server as a process of its own: `python -m tests.helpers.servers openai`.

The first line on stdout is the base URL. It ends when its stdin does, or is killed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys

from tests.helpers.servers import Answer, OllamaServer, OpenAIServer


async def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.helpers.servers")
    parser.add_argument("wire", choices=("openai", "ollama"))
    parser.add_argument("--port", type=int, default=0, help="0: any free one")
    parser.add_argument("--model", action="append", help="a model it lists; may be repeated")
    parser.add_argument("--key", help="the key it asks for")
    parser.add_argument("--answer", action="append", default=[], help="an answer; the last repeats")
    parser.add_argument(
        "--fold", action="append", default=[], help="a fold's changes as a JSON list; in order"
    )
    parser.add_argument("--delay", type=float, default=0.0, help="seconds before each word")
    given = parser.parse_args()
    wire = OpenAIServer if given.wire == "openai" else OllamaServer
    server = wire(models=given.model or ("small",), key=given.key, port=given.port)
    answers = [Answer(text=text, delay=given.delay) for text in given.answer]
    server.script(*answers)
    if answers:
        server.default = answers[-1]
    server.script_folds(*(json.loads(changes) for changes in given.fold))
    async with server:
        print(server.base_url, flush=True)
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main())
