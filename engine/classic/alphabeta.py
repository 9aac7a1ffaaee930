"""The same answer for less work: a move already refuted need not be understood.

alpha is what I am sure of elsewhere, beta what you are sure of. Once a line gives me beta you will not go
there, and its other moves do not matter. A good first move cuts more; no order changes the score.
"""

from collections.abc import Callable, Iterable

import chess

from engine.classic.minimax import Evaluate
from engine.classic.rules import INFINITE, Line

Order = Callable[[chess.Board, Iterable[chess.Move]], Iterable[chess.Move]]
Horizon = Callable[[Line, int, int], int]  # what a leaf is worth within alpha and beta


def as_generated(board: chess.Board, moves: Iterable[chess.Move]) -> Iterable[chess.Move]:  # noqa: ARG001
    """No order at all. It takes the board because every order does."""
    return moves


def alphabeta(board: chess.Board, depth: int, evaluate: Evaluate, order: Order = as_generated) -> int:
    """Equals `minimax`."""

    def horizon(line: Line, _alpha: int, _beta: int) -> int:
        ended = line.verdict()
        return evaluate(line.board) if ended is None else ended

    return search(Line(board), depth, -INFINITE, INFINITE, horizon, order)


def search(line: Line, depth: int, alpha: int, beta: int, horizon: Horizon, order: Order) -> int:
    """Return r with  r <= alpha  or  alpha < r < beta (exact)  or  r >= beta."""
    if depth == 0:
        return horizon(line, alpha, beta)
    ended = line.verdict()
    if ended is not None:
        return ended
    best = -INFINITE
    for move in order(line.board, list(line.board.legal_moves)):
        line.push(move)
        score = -search(line, depth - 1, -beta, -max(alpha, best), horizon, order)
        line.pop()
        best = max(best, score)
        if best >= beta:
            break
    return best
