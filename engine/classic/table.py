"""What was found about a position, remembered by its key, whatever moves lead to it next time."""

from collections.abc import Hashable
from enum import Enum, auto
from typing import NamedTuple

import chess

from engine.classic.rules import MATE

MATE_BOUND = MATE - 1_000
MOST = 400_000  # positions


class Bound(Enum):
    EXACT = auto()
    AT_LEAST = auto()  # the search was cut: there may be better
    AT_MOST = auto()  # no move reached alpha


def farther(score: int, plies: int) -> int:
    """A mate seen from `plies` nearer to it; every other score is the same from everywhere."""
    if score > MATE_BOUND:
        return score + plies
    return score - plies if score < -MATE_BOUND else score


class Entry(NamedTuple):
    depth: int
    bound: Bound
    score: int  # as seen from the position itself: a mate keeps its distance
    move: chess.Move

    def score_at(self, ply: int) -> int:
        return farther(self.score, -ply)

    def decides(self, depth: int, alpha: int, beta: int, ply: int) -> bool:
        """Whether a search to `depth` within alpha and beta is spared."""
        score = self.score_at(ply)
        fits = {Bound.EXACT: True, Bound.AT_LEAST: score >= beta, Bound.AT_MOST: score <= alpha}
        return self.depth >= depth and fits[self.bound]


class Table:
    def __init__(self) -> None:
        self._entries: dict[Hashable, Entry] = {}

    def get(self, key: Hashable) -> Entry | None:
        return self._entries.get(key)

    def put(self, key: Hashable, depth: int, bound: Bound, score: int, move: chess.Move, ply: int) -> None:
        """Remember a score found `ply` half-moves below the root; the newest entry is the most useful one."""
        if len(self._entries) >= MOST:
            self._entries.clear()
        self._entries[key] = Entry(depth, bound, farther(score, ply), move)
