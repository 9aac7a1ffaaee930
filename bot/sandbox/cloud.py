"""Cloud evaluations: the positions somebody has analysed deeply, here a few openings and what was added.

A position is the same whatever its move counters say. Scores are White's, castling is king takes rook.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import chess

from bot.sandbox.refusal import Json, not_found, refuse
from bot.sandbox.variants import VARIANTS, Variant, new_board

NOT_CACHED = "No cloud evaluation available for that position"
STANDARD = "standard"
OPENINGS = (  # Stockfish 15.1, one thread: the moves so far, depth, thousands of nodes, centipawns, the line
    ("", 22, 1021, 38, "d4 Nf6 c4 e6 g3 d5"),
    ("e4", 22, 1612, 31, "e5 Nf3 Nc6 Bb5 Nf6 O-O"),
    ("d4", 22, 1229, 34, "Nf6 c4 g6 Nc3 d5 Nf3"),
    ("e4 e5", 22, 665, 36, "Nf3 Nc6 Bb5 a6 Ba4 Be7"),
    ("e4 c5", 22, 801, 43, "Nf3 e6 d4 cxd4 Nxd4 Nf6"),
    ("e4 e6", 22, 952, 42, "d4 d5 Nc3 Nf6 e5 Nfd7"),
    ("e4 c6", 22, 1269, 34, "d4 d5 Nc3 dxe4 Nxe4 Bf5"),
    ("d4 d5", 22, 932, 31, "c4 e6 Nc3 Nf6 Bg5 Be7"),
    ("d4 Nf6", 22, 941, 34, "c4 e6 Nf3 d5 g3 dxc4"),
    ("e4 e5 Nf3", 22, 540, 38, "Nc6 Bb5 a6 Ba4 Be7 O-O"),
    ("e4 e5 Nf3 Nc6", 22, 280, 39, "Bb5 a6 Ba4 Nf6 O-O Be7"),
)


@dataclass(frozen=True)
class Evaluation:
    variant: str
    position: str
    depth: int
    knodes: int
    pvs: tuple[Json, ...]  # moves and either cp or mate, the best first


class Cloud:
    """Those known from the start, and those added; only what was added is saved."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], Evaluation] = {}
        self._added: set[tuple[str, str]] = set()
        for so_far, depth, knodes, cp, line in OPENINGS:
            board = chess.Board()
            for san in so_far.split():
                board.push_san(san)
            self._keep(STANDARD, board, depth, knodes, [{"moves": line, "cp": cp}])

    def __len__(self) -> int:
        return len(self._known)

    def add(
        self, variant: str, fen: str, pvs: Sequence[Mapping[str, Any]], *, depth: int, knodes: int
    ) -> None:
        """Each of `pvs` has `moves` (UCI or SAN) and `cp` or `mate`; 400 for what cannot be so."""
        if variant not in VARIANTS:
            raise refuse(f"{variant} is no variant")
        board = _board(VARIANTS[variant], fen)
        if board is None or not pvs:
            raise refuse("An evaluation has a position and at least one line")
        self._added.add(self._keep(variant, board, depth, knodes, pvs))

    def _keep(
        self, variant: str, board: chess.Board, depth: int, knodes: int, pvs: Sequence[Mapping[str, Any]]
    ) -> tuple[str, str]:
        lines = tuple(_line(board, pv) for pv in pvs)
        key = (variant, board.epd())
        self._known[key] = Evaluation(*key, depth, knodes, lines)
        return key

    def find(self, variant: str, fen: str, multi_pv: int = 1) -> Json:
        """404 unless the position is known with as many lines as are asked for, or as it has moves."""
        key = variant if variant in VARIANTS else STANDARD
        board = _board(VARIANTS[key], fen)
        found = None if board is None else self._known.get((key, board.epd()))
        if board is None or found is None or len(found.pvs) < min(multi_pv, board.legal_moves.count()):
            raise not_found(NOT_CACHED)
        pvs = [dict(pv) for pv in found.pvs[: max(1, multi_pv)]]
        return {"fen": fen, "knodes": found.knodes, "depth": found.depth, "pvs": pvs}

    def to_json(self) -> list[Json]:
        return [asdict(self._known[key]) for key in sorted(self._added)]

    def fill(self, data: list[Json]) -> None:
        for each in data:
            self.add(
                each["variant"], each["position"], each["pvs"], depth=each["depth"], knodes=each["knodes"]
            )


def _board(variant: Variant, fen: str) -> chess.Board | None:
    try:
        board = new_board(variant, fen.replace("_", " "))
    except ValueError:
        return None
    return board if any(board.legal_moves) else None


def _line(start: chess.Board, pv: Mapping[str, Any]) -> Json:
    """The line as it is shown; 400 when it cannot be played or has no score, or two."""
    moves, board = [], start.copy()
    for text in str(pv.get("moves", "")).split():
        move = _move(board, text)
        moves.append(board.uci(move, chess960=True))
        board.push(move)
    scores = {key: pv[key] for key in ("cp", "mate") if isinstance(pv.get(key), int)}
    if not moves or len(scores) != 1:
        raise refuse("A line has moves and either cp or mate")
    return {"moves": " ".join(moves), **scores}


def _move(board: chess.Board, text: str) -> chess.Move:
    for read in (board.parse_uci, board.parse_san):
        try:
            return read(text)
        except ValueError:
            continue
    raise refuse(f"{text} is no move there")
