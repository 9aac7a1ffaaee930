"""`krait lab train`: a net from scored games, by mini-batches.

The same options on the same data with the same number of threads give the same net, interrupted or not.
`engine.lab.runfolder` says what a run leaves behind.
"""

import contextlib
import signal
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from engine.lab import games, positions, runfolder
from engine.lab.games import Parts, Positions
from engine.lab.runfolder import Options
from engine.lab.shape import checked

if TYPE_CHECKING:
    from engine.lab.trainer import Trainer

Watch = Callable[[str, int, int], None]  # what, done, of how many


def unwatched(name: str, done: int, total: int) -> None:
    """The progress of a run nobody watches."""


def gather(options: Options, watch: Watch = unwatched) -> Parts:
    """Read the games and part them; ValueError when a part would be empty.

    A bare king never reaches the net, which is not measured by such positions; but it learns from them.
    """

    def read(
        rules: games.Filter, purpose: str, keep: Callable[[Parts], tuple[Positions, ...]]
    ) -> list[Positions]:
        found = []
        for path in options.files:  # each parted by itself: together they may fill most of the memory
            whole = positions.read(path, rules, partial(watch, f"{path.name}, {purpose}"))
            found.append(keep(games.parts(whole, options.validation, options.test)))
        return [np.concatenate(part) for part in zip(*found, strict=True)]

    quiet = games.Filter(max_score=options.max_score)
    aside = read(quiet._replace(bare=False), "to measure", lambda parts: parts[1:])
    training = read(quiet._replace(quiet=not options.noisy), "to train", lambda parts: parts[:1])
    parted = Parts(*training, *aside)
    if any(len(part) == 0 for part in parted):
        raise ValueError(f"positions: {sizes(parted)}: too few games")
    return parted


def sizes(data: Parts) -> str:
    return ", ".join(f"{len(part):,} for {name}" for name, part in data._asdict().items())


@contextlib.contextmanager
def _stoppable(trainer: "Trainer") -> Iterator[None]:
    """The first Ctrl-C or SIGTERM ends the run after the batch in hand, a second one at once."""

    def stop(number: int, frame: Any) -> None:  # noqa: ARG001 - what a handler is given
        trainer.stopped = True
        signal.signal(number, before[signal.Signals(number)])

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def _bars(console: Console) -> Iterator[Watch]:
    """A bar for each thing that is watched; none off a terminal."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    tasks: dict[str, TaskID] = {}
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:

        def watch(name: str, done: int, total: int) -> None:
            if name not in tasks:
                tasks[name] = progress.add_task(name)
            progress.update(tasks[name], completed=done, total=total)

        yield watch


def run(options: Options, resume: bool, console: Console) -> "Trainer":
    """The whole command; ValueError with the reason when it cannot be done."""
    from engine.lab import curves
    from engine.lab.trainer import Trainer

    def say(text: str) -> None:
        console.print(text, markup=False, highlight=False, soft_wrap=True)

    checked(options.shape)
    if resume:
        runfolder.require_same(options)
    with _bars(console) as watch:
        data = gather(options, watch)
        say(f"positions: {sizes(data)}")
        trainer = Trainer(options, data)
        if resume:
            trainer.load()
        else:
            runfolder.create(options)
        with _stoppable(trainer):
            trainer.run(lambda done: watch("training, batches", done, trainer.steps), say)
    curves.draw(options.out / runfolder.CURVES, trainer.history)
    return trainer
