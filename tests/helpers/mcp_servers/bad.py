"""A server that misbehaves in one way, named by its first argument.

Written on the bare protocol, since the SDK keeps its servers from most of this.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from typing import Any

WAY = sys.argv[1]


def say(**message: Any) -> None:
    written = json.dumps({"jsonrpc": "2.0", **message})
    sys.stdout.write(written.replace('"INFINITE"', "1e999") + "\n")
    sys.stdout.flush()


def asked() -> Iterator[dict[str, Any]]:
    for line in sys.stdin:
        yield json.loads(line)


def tools(cursor: str) -> dict[str, Any]:
    """Pages of 50 out of as many tools as the second argument says."""
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    start = int(cursor or 0)
    page = [
        {"name": f"tool {n}", "description": "d" * 10_000, "inputSchema": {"type": "object"}}
        for n in range(start, min(start + 50, count))
    ]
    if WAY == "half-characters":
        page[0]["description"] = "cut in half: \ud83d"
    if WAY == "infinite":
        page[0]["inputSchema"] = {"type": "object", "maxProperties": "INFINITE"}
        page += [{"name": "sound", "inputSchema": {"type": "object"}}]
    if WAY == "no-schema":
        page = [{"name": "odd"}]
    return {"tools": page, **({"nextCursor": str(start + 50)} if start + 50 < count else {})}


def call(number: Any) -> None:
    if WAY == "dies-in-call":
        print("the last word", file=sys.stderr, flush=True)
        os._exit(3)
    if WAY == "hangs-in-call":
        return
    if WAY == "flood-stdout":
        while True:
            say(method="notifications/message", params={"level": "info", "data": "x" * 100})
    if WAY == "garbage":
        while True:
            sys.stdout.write("Traceback (most recent call last): no JSON here\n")
            sys.stdout.flush()
    if WAY == "endless-line":
        while True:
            sys.stdout.write("x" * 65_536)
    if WAY == "flood-stderr":
        for n in range(200_000):
            sys.stderr.write(f"line {n} of a flood that goes on\n")
    say(id=number, result={"content": [{"type": "text", "text": "well"}], "isError": False})


def main() -> None:
    if WAY == "ends-at-once":
        print("no such flag: --verbsoe", file=sys.stderr, flush=True)
        sys.exit(2)
    if WAY == "says-its-key":
        sys.exit(f"cannot log in with {os.environ['SOME_TOKEN']}")
    if WAY == "hangs-at-start":
        time.sleep(600)
    if WAY == "chatty-start":
        print("Starting up, please wait …", flush=True)
    for message in asked():
        method, number = message.get("method"), message.get("id")
        if method == "server/discover" and WAY == "only-old":
            os._exit(1)
        if method == "initialize" and WAY != "hangs-in-greeting":
            said = message["params"]["protocolVersion"]
            info = {"name": "bad", "version": "0"}
            capabilities = {"tools": {"listChanged": True}}
            result = {"protocolVersion": said, "capabilities": capabilities, "serverInfo": info}
            say(id=number, result=result)
        elif method == "tools/list":
            say(id=number, result=tools((message.get("params") or {}).get("cursor", "")))
        elif method == "tools/call":
            call(number)
        elif number is not None and WAY != "hangs-in-greeting":
            say(id=number, error={"code": -32601, "message": "Method not found"})
    if WAY == "never-ends":
        time.sleep(600)


main()
