"""What a place that knows moves looks like: anyone's class with these two names is one (`krait.sources`)."""

from dataclasses import dataclass
from typing import Protocol

import chess

from bot.game.nouns import GameInfo, Position, Thought


@dataclass(frozen=True, slots=True)
class Question:
    """`board` is the position with its whole line, to be left as it is. `left_ms`: our clock, if any."""

    game: GameInfo
    position: Position
    board: chess.Board
    left_ms: int | None = None


class Source(Protocol):
    """Asked before the engine, one after the other; the first answer is played."""

    @property
    def name(self) -> str: ...

    async def find(self, question: Question) -> Thought | None:
        """A legal move, or None: not known here. Quick, and never an exception because of bad data."""
