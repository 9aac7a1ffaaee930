"""`krait lab tune-eval`: the classical evaluation's weights from scored games.

The target of a position is a blend of what the games' engine thought of it (its score as a probability) and
of how the game ended. Validation is on games that took no part. The same options give the same weights.
"""

from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from engine.core.terms import OFFSET, SIZE, TERMS
from engine.evaluation import save_weights
from engine.lab import games, logistic, shaping
from engine.lab.counts import Matrix, matrix_of
from engine.lab.games import Positions
from engine.lab.logistic import Lesson, Odds, Weights
from engine.lab.wdl import Wdl, fit_wdl

PRINTED = ("material", "knight mobility", "bishop mobility", "rook mobility", "passed pawn", "king danger")


class Options(NamedTuple):
    files: tuple[Path, ...]
    out: Path
    positions: int = 6_000_000  # at most, for training
    validation: float = 0.04  # share of the games
    max_score: int = 2_000  # centipawns
    share: float = 0.7  # of the score in the target; the rest is the result
    scale: float | None = None  # centipawns of the data's scores to a unit of log-odds; None: as results say
    settings: logistic.Settings = logistic.Settings()


def score_scale(positions: Positions) -> float:
    """Centipawns to a unit of log-odds such that the scores best foretell the results: Newton's method."""
    scores, results = positions["score"].astype(np.float64), positions["result"] / 2
    slope = 0.001
    for _ in range(50):
        p = logistic.chance(slope * scores)
        step = float(np.sum((results - p) * scores) / np.sum(p * (1 - p) * scores**2))
        slope += step
        if abs(step) < 1e-12:
            break
    return 1 / slope


def lesson(positions: Positions, matrix: Matrix, share: float, scale: float) -> Lesson:
    used = positions[matrix.origins]
    likely = logistic.chance(used["score"].astype(np.float64) / scale)
    return Lesson(matrix, (share * likely + (1 - share) * used["result"] / 2).astype(np.float32))


def usage(matrix: Matrix) -> npt.NDArray[np.float64]:
    """How often each weight is counted."""
    return np.bincount(matrix.indexes, np.abs(matrix.times.astype(np.float64)), minlength=SIZE).astype(
        np.float64
    )


class Data(NamedTuple):
    training: Lesson
    validation: Lesson
    validation_results: npt.NDArray[np.uint8]
    scale: float
    found: int  # positions that passed the filter
    skipped: int  # of those taken, against a bare king


class _Bars:
    """What a person sees: one bar for each stage, and lines that stay."""

    def __init__(self, console: Console) -> None:
        self.console = console
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        self.progress = Progress(*columns, console=console, disable=not console.is_terminal)
        self._tasks: dict[str, TaskID] = {}

    def watch(self, name: str, done: int, total: int) -> None:
        if name not in self._tasks:
            self._tasks[name] = self.progress.add_task(name)
        self.progress.update(self._tasks[name], completed=done, total=total)

    def say(self, text: str) -> None:
        self.console.print(text, markup=False, highlight=False, soft_wrap=True)


def gather(options: Options, bars: _Bars) -> Data:
    """Read the games, part them, count."""
    rules = games.Filter(max_score=options.max_score)
    read = [games.read(path, rules, partial(bars.watch, path.name)) for path in options.files]
    found = np.concatenate(read)
    training, validation = games.split(found, options.validation)
    if not len(training) or not len(validation):
        raise ValueError(
            f"{len(training)} positions to train and {len(validation)} to validate: too few games"
        )
    if len(training) > options.positions:
        rng = np.random.default_rng(options.settings.seed)
        training = training[np.sort(rng.choice(len(training), options.positions, replace=False))]
    matrices = [
        matrix_of(part, partial(bars.watch, name))
        for name, part in (("counting", training), ("counting, validation", validation))
    ]
    scale = options.scale or score_scale(training[matrices[0].origins])
    return Data(
        lesson(training, matrices[0], options.share, scale),
        lesson(validation, matrices[1], options.share, scale),
        validation["result"][matrices[1].origins],
        scale,
        len(found),
        len(training) - len(matrices[0]),
    )


class Tuned(NamedTuple):
    weights: npt.NDArray[np.int64]
    unit: float  # log-odds a centipawn
    training: float  # mean cross entropy, weights rounded
    validation: float
    wdl: Wdl


