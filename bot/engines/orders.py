"""What the pool is asked and what it shows."""

from dataclasses import dataclass

from bot.game.clockwork import Allowance
from bot.game.nouns import GameId, Player, Position, Speed


@dataclass(frozen=True, slots=True)
class Order:
    """Find a move here. `asked_at` is loop time: `allowance` was true then; what has passed is deducted."""

    game: GameId
    position: Position
    we_are_white: bool
    speed: Speed
    allowance: Allowance
    asked_at: float
    ponder: bool = False
    opponent: Player | None = None


@dataclass(frozen=True, slots=True)
class EngineView:
    """One process as a page shows it. `state`: starting, idle, thinking, pondering, settling or down."""

    name: str
    pid: int  # 0: there is none now
    game: GameId | None
    depth: int
    nps: int
    memory_bytes: int  # 0 where the system does not tell
    restarts: int
    state: str
