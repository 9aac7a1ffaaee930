"""One game between two engines: rules, clocks, faults. Knows nothing of matches."""

import time
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

import chess

from engine.lab import adjudicate
from engine.lab.adjudicate import BLACK, DRAW, MATE_CP, WHITE, Ending
from engine.lab.openings import Opening
from engine.lab.settings import Limit
from engine.lab.uci_client import Fault, Reply, UciEngine


class Ply(NamedTuple):
    """A move as an engine played it; `score_cp` from its own side, None if it did not say."""

    move: str
    score_cp: int | None
    depth: int
    elapsed_ms: float


class Played(NamedTuple):
    """`fault`: who (0 White, 1 Black) lost by what, when a fault ended the game."""

    opening: Opening
    plies: tuple[Ply, ...]
    ending: Ending
    fault: tuple[int, Fault] | None
    started: float  # seconds since 1970


class Terms(NamedTuple):
    """What holds for every game of a match."""

    rules: adjudicate.Rules
    margin_ms: float
    chess960: bool
    tablebase: Callable[[chess.Board], Ending | None]


class Clock:
    """What one engine has left. Never negative between moves."""

    def __init__(self, limit: Limit) -> None:
        self._limit, self._made = limit, 0
        self.left_ms = float(limit.base_ms or 0)

    @property
    def moves_to_go(self) -> int | None:
        return self._limit.moves - self._made % self._limit.moves if self._limit.moves else None

    def allowed_ms(self, margin_ms: float) -> float | None:
        """Longer than this for the next move loses on time; None: nothing does."""
        if self._limit.base_ms is not None:
            return self.left_ms + margin_ms
        return self._limit.movetime_ms + margin_ms if self._limit.movetime_ms else None

    def spend(self, elapsed_ms: float) -> None:
        self._made += 1
        self.left_ms = max(self.left_ms - elapsed_ms, 0) + self._limit.inc_ms
        if self._limit.moves and self._made % self._limit.moves == 0:
            self.left_ms += self._limit.base_ms or 0


def go_command(limits: tuple[Limit, Limit], clocks: tuple[Clock, Clock], side: int) -> str:
    """`go` with both clocks and every limit of the side to move."""
    limit, words = limits[side], ["go"]
    if limit.base_ms is not None:
        words += [
            f"{key} {max(int(clock.left_ms), 1)}"
            for key, clock in zip(("wtime", "btime"), clocks, strict=True)
        ]
        words += [f"{key} {each.inc_ms}" for key, each in zip(("winc", "binc"), limits, strict=True)]
        words += [f"movestogo {clocks[side].moves_to_go}"] if limit.moves else []
    words += [f"movetime {limit.movetime_ms}"] if limit.movetime_ms else []
    words += [f"nodes {limit.nodes}"] if limit.nodes else []
    words += [f"depth {limit.depth}"] if limit.depth else []
    return " ".join(words)


