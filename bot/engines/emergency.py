"""A legal move when no engine answered in time: quick, and not the first that comes to hand."""

import chess

from bot.game.nouns import Thought

SOURCE = "emergency"
NO_MOVE = "0000"  # the answer where there is no legal move: nobody should have asked

_VALUES = {
    chess.PAWN: 100,
    chess.KNIGHT: 300,
    chess.BISHOP: 320,
    chess.ROOK: 500,
    chess.QUEEN: 900,
    chess.KING: 0,
}
_WIN = 100_000
_DRAW = -50  # better than being a piece behind, worse than playing on


def emergency_move(board: chess.Board, hint: str = "") -> Thought:
    """`hint` (what an engine liked of this position) if it is legal, else what simple sense finds.

    `board` is left as it was.
    """
    if hint:
        try:
            return Thought(board.uci(board.parse_uci(hint)), SOURCE)
        except ValueError:
            pass  # of another position, or nonsense
    best = max(board.legal_moves, key=lambda move: worth(board, move), default=None)
    return Thought(board.uci(best) if best else NO_MOVE, SOURCE)


def worth(board: chess.Board, move: chess.Move) -> int:
    """A win at once is best, giving the game away worst; between them what is taken less what then hangs."""
    us = board.turn
    gain = _taken(board, move) + (_VALUES[move.promotion] - 100 if move.promotion else 0)
    board.push(move)
    try:
        if board.is_checkmate() or board.is_variant_loss():
            return _WIN
        if board.is_variant_win():
            return -_WIN
        if board.is_stalemate() or board.is_variant_draw() or board.is_repetition(2):
            return _DRAW
        return gain - _hanging(board, move.to_square, us) + _place(move)
    finally:
        board.pop()


def _taken(board: chess.Board, move: chess.Move) -> int:
    if board.is_en_passant(move):
        return 100
    victim = board.piece_at(move.to_square)
    return _VALUES[victim.piece_type] if victim and victim.color != board.turn else 0


def _hanging(board: chess.Board, square: chess.Square, us: chess.Color) -> int:
    """What the piece that just moved stands to lose."""
    piece = board.piece_at(square)  # none after an explosion
    if piece is None or piece.color != us:
        return 0
    attackers = [_VALUES[board.piece_type_at(at) or chess.PAWN] for at in board.attackers(not us, square)]
    value = _VALUES[piece.piece_type]
    if board.attackers(us, square):  # defended: a king cannot take it, others pay with themselves
        return max((value - attacker for attacker in attackers if 0 < attacker < value), default=0)
    return value if attackers else 0


def _place(move: chess.Move) -> int:
    """Nearer to the middle is a little better: it breaks ties."""
    file, rank = chess.square_file(move.to_square), chess.square_rank(move.to_square)
    return 6 - abs(2 * file - 7) // 2 - abs(2 * rank - 7) // 2
