"""How much memory this computer has left, and how much of it processes take."""

from __future__ import annotations

from chatty_desktop.domain.engines import Memory


def memory() -> Memory:
    """The memory of this computer."""
    import psutil  # costs a start 20 ms

    seen = psutil.virtual_memory()
    return Memory(total=int(seen.total), available=int(seen.available))


def memory_of(process_id: int) -> int | None:
    """Bytes of memory that a process takes, its model file included; None once it has ended."""
    taken = getattr(_info(process_id), "rss", None)
    return None if taken is None else int(taken)


def mapped_by(process_id: int) -> int:
    """Bytes of files that a process reads as memory, and that the system nevertheless counts as
    available, since it could read them again: the model of an engine at work. 0 where the system
    counts them as taken (Windows, macOS)."""
    return int(getattr(_info(process_id), "shared", 0))


def _info(process_id: int) -> object:
    if not process_id:
        return None
    import psutil

    try:
        return psutil.Process(process_id).memory_info()
    except psutil.Error:
        return None
