"""Time controls in players' words.

    3+2                    3 minutes and 2 seconds a move
    1/2+0   0.5+0          half a minute
    1..10+0..5             from 1 to 10 minutes, with 0 to 5 seconds
    5..+0..                at least 5 minutes, with any increment
    correspondence         any number of days a turn;  `correspondence 3`,  `correspondence 1..14`
    unlimited              no clock at all
    bullet blitz rapid classical
    !1+0                   not this: a leading `!` excludes whatever stands behind it

A list accepts what one of its entries includes and none excludes; of exclusions alone, it accepts the rest.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction

from bot.game.nouns import Speed, TimeControl
from bot.game.verdict import DeclineReason

_DAY_S = 86_400
_LONGEST_CLOCK_S = 21_599  # an estimate beyond it is correspondence to Lichess
_NUMBER = re.compile(r"\d{1,6}/[1-9]\d{0,5}|\d{1,6}(\.\d{1,6})?", re.ASCII)
_SIGNS = str.maketrans({"¼": "1/4", "½": "1/2", "¾": "3/4"})  # as Lichess shows them
_SHORT_LIMITS_S = frozenset({0, 15, 30, 45, 60, 90})
_DAYS = (1, 2, 3, 5, 7, 10, 14)


class Timing(Enum):
    CLOCK = "clock"
    DAYS = "days"
    UNLIMITED = "unlimited"


@dataclass(frozen=True, slots=True)
class Span:
    """Whole numbers from `low` to `high`, both included; None is without end."""

    low: int = 0
    high: int | None = None

    def __contains__(self, value: float) -> bool:
        return self.low <= value and (self.high is None or value <= self.high)


_SPEEDS = {
    Speed.BULLET: Span(30, 179),
    Speed.BLITZ: Span(180, 479),
    Speed.RAPID: Span(480, 1499),
    Speed.CLASSICAL: Span(1500, _LONGEST_CLOCK_S),
}


@dataclass(frozen=True, slots=True)
class TimeRange:
    """One entry of a list. `base` counts seconds of a clock or days of a turn."""

    words: str
    kind: Timing
    base: Span = Span()
    increment: Span = Span()
    estimate: Span = Span()  # seconds: the base and 40 increments
    excludes: bool = False

    def __str__(self) -> str:
        return self.words

    def covers(self, control: TimeControl) -> bool:
        """Whether the words fit, no matter if they include or exclude."""
        if control.limit_s is not None:
            fits = control.limit_s in self.base and control.increment_s in self.increment
            return self.kind is Timing.CLOCK and fits and _pace(control) in self.estimate
        if control.days is not None:
            return self.kind is Timing.DAYS and control.days in self.base
        return self.kind is Timing.UNLIMITED


def parse(text: str) -> TimeRange:
    """Raise ValueError with the text, what is wrong with it and an example."""
    words = " ".join(text.translate(_SIGNS).lower().split())
    head, _, tail = words.removeprefix("!").strip().partition(" ")
    try:
        entry = _parse_words(head, tail) or _parse_clock(words.removeprefix("!"))
    except ValueError as error:
        raise ValueError(
            f"time control {text!r}: {error}; write for example 3+2, 1..10+0..5, blitz, "
            "correspondence 1..14, unlimited or !1+0"
        ) from None
    return replace(entry, words=words, excludes=words.startswith("!"))


def parse_all(texts: Iterable[str]) -> tuple[TimeRange, ...]:
    return tuple(parse(text) for text in texts)


def accepts(ranges: Sequence[TimeRange], control: TimeControl) -> bool:
    if any(entry.excludes and entry.covers(control) for entry in ranges):
        return False
    included = [entry for entry in ranges if not entry.excludes]
    return any(entry.covers(control) for entry in included) or bool(ranges and not included)


def misfit(ranges: Sequence[TimeRange], control: TimeControl) -> DeclineReason:
    """What to tell the sender of a control that is not accepted: slower or faster, where that would help."""
    included = [entry for entry in ranges if not entry.excludes]
    if included and _pace(control) < min(_quickest(entry) for entry in included):
        return DeclineReason.TOO_FAST
    if included and _pace(control) > max(_slowest(entry) for entry in included):
        return DeclineReason.TOO_SLOW
    return DeclineReason.TIME_CONTROL


def parse_control(text: str) -> TimeControl:
    """One time control that Lichess lets a bot ask for, or ValueError with what it would refuse."""
    try:
        return _control(parse(text))
    except ValueError as error:
        if str(error).startswith("time control"):
            raise
        raise ValueError(
            f"time control {text!r}: {error}; write for example 3+2, 1/2+1 or correspondence 3"
        ) from None


def _control(entry: TimeRange) -> TimeControl:
    if entry.kind is Timing.UNLIMITED and not entry.excludes:
        return TimeControl()
    base, increment = entry.base.low, entry.increment.low
    if entry.excludes or base != entry.base.high:
        raise ValueError("one time control is wanted, not many")
    if entry.kind is Timing.DAYS:
        if base not in _DAYS:
            raise ValueError(f"Lichess knows {', '.join(map(str, _DAYS))} days a turn")
        return TimeControl(days=base)
    if increment != entry.increment.high:
        raise ValueError("one time control is wanted, not many")
    if base not in _SHORT_LIMITS_S and (base % 60 or base > 10_800):
        raise ValueError("Lichess knows 0, 1/4, 1/2, 3/4, 1, 1.5 and whole minutes up to 180")
    if increment > 60:
        raise ValueError("Lichess knows increments of 0 to 60 seconds")
    control = TimeControl(limit_s=base, increment_s=increment)
    if control.speed is Speed.ULTRA_BULLET:
        raise ValueError("Lichess lets no bot play ultraBullet (less than 30 s for 40 moves)")
    return control


def _parse_words(head: str, tail: str) -> TimeRange | None:
    """None: not words at all, perhaps a clock."""
    if head == "correspondence":
        return TimeRange("", Timing.DAYS, _span(tail, 1, "days") if tail else Span(1))
    if tail:
        return None
    if head == "unlimited":
        return TimeRange("", Timing.UNLIMITED)
    if head == Speed.ULTRA_BULLET.lower():
        raise ValueError("Lichess lets no bot play ultraBullet")
    estimate = next((span for speed, span in _SPEEDS.items() if head == speed), None)
    return TimeRange("", Timing.CLOCK, estimate=estimate) if estimate else None


def _parse_clock(words: str) -> TimeRange:
    sides = [side.strip() for side in words.split("+")]
    if len(sides) != 2:
        raise ValueError("neither minutes+seconds nor the name of a speed")
    return TimeRange("", Timing.CLOCK, _span(sides[0], 60, "minutes"), _span(sides[1], 1, "seconds"))


def _span(text: str, unit: int, what: str) -> Span:
    """`2`, `1..3`, `1..`, `..3` or `..`, each number times `unit`."""
    low, is_range, high = (part.strip() for part in text.partition(".."))
    if not is_range:
        value = _whole(low, unit, what)
        return Span(value, value)
    span = Span(_whole(low, unit, what) if low else 0, _whole(high, unit, what) if high else None)
    if span.high is not None and span.high < span.low:
        raise ValueError(f"{text} {what} runs backwards")
    return span


def _whole(text: str, unit: int, what: str) -> int:
    if not _NUMBER.fullmatch(text):
        raise ValueError(f"{text!r} is not a number of {what}" if text else f"the {what} are missing")
    value = Fraction(text) * unit
    if value.denominator != 1:
        raise ValueError(f"{text} {what} is not a whole number of {'seconds' if unit == 60 else what}")
    return int(value)


def _pace(control: TimeControl) -> float:
    """Seconds to think in a whole game, so that a quick control is less than a slow one."""
    if control.limit_s is not None:
        return control.limit_s + 40 * control.increment_s
    return float("inf") if control.days is None else control.days * _DAY_S


def _quickest(entry: TimeRange) -> float:
    if entry.kind is Timing.CLOCK:
        return max(entry.estimate.low, entry.base.low + 40 * entry.increment.low)
    return float("inf") if entry.kind is Timing.UNLIMITED else max(1, entry.base.low) * _DAY_S


def _slowest(entry: TimeRange) -> float:
    if entry.kind is Timing.UNLIMITED:
        return float("inf")
    if entry.kind is Timing.DAYS:
        return 10**9 if entry.base.high is None else entry.base.high * _DAY_S
    by_clock = (
        _LONGEST_CLOCK_S
        if entry.base.high is None or entry.increment.high is None
        else entry.base.high + 40 * entry.increment.high
    )
    return min(by_clock, _LONGEST_CLOCK_S if entry.estimate.high is None else entry.estimate.high)
