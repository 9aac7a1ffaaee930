"""Syzygy endgame tables on this machine: a won position is won within the fifty moves, a lost one lasts.

WDL tells who wins when the fifty-move clock is empty, DTZ how many plies it takes until a capture or a pawn
move empties it again. What counts on the board is both and the clock: a win whose next such move comes after
the hundredth ply is cursed, a draw.
"""

import asyncio
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import chess
import chess.syzygy
import chess.variant

from bot.errors import ConfigError
from bot.game.nouns import Score, Thought
from bot.sources.source import Question

WIN, CURSED_WIN, DRAW, BLESSED_LOSS, LOSS = 2, 1, 0, -1, -2
FIFTY_PLIES = 100
TABLE_WIN_CP = 20_000
LEAST_LEFT_MS = 300  # reading the tables of a dozen moves may take a tenth of a second
KINDS: tuple[type[chess.Board], ...] = (chess.Board, chess.variant.AtomicBoard, chess.variant.AntichessBoard)

# What python-chess raises on a table that is damaged inside; a KeyError is one that is not there.
UNREADABLE = (KeyError, IndexError, OSError, AssertionError, RecursionError, ValueError, struct.error)


class Verdict(NamedTuple):
    """One move: its result for us as the clock stands; plies to the next zeroing move (0: game over)."""

    move: chess.Move
    wdl: int
    plies: int
    after_zeroing: int  # a zeroing move: plies to the one after it; else 0
    is_return: bool  # the position has been on the board before


class Tablebase:
    name = "tablebase"

    def __init__(self, folders: Sequence[str | Path], max_pieces: int = 7) -> None:
        """ConfigError names a folder that is missing or has no tables, or a damaged table."""
        self._max_pieces = max_pieces
        self._tables = {kind: chess.syzygy.Tablebase(VariantBoard=kind) for kind in KINDS}
        for folder in folders:
            self._add(Path(folder))

    async def find(self, question: Question) -> Thought | None:
        """The move that keeps the best result: nearest to a win, farthest from a loss, the only draw.

        None: not in the tables, too little time to look, or a draw that several moves hold: the engine's.
        """
        if question.left_ms is not None and question.left_ms < LEAST_LEFT_MS:
            return None
        if not self._covers(question.board):
            return None
        return await asyncio.to_thread(self._best, question.board.copy())

    def probe(self, board: chess.Board) -> int | None:
        """The result for the side to move as the clock stands: 2 won to -2 lost; None: not known."""
        if not self._covers(board):
            return None
        try:
            tables = self._tables[_kind(board)]
            wdl = tables.probe_wdl(board)
            if abs(wdl) == WIN and abs(tables.probe_dtz(board)) + board.halfmove_clock > FIFTY_PLIES:
                return wdl // 2
        except UNREADABLE:
            return None
        return wdl

    def close(self) -> None:
        for tables in self._tables.values():
            tables.close()

    def _add(self, folder: Path) -> None:
        try:
            found = {kind: _table_files(folder, kind) for kind in KINDS}
            damaged = next((file for files in found.values() for file, whole in files if not whole), None)
        except OSError as error:
            raise ConfigError(f"endgame tables: {folder} cannot be read: {error.strerror}") from None
        if not any(found.values()):
            raise ConfigError(f"endgame tables: there are none in {folder}")
        if damaged is not None:
            raise ConfigError(f"endgame tables: {damaged} is damaged or no table; fetch it again")
        for kind, files in found.items():
            for file, _ in files:
                self._tables[kind].add_file(str(file))

    def _covers(self, board: chess.Board) -> bool:
        pieces = chess.popcount(board.occupied)
        return _kind(board) in self._tables and pieces <= self._max_pieces and not board.castling_rights

    def _best(self, board: chess.Board) -> Thought | None:
        try:
            verdicts = [self._verdict(board, move) for move in list(board.legal_moves)]
        except UNREADABLE:
            return None
        wdl = max((verdict.wdl for verdict in verdicts), default=DRAW)
        best = [verdict for verdict in verdicts if verdict.wdl == wdl]
        if not best or (wdl == DRAW and len(best) > 1):
            return None
        chosen = min(best, key=_progress if wdl > DRAW else _resistance)
        uci = board.uci(chosen.move)
        return Thought(uci, self.name, _score(chosen), pv=(uci,), tablebase_wdl=wdl)

    def _verdict(self, board: chess.Board, move: chess.Move) -> Verdict:
        tables = self._tables[_kind(board)]
        board.push(move)
        try:
            if board.is_checkmate() or board.is_variant_loss():
                return Verdict(move, WIN, 0, 0, is_return=False)
            if board.is_variant_win():
                return Verdict(move, LOSS, 0, 0, is_return=False)
            if board.is_stalemate() or board.halfmove_clock >= FIFTY_PLIES or board.is_repetition(3):
                return Verdict(move, DRAW, 0, 0, is_return=False)
            wdl = -tables.probe_wdl(board)
            ahead = abs(tables.probe_dtz(board)) if wdl else 0
            if board.halfmove_clock == 0:
                return Verdict(move, wdl, 1, ahead, is_return=False)
            if abs(wdl) == WIN and board.halfmove_clock + ahead > FIFTY_PLIES:
                wdl //= 2
            return Verdict(move, wdl, 1 + ahead, 0, board.is_repetition(2))
        finally:
            board.pop()


def _kind(board: chess.Board) -> type[chess.Board]:
    return type(board)


def _progress(verdict: Verdict) -> tuple[bool, int, int]:
    """The winner's order: mate, then the nearest zeroing move; back to a known position last of all."""
    return verdict.is_return, verdict.plies, verdict.after_zeroing


def _resistance(verdict: Verdict) -> int:
    """The loser's order: whatever lasts longest."""
    return -(verdict.plies + verdict.after_zeroing) if verdict.plies else 0


def _score(verdict: Verdict) -> Score:
    if abs(verdict.wdl) < WIN:
        return Score(cp=verdict.wdl)
    cp = TABLE_WIN_CP - verdict.plies
    return Score(cp=cp if verdict.wdl > 0 else -cp)


def _table_files(folder: Path, kind: type[chess.Board]) -> list[tuple[Path, bool]]:
    """Each table of this kind, and whether its beginning and its length are those of one."""
    magics = {kind.tbw_suffix: kind.tbw_magic, kind.tbz_suffix: kind.tbz_magic}
    return [
        (file, _is_whole(file, magics[file.suffix]))
        for file in sorted(folder.iterdir())
        if file.suffix in magics and chess.syzygy.is_tablename(file.stem, one_king=kind.one_king)
    ]


def _is_whole(file: Path, magic: bytes | None) -> bool:
    with file.open("rb") as opened:
        return opened.read(4) == magic and file.stat().st_size % 64 == 16
