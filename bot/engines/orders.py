"""What the pool is asked and what it shows."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.engines.spec import OptionValue
from bot.game.clockwork import Allowance
from bot.game.nouns import GameId, Player, Position, Speed


@dataclass(frozen=True, slots=True)
class Order:
    """Find a move here. `asked_at` is loop time: `allowance` was true then; what has passed is deducted.

    `options` hold for this move alone; those the engine does not offer are left out.
    """

    game: GameId
    position: Position
    we_are_white: bool
    speed: Speed
    allowance: Allowance
    asked_at: float
    ponder: bool = False
    opponent: Player | None = None
    options: Mapping[str, OptionValue] = field(default_factory=dict)


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