class Game:
    """White is index 0 in every pair of this class."""

    def __init__(
        self,
        engines: tuple[UciEngine, UciEngine],
        limits: tuple[Limit, Limit],
        opening: Opening,
        terms: Terms,
    ) -> None:
        self._engines, self._limits, self._opening, self._terms = engines, limits, opening, terms
        self._board = chess.Board(opening.fen, chess960=terms.chess960)
        standard = opening.fen == chess.STARTING_FEN
        self._start = "position startpos" if standard else f"position fen {opening.fen}"
        self._moves: list[str] = []
        self._seen: Counter[str] = Counter([self._key()])
        self._clocks = Clock(limits[0]), Clock(limits[1])
        self._plies: list[Ply] = []
        self._white_scores: list[int | None] = []

    def play(self) -> Played:
        started = time.time()
        side, fault, ending = 0, None, None
        try:
            for side in (0, 1):
                self._engines[side].new_game()
            for text in self._opening.moves:
                self._push(self._board.parse_uci(text))
            while (ending := self._ending()) is None:
                side = int(not self._board.turn)
                self._one_ply(side)
        except Fault as caught:
            fault, ending = (side, caught), Ending(WHITE if side else BLACK, str(caught))
        return Played(self._opening, tuple(self._plies), ending, fault, started)

    def _one_ply(self, side: int) -> None:
        engine, clock = self._engines[side], self._clocks[side]
        moves = f" moves {' '.join(self._moves)}" if self._moves else ""
        allowed_ms = clock.allowed_ms(self._terms.margin_ms)
        reply = engine.go(self._start + moves, go_command(self._limits, self._clocks, side), allowed_ms)
        if allowed_ms is None and reply.elapsed_ms > engine.patience.search_s * 1000:
            raise Fault("hang", "the search did not end by itself")
        if allowed_ms is not None and reply.elapsed_ms > allowed_ms:
            raise Fault("time forfeit", f"{reply.elapsed_ms:.0f} ms used of {allowed_ms:.0f} ms")
        clock.spend(reply.elapsed_ms)
        move = self._legal(reply.move)
        ply = self._read(engine, reply)
        self._plies.append(ply._replace(move=self._board.uci(move)))
        own = ply.score_cp
        self._white_scores.append(own if own is None or side == 0 else -own)
        self._push(move)

    def _legal(self, text: str) -> chess.Move:
        try:
            move = self._board.parse_uci(text)
        except ValueError:
            move = chess.Move.null()
        if not move:
            raise Fault("illegal move", f"{text or 'nothing'!r} in {self._board.fen()}")
        return move

    def _read(self, engine: UciEngine, reply: Reply) -> Ply:
        """Score and depth of the last info line; what is wrong with it is counted, and not believed."""
        words = reply.info.split()
        pv = words[words.index("pv") + 1 :] if "pv" in words else []
        if not _is_playable(self._board, pv):
            engine.warnings["illegal move in pv"] += 1
        try:
            at = words.index("score") if words else -1
            score = score_cp(words[at + 1], int(words[at + 2])) if words else None
            depth = int(words[words.index("depth") + 1]) if "depth" in words else 0
        except (ValueError, IndexError):
            engine.warnings["unreadable info"] += 1
            return Ply("", None, 0, reply.elapsed_ms)
        return Ply("", score, depth, reply.elapsed_ms)

    def _push(self, move: chess.Move) -> None:
        self._moves.append(self._board.uci(move))
        self._board.push(move)
        self._seen[self._key()] += 1

    def _key(self) -> str:
        return self._board.epd(en_passant="legal")

    def _ending(self) -> Ending | None:
        board = self._board
        if not any(board.generate_legal_moves()):
            if not board.is_check():
                return Ending(DRAW, "stalemate")
            return Ending(BLACK if board.turn else WHITE, "checkmate")
        if board.is_insufficient_material():
            return Ending(DRAW, "insufficient material")
        if self._seen[self._key()] >= 3:
            return Ending(DRAW, "threefold repetition")
        if board.halfmove_clock >= 100:
            return Ending(DRAW, "fifty moves")
        played = adjudicate.verdict(self._terms.rules, self._white_scores, board.ply())
        return played or self._terms.tablebase(board)


def score_cp(kind: str, value: int) -> int:
    """Centipawns of `cp N` or `mate N`; nearer mates are larger. ValueError for another word."""
    if kind == "cp":
        return value
    if kind != "mate":
        raise ValueError(kind)
    return MATE_CP - 2 * value if value > 0 else -MATE_CP - 2 * value


def _is_playable(board: chess.Board, pv: list[str]) -> bool:
    """True if every move of the line is legal after the one before."""
    made = 0
    try:
        for text in pv:
            board.push(board.parse_uci(text))
            made += 1
    except ValueError:
        return False
    finally:
        for _ in range(made):
            board.pop()
    return True
