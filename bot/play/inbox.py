"""What a game has yet to hear, in order; of states that queue up only the newest counts."""

import asyncio
from collections import deque

from bot.game.events import Event, StateSeen


class Inbox:
    """For one reader on one loop."""

    def __init__(self) -> None:
        self._events: deque[Event] = deque()
        self._filled = asyncio.Event()

    def put(self, event: Event) -> None:
        if isinstance(event, StateSeen) and self._events and isinstance(self._events[-1], StateSeen):
            self._events.pop()  # every state is the whole truth
        self._events.append(event)
        self._filled.set()

    async def get(self) -> Event:
        while not self._events:
            self._filled.clear()
            await self._filled.wait()
        return self._events.popleft()
