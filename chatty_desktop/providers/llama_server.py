"""The local engine: a process of its own, so that its crash never takes the window along.

`python -m chatty_desktop.providers.llama_server` reads its configuration as one line of JSON on
stdin: `model` (path of a .gguf file), `context_length` (tokens), `key` (what requests must
carry), `embedding` (it embeds instead of chatting), `threads` and `gpu_layers` (null: as suits),
`prompts` (the folder in which what was read can be kept),
`parent` (the process that started it). It writes one line of JSON to stdout: `{"ready":
"http://127.0.0.1:PORT", "threads": N}` or `{"failed": REASON}`; what the engine has to say goes to
stderr. It ends when stdin does, and on Linux at once when the parent dies: loading a model holds
the interpreter lock for seconds, in which no thread of Python's could see stdin end.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import sys
import threading
from typing import Any, TextIO

_PR_SET_PDEATHSIG = 1
_NICENESS = 2
"""The window comes first when processors are few; more would starve answers on a busy computer."""

_PROMPT_CACHE_MIB = 512
"""Memory for prompts read before: chats and folds take turns on one slot."""

_WARNINGS = 2


def main() -> None:
    """Serve until stdin ends."""
    events = _take_stdout()
    config = json.loads(sys.stdin.readline())
    _die_with(int(config["parent"]))
    watcher = threading.Thread(target=_leave_when_stdin_ends, daemon=True)
    watcher.start()
    if hasattr(os, "nice"):
        with contextlib.suppress(OSError):
            os.nice(_NICENESS)
    try:
        server, threads = _serve(config)
    except Exception as error:
        _tell(events, {"failed": str(error)})
        # Not a return: the watcher holds stdin, and the interpreter would stumble over it.
        os._exit(1)
    _tell(events, {"ready": server.listening_address, "threads": threads})
    watcher.join()


def _take_stdout() -> TextIO:
    """Keep stdout for events; whatever else writes to it writes to stderr from now on."""
    events = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return events


def _tell(events: TextIO, event: dict[str, Any]) -> None:
    events.write(json.dumps(event) + "\n")
    events.flush()


def _die_with(parent: int) -> None:
    """Have the kernel end this process with the parent; leave now if it is gone already."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if sys.platform != "win32" and os.getppid() != parent:
        os._exit(1)


def _leave_when_stdin_ends() -> None:
    while sys.stdin.readline():
        pass
    # Not sys.exit: the engine's own threads would be waited for, an answer in the making too.
    os._exit(0)


def _serve(config: dict[str, Any]) -> tuple[Any, int]:
    """The server, and how many threads it works with."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = config["model"]
    params.n_ctx = config["context_length"]
    params.n_parallel = 1
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [config["key"]]
    params.use_jinja = True
    params.ui = False
    params.cors_origins = ""
    params.cache_ram_mib = _PROMPT_CACHE_MIB
    params.verbosity = _WARNINGS
    if config["threads"] is not None:
        params.cpuparams.n_threads = config["threads"]
    if config["gpu_layers"] is not None:
        params.n_gpu_layers = config["gpu_layers"]
    if config["prompts"] is not None:
        params.slot_save_path = config["prompts"] + os.sep
    if config["embedding"]:
        params.embedding = True
        # A text is embedded in one go, so it must fit into one.
        params.n_batch = params.n_ubatch = config["context_length"]
        params.cache_ram_mib = 0
    server = xllamacpp.Server(params)
    return server, params.cpuparams.n_threads


if __name__ == "__main__":
    main()
