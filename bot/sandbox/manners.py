"""How an opponent behaves: pure rules about pace, draws, takebacks and challenges. It never resigns."""

import random
from enum import StrEnum
from typing import NamedTuple

import chess

DRAW_FROM_PLY = 20  # an earlier offer is not a serious one
TAKEBACKS_A_GAME = 2
LONGEST_PAUSE_MS = 8_000
UNTIMED_PAUSE_MS = 2_000
VALUES = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9}


class Pace(StrEnum):
    INSTANT = "instant"
    HUMAN = "human"


class Habits(NamedTuple):
    pace: Pace = Pace.INSTANT
    most_games: int = 8  # at once; a further challenge is declined with `later`
    greets: bool = True
    patience_s: float = 60.0  # a game whose first move does not come is aborted


def pause_ms(pace: Pace, left_ms: int | None, increment_ms: int, rng: random.Random) -> int:
    """How long to sit before moving: a human's share of the clock, at most a quarter of what is left."""
    if pace is Pace.INSTANT:
        return 0
    usual_ms = UNTIMED_PAUSE_MS if left_ms is None else left_ms / 60 + increment_ms * 0.6
    wished_ms = min(LONGEST_PAUSE_MS, usual_ms * rng.triangular(0.2, 2.5, 0.7))
    return round(wished_ms if left_ms is None else min(wished_ms, left_ms / 4))


def takes_draw(board: chess.Board, me: chess.Color, score_cp: int | None) -> bool:
    """Welcome from move 11 on when I stand no better: by the engine's word, else by counting pieces.

    Where pieces do not count as in chess (antichess, racing kings …), only the engine's word counts.
    """
    if board.ply() < DRAW_FROM_PLY:
        return False
    if score_cp is not None:
        return score_cp <= 0
    return board.uci_variant == "chess" and material(board, me) <= material(board, not me)


def material(board: chess.Board, color: chess.Color) -> int:
    return sum(len(board.pieces(kind, color)) * value for kind, value in VALUES.items())


def grants_takeback(granted: int) -> bool:
    """The first two of a game are a courtesy."""
    return granted < TAKEBACKS_A_GAME


def reason_to_decline(*, knows_variant: bool, games: int, most_games: int) -> str | None:
    """The key lila knows a reason by; None: accept."""
    if not knows_variant:
        return "variant"
    return "later" if games >= most_games else None
