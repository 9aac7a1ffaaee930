"""When the built-in AI is to move, and what it is then asked. Pure; who answers is not decided here."""

from typing import NamedTuple

from bot.sandbox.match import Match


class AiTurn(NamedTuple):
    """The built-in AI is asked for a move."""

    game_id: str
    level: int
    ply: int
    variant: str
    initial_fen: str | None
    moves: list[str]
    left_ms: int | None
    increment_ms: int


def ai_turn(match: Match, now_ms: int) -> AiTurn | None:
    """What the AI is asked in `match`; None when it is not to move."""
    level = match.seats[match.turn].ai_level
    if not match.ai_to_move or level is None:
        return None
    left_ms = match.clock.left_ms(match.turn, now_ms) if match.clock else None
    increment_ms = match.clock.increment_ms if match.clock else 0
    fen, moves = match.initial_fen, list(match.moves)
    return AiTurn(match.id, level, match.ply, match.variant.key, fen, moves, left_ms, increment_ms)
