"""Long work on the data folder: how far it is, and a way to stop it."""

from __future__ import annotations

from chatty_desktop.domain.errors import Stopped


class Work:
    """Shared by who does the work, in a thread, and who looks on from another.

    what: what is being done now, for the person. done, total: how far that is, in any unit; a
    `total` of 0 is not known. stopping: it was asked to stop.
    """

    def __init__(self) -> None:
        self.what = ""
        self.done = 0
        self.total = 0
        self.stopping = False

    def stop(self) -> None:
        """Ask it to stop at the next place where that harms nothing."""
        self.stopping = True

    def begin(self, what: str, total: int = 0) -> None:
        """The next part begins. Raises `Stopped` when it was asked to stop."""
        self.what, self.done, self.total = what, 0, total
        self.step(0)

    def step(self, done: int) -> None:
        """So much more is done. Raises `Stopped` when it was asked to stop."""
        self.done += done
        if self.stopping:
            raise Stopped("Stopped. Nothing was changed.")
