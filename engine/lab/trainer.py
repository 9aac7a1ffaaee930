"""A training run in memory: epochs, their books, the checkpoint."""

import math
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from engine.core.packed import NO_RESULT
from engine.lab import runfolder
from engine.lab.aim import Aim, Floats, mean_loss
from engine.lab.games import Parts, Positions
from engine.lab.learner import Batch, Learner, Schedule
from engine.lab.perceptron import Crew, Indexes
from engine.lab.runfolder import Options

WARM_UP = 500  # steps, or a tenth of a shorter run


class Row(NamedTuple):
    """One epoch in history.csv."""

    epoch: int  # from 1
    training: float  # mean loss as the epoch went
    validation: float
    validation_score: float  # squared error to the score alone
    validation_result: float  # and to the result alone, where there is one
    rate: float
    positions_a_second: float
    seconds: float


class Trainer:
    """Knows where a run stands: `done` steps. What follows depends on that, the weights and the options
    alone, so a run that was stopped and taken up again ends in the same bits.
    """

    def __init__(self, options: Options, data: Parts) -> None:
        self.options, self.data = options, data
        self.steps_an_epoch = math.ceil(len(data.training) / options.batch)
        self.steps = options.epochs * self.steps_an_epoch
        schedule = Schedule(options.rate, self.steps, min(WARM_UP, self.steps // 10))
        self.learner = Learner(options.shape, schedule, options.decay, options.seed)
        self.crew = Crew(self.learner.network.weights(), options.threads)
        self.king_bucket = options.shape.king_table()
        self.done, self.total, self.seconds = 0, 0.0, 0.0  # steps; summed loss and time of this epoch
        self.history: list[dict[str, float]] = []
        self.stopped = False  # set it from outside: the run ends after the batch in hand

    def save(self) -> None:
        progress = {"done": self.done, "total": self.total, "seconds": self.seconds, "history": self.history}
        self.learner.save(self.options.out / runfolder.CHECKPOINT, progress)

    def load(self) -> None:
        """Take the run up where its checkpoint left it; ValueError when that is no checkpoint."""
        progress = self.learner.load(self.options.out / runfolder.CHECKPOINT)
        self.done, self.total = progress["done"], progress["total"]
        self.seconds, self.history = progress["seconds"], progress["history"]

    def order(self, epoch: int) -> Indexes:
        """Of the positions in the epoch (from 0): known without the epochs before."""
        return np.random.default_rng([self.options.seed, epoch]).permutation(len(self.data.training))

    def run(self, watch: Callable[[int], None], say: Callable[[str], None]) -> None:
        """To the last epoch or until stopped; either way the checkpoint is up to date. `watch` is told the
        steps done.
        """
        while self.done < self.steps and not self.stopped:
            if self._epoch(watch):
                say(self._line(self._close_epoch()))
                runfolder.write_history(self.options.out, self.history)
            self.save()
        if self.done < self.steps:
            epochs = self.done / self.steps_an_epoch
            say(f"stopped after {epochs:.2f} of {self.options.epochs} epochs; --resume goes on")

    def _epoch(self, watch: Callable[[int], None]) -> bool:
        """Go on to the end of the epoch; False when stopped before."""
        begun = time.monotonic() - self.seconds
        number, first = divmod(self.done, self.steps_an_epoch)
        size, order = self.options.batch, self.order(number)
        for step in range(first, self.steps_an_epoch):
            rows = order[step * size : (step + 1) * size]
            batch = Batch(self.data.training, rows, self.king_bucket, self.options.aim, self.crew)
            self.total += self.learner.step(self.done, batch) * len(rows)
            self.done += 1
            self.seconds = time.monotonic() - begun
            watch(self.done)
            if self.stopped and step + 1 < self.steps_an_epoch:
                return False
        return True

    def _close_epoch(self) -> Row:
        """Validate, and begin the next epoch's books."""
        part, aim, count = self.data.validation, self.options.aim, len(self.data.training)
        outputs, ended = self.predict(part), part["result"] != NO_RESULT
        mixed = mean_loss(outputs, part, aim)
        score = mean_loss(outputs, part, Aim(1.0, aim.slope, 2.0))
        result = mean_loss(outputs[ended], part[ended], Aim(0.0, aim.slope, 2.0)) if ended.any() else math.nan
        rate, number = self.learner.schedule.at(self.done - 1), self.done // self.steps_an_epoch
        mean = self.total / count
        row = Row(number, mean, mixed, score, result, rate, count / self.seconds, self.seconds)
        self.history.append(row._asdict())
        self.total, self.seconds = 0.0, 0.0
        return row

    def predict(self, positions: Positions) -> Floats:
        return self.crew.predict(positions, self.king_bucket, self.learner.network.weights())

    def _line(self, row: Row) -> str:
        left = round((self.options.epochs - row.epoch) * row.seconds)
        return (
            f"epoch {row.epoch:3d}  training {row.training:.6f}  validation {row.validation:.6f}"
            f" (score {row.validation_score:.6f}, result {row.validation_result:.6f})"
            f"  {row.positions_a_second:,.0f} positions/s  ETA {left // 60}:{left % 60:02d}"
        )
