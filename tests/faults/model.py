"""A model that answers, folds, notes facts and sums up, each in words of what it is shown."""

from __future__ import annotations

import json
import re

from tests.helpers.servers import Answer, OpenAIServer, Received


def talkative(server: OpenAIServer) -> None:
    """Have the server answer whatever it is asked for as long as it runs."""
    count = 0

    def chat(received: Received) -> Answer:
        nonlocal count
        count += 1
        told = str(received.body["messages"][-1]["content"])
        if "new summary" in told:
            return Answer(text="They talk about " + ", ".join(_words(told)[-12:]) + ".")
        # Now and then one that lasts longer than it takes until a partial reply is kept.
        delay = 0.09 if count % 9 == 0 else 0.004
        return Answer(text=f"Answer {count} to: {told[-60:]} and so on to its end", delay=delay)

    def memory(received: Received) -> Answer:
        told = str(received.body["messages"][-1]["content"])
        word = _words(told)[-1]
        if '"facts"' in json.dumps(received.body.get("response_format", {})):
            return Answer(text=json.dumps({"facts": [{"subject": "user", "fact": f"says {word}"}]}))
        if count % 5 == 0:
            return Answer(text="No object at all.")  # refused, asked once more
        return Answer.fold([{"key": "goal", "value": word}])

    server.default = chat
    server.default_fold = memory


def _words(text: str) -> list[str]:
    """The words that only the messages of these tests have."""
    return re.findall(r"\bword[a-z0-9]+", text) or ["nothing"]
