"""What an engine may be told about time. Pure: every instant comes in, none is asked for.

Lichess credits a bot no lag: the whole round trip runs on our clock, so it is measured and taken off first.
"""

import math
from dataclasses import dataclass, replace

from bot.game.commands import Think
from bot.game.nouns import NO_CLOCK_MS, GameInfo

_DEVIATIONS = 4.0  # how far above the mean a round trip may be without surprise
_OUTLIER = 4.0  # one round trip teaches us at most so many times what we thought
_OUTLIER_SPARE_MS = 50.0  # and a quick line may become a slow one
_UNTIMED_PLIES = 2  # Lichess starts the clocks after both first moves


@dataclass(frozen=True, slots=True)
class Lag:
    """A moving estimate of the round trip of one game; a guess until the first one was heard."""

    mean_ms: float = 50.0
    deviation_ms: float = 25.0
    most_ms: int = 1000
    count: int = 0

    def heard(self, ms: float) -> "Lag":
        """After another round trip. One absurd value moves it a little, many of them all the way."""
        if not math.isfinite(ms) or ms < 0:
            return self
        if not self.count:
            first = min(ms, float(self.most_ms))
            return replace(self, mean_ms=first, deviation_ms=first / 2, count=1)
        believed = min(ms, _OUTLIER * (self.mean_ms + self.deviation_ms) + _OUTLIER_SPARE_MS, self.most_ms)
        error = believed - self.mean_ms
        deviation = self.deviation_ms + (abs(error) - self.deviation_ms) / 4
        return replace(self, mean_ms=self.mean_ms + error / 8, deviation_ms=deviation, count=self.count + 1)

    @property
    def estimate_ms(self) -> int:
        """What to keep for the next one."""
        return min(self.most_ms, math.ceil(self.mean_ms + _DEVIATIONS * self.deviation_ms))


@dataclass(frozen=True, slots=True)
class ClockRules:
    """The numbers behind `allowance`, all in milliseconds."""

    first_move_ms: int = 1000  # our clock does not run yet, but a person waits
    first_move_within_ms: int = 15_000  # tournaments and other bots give up a game that does not begin
    hurry_below_ms: int = 1000  # with less on the clock we move at the speed of a premove
    hurry_ms: int = 20
    correspondence_move_ms: int = 30_000
    overhead_ms: int = 30  # kept on top of the lag: our own work
    first_lag_ms: int = 150  # before a round trip was measured
    most_lag_ms: int = 1000

    def __post_init__(self) -> None:
        for name in ("first_move_ms", "hurry_ms", "correspondence_move_ms", "most_lag_ms"):
            if getattr(self, name) < 1:
                raise ValueError(f"clock: {name} is {getattr(self, name)}; give 1 or more")
        for name in ("first_move_within_ms", "hurry_below_ms", "overhead_ms", "first_lag_ms"):
            if getattr(self, name) < 0:
                raise ValueError(f"clock: {name} is {getattr(self, name)}; give 0 or more")

    @property
    def first_lag(self) -> Lag:
        """What a game begins with; its estimate is `first_lag_ms`."""
        guess = min(self.first_lag_ms, self.most_lag_ms)
        return Lag(mean_ms=guess / 3, deviation_ms=guess / 6, most_ms=self.most_lag_ms)


@dataclass(frozen=True, slots=True)
class Allowance:
    """What an engine gets. `flag_in_ms` is what is really left: an emergency move must be out before."""

    white_ms: int | None  # None: no clock
    black_ms: int | None
    white_inc_ms: int
    black_inc_ms: int
    move_ms: int | None  # think exactly this long; None: by the clocks
    answer_within_ms: int  # a healthy engine has answered by then: after it `stop`, then kill
    flag_in_ms: int | None  # None: nothing runs out


def allowance(think: Think, info: GameInfo, now: float, lag_ms: int, rules: ClockRules) -> Allowance:
    """The clocks of `think` as they are `now`, less what the way to Lichess will cost."""
    state, white = think.state, think.we_are_white
    passed_ms = max(0, math.ceil((now - think.seen_at) * 1000))
    lag_ms = min(max(0, lag_ms), rules.most_lag_ms)
    spent_ms = passed_ms + lag_ms + rules.overhead_ms
    clock_ms = state.left_ms(white)
    left_ms = max(0, clock_ms - spent_ms)
    if not info.control.is_clock or clock_ms >= NO_CLOCK_MS:
        return _untimed(left_ms if clock_ms < NO_CLOCK_MS else None, rules)
    if state.ply < _UNTIMED_PLIES:
        deadline_ms = max(0, rules.first_move_within_ms - spent_ms)
        return _clocked(think, clock_ms, _exactly(rules.first_move_ms, deadline_ms), deadline_ms)
    if left_ms >= rules.hurry_below_ms and left_ms > 0:
        return _clocked(think, left_ms, (None, _healthy_ms(left_ms)), left_ms)
    gained_ms = max(0, state.inc_ms(white) - lag_ms - rules.overhead_ms)
    move_ms = min(rules.hurry_ms, left_ms // 20) + gained_ms * 3 // 4
    return _clocked(think, left_ms, _exactly(move_ms, left_ms, grace_ms=200), left_ms)


def _clocked(think: Think, ours_ms: int, times: tuple[int | None, int], flag_in_ms: int | None) -> Allowance:
    state, white = think.state, think.we_are_white
    ours, theirs = max(1, ours_ms), max(1, state.left_ms(not white))
    return Allowance(
        white_ms=ours if white else theirs,
        black_ms=theirs if white else ours,
        white_inc_ms=state.white_inc_ms,
        black_inc_ms=state.black_inc_ms,
        move_ms=times[0],
        answer_within_ms=times[1],
        flag_in_ms=flag_in_ms,
    )


def _untimed(left_ms: int | None, rules: ClockRules) -> Allowance:
    wish_ms = rules.correspondence_move_ms
    move_ms, within_ms = _exactly(wish_ms, left_ms, grace_ms=5000)
    return Allowance(None, None, 0, 0, move_ms, within_ms, left_ms)


def _healthy_ms(left_ms: int) -> int:
    """By when an engine that minds its clock has answered: half of a short one, a third of a long one."""
    return max(1, min(left_ms * 6 // 10, max(36_000, left_ms * 4 // 10)))


def _exactly(wish_ms: int, left_ms: int | None, grace_ms: int = 2000) -> tuple[int, int]:
    """(move_ms, answer_within_ms): a quarter of what is left at most, and heard before half of it is gone."""
    if left_ms is None:
        return wish_ms, wish_ms + grace_ms
    move_ms = max(1, min(wish_ms, left_ms // 4))
    return move_ms, move_ms + max(0, min(grace_ms, (left_ms - move_ms) // 3))
