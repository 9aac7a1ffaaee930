"""The idea: I take the move whose outcome is best for me, knowing that you will do the same.

The score is always that of the side to move, so one rule serves both: my best is the least of your bests.
"""

from collections.abc import Callable

import chess

from engine.classic.rules import INFINITE, Line

Evaluate = Callable[[chess.Board], int]  # centipawns, for the side to move


def minimax(board: chess.Board, depth: int, evaluate: Evaluate) -> int:
    """The score of `board` when both sides look at every move for `depth` half-moves."""
    return _best(Line(board), depth, evaluate)


def _best(line: Line, depth: int, evaluate: Evaluate) -> int:
    ended = line.verdict()
    if ended is not None:
        return ended
    if depth == 0:
        return evaluate(line.board)
    best = -INFINITE
    for move in list(line.board.legal_moves):
        line.push(move)
        best = max(best, -_best(line, depth - 1, evaluate))
        line.pop()
    return best
