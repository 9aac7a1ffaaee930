"""What waits to be written to a stream: 32 elements, blank lines included; one more pushes out the oldest.

So it is on lila, where a stalled reader loses events and a replay of more than 32 loses its first. The end of
a stream is never lost.
"""

import asyncio
import json
from collections import deque
from enum import StrEnum
from typing import Any, NamedTuple

Json = dict[str, Any]
QUEUE_SIZE = 32


class Ending(StrEnum):
    CLEAN = "clean"  # what is queued, then the last chunk
    RESET = "reset"  # the connection is torn


class Label(NamedTuple):
    """What a stream is of; faults and measurements tell streams apart by it."""

    kind: str
    user: str = ""
    game: str = ""


class Line(NamedTuple):
    data: bytes
    ply: int | None = None  # of the position it shows, if it shows one


BLANK = Line(b"\n")


def line_of(what: Json) -> Line:
    state = what.get("state", what)  # a gameFull holds its gameState
    moves = state.get("moves") if state.get("type") == "gameState" else None
    ply = None if moves is None else len(moves.split())
    return Line(
        json.dumps(what, separators=(",", ":"), ensure_ascii=False).encode(errors="replace") + b"\n", ply
    )


class LineQueue:
    """What waits to be written to one stream."""

    def __init__(self, size: int = QUEUE_SIZE) -> None:
        self._lines: deque[Line] = deque(maxlen=size)
        self._changed = asyncio.Event()
        self.ending: Ending | None = None

    def put(self, line: Line) -> bool:
        """Whether a line was lost to make room. What comes after the end is not wanted by anybody."""
        if self.ending is not None:
            return False
        was_full = len(self._lines) == self._lines.maxlen
        self._lines.append(line)
        self.poke()
        return was_full

    def take(self) -> Line | None:
        return self._lines.popleft() if self._lines else None

    def end(self, how: Ending = Ending.CLEAN) -> None:
        """The first end stands, but a reset overrules a clean one."""
        if self.ending is None or how is Ending.RESET:
            self.ending = how
            self.poke()

    def poke(self) -> None:
        """Let a waiting writer look again: an end or a fault may have come."""
        self._changed.set()

    async def wait(self) -> None:
        """Until there was a line, an end or a poke since the last wait."""
        await self._changed.wait()
        self._changed.clear()
