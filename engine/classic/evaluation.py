"""What a position is worth without looking ahead: men and where they stand, and what each variant adds.

In centipawns, from the side to move's point of view. The numbers are plain: the search does the work.
"""

from collections.abc import Callable

import chess
from chess.variant import (
    CrazyhouseBoard,
    HordeBoard,
    KingOfTheHillBoard,
    RacingKingsBoard,
    SuicideBoard,
    ThreeCheckBoard,
)

VALUES = {
    chess.PAWN: 100,
    chess.KNIGHT: 310,
    chess.BISHOP: 330,
    chess.ROOK: 500,
    chess.QUEEN: 950,
    chess.KING: 0,
}
CENTRALITY = {chess.PAWN: 4, chess.KNIGHT: 9, chess.BISHOP: 5, chess.ROOK: 1, chess.QUEEN: 2, chess.KING: -6}
PAWN_STEP = 5  # a rank nearer to promotion
ENDING = 2600  # pieces of both sides together; below it the king belongs into the centre
IN_HAND = 20  # Crazyhouse: a man that can be dropped anywhere
ANTICHESS_MAN = 100  # each man is a burden, whatever its kind
HORDE_PAWN = 60  # White has thirty-six of them and no king to lose
RACE_STEP = 120  # a rank nearer to the goal
HILL_STEP = 60  # a square nearer to the four that win
CHECKS_GIVEN = (0, 150, 450, 0)  # Three-check: the second counts more than the first, the third ends the game


def evaluate(board: chess.Board) -> int:
    """The score of an unfinished game, by what its variant values."""
    score = _score_of_white(board)
    return score if board.turn == chess.WHITE else -score


def _score_of_white(board: chess.Board) -> int:
    match board:
        case SuicideBoard():
            return -ANTICHESS_MAN * _lead(lambda colour: board.occupied_co[colour].bit_count())
        case RacingKingsBoard():
            return _men(board) + RACE_STEP * _lead(lambda colour: _king_at(board, colour, chess.square_rank))
        case KingOfTheHillBoard():
            return _men(board) + HILL_STEP * _lead(lambda colour: _king_at(board, colour, centrality))
        case CrazyhouseBoard():
            return _men(board) + _lead(lambda colour: _in_hand(board, colour))
        case ThreeCheckBoard():
            return _men(board) + _lead(lambda colour: CHECKS_GIVEN[3 - board.remaining_checks[colour]])
        case HordeBoard():
            return _men(board) - (VALUES[chess.PAWN] - HORDE_PAWN) * len(
                board.pieces(chess.PAWN, chess.WHITE)
            )
        case _:
            return _men(board)


def _lead(of: Callable[[chess.Color], int]) -> int:
    return of(chess.WHITE) - of(chess.BLACK)


def centrality(square: chess.Square) -> int:
    """6 on the four central squares, 0 in the corners."""
    file, rank = chess.square_file(square), chess.square_rank(square)
    return min(file, 7 - file) + min(rank, 7 - rank)


def _place(kind: chess.PieceType, square: chess.Square) -> int:
    advance = PAWN_STEP * chess.square_rank(square) if kind == chess.PAWN else 0
    return VALUES[kind] + CENTRALITY[kind] * centrality(square) + advance


PLACES = {kind: [_place(kind, square) for square in chess.SQUARES] for kind in chess.PIECE_TYPES}


def _men(board: chess.Board) -> int:
    """White's men less Black's, by kind and square."""
    score = 0
    for kind, places in PLACES.items():
        for square in chess.scan_forward(board.pieces_mask(kind, chess.WHITE)):
            score += places[square]
        for square in chess.scan_forward(board.pieces_mask(kind, chess.BLACK)):
            score -= places[square ^ 56]
    if _force(board) < ENDING:
        score += -2 * CENTRALITY[chess.KING] * _lead(lambda colour: _king_at(board, colour, centrality))
    return score


def _force(board: chess.Board) -> int:
    kinds = ((board.knights, chess.KNIGHT), (board.bishops, chess.BISHOP), (board.rooks, chess.ROOK))
    return sum(VALUES[kind] * men.bit_count() for men, kind in (*kinds, (board.queens, chess.QUEEN)))


def _king_at(board: chess.Board, colour: chess.Color, worth: Callable[[chess.Square], int]) -> int:
    king = board.king(colour)  # White has none in Horde
    return 0 if king is None else worth(king)


def _in_hand(board: CrazyhouseBoard, colour: chess.Color) -> int:
    return sum((value + IN_HAND) * board.pockets[colour].count(kind) for kind, value in VALUES.items())
