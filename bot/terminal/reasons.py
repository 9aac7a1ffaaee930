"""Why a move that was typed is not legal: one sentence for the player, naming squares and pieces. Pure."""

import re

import chess

_SAN = re.compile(r"([KQRBN]?)([a-h]?)([1-8]?)x?([a-h][1-8])(=[QRBN])?[+#]?")


def which_one(board: chess.Board, san: str) -> str:
    """`san` fits several legal moves: name them all."""
    match = _SAN.fullmatch(san)
    letter, target = (match[1], match[4]) if match else ("", san)
    piece = chess.Piece.from_symbol(letter or "P").piece_type
    fitting = [
        board.san(move)
        for move in board.legal_moves
        if chess.square_name(move.to_square) == target and board.piece_type_at(move.from_square) == piece
    ]
    return f"{san} could be {' or '.join(sorted(fitting))}: say which."


def why_no_such_move(board: chess.Board, san: str) -> str:
    """`san` is well written but fits no legal move: find the one that was meant and say what is wrong."""
    if san.startswith("O-O"):
        return f"{san}: {_why_no_castling(board, kingside=san.rstrip('+#') == 'O-O')}"
    match = _SAN.fullmatch(san)
    if match is None:
        return f"{san} is not legal here."
    letter, file, rank, square, promotion = match.groups()
    piece = chess.Piece.from_symbol(letter or "P").piece_type
    target = chess.parse_square(square)
    for move in board.pseudo_legal_moves:
        name = chess.square_name(move.from_square)
        fits = name.startswith(file) and name.endswith(rank) and move.to_square == target
        if fits and board.piece_type_at(move.from_square) == piece:
            if move.promotion and not promotion:
                return f"{san}: say what the pawn becomes, as in {san}=Q."
            return f"{san}: {_why_not_king(board, move)}"
    if board.color_at(target) is board.turn:
        return f"{san}: your own {_name(board, target)} stands on {square}."
    return f"{san}: no {chess.piece_name(piece)} of yours can go to {square}."


def why_not(board: chess.Board, move: chess.Move) -> str:
    """One sentence on why `move`, which is not legal, is not."""
    start, end = chess.square_name(move.from_square), chess.square_name(move.to_square)
    piece = board.piece_at(move.from_square)
    if piece is None:
        return f"{start}{end}: there is nothing on {start}."
    name = chess.piece_name(piece.piece_type)
    if piece.color is not board.turn:
        return f"{start}{end}: the {name} on {start} is not yours."
    if start == end:
        return f"{start}{end}: the {name} has to go somewhere."
    if board.color_at(move.to_square) is board.turn:
        return f"{start}{end}: your own {_name(board, move.to_square)} stands on {end}."
    queen = chess.Move(move.from_square, move.to_square, chess.QUEEN)
    if move.promotion is None and board.is_pseudo_legal(queen):
        return f"{start}{end}: say what the pawn becomes, as in {start}{end}q."
    if board.is_pseudo_legal(move):
        return f"{start}{end}: {_why_not_king(board, move)}"
    if piece.piece_type == chess.KING and chess.square_distance(move.from_square, move.to_square) == 2:
        kingside = chess.square_file(move.to_square) > chess.square_file(move.from_square)
        return f"{start}{end}: {_why_no_castling(board, kingside=kingside)}"
    if move.promotion and (piece.piece_type != chess.PAWN or chess.square_rank(move.to_square) not in {0, 7}):
        return f"{start}{end}: only a pawn that reaches the last rank is promoted."
    return f"{start}{end}: a {name} on {start} cannot go to {end}."


def _name(board: chess.Board, square: chess.Square) -> str:
    return chess.piece_name(board.piece_type_at(square) or chess.PAWN)


def _why_not_king(board: chess.Board, move: chess.Move) -> str:
    if board.piece_type_at(move.from_square) == chess.KING:
        return f"the king would be in check on {chess.square_name(move.to_square)}."
    if board.is_check():
        return "you are in check, and this does not answer it."
    return f"the {_name(board, move.from_square)} is pinned to your king."


def _why_no_castling(board: chess.Board, *, kingside: bool) -> str:
    side = "king's side" if kingside else "queen's side"
    rooks = board.clean_castling_rights() & (
        chess.BB_RANK_1 if board.turn is chess.WHITE else chess.BB_RANK_8
    )
    king = board.king(board.turn)
    right = board.has_kingside_castling_rights if kingside else board.has_queenside_castling_rights
    if king is None or not right(board.turn):
        return f"castling on the {side} is no longer allowed: king or rook has moved."
    if board.is_check():
        return "you cannot castle out of check."
    rook = chess.msb(rooks) if kingside else chess.lsb(rooks)
    rank = chess.square_rank(king)
    king_to, rook_to = (chess.square(f, rank) for f in ((6, 5) if kingside else (2, 3)))
    way = chess.between(king, rook) | chess.between(king, king_to) | chess.between(rook, rook_to)
    way |= chess.BB_SQUARES[king_to] | chess.BB_SQUARES[rook_to]
    if way & board.occupied & ~chess.BB_SQUARES[king] & ~chess.BB_SQUARES[rook]:
        return f"something stands in the way on the {side}."
    return "the king would pass through check or land in it."
