"""`krait lab wdl`: the fit of `engine.lab.wdl`, with what speaks for it, and the constants to be used.

The right games are our own (`krait lab datagen`): their scores are those of the search that plays. Positions
far beyond `half` are left out: a few that a shallow search could not win, at +15.00 and yet drawn, bend the
whole curve (150 games of 200 nodes a move: half 152 cp by scores within 800 cp, 187 within 2000).
"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import Progress, TaskID

from engine.lab import games, wdl
from engine.lab.report import say
from engine.lab.wdl import FULL_MATERIAL, UNIT_CP, Sample, Source, Wdl

HELD_OUT = 0.1  # share of the games by which models are compared
EDGES_CP = (-1_000, -700, -500, -350, -250, -150, -75, -25, 25, 75, 150, 250, 350, 500, 700, 1_000)
SHOWN_MATERIAL = (10, 30, 50, 70)


def table(sample: Sample, model: Wdl) -> str:
    """What was seen in each range of scores, and what the model says of the same positions, in percent."""
    rows = ["    score, cp      positions     win  draw  loss   model: win  draw  loss"]
    likely = wdl.chances(sample.scores, *model)
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


def verdict(model: Wdl, deviation: Wdl) -> str:
    """The fit, and the constants for `engine/strength.py` in the two ways of showing a score."""
    factor = UNIT_CP / model.half
    return "\n".join(
        [
            f"half   {model.half:.1f} ± {deviation.half:.1f} cp",
            f"spread {model.spread:.1f} ± {deviation.spread:.1f} cp (standard errors, by game)",
            "",
            "Scores shown as they are (engine/strength.py):",
            f"    WIN_HALF_CP = {model.half:.1f}",
            f"    WIN_SPREAD_CP = {model.spread:.1f}",
            f"Scores shown times {factor:.4f}, so that +1.00 wins every second game:",
            f"    WIN_HALF_CP = {UNIT_CP:.1f}",
            f"    WIN_SPREAD_CP = {factor * model.spread:.1f}",
        ]
    )


def compare(sample: Sample) -> str:
    """What it would be worth to let `half` go with the material: judged by games that took no part."""
    aside = sample.games % 10_000 < round(HELD_OUT * 10_000)
    known, unknown = sample.where(~aside), sample.where(aside)
    if not len(unknown.results):
        return "too few games to tell whether the material matters"
    plain, fine = wdl.fit_wdl(known.scores, known.results), wdl.fit_by_material(known)
    losses = (
        wdl.surprise(wdl.chances(unknown.scores, *plain), unknown.results),
        wdl.surprise(wdl.chances(unknown.scores, fine.half(unknown.material), fine.spread), unknown.results),
    )
    halves = "  ".join(f"{m}: {fine.half(np.array(m / FULL_MATERIAL)):.0f}" for m in SHOWN_MATERIAL)
    return "\n".join(
        [
            f"Cross entropy in the {HELD_OUT:.0%} of games held out: {losses[0]:.4f}; {losses[1]:.4f} with",
            f"    half = {fine.bare:.1f} {fine.full:+.1f} * m, spread = {fine.spread:.1f}",
            f"where m = material / {FULL_MATERIAL}, counting 1, 3, 3, 5, 9. Half at {halves}",
        ]
    )


def run(
    files: Sequence[Path], max_score: int, most: int, console: Console, source: Source = wdl.stored
) -> Wdl:
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
    model = wdl.fit_wdl(sample.scores, sample.results)
    counts = f"{len(sample.scores):,} positions within {max_score} cp, {len(np.unique(sample.games)):,} games"
    texts = counts, table(sample, model), verdict(model, wdl.deviations(sample, model)), compare(sample)
    say(console, "\n\n".join(texts))
    return model


def _advance(bar: Progress, task: TaskID, done: int, total: int) -> None:
    bar.update(task, completed=done, total=total)
