"""When to open the account's stream again, and how to know that somebody else keeps taking it from us.

Lichess allows one event stream a token: whoever opens it ends the other's, politely. Two programs on one
token that both reopen at once would do nothing else, and run into the limit of 30 opens in ten minutes. So a
polite end soon after an opening is remembered; after the third in a row it is called by its name, and the
pauses grow far beyond what a fight would need. Pure.
"""

import random
from dataclasses import dataclass, field, replace
from typing import Self

from bot.errors import RateLimited
from bot.lichess.backoff import Backoff
from bot.lichess.lines import Ended

SOON_S = 60.0
PROOF = 3  # polite ends in a row that no restart of the server explains
PAUSES_S = (0.5, 5.0, 60.0, 120.0, 240.0, 480.0)
HEALTHY_S = 10.0  # a stream that lived this long was a success, however it ended
VERDICT = (
    "another program holds this token: Lichess ends our event stream whenever it opens its own; "
    "stop that program, or give each a token of its own"
)


@dataclass(frozen=True, slots=True)
class Reopening:
    """What the ends of the account's stream teach. `pause_s` is to be waited before the next opening."""

    backoff: Backoff = field(default_factory=lambda: Backoff(first_s=0.5, cap_s=60.0))
    polite_ends: int = 0
    pause_s: float = 0.0

    @property
    def is_contested(self) -> bool:
        return self.polite_ends >= PROOF

    @property
    def verdict(self) -> str:
        """For the operator; empty while nothing speaks for a rival."""
        return VERDICT if self.is_contested else ""

    def after(self, ended: Ended, rng: random.Random) -> Self:
        """A rival who pauses as we do returns after as long as we waited: that still counts as soon."""
        is_soon = ended.lived_s < max(SOON_S, 2 * self.pause_s)
        if ended.error is None:
            ends = self.polite_ends + 1 if is_soon else 1
            whole_s = PAUSES_S[min(ends, len(PAUSES_S)) - 1]
            pause_s = rng.uniform(whole_s / 2, whole_s)
            return replace(self, backoff=self.backoff.succeeded(), polite_ends=ends, pause_s=pause_s)
        backoff = (self.backoff.succeeded() if ended.lived_s >= HEALTHY_S else self.backoff).failed()
        pause_s = backoff.pause_s(rng)
        if isinstance(ended.error, RateLimited):
            pause_s = max(pause_s, ended.error.seconds)
        polite_ends = self.polite_ends if is_soon else 0
        return replace(self, backoff=backoff, polite_ends=polite_ends, pause_s=pause_s)
