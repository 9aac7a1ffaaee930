"""What a net is to foretell, and how far it is from that."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from engine.core.packed import NO_RESULT
from engine.lab.games import Positions

Floats = npt.NDArray[np.float32]


class Aim(NamedTuple):
    """Target: share * sigmoid(slope * score) + (1 - share) * result; loss |sigmoid(output) - target|^power.

    Without a result the score is the whole target.
    """

    share: float
    slope: float  # 1 / centipawns
    power: float


def chance(outputs: Floats) -> Floats:
    """Probability of log-odds, of any size."""
    likely: Floats = np.float32(0.5) + np.float32(0.5) * np.tanh(np.float32(0.5) * outputs)
    return likely


def targets(positions: Positions, aim: Aim) -> Floats:
    """For the side to move; the twin of the kernel's."""
    likely = chance((positions["score"] * aim.slope).astype(np.float32))
    share = np.where(positions["result"] == NO_RESULT, 1, aim.share)
    white = share * likely + (1 - share) * positions["result"] / 2
    found: Floats = np.where(positions["side"] == 0, white, 1 - white).astype(np.float32)
    return found


def mean_loss(outputs: Floats, positions: Positions, aim: Aim) -> float:
    errors = np.abs(chance(outputs) - targets(positions, aim))
    return float(np.mean(errors.astype(np.float64) ** aim.power))