def tune(data: Data, settings: logistic.Settings, bars: _Bars) -> Tuned:
    """Fit, shape, round, and measure what is left after rounding."""

    def on_epoch(epoch: int, mean: float, weights: Weights) -> None:
        odds = logistic.predict(data.validation.matrix, weights)
        bars.watch("fitting", epoch, settings.epochs)
        bars.say(f"epoch {epoch:3d}  training {mean:.6f}  validation {_losses(odds, data)}")

    start = shaping.start_weights()
    odds = logistic.predict(data.validation.matrix, start)
    bars.say(f"material only                 validation {_losses(odds, data)}")
    fitted = logistic.fit(data.training, start, shaping.neighbours(), settings, on_epoch)
    plain = shaping.shaped(fitted, usage(data.training.matrix))
    unit = shaping.unit_of(plain)
    weights = np.rint(plain / unit).astype(np.int64)
    rounded = weights.astype(np.float64) * unit
    trained = logistic.loss(logistic.predict(data.training.matrix, rounded), data.training.targets)
    odds = logistic.predict(data.validation.matrix, rounded)
    bars.say(f"rounded    training {trained:.6f}  validation {_losses(odds, data)}")
    wdl = fit_wdl(odds / unit, data.validation_results)
    return Tuned(weights, unit, trained, logistic.loss(odds, data.validation.targets), wdl)


def _losses(odds: Odds, data: Data) -> str:
    targets, results = data.validation.targets, (data.validation_results / 2).astype(np.float32)
    return (
        f"{logistic.loss(odds, targets):.6f} (squared {logistic.squared_error(odds, targets):.6f},"
        f" of results {logistic.squared_error(odds, results):.6f})"
    )


def notes(options: Options, data: Data, tuned: Tuned) -> list[str]:
    """How the numbers were made: the head of the file."""
    settings, (half, spread) = options.settings, tuned.wdl
    files = ", ".join(path.name for path in options.files)
    training, validation = len(data.training.matrix), len(data.validation.matrix)
    return [
        "Krait's classical evaluation: centipawns in the middle game (mg) and the end game (eg).",
        "Made by `krait lab tune-eval`, not by hand.",
        "",
        f"Data: {files}; {data.found:,} quiet positions with a score within {options.max_score} cp,",
        f"of which {training:,} for training and {validation:,}, of other games, for validation.",
        f"Target: {options.share:g} sigmoid(score / {data.scale:.1f} cp) + {1 - options.share:g} result.",
        f"Adam: {settings.epochs} epochs, batch {settings.batch}, rate {settings.rate:g},",
        f"decay {settings.decay:g}, smooth {settings.smooth:g}, seed {settings.seed}.",
        f"Cross entropy after rounding: training {tuned.training:.6f}, validation {tuned.validation:.6f}.",
        f"Expected score: sigmoid(evaluation / {1 / tuned.unit:.1f} cp).",
        f"Win: sigmoid((evaluation - {half:.1f} cp) / {spread:.1f} cp); loss: the same for the other side.",
        "Squares are a1, b1 … h8 from the piece's own side; pawn, knight, bishop, rook, queen, king.",
    ]


def run(options: Options, console: Console) -> Tuned:
    """The whole command: weights go to `options.out`."""
    bars = _Bars(console)
    with bars.progress:
        data = gather(options, bars)
        training, validation = len(data.training.matrix), len(data.validation.matrix)
        bars.say(
            f"{data.found:,} positions; {training:,} to train ({data.skipped:,} with a bare king left out),"
            f" {validation:,} to validate; scores / {data.scale:.1f} cp"
        )
        tuned = tune(data, options.settings, bars)
    save_weights(options.out, tuned.weights, notes(options, data, tuned))
    for name in PRINTED:
        bars.say(_table(name, tuned.weights))
    bars.say("\n".join(notes(options, data, tuned)[-4:-1]))
    bars.say(f"written: {options.out}")
    return tuned


def _table(name: str, weights: npt.NDArray[np.int64]) -> str:
    size = next(term.size for term in TERMS if term.name == name)
    rows = weights[OFFSET[name] : OFFSET[name] + size].T.tolist()
    return "\n".join(
        f"{name} {phase} {' '.join(map(str, row))}" for phase, row in zip(("mg", "eg"), rows, strict=True)
    )
