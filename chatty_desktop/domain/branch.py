"""One branch of a session's message tree, and what of it one agent's memory looks at."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import overload

from chatty_desktop.domain.messages import Message


class Branch(Sequence[Message]):
    """The messages from a session's first to one leaf, in order.

    It grows at its end and its messages change in place while a reply is written; another leaf is
    another branch. So a place, once found, stays right.
    """

    def __init__(self, messages: Iterable[Message] = ()) -> None:
        self._messages = list(messages)
        self._places = {message.id: place for place, message in enumerate(self._messages)}
        # By agent: the places of its messages that count, and the place up to which they were
        # looked for. Every turn asks, and looking at 10,000 messages takes longer than the rest.
        self._counting: dict[str, tuple[list[int], int]] = {}

    def place(self, message_id: str) -> int | None:
        """Where a message stands, counted from 0; None when it is not on the branch."""
        return self._places.get(message_id)

    def append(self, message: Message) -> bool:
        """Add the new leaf; False when it does not follow the present one."""
        if (self._messages[-1].id if self._messages else None) != message.parent_id:
            return False
        self._places[message.id] = len(self._messages)
        self._messages.append(message)
        return True

    def replace(self, message: Message) -> None:
        """Take a message's newer form; does nothing when it is not on the branch."""
        place = self._places.get(message.id)
        if place is not None:
            self._messages[place] = message
            for agent_id, (places, looked) in self._counting.items():
                del places[bisect_left(places, place) :]
                self._counting[agent_id] = places, min(looked, place)

    def of_agent(self, agent_id: str, begin: int = 0, end: int | None = None) -> list[Message]:
        """The agent's finished messages that say something, from place `begin` to before `end`."""
        places, looked = self._counting.get(agent_id, ([], 0))
        places += (
            place
            for place, message in enumerate(self._messages[looked:], looked)
            if message.agent_id == agent_id and message.counts
        )
        self._counting[agent_id] = places, len(self._messages)
        last = None if end is None else bisect_left(places, end)
        return list(map(self._messages.__getitem__, places[bisect_left(places, begin) : last]))

    def last_exchange(self, agent_id: str, end: int | None = None) -> list[Message]:
        """The last message sent to the agent before place `end`, and what it said since."""
        exchange: list[Message] = []
        for place in range(len(self) if end is None else end, 0, -1):
            message = self._messages[place - 1]
            if message.agent_id == agent_id and message.counts:
                exchange.append(message)
                if message.role == "user":
                    return exchange[::-1]
        return []

    @overload
    def __getitem__(self, place: int) -> Message: ...

    @overload
    def __getitem__(self, place: slice) -> list[Message]: ...

    def __getitem__(self, place: int | slice) -> Message | list[Message]:
        return self._messages[place]

    def __len__(self) -> int:
        return len(self._messages)

    def __iter__(self) -> Iterator[Message]:
        return iter(self._messages)
