"""What has been read of a chat's current branch: gapless down to its end."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from chatty_desktop.domain.messages import Message, Role

Page = Callable[[str, str | None, int], Awaitable[list[Message]]]
Whole = Callable[[str], Awaitable[Sequence[Message]]]


class ReadBranch:
    """The messages read so far, oldest first.

    `page(session, before, limit)` reads messages that end at the leaf or just before `before`;
    `whole(session)` reads all of the branch.

    at_start: nothing comes before the first of them.
    """

    def __init__(self, page: Page, whole: Whole) -> None:
        self.messages: list[Message] = []
        self.at_start = True
        self._page = page
        self._whole = whole

    def __len__(self) -> int:
        return len(self.messages)

    def clear(self) -> None:
        """Know nothing, as of a chat that is not opened yet."""
        self.messages = []
        self.at_start = True

    def index(self, message_id: str) -> int | None:
        """Where a message stands; looked for from the end, where it mostly is."""
        for index in range(len(self.messages) - 1, -1, -1):
            if self.messages[index].id == message_id:
                return index
        return None

    def last_of(self, role: Role) -> Message | None:
        """The newest message of the person's own, or the newest reply."""
        return next((m for m in reversed(self.messages) if m.role == role), None)

    async def end(self, session: str, count: int) -> tuple[list[Message], bool]:
        """The last messages of the branch as it is now, and whether those are all of it. They are
        not taken in yet. Raises `StorageFailed`."""
        messages = await self._page(session, None, count)
        return messages, len(messages) < count

    def same_up_to(self, messages: Sequence[Message]) -> int | None:
        """Up to where the end of a branch is what is known already, None where it has nothing in
        common with that or something went that stood before it."""
        start = self.index(messages[0].id) if messages else None
        before = self.messages[start - 1].id if start else None
        if start is None or (start and messages[0].parent_id != before):
            return None
        same = start
        for message in messages:
            if same == len(self.messages) or self.messages[same].id != message.id:
                break
            same += 1
        return same

    async def older(self, session: str, count: int) -> int:
        """Read up to so many that come before; how many there were, 0 too when the branch turned
        into another meanwhile. Raises `StorageFailed`."""
        before = self.messages[0].id if self.messages else None
        older = await self._page(session, before, count)
        if before is None or not self.messages or self.messages[0].id != before:
            return 0
        self.messages[:0] = older
        self.at_start = len(older) < count
        return len(older)

    async def all(self, session: str) -> int:
        """Read all that comes before; how many there were, as `older` does."""
        before = self.messages[0].id if self.messages else None
        branch = await self._whole(session)
        if before is None or not self.messages or self.messages[0].id != before:
            return 0
        older: list[Message] = []
        for message in branch:
            if message.id == before:
                self.messages[:0] = older
                self.at_start = True
                return len(older)
            older.append(message)
        return 0
