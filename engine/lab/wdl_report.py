"""`krait lab wdl`: the fit of `engine.lab.wdl`, with what speaks for it, and the constants to be used.

The right games are our own (`krait lab datagen`): their scores are those of the search that plays. Positions
far beyond `half` are left out: a few that a shallow search could not win, at +15.00 and yet drawn, bend the
whole curve (150 games of 200 nodes a move: half 152 cp by scores within 800 cp, 187 within 2000).
"""

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import Progress, TaskID

from engine.lab import games, wdl
from engine.lab.report import say
from engine.lab.wdl import Sample, Source, Wdl
from engine.meaning import FULL_MATERIAL, MODEL, Floats, Model

HELD_OUT = 0.1  # share of the games by which models are compared
EDGES_CP = (-1_000, -700, -500, -350, -250, -150, -75, -25, 25, 75, 150, 250, 350, 500, 700, 1_000)
# Ranges of material, a man counting 1, 3, 3, 5 or 9
POINTS = (0, 8, 12, 18, 24, 32, 42, 52, 62, 72, FULL_MATERIAL + 1)


def table(sample: Sample, likely: Floats) -> str:
    """What was seen in each range of scores, and the chances given to the same positions, in percent."""
    rows = ["    score, cp      positions     win  draw  loss   model: win  draw  loss"]
    bucket = np.digitize(sample.scores, EDGES_CP)
    ends = ["", *map(str, EDGES_CP), ""]
    for index in range(len(EDGES_CP) + 1):
        inside = bucket == index
        if inside.any():
            seen = np.bincount(sample.results[inside], minlength=3) / inside.sum()
            numbers = "  ".join(f"{100 * share:4.1f}" for share in seen[::-1])
            fitted = "  ".join(f"{100 * share:4.1f}" for share in likely[inside].mean(axis=0)[::-1])
            limits = f"{ends[index]:>6} … {ends[index + 1]:<6}"
            rows.append(f"{limits}  {inside.sum():11,d}    {numbers}          {fitted}")
    return "\n".join(rows)


def by_material(sample: Sample, model: Model) -> str:
    """What each range of material says for itself, beside the model."""
    rows = ["  material   positions   half, cp, by itself    model: half  spread"]
    points = np.rint(sample.material * FULL_MATERIAL)
    for low, high in pairwise(POINTS):
        inside = sample.where((points >= low) & (points < high))
        if len(inside.scores):
            middle = float(inside.material.mean())
            seen = f"  {low:2d} to {high - 1:2d}  {len(inside.scores):10,d}   {_half(inside):18}"
            rows.append(f"{seen}  {model.half(middle):11.1f}  {model.spread(middle):6.1f}")
    return "\n".join(rows)


def _half(sample: Sample) -> str:
    try:
        alone = wdl.fit_wdl(sample.scores, sample.results)
        return f"{alone.half:8.1f} ± {wdl.deviations(sample, alone).half:.1f}"
    except (ValueError, np.linalg.LinAlgError):  # too few games, or nobody ever won
        return "       ?"


def verdict(plain: Wdl, deviation: Wdl, model: Model) -> str:
    """The fit, and the constants for `engine/meaning.py`."""
    slope, edge = (", ".join(f"{part:.4f}" for part in parts) for parts in model)
    return "\n".join(
        [
            "Whatever is on the board (standard errors, by game):",
            f"    half   {plain.half:.1f} ± {deviation.half:.1f} cp",
            f"    spread {plain.spread:.1f} ± {deviation.spread:.1f} cp",
            "By the material, for engine/meaning.py:",
            f"    MODEL = Model(slope=({slope}), edge=({edge}))",
        ]
    )


def compare(sample: Sample) -> str:
    """What the material is worth, judged by games that took no part, and how the engine's own numbers do."""
    aside = sample.games % 10_000 < round(HELD_OUT * 10_000)
    known, unknown = sample.where(~aside), sample.where(aside)
    own = wdl.surprise(wdl.chances_by_material(sample, MODEL), sample.results)
    said = f"Cross entropy of engine/meaning.py as it is, in all games: {own:.4f}"
    if not len(unknown.results):
        return f"{said}. Too few games to tell whether the material matters."
    plain, fine = wdl.fit_wdl(known.scores, known.results), wdl.fit_by_material(known)
    losses = (
        wdl.surprise(wdl.chances(unknown.scores, *plain), unknown.results),
        wdl.surprise(wdl.chances_by_material(unknown, fine), unknown.results),
    )
    fits = f"{losses[0]:.4f}, by material {losses[1]:.4f}"
    return f"{said};\nof a new fit, in the {HELD_OUT:.0%} held out: {fits}"


def run(
    files: Sequence[Path], max_score: int, most: int, console: Console, source: Source = wdl.stored
) -> Model:
    """The whole command, with `most` positions. ValueError (GamesError, too few games) says what is wrong."""
    rules = games.Filter(quiet=False, max_score=max_score, mend=False)
    with Progress(console=console, disable=not console.is_terminal) as bar:
        read = []
        for path in files:
            task = bar.add_task(path.name)
            read.append(games.read(path, rules, partial(_advance, bar, task)))
    found = np.concatenate(read)
    if len(found) > most:  # positions of one game say nearly the same: little is lost
        found = found[np.sort(np.random.default_rng(1).choice(len(found), most, replace=False))]
    sample = wdl.sample_of(found, source)
    plain, model = wdl.fit_wdl(sample.scores, sample.results), wdl.fit_by_material(sample)
    counts = f"{len(sample.scores):,} positions within {max_score} cp, {len(np.unique(sample.games)):,} games"
    texts = (
        counts,
        table(sample, wdl.chances_by_material(sample, model)),
        by_material(sample, model),
        verdict(plain, wdl.deviations(sample, plain), model),
        compare(sample),
    )
    say(console, "\n\n".join(texts))
    return model


def _advance(bar: Progress, task: TaskID, done: int, total: int) -> None:
    bar.update(task, completed=done, total=total)
