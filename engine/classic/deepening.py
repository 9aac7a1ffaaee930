"""Depth 1, then 2, then 3: each costs little beside the next and tells it which move to try first; whenever
the budget ends there is a move in hand.
"""

import time
from collections.abc import Callable
from typing import NamedTuple

import chess

from engine.classic.evaluation import evaluate
from engine.classic.minimax import Evaluate
from engine.classic.ordering import Memory, by_capture
from engine.classic.quiescence import quiescence
from engine.classic.rules import INFINITE, MATE, Line
from engine.classic.table import Bound, Table

DEEPEST = 60
PATIENCE = 8  # where every man taken comes back (Crazyhouse), exchanges have no end
FOREVER = float("inf")


class Limits(NamedTuple):
    """The search ends at whichever comes first."""

    depth: int = DEEPEST
    nodes: int | None = None
    time_ms: float | None = None


class Found(NamedTuple):
    """What the deepest finished search says."""

    move: chess.Move | None  # None: the game is over
    score: int
    depth: int
    nodes: int


def _unheard(found: Found) -> None:
    """Where nobody follows the search."""


class _OutOfBudgetError(Exception):
    """The way out of the recursion; never leaves this file."""


class Searcher:
    """Remembers what it has learnt from one search to the next."""

    def __init__(self, judge: Evaluate = evaluate, now: Callable[[], float] = time.monotonic) -> None:
        self._judge, self._now = judge, now
        self._table = Table()
        self._memory = Memory()
        self._nodes, self._most_nodes, self._deadline = 0, FOREVER, FOREVER
        self._root_move: chess.Move | None = None
        self._stopped = False

    def stop(self) -> None:
        """From another thread: the search under way ends with the deepest answer it has."""
        self._stopped = True

    def search(self, board: chess.Board, limits: Limits) -> chess.Move | None:
        """The best move; None when the game is over."""
        return self.find(board, limits).move

    def find(self, board: chess.Board, limits: Limits, tell: Callable[[Found], None] = _unheard) -> Found:
        """The deepest answer within the limits; `tell` hears of each depth as it is finished."""
        self._stopped = False
        ended = Line(board).verdict()
        if ended is not None:
            return Found(None, ended, 0, 0)
        self._nodes = 0
        self._most_nodes = FOREVER if limits.nodes is None else limits.nodes
        self._deadline = FOREVER if limits.time_ms is None else self._now() + limits.time_ms / 1000
        found = Found(by_capture(board, board.legal_moves)[0], self._judge(board), 0, 0)
        try:
            for depth in range(1, limits.depth + 1):
                if MATE - abs(found.score) < depth:
                    break  # a mate this near has been proved the shortest
                found = self._at_depth(board, depth)
                tell(found)
        except _OutOfBudgetError:
            pass
        return found

    def _at_depth(self, board: chess.Board, depth: int) -> Found:
        score = self._negamax(Line(board), depth, -INFINITE, INFINITE)
        return Found(self._root_move, score, depth, self._nodes)

    def _spend(self) -> None:
        self._nodes += 1
        if self._stopped or self._nodes > self._most_nodes or self._now() > self._deadline:
            raise _OutOfBudgetError

    def _evaluate(self, board: chess.Board) -> int:
        self._spend()
        return self._judge(board)

    def _negamax(self, line: Line, depth: int, alpha: int, beta: int) -> int:
        """Return r with  r <= alpha  or  alpha < r < beta (exact)  or  r >= beta."""
        self._spend()
        if depth == 0:
            return quiescence(line, alpha, beta, self._evaluate, by_capture, PATIENCE)
        ended = line.verdict()
        if ended is not None:
            return ended
        entry = self._table.get(line.key)
        if entry and line.ply > 0 and entry.decides(depth, alpha, beta, line.ply):
            return entry.score_at(line.ply)
        best, best_move = -INFINITE, chess.Move.null()
        for move in self._memory.order(line.board, line.board.legal_moves, line.ply, entry and entry.move):
            line.push(move)
            score = -self._negamax(line, depth - 1, -beta, -max(alpha, best))
            line.pop()
            if score > best:
                best, best_move = score, move
            if best >= beta:
                self._memory.learn(line.board, move, line.ply, depth)
                break
        if line.ply == 0:
            self._root_move = best_move
        bound = Bound.AT_LEAST if best >= beta else Bound.EXACT if best > alpha else Bound.AT_MOST
        self._table.put(line.key, depth, bound, best, best_move, line.ply)
        return best
