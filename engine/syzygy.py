"""Endgame tables at the root: which moves keep the result, through python-chess.

WDL says win, draw or loss; DTZ how many plies until the next capture, pawn move or mate (`zeroing`: the
fifty-move clock starts anew). A win is kept by zeroing in time, again and again, so DTZ brings it home; WDL
alone only says which moves do not spoil it. DTZ may be one ply too small, because the tables round.
"""

import math
import os
import struct
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import chess
import chess.syzygy

WIN, CURSED_WIN, DRAW, BLESSED_LOSS, LOSS = 2, 1, 0, -1, -2  # cursed, blessed: a draw by the fifty-move rule
TABLE_WIN = 20_000  # above any evaluation, below any mate
FIFTY_PLIES = 100
SLACK_PLIES = 40  # a winner may go his own way for a while: DTZ alone gives a queen to zero one move sooner

# What python-chess raises on a table whose inside is damaged; a KeyError is a table that is not there.
UNREADABLE = (KeyError, IndexError, OSError, AssertionError, RecursionError, struct.error)


class RootRanks(NamedTuple):
    """What the tables say of a position: any of the moves keeps the result.

    With DTZ, to play the first each time mates a won position, and so does any free choice among them.
    """

    moves: tuple[str, ...]  # UCI, best first, never empty: the only moves worth searching
    wdl: int  # WIN … LOSS for the side to move, fifty-move clock and repetitions counted
    plies: int  # to the next zeroing move if the first is played; 0: mate or draw, else 1 with WDL alone

    def score(self, searched: int) -> int:
        """What to report when the search says `searched`: a mate it found, else the word of the tables."""
        if self.wdl == WIN:
            return max(searched, TABLE_WIN - self.plies)
        if self.wdl == LOSS:
            return min(searched, self.plies - TABLE_WIN)
        return self.wdl


class Outlook(NamedTuple):
    """One root move: the position behind it, its result for us, and plies from the root as in RootRanks."""

    after: chess.Board
    wdl: int
    plies: int


class Tables:
    """The tables of some folders. `rank` may run in any thread, but not after `close`."""

    def __init__(self, paths: str) -> None:
        """Folders separated by os.pathsep. Of each file only the head and the size are looked at.

        ValueError names a folder that is missing or without tables, a damaged file, or the want of any WDL.
        """
        self._tables = chess.syzygy.Tablebase()
        folders = [Path(name.strip()) for name in paths.split(os.pathsep) if name.strip()]
        files = [file for folder in folders for file in self._add(folder)]
        men = [len(file.stem) - 1 for file in files if file.suffix == chess.Board.tbw_suffix]
        if not men:
            raise ValueError(f"no WDL tables (*{chess.Board.tbw_suffix}) in {paths!r}")
        self.largest = max(men)  # most men covered, kings included
        self.count = len(files)

    def rank(
        self,
        fen: str,
        chess960: bool,
        moves: Sequence[str],
        among: Sequence[str] = (),
        patience_ms: float = math.inf,
        now: Callable[[], float] = time.monotonic,
    ) -> RootRanks | None:
        """What to play after `moves` from `fen`, all legal; `among` (searchmoves) narrows the choice.

        Repetitions are seen within `moves` only, so they should reach back to the last zeroing move at least.
        WDL takes some milliseconds, DTZ a hundred and more: it is given up once `patience_ms` have passed.
        None: the game is over, too many men, castling rights, or a table that is missing or cannot be read.
        """
        deadline = now() + patience_ms / 1000
        board = chess.Board(fen, chess960=chess960)
        for text in moves:
            board.push(chess.Move.from_uci(text))
        if board.castling_rights or chess.popcount(board.occupied) > self.largest:
            return None
        legal = (move for move in board.legal_moves if not among or move.uci() in among)
        try:
            outlooks = [self._by_wdl(board, move) for move in legal]
        except UNREADABLE:
            return None
        return _ranks(board, self._measured(board, _best(outlooks), deadline, now)) if outlooks else None

    def close(self) -> None:
        self._tables.close()

    def _add(self, folder: Path) -> list[Path]:
        try:
            files = [file for file in sorted(folder.iterdir()) if self._tables.add_file(str(file))]
            damaged = [file for file in files if not _is_whole(file)]
        except OSError as error:
            raise ValueError(f"cannot read endgame tables in {folder}: {error.strerror}") from error
        if not files:
            raise ValueError(f"no endgame tables in {folder}")
        if damaged:
            raise ValueError(f"not an endgame table, or damaged: {damaged[0]}")
        return files

    def _by_wdl(self, board: chess.Board, move: chess.Move) -> Outlook:
        after = board.copy()
        after.push(move)
        if after.is_checkmate():
            return Outlook(after, WIN, 0)
        if after.is_stalemate() or after.halfmove_clock >= FIFTY_PLIES or after.is_repetition(3):
            return Outlook(after, DRAW, 0)
        wdl = -self._tables.probe_wdl(after)
        return Outlook(after, wdl, 1 if wdl else 0)

    def _measured(
        self, board: chess.Board, outlooks: list[Outlook], deadline: float, now: Callable[[], float]
    ) -> list[Outlook]:
        """With the distances that DTZ knows; as they were when a table is missing or the time is up.

        Not a part of each: a ranking with a gap would be a guess.
        """
        measured = []
        try:
            for outlook in outlooks:
                if now() > deadline:
                    return outlooks
                measured.append(self._by_dtz(outlook, board.halfmove_clock) if outlook.plies else outlook)
        except UNREADABLE:
            return outlooks
        return _best(measured)

    def _by_dtz(self, outlook: Outlook, clock: int) -> Outlook:
        is_zeroing = outlook.after.halfmove_clock == 0
        if is_zeroing and outlook.wdl > DRAW:
            return outlook
        plies = 1 + abs(self._tables.probe_dtz(outlook.after))
        if is_zeroing:  # a loser who captures is not lost the sooner: what counts is how long the rest lasts
            return outlook._replace(plies=plies)
        # What comes too late on the fifty-move clock is cursed or blessed, whatever it is on an empty one.
        result = WIN if plies + clock <= FIFTY_PLIES else CURSED_WIN
        return outlook._replace(wdl=result if outlook.wdl > DRAW else -result, plies=plies)


