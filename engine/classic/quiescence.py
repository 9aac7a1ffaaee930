"""At the horizon an exchange may be half done: a static evaluation counts its first capture, not the second.

So captures and promotions are searched on, each side being free to stop (to stand pat) when none pays. A king
in check is not free: all its evasions are looked at. Nor is a side whom its variant obliges to capture.
Stalemate is not looked for: most leaves would pay for it with all of their quiet moves.
"""

import chess
from chess.variant import SuicideBoard

from engine.classic.alphabeta import Order, as_generated, search
from engine.classic.minimax import Evaluate
from engine.classic.rules import INFINITE, MATE, Line

PATIENCE = 100  # moves beyond the horizon; only checks answered by checks could go on for longer


def quiescence(
    line: Line,
    alpha: int,
    beta: int,
    evaluate: Evaluate,
    order: Order = as_generated,
    patience: int = PATIENCE,
) -> int:
    """Return r with  r <= alpha  or  alpha < r < beta (exact)  or  r >= beta."""
    ended = line.outcome()
    if ended is not None:
        return ended
    best = -MATE + line.ply
    moves = loud_moves(line.board)
    if patience == 0 or is_free_to_stop(line.board, moves):
        best = evaluate(line.board)
        if best >= beta or patience == 0:
            return best
    for move in order(line.board, moves):
        line.push(move)
        score = -quiescence(line, -beta, -max(alpha, best), evaluate, order, patience - 1)
        line.pop()
        best = max(best, score)
        if best >= beta:
            break
    return best


def loud_moves(board: chess.Board) -> list[chess.Move]:
    """The moves that change material; in check all of them."""
    if board.is_check():
        return list(board.legal_moves)
    return [move for move in board.legal_moves if move.promotion or board.is_capture(move)]


def is_free_to_stop(board: chess.Board, loud: list[chess.Move]) -> bool:
    if isinstance(board, SuicideBoard):
        return not any(board.is_capture(move) for move in loud)
    return not board.is_check()


def quiet_score(board: chess.Board, depth: int, evaluate: Evaluate, order: Order = as_generated) -> int:
    """Alpha-beta to `depth`, then captures to their end: what the compiled search says without its cuts."""

    def horizon(line: Line, alpha: int, beta: int) -> int:
        return quiescence(line, alpha, beta, evaluate, order)

    return search(Line(board), depth, -INFINITE, INFINITE, horizon, order)
