"""`krait lab tune`: SPSA over the numbers of `engine/params.py`, by games of the engine against itself.

Processes play iterations at once, and each result moves theta when it arrives. With one process and a limit
of nodes the same words give the same run, however often it is interrupted; with more processes, the order in
which results arrive has its part in it.
"""

import contextlib
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

import numpy as np
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from engine import startup
from engine.lab import duel, tune_report, tune_state
from engine.lab.crew import Crew, CrewError, Job, Played
from engine.lab.match import signals
from engine.lab.openings import OpeningError
from engine.lab.report import say
from engine.lab.settings import SettingError
from engine.lab.spsa import Trial
from engine.lab.tune_plan import Plan, Words, plan_of
from engine.lab.tune_state import StateError
from engine.params import PARAMS

OPENINGS = 1  # tells the dice of the openings from those of the signs


class Players(Protocol):
    """What the tuner asks of a `Crew`."""

    @property
    def idle(self) -> int: ...
    def give(self, job: Job) -> None: ...
    def hear(self) -> list[Played]: ...


def run(words: Words) -> int:
    """Tune and print; the exit code: 0 done, 1 could not go on, 2 refused, 128 + signal."""
    console, errors = Console(), Console(stderr=True)
    try:
        plan = plan_of(words)
        tune_state.save(words.state, plan.run)
    except (SettingError, OpeningError, StateError, OSError) as error:
        say(errors, f"krait lab tune: {error}")
        return 2
    if words.processes > (os.cpu_count() or 1):
        say(errors, "more processes than processors: no faster, and with a clock not fair")
    verb = "begins" if plan.is_new else "goes on"
    say(console, f"{words.state} {verb} after {tune_report.headline(plan.run)}")
    startup.warm(lambda: None)  # once, before several processes would do the same
    code = _play(plan, words, console, errors)
    say(console, tune_report.summary(plan.run, PARAMS))
    if words.png:
        tune_report.draw(words.png, plan.run)
    return code


def _play(plan: Plan, words: Words, console: Console, errors: Console) -> int:
    caught: list[int] = []
    try:
        with Crew(words.processes, plan.terms) as crew, _watching(plan, words, console) as watch:

            def interrupt(number: int) -> None:
                caught.append(number)
                crew.wake()

            with signals(interrupt):
                drive(plan, words, crew, watch)
    except (CrewError, OpeningError, OSError) as error:
        say(errors, f"krait lab tune: {error}")
        return 1
    return 128 + caught[0] if caught else 0


def drive(plan: Plan, words: Words, players: Players, watch: Callable[[Played], None]) -> None:
    """Until every iteration is done, or the players are woken; the file on disk is never behind."""
    under_way: dict[int, Trial] = {}
    walk = plan.run.walk
    while True:
        while players.idle and (trial := walk.begin(words.iterations)):
            under_way[trial.number] = trial
            players.give(_job(trial, plan, words.pairs))
        heard = players.hear() if under_way else []
        for played in heard:
            walk.finish(under_way.pop(played.number), duel.difference(played.scores))
            plan.run.games += 2 * len(played.scores)
            tune_state.note_path(plan.run, words.iterations)
            tune_state.save(words.state, plan.run)
            watch(played)
        if not heard:
            return


def _job(trial: Trial, plan: Plan, pairs: int) -> Job:
    dice = np.random.default_rng([plan.run.walk.seed, trial.number, OPENINGS])
    chosen = tuple(plan.book[int(index)] for index in dice.integers(len(plan.book), size=pairs))
    return Job(trial.number, trial.plus, trial.minus, chosen)


@contextlib.contextmanager
def _watching(plan: Plan, words: Words, console: Console) -> Iterator[Callable[[Played], None]]:
    """A function to call after each iteration: a bar on a terminal, from time to time the table."""
    text = TextColumn("{task.description}")
    times = TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn()
    bar = Progress(
        text, BarColumn(), MofNCompleteColumn(), *times, console=console, disable=not console.is_terminal
    )
    run, began, first = plan.run, time.monotonic(), plan.run.games
    task = bar.add_task("games", total=words.iterations, completed=run.walk.done)
    endings: Counter[str] = Counter()

    def watch(played: Played) -> None:
        pace = (run.games - first) * 60 / (time.monotonic() - began)
        bar.update(task, completed=run.walk.done, description=f"{run.games} games, {pace:.0f} a minute")
        endings.update(reason for score in played.scores for reason in score.endings)
        if run.walk.done % words.report == 0:
            say(console, f"{run.walk.done}/{words.iterations}  {run.games} games, {pace:.0f} a minute")
            say(console, tune_report.table(run))

    with bar:
        yield watch
    say(console, "endings: " + (", ".join(f"{reason} {n}" for reason, n in endings.most_common()) or "none"))


def show(path: Path, png: Path | None) -> int:
    """Print what a file holds, and draw it if asked; the exit code: 0, or 2 for a file of no use."""
    try:
        found = tune_state.load(path)
    except StateError as error:
        say(Console(stderr=True), f"krait lab tune: {error}")
        return 2
    say(Console(), tune_report.summary(found, PARAMS))
    if png:
        tune_report.draw(png, found)
    return 0