def _best(outlooks: list[Outlook]) -> list[Outlook]:
    """Those with the best result, and mate at once alone."""
    best = max((outlook.wdl for outlook in outlooks), default=DRAW)
    equal = [outlook for outlook in outlooks if outlook.wdl == best]
    return [outlook for outlook in equal if outlook.plies == 0] or equal


def _ranks(board: chess.Board, outlooks: list[Outlook]) -> RootRanks:
    """Of moves with one and the same result: a winner keeps the short ways, a loser the longest."""
    wdl = outlooks[0].wdl
    if wdl > DRAW:
        limit = _longest_way(board, min(outlook.plies for outlook in outlooks))
        outlooks = sorted((o for o in outlooks if o.plies <= limit), key=lambda outlook: outlook.plies)
    elif wdl < DRAW:
        longest = max(outlook.plies for outlook in outlooks)
        outlooks = [outlook for outlook in outlooks if outlook.plies == longest]
    return RootRanks(tuple(o.after.peek().uci() for o in outlooks), wdl, outlooks[0].plies)


def _longest_way(board: chess.Board, shortest: int) -> int:
    """The most plies a winning move may take when the shortest way takes `shortest`.

    The slack melts with every ply that does not zero and is gone once a position has come back, so a win that
    makes no progress on its own is soon driven by DTZ alone.
    """
    if _has_repeated(board):
        return shortest
    slack = max(SLACK_PLIES - board.halfmove_clock, 0)
    return max(shortest, min(shortest + slack, FIFTY_PLIES - 1 - board.halfmove_clock))


def _has_repeated(board: chess.Board) -> bool:
    """Whether any position since the last zeroing move has stood on the board twice."""
    past, seen = board.copy(), {board.epd()}
    while past.move_stack and past.halfmove_clock:
        past.pop()
        if past.epd() in seen:
            return True
        seen.add(past.epd())
    return False


def _is_whole(file: Path) -> bool:
    magic = chess.Board.tbw_magic if file.suffix == chess.Board.tbw_suffix else chess.Board.tbz_magic
    with file.open("rb") as opened:
        return opened.read(4) == magic and file.stat().st_size % 64 == 16
