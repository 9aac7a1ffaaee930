"""When a game need not be played out. Pure; scores are centipawns from White's point of view."""

from collections.abc import Sequence
from typing import NamedTuple

MATE_CP = 30_000  # a mate score in centipawns: above every other


class Rules(NamedTuple):
    """0 moves (or plies) = the rule is off. A move here is one by White and one by Black."""

    resign_moves: int = 0
    resign_cp: int = 0
    draw_moves: int = 0
    draw_cp: int = 0
    draw_after: int = 0  # no draw before this many moves were played
    max_plies: int = 0


class Ending(NamedTuple):
    result: str  # "1-0", "0-1", "1/2-1/2"
    reason: str


WHITE, BLACK, DRAW = "1-0", "0-1", "1/2-1/2"


def verdict(rules: Rules, scores: Sequence[int | None], plies: int) -> Ending | None:
    """`scores`: what each engine said with each of its moves, in order, None where it said nothing;
    `plies`: half-moves played since the start position, opening included.
    Both engines must agree: a rule looks at the last N moves of each.
    """
    if rules.resign_moves and (last := _last(scores, rules.resign_moves)):
        if min(last) >= rules.resign_cp:
            return Ending(WHITE, "adjudication: both see White winning")
        if max(last) <= -rules.resign_cp:
            return Ending(BLACK, "adjudication: both see Black winning")
    if (
        rules.draw_moves
        and plies >= 2 * rules.draw_after
        and (last := _last(scores, rules.draw_moves))
        and max(map(abs, last)) <= rules.draw_cp
    ):
        return Ending(DRAW, "adjudication: both see a draw")
    if rules.max_plies and plies >= rules.max_plies:
        return Ending(DRAW, "adjudication: too long")
    return None


def _last(scores: Sequence[int | None], moves: int) -> list[int]:
    """The last `moves` scores of both sides; empty if there are fewer or one is missing."""
    tail = [score for score in scores[-2 * moves :] if score is not None]
    return tail if len(tail) == 2 * moves else []
