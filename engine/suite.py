"""Test suites in EPD: positions with the best move (`bm`), a move to avoid (`am`) or a mate in N (`dm`).

`run` is what `krait suite` calls; everything above it is pure.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import chess

from engine.driver import MATE, MATE_BOUND, Engine, Info, Limits


class SuiteError(ValueError):
    """Names the file and the line, and what is wrong there."""


class Case(NamedTuple):
    """At least one of `best`, `avoid` (UCI moves) and `mate` (in so many moves) is given."""

    name: str
    fen: str
    best: frozenset[str]
    avoid: frozenset[str]
    mate: int | None


class Result(NamedTuple):
    """`settled_ms`: since when the engine's best line has begun with a move that passes; None: never."""

    number: int  # from 1
    total: int
    case: Case
    move: str | None
    passed: bool
    settled_ms: int | None
    score: int
    nodes: int
    seconds: float


class Summary(NamedTuple):
    passed: int
    total: int
    nodes: int
    seconds: float


def parse(line: str, chess960: bool = False) -> Case:
    """One line of EPD; the counters of a FEN may stand before the operations. ValueError if malformed."""
    fields = line.split(None, 6)
    if len(fields) < 4:
        raise ValueError("expected a position: pieces, side to move, castling, en passant")
    counters = ["0", "1"]
    if len(fields) >= 6 and fields[4].isdigit() and fields[5].isdigit():
        counters = fields[4:6]
        line = " ".join([*fields[:4], *fields[6:]])
    board, operations = chess.Board.from_epd(line, chess960=chess960)
    if not board.is_valid():
        raise ValueError(f"not a legal position ({board.status()!r})")
    best, avoid = (_moves(board, operations.get(key)) for key in ("bm", "am"))
    mate = operations.get("dm")
    if not best and not avoid and mate is None:
        raise ValueError("nothing to judge by: no bm, am or dm")
    if mate is not None and (not isinstance(mate, int) or mate < 1):
        raise ValueError(f"dm must be a number of moves, not {mate!r}")
    fen = " ".join([*board.fen().split()[:4], *counters])
    return Case(str(operations.get("id", "")), fen, best, avoid, mate)


def _moves(board: chess.Board, found: object) -> frozenset[str]:
    moves = found if isinstance(found, list) else [found]
    return frozenset(board.uci(move, chess960=True) for move in moves if isinstance(move, chess.Move))


def load(path: Path, chess960: bool = False) -> list[Case]:
    """Every case of the file; empty lines and lines that begin with # are skipped. SuiteError."""
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise SuiteError(f"{path}: {error}") from None
    cases = []
    for number, line in enumerate(lines, 1):
        if line.strip() and not line.startswith("#"):
            try:
                case = parse(line, chess960)
            except ValueError as error:
                raise SuiteError(f"{path}:{number}: {error}") from None
            cases.append(case if case.name else case._replace(name=f"line {number}"))
    if not cases:
        raise SuiteError(f"{path}: no positions in it")
    return cases


def is_right(case: Case, move: str | None) -> bool:
    """The move is among the best, where they are given, and not among those to avoid; either castling
    notation will do. Without `bm` and `am` no move is right by itself.
    """
    if move is None or not (case.best or case.avoid):
        return False
    board = chess.Board(case.fen, chess960=True)
    played = board.uci(board.parse_uci(move), chess960=True)
    return (not case.best or played in case.best) and played not in case.avoid


def is_passed(case: Case, move: str | None, score: int) -> bool:
    """A mate proven in time passes whichever move begins it; otherwise the move decides."""
    if move is not None and case.mate is not None and score >= MATE_BOUND:
        return (MATE - score + 1) // 2 <= case.mate
    return is_right(case, move)


def run(path: Path, engine: Engine, limits: Limits, on_result: Callable[[Result], None]) -> Summary:
    """Search every position afresh; `on_result` is called after each. SuiteError before the first."""
    cases = load(path, engine.chess960)
    results = []
    for number, case in enumerate(cases, 1):
        results.append(_try(case, engine, limits)._replace(number=number, total=len(cases)))
        on_result(results[-1])
    return Summary(
        passed=sum(result.passed for result in results),
        total=len(results),
        nodes=sum(result.nodes for result in results),
        seconds=sum(result.seconds for result in results),
    )


def _try(case: Case, engine: Engine, limits: Limits) -> Result:
    settled_ms: int | None = None

    def watch(info: Info) -> None:
        nonlocal settled_ms
        if info.multipv == 1 and info.pv and not info.bound:
            right = is_passed(case, info.pv[0], info.score)
            settled_ms = (info.time_ms if settled_ms is None else settled_ms) if right else None

    engine.new_game()
    engine.set_position(case.fen, ())
    started = time.perf_counter()
    answer = engine.search(limits, watch)
    seconds = time.perf_counter() - started
    passed = is_passed(case, answer.move, answer.score)
    settled_ms = settled_ms if passed else None
    return Result(0, 0, case, answer.move, passed, settled_ms, answer.score, answer.nodes, seconds)
