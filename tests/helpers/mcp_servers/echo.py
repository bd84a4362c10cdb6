"""A server whose answer to a call is the text that the call gives it, as it is: python echo.py

The tool `say` takes `answer`, in which ID stands for the number of the call; `well` answers well.
Over HTTP the same answers come from `answered`.
"""

from __future__ import annotations

import json
import sys
from typing import Any

TOOLS = [{"name": name, "inputSchema": {"type": "object"}} for name in ("say", "well")]


def answered(message: dict[str, Any]) -> str | None:
    """What a message is answered with; None for one that wants no answer."""
    number = message.get("id")
    match message.get("method"):
        case "initialize":
            result: dict[str, Any] = {
                "protocolVersion": message["params"]["protocolVersion"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "echo", "version": "0"},
            }
        case "tools/list":
            result = {"tools": TOOLS}
        case "tools/call" if message["params"]["name"] == "say":
            return str(message["params"]["arguments"]["answer"]).replace("ID", json.dumps(number))
        case "tools/call":
            result = {"content": [{"type": "text", "text": "well"}]}
        case _ if number is None:
            return None
        case _:
            error = {"code": -32601, "message": "Method not found"}
            return json.dumps({"jsonrpc": "2.0", "id": number, "error": error})
    return json.dumps({"jsonrpc": "2.0", "id": number, "result": result})


def main() -> None:
    for line in sys.stdin:
        answer = answered(json.loads(line))
        if answer is not None:
            sys.stdout.write(answer + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
