"""Simultaneous perturbation stochastic approximation: many numbers tuned at once by noisy comparisons. Pure.

Each number moves on its own scale, in *steps* (`Knob.step`). Iteration k, from 1 on, draws a sign for every
number, plays theta + c_k * signs against theta - c_k * signs, and goes towards the winner:

    theta += a_k * difference / (2 * c_k) * signs        c_k = c / k^gamma,   a_k = a / (A + k)^alpha

where `difference` is what the first scored more than the second, a game, between -1 and 1.
"""

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

STEPS_IN_A_RANGE = 20
WARM_UP = 0.1  # A, as a share of the iterations planned
ALPHA, GAMMA = 0.602, 0.101  # the smallest for which the method is proven to converge (Spall)

Floats = npt.NDArray[np.float64]  # (knobs,)


class Knob(NamedTuple):
    """A whole number to be tuned: `low` <= `start` <= `high`."""

    name: str
    start: int
    low: int
    high: int

    @property
    def step(self) -> float:
        """A change that can be felt: the range says how large, and less than one is none."""
        return max((self.high - self.low) / STEPS_IN_A_RANGE, 1.0)


class Schedule(NamedTuple):
    """a, A and c of the head of this file, in steps."""

    gain: float
    warm_up: float
    perturbation: float

    @classmethod
    def ending_with(cls, iterations: int, perturbation: float, rate: float) -> Self:
        """The schedule whose last iteration perturbs by so many steps, and, if one side wins every game of
        it, moves every number by `rate` times that.
        """
        warm_up = WARM_UP * iterations
        gain = 2 * rate * perturbation**2 * (warm_up + iterations) ** ALPHA
        return cls(gain, warm_up, perturbation * iterations**GAMMA)

    def a(self, k: int) -> float:
        return float(self.gain / (self.warm_up + k) ** ALPHA)

    def c(self, k: int) -> float:
        return float(self.perturbation / k**GAMMA)


class Trial(NamedTuple):
    """One iteration to be played: whole numbers within their ranges."""

    number: int  # from 1
    signs: Floats  # +1 or -1
    plus: dict[str, int]
    minus: dict[str, int]


class Walk:
    """Theta on its way. Trials may be under way at once and finish in any order.

    A trial is drawn from theta, the seed and its number alone, so a walk whose trials are finished one by one
    is the same whenever and as often as it is interrupted.
    """

    def __init__(
        self,
        knobs: Sequence[Knob],
        schedule: Schedule,
        seed: int,
        theta: Sequence[float] | None = None,
        begun: int = 0,
        owed: Sequence[int] = (),
    ) -> None:
        self.knobs, self.schedule, self.seed = tuple(knobs), schedule, seed
        self._steps = np.array([knob.step for knob in knobs])
        self._low = np.array([knob.low for knob in knobs], np.float64)
        self._high = np.array([knob.high for knob in knobs], np.float64)
        self.theta: Floats = np.array([k.start for k in knobs] if theta is None else theta, np.float64)
        self.begun = begun
        self._owed = sorted(owed)  # begun in an earlier life and not finished
        self._under_way: set[int] = set()

    @property
    def done(self) -> int:
        return self.begun - len(self.owed)

    @property
    def owed(self) -> list[int]:
        """Numbers of the trials begun and not finished."""
        return sorted({*self._owed, *self._under_way})

    def begin(self, iterations: int) -> Trial | None:
        """The next trial; None when `iterations` of them are begun."""
        if self._owed:
            number = self._owed.pop(0)
        elif self.begun < iterations:
            number = self.begun = self.begun + 1
        else:
            return None
        self._under_way.add(number)
        return self._trial(number)

    def finish(self, trial: Trial, difference: float) -> None:
        """Go towards the winner; what would leave its range stays at the end of it."""
        self._under_way.remove(trial.number)
        pace = self.schedule.a(trial.number) * difference / (2 * self.schedule.c(trial.number))
        self.theta = np.clip(self.theta + pace * self._steps * trial.signs, self._low, self._high)

    def values(self) -> dict[str, int]:
        """Theta in whole numbers."""
        return {knob.name: round(float(x)) for knob, x in zip(self.knobs, self.theta, strict=True)}

    def steps(self) -> dict[str, float]:
        """How far each number has come, in steps."""
        starts = np.array([knob.start for knob in self.knobs])
        moved = (self.theta - starts) / self._steps
        return {knob.name: float(x) for knob, x in zip(self.knobs, moved, strict=True)}

    def _trial(self, number: int) -> Trial:
        rng = np.random.default_rng([self.seed, number])
        signs: Floats = rng.choice(np.array([-1.0, 1.0]), len(self.knobs))
        dither = rng.random(len(self.knobs))
        offset = self.schedule.c(number) * self._steps * signs
        plus, minus = (self._whole(self.theta + way * offset, dither) for way in (1, -1))
        return Trial(number, signs, plus, minus)

    def _whole(self, values: Floats, dither: Floats) -> dict[str, int]:
        """Rounded up as often as the fraction says, so that fractions of theta are felt. Both sides share
        the dice: what lies between them is never lost to rounding.
        """
        whole = np.clip(np.floor(values + dither), self._low, self._high)
        return {knob.name: int(x) for knob, x in zip(self.knobs, whole, strict=True)}
