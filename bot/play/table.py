"""What every game of an account shares: the doors it goes through and the rules it keeps."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import chess

from bot.engines.pool import Pool
from bot.engines.spec import OptionValue
from bot.game.clockwork import ClockRules
from bot.game.facts import Witness
from bot.game.manners import Manners
from bot.game.nouns import GameBrief, GameInfo, Speed
from bot.lichess.client import Lichess
from bot.play.desk import ChatDesk
from bot.sources.source import Source

Strength = Callable[[GameInfo], Mapping[str, OptionValue]]


def as_configured(_: GameInfo) -> Mapping[str, OptionValue]:
    """Every game with the options the engine was started with."""
    return {}


@dataclass(frozen=True, slots=True)
class Table:
    lichess: Lichess
    pool: Pool
    sources: Sequence[Source]
    wdl: Callable[[chess.Board], int | None] | None  # what an endgame table says for the side to move
    desk: ChatDesk
    manners: Manners
    clock: ClockRules
    tell: Witness
    ponder: bool = True
    strength: Strength = as_configured  # options of the engine for one game: how strong it plays there
    engine_for: Callable[[str, Speed], str] | None = None  # who plays a variant at a speed, by name

    def manners_for(self, brief: GameBrief) -> Manners:
        """With the name of the engine that plays this game."""
        if self.engine_for is None:
            return self.manners
        return replace(self.manners, engine=self.engine_for(brief.variant, brief.speed))
