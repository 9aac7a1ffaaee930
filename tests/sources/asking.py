"""Questions for sources."""

import asyncio

from bot.game.boards import board_of
from bot.game.nouns import GameId, GameInfo, Player, Position, Speed, Thought, TimeControl
from bot.sources.source import Question, Source


def question(
    *moves: str,
    fen: str | None = None,
    variant: str = "standard",
    game: str = "g",
    opponent: str = "rival",
    left_ms: int | None = 60_000,
) -> Question:
    position = Position(variant, fen, moves)
    white = len(moves) % 2 == 0
    us, them = Player("krait", "Krait", "BOT"), Player(opponent, opponent.title())
    players = (us, them) if white else (them, us)
    info = GameInfo(GameId(game), *players, variant, Speed.BLITZ, True, TimeControl(180, 2), white, fen)
    return Question(info, position, board_of(position), left_ms)


def ask(source: Source, asked: Question) -> Thought | None:
    """The board is the asker's: it must come back as it was."""
    before = asked.board.copy()
    found = asyncio.run(source.find(asked))
    assert asked.board == before
    assert asked.board.move_stack == before.move_stack
    return found
