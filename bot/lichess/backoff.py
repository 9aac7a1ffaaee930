"""How long to wait before trying again: longer each time, never quite the same, back to nothing on success.

Pure: dice are handed in, and who waits is somebody else's business.
"""

import random
from dataclasses import dataclass, replace
from typing import Self

_STEPS = 40  # further doublings change nothing, and floats end somewhere


@dataclass(frozen=True, slots=True)
class Backoff:
    """`failures` in a row so far. The first `free` of them cost no pause."""

    first_s: float = 0.5
    cap_s: float = 10.0
    free: int = 0
    failures: int = 0

    def failed(self) -> Self:
        return replace(self, failures=self.failures + 1)

    def succeeded(self) -> Self:
        return replace(self, failures=0)

    def pause_s(self, rng: random.Random) -> float:
        """Between half and the whole of what this many failures are worth; 0 where none has to be paid."""
        paid = self.failures - self.free
        if paid <= 0:
            return 0.0
        whole_s = min(self.cap_s, self.first_s * 2.0 ** min(paid - 1, _STEPS))
        return rng.uniform(whole_s / 2, whole_s)
