"""The graphics processors that the local engine can use.

`python -m chatty_desktop.providers.gpu` writes them as one line of JSON. It is a process of its
own: a driver that crashes when it is asked does not take the window along.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from chatty_desktop.domain.engines import GpuDevice
from chatty_desktop.domain.errors import Unreachable
from chatty_desktop.domain.json_text import read_json
from chatty_desktop.providers import own_process

_ASK_SECONDS = 30.0


async def gpu_devices() -> list[GpuDevice]:
    """What the installed engine finds; empty when it was built for none, or there is none.

    Raises `Unreachable` when it cannot tell.
    """
    try:
        process = await own_process.started(__name__)
    except OSError as error:
        raise _unknown(error.strerror or str(error)) from error
    try:
        async with asyncio.timeout(_ASK_SECONDS):
            answer, _ = await process.communicate()
        return [GpuDevice(**found) for found in read_json(answer.strip().rpartition(b"\n")[2])]
    except TimeoutError:
        raise _unknown(f"no answer within {_ASK_SECONDS:.0f} s") from None
    except (ValueError, TypeError) as error:
        raise _unknown(f"it ended with status {process.returncode}") from error
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def main() -> None:
    """Write the devices to stdout."""
    import xllamacpp

    gpu_types = (
        xllamacpp.ggml_backend_dev_type.GGML_BACKEND_DEVICE_TYPE_GPU,
        xllamacpp.ggml_backend_dev_type.GGML_BACKEND_DEVICE_TYPE_IGPU,
    )
    found = [_told(d) for d in xllamacpp.get_device_info() if d["type"] in gpu_types]
    sys.stdout.write(json.dumps(found) + "\n")


def _told(device: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": device["description"] or device["name"],
        "memory_free": device["memory_free"],
        "memory_total": device["memory_total"],
    }


def _unknown(reason: str) -> Unreachable:
    return Unreachable(
        f"Whether the local engine can use a graphics processor cannot be told: {reason}.",
        cause="server",
    )


if __name__ == "__main__":
    main()
