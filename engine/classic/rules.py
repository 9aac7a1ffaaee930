"""When a game has ended, and what that is worth to the side to move, in chess and in every variant."""

from collections.abc import Hashable

import chess

MATE = 32_000  # being mated at ply n is -MATE + n: sooner is worse
INFINITE = MATE + 1
DRAW = 0
FIFTY_MOVES = 100  # half-moves


def position_key(board: chess.Board) -> Hashable:
    """Equal for two boards exactly when they are the same position in the sense of the repetition rule."""
    return board._transposition_key()  # noqa: SLF001  - the public way, an EPD, is ten times slower


class Line:
    """A board with the keys of the positions that led to it: those of the game, then those of the search."""

    def __init__(self, board: chess.Board) -> None:
        self.board = board.copy()
        self._keys = _keys_of_game(board)
        self._root = len(self._keys) - 1

    @property
    def ply(self) -> int:
        """Half-moves below the root of the search."""
        return len(self._keys) - 1 - self._root

    @property
    def key(self) -> Hashable:
        return self._keys[-1]

    def push(self, move: chess.Move) -> None:
        self.board.push(move)
        self._keys.append(position_key(self.board))

    def pop(self) -> None:
        self.board.pop()
        self._keys.pop()

    def is_repeated(self) -> bool:
        """Once since the root is enough: who can repeat once can do it again. In the game it takes twice."""
        here = self._keys[-1]
        reachable = max(len(self._keys) - 1 - self.board.halfmove_clock, 0)
        since_root = self._keys[max(reachable, self._root + 1) : -1]
        return here in since_root or self._keys[reachable:-1].count(here) >= 2

    def verdict(self) -> int | None:
        """The score of a finished game for the side to move; None while it goes on.

        At the root nothing is drawn by count or material: whoever asks there wants a move.
        """
        ended = self._by_variant()
        if ended is None and not any(self.board.generate_legal_moves()):
            return -MATE + self.ply if self.board.is_check() else DRAW
        return self.outcome() if ended is None else ended

    def outcome(self) -> int | None:
        """The same without looking for mate and stalemate, which needs all moves."""
        ended = self._by_variant()
        return DRAW if ended is None and self.ply > 0 and self._is_drawn() else ended

    def _by_variant(self) -> int | None:
        board, loss = self.board, -MATE + self.ply
        if board.is_variant_loss():
            return loss
        if board.is_variant_win():
            return -loss
        return DRAW if board.is_variant_draw() else None

    def _is_drawn(self) -> bool:
        board = self.board
        if board.halfmove_clock >= FIFTY_MOVES and not board.is_checkmate():
            return True
        return board.is_insufficient_material() or self.is_repeated()


def _keys_of_game(board: chess.Board) -> list[Hashable]:
    past = board.copy()
    keys = [position_key(past)]
    while past.move_stack and len(keys) <= board.halfmove_clock:
        past.pop()
        keys.append(position_key(past))
    return keys[::-1]
