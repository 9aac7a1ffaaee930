"""Which move to try first: the table's, then captures of much by little, then quiet moves that cut before."""

from collections import defaultdict
from collections.abc import Iterable

import chess

from engine.classic.evaluation import VALUES

Square = int
FIRST, LOUD, KILLER = 1 << 30, 1 << 20, 1 << 19


def by_capture(board: chess.Board, moves: Iterable[chess.Move]) -> list[chess.Move]:
    return sorted(moves, key=lambda move: capture_rank(board, move), reverse=True)


def capture_rank(board: chess.Board, move: chess.Move) -> int:
    """Most valuable victim first, least valuable attacker next; 0 for a quiet move."""
    rank = VALUES[move.promotion] if move.promotion else 0
    if board.is_capture(move):
        victim = (
            board.piece_type_at(move.to_square) or chess.PAWN
        )  # en passant takes a pawn off another square
        attacker = board.piece_type_at(move.from_square) or chess.PAWN
        rank += 10 * VALUES[victim] - VALUES[attacker] // 10
    return rank


class Memory:
    """What a search learns about quiet moves: those that cut at the same ply, and those that cut anywhere."""

    def __init__(self) -> None:
        self._killers: dict[int, chess.Move] = {}
        self._history: defaultdict[tuple[bool, Square, Square], int] = defaultdict(int)

    def order(
        self, board: chess.Board, moves: Iterable[chess.Move], ply: int, first: chess.Move | None
    ) -> list[chess.Move]:
        killer = self._killers.get(ply)

        def rank(move: chess.Move) -> int:
            if move == first:
                return FIRST
            loud = capture_rank(board, move)
            if loud:
                return LOUD + loud
            return KILLER if move == killer else self._history[board.turn, move.from_square, move.to_square]

        return sorted(moves, key=rank, reverse=True)

    def learn(self, board: chess.Board, move: chess.Move, ply: int, depth: int) -> None:
        """`move` has cut: a quiet one is worth trying early where the position is like this one."""
        if capture_rank(board, move) == 0:
            self._killers[ply] = move
            slot = board.turn, move.from_square, move.to_square
            self._history[slot] = min(self._history[slot] + depth * depth, KILLER - 1)
