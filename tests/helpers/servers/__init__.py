"""Scripted model servers on loopback, spoken to through the real SDKs.

    async with OpenAIServer(models=("small",)) as server:
        server.script("Hello there.", Answer.fail(503, "overloaded"))   # answers of the chat
        server.script_folds([{"key": "goal", "value": "Kyoto"}])        # answers of folds
        ... settings: kind "openai", base_url=server.base_url ...
        assert server.chats[0].body["messages"][-1]["content"] == "Hi"

Each chat request takes the next scripted answer, or `server.default` when there is none left. A
request that asks for a JSON schema, or whose messages hold `server.fold_mark`, is a fold and takes
the next of the scripted folds, or an empty list of changes, so a test scripts the two apart.
`OllamaServer` is the same over Ollama's own wire. Everything received is in `server.requests`
(all), `server.chats` and `server.folds`; `Received.left` is set when the client hung up before
its answer was complete, `Received.ended` whenever the server is through with it.

In a process of its own: `python -m tests.helpers.servers openai --answer "Hello."` prints the
base URL as its first line.
"""

from tests.helpers.servers.answers import Answer, Call, Scripted, fold_reply
from tests.helpers.servers.files import FileServer
from tests.helpers.servers.fixed import Fixed, FixedServer
from tests.helpers.servers.http import Received
from tests.helpers.servers.ollama import OllamaServer
from tests.helpers.servers.openai import OpenAIServer

__all__ = [
    "Answer",
    "Call",
    "FileServer",
    "Fixed",
    "FixedServer",
    "OllamaServer",
    "OpenAIServer",
    "Received",
    "Scripted",
    "fold_reply",
]
