"""The classical evaluation's numbers and words: the file of weights, and a position's score term by term.

The file names every term once, `[name]`, followed by lines `mg …` and `eg …` of whole centipawns in the order
of the term's index; long runs go over several lines. What stands after # is for people.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from engine.core import endgame, evaluate
from engine.core.endgame import FULL_SCALE
from engine.core.evaluate import FULL_PHASE
from engine.core.jit import Record
from engine.core.layout import WEIGHTS
from engine.core.terms import OFFSET, SIZE, TERMS
from engine.notation import TABLES

Weights = npt.NDArray[np.int64]  # (SIZE, 2)  middle game, end game
WEIGHTS_FILE = Path(__file__).parent / "nets" / "classical.txt"
PHASES = ("mg", "eg")
LIMIT = 10_000  # centipawns: any weight beyond is a slip, and sums of them must fit 32 bits
_SIZES = {term.name: term.size for term in TERMS}


class _Run:
    """A term of the file while it is read."""

    def __init__(self, name: str, line: int) -> None:
        self.name, self.line = name, line
        self.values: dict[str, list[int]] = {phase: [] for phase in PHASES}


def load_weights(path: Path = WEIGHTS_FILE) -> Weights:
    """The weights of a file; ValueError naming the line when it is not exactly one run for each term."""
    weights = np.zeros((SIZE, 2), np.int64)
    missing = dict(_SIZES)
    for run in _runs(path):
        if run.name not in missing:
            known = "a second time" if run.name in _SIZES else "which the evaluation does not know"
            raise ValueError(f"{path}:{run.line}: term [{run.name}], {known}")
        size = missing.pop(run.name)
        for column, phase in enumerate(PHASES):
            found = len(run.values[phase])
            if found != size:
                raise ValueError(f"{path}:{run.line}: [{run.name}] has {found} values of {phase}, not {size}")
            weights[OFFSET[run.name] : OFFSET[run.name] + size, column] = run.values[phase]
    if missing:
        raise ValueError(f"{path}: no weights for [{'], ['.join(missing)}]")
    return weights


def _runs(path: Path) -> list[_Run]:
    runs: list[_Run] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        text = line.partition("#")[0].strip()
        if text.startswith("[") and text.endswith("]"):
            runs.append(_Run(text[1:-1], number))
        elif text:
            phase, *values = text.split()
            if phase not in PHASES or not runs:
                raise ValueError(f"{path}:{number}: expected [a term], 'mg …' or 'eg …', found {text[:60]!r}")
            runs[-1].values[phase] += [_whole(value, f"{path}:{number}") for value in values]
    return runs


def _whole(text: str, where: str) -> int:
    try:
        value = int(text)
    except ValueError:
        raise ValueError(f"{where}: {text[:60]!r} is not a whole number") from None
    if abs(value) > LIMIT:
        raise ValueError(f"{where}: {value} is beyond {LIMIT} centipawns")
    return value


def save_weights(path: Path, weights: Weights, notes: list[str]) -> None:
    """Write a file that `load_weights` reads; `notes` say how the numbers were made."""
    lines = [f"# {note}".rstrip() for note in notes]
    for term in TERMS:
        lines += ["", f"[{term.name}]" + (f"  # {term.meaning}" if term.meaning else "")]
        width = 8 if term.size % 8 == 0 else 16
        for first in range(0, term.size, 64):
            run = weights[OFFSET[term.name] + first : OFFSET[term.name] + min(first + 64, term.size)]
            for column, phase in enumerate(PHASES):
                rows = (run[i : i + width, column] for i in range(0, len(run), width))
                lines += [phase + "".join(f"{value:6d}" for value in row) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def new_evaluator() -> Record:
    """The evaluator that plays, with the weights shipped."""
    return evaluate.new_evaluator(load_weights())


class Line(NamedTuple):
    """One term's worth in centipawns before tapering, middle game and end game."""

    name: str
    white: tuple[int, int]
    black: tuple[int, int]

    @property
    def balance(self) -> tuple[int, int]:
        return self.white[0] - self.black[0], self.white[1] - self.black[1]


class Breakdown(NamedTuple):
    lines: tuple[Line, ...]  # in the order of TERMS
    phase: int  # FULL_PHASE: every piece is there
    scale: int  # 64ths of the end-game sum that count
    tapered: int  # centipawns for the side to move: what the lines amount to
    lone_king: int  # centipawns for the side to move: the drive against a bare king
    white_to_move: bool

    @property
    def total(self) -> int:
        """Centipawns for the side to move, as `evaluate` says."""
        return self.tapered + self.lone_king


def break_down(board: Record) -> Breakdown:
    """The evaluation of a position taken apart."""
    evaluator, weights = new_evaluator(), load_weights()
    counts = np.zeros((2, WEIGHTS), np.int16)
    total = int(evaluate.trace(TABLES, board, evaluator, counts))
    lines = []
    for term in TERMS:
        run = slice(OFFSET[term.name], OFFSET[term.name] + term.size)
        (white, black) = (counts[:, run].astype(np.int64) @ weights[run]).tolist()
        lines.append(Line(term.name, tuple(white), tuple(black)))
    side = int(board["side"])
    early, late = ((1 - 2 * side) * sum(line.balance[i] for line in lines) for i in range(2))
    phase = int(evaluate.phase(board))
    scale = int(endgame.scale(board, side if late > 0 else 1 - side))
    tapered = (early * phase + late * (FULL_PHASE - phase) * scale // FULL_SCALE) // FULL_PHASE
    return Breakdown(tuple(lines), phase, scale, tapered, total - tapered, side == 0)


def breakdown(board: Record) -> str:
    """A table for people: every term for White and Black, in pawns, and how the total comes about."""
    parts = break_down(board)
    width = max(len(line.name) for line in parts.lines)
    head = f"{'':{width}} |     White     |     Black     | Balance"
    units = f"{'term':{width}}" + " |     mg     eg" * 2 + " | tapered"
    rule = "-" * (width + 1) + ("+" + "-" * 15) * 2 + "+" + "-" * 8
    rows = [_row(line.name, line.white, line.black, parts, width) for line in parts.lines]
    whites, blacks = (
        [sum(getattr(line, of)[i] for line in parts.lines) for i in range(2)] for of in ("white", "black")
    )
    sums = _row("sum", whites, blacks, parts, width)
    mover, sign = ("White", 1) if parts.white_to_move else ("Black", -1)
    return "\n".join(
        [
            head, units, rule, *rows, rule, sums, "",
            f"phase      {parts.phase} of {FULL_PHASE} middle game",
            f"scale      {parts.scale} of {FULL_SCALE} of the end game counts",
            f"tapered    {sign * parts.tapered / 100:+.2f} pawns for White",
            f"lone king  {sign * parts.lone_king / 100:+.2f} pawns for White",
            f"total      {sign * parts.total / 100:+.2f} pawns for White",
            f"           {parts.total / 100:+.2f} pawns for {mover}, to move",
        ]
    )  # fmt: skip


def _row(name: str, white: Sequence[int], black: Sequence[int], parts: Breakdown, width: int) -> str:
    early, late = white[0] - black[0], white[1] - black[1]
    late_share = (FULL_PHASE - parts.phase) * parts.scale / FULL_SCALE
    tapered = (early * parts.phase + late * late_share) / FULL_PHASE
    text = "".join(f" | {mg / 100:6.2f} {eg / 100:6.2f}" for mg, eg in (white, black))
    return f"{name:{width}}{text} | {tapered / 100:7.2f}"
