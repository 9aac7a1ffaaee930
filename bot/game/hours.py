"""When we play, in words: `18:00-23:30`, `sat,sun`, `mon-fri 19:00-24:00`, `fri 22:00-02:00`.

Hours over midnight belong to the day on which they begin. Times are those of the clock that is handed in.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_TIMES = re.compile(r"(\d{1,2}):(\d{2})-(\d{1,2}):(\d{2})", re.ASCII)
_MIDNIGHT = 24 * 60


@dataclass(frozen=True, slots=True)
class Hours:
    """`start` (included) and `end` (not) are minutes of the day; an end before the start is tomorrow's."""

    words: str
    days: frozenset[int] = frozenset(range(7))  # Monday is 0
    start: int = 0
    end: int = _MIDNIGHT

    def __str__(self) -> str:
        return self.words

    def holds(self, when: datetime) -> bool:
        minute, today = when.hour * 60 + when.minute, when.weekday()
        if self.start < self.end:
            return today in self.days and self.start <= minute < self.end
        yesterday = (today - 1) % 7
        return (today in self.days and minute >= self.start) or (yesterday in self.days and minute < self.end)


def is_open(hours: Sequence[Hours], when: datetime) -> bool:
    """No hours at all: always."""
    return not hours or any(entry.holds(when) for entry in hours)


def parse_hours(text: str) -> Hours:
    """Raise ValueError with the text, what is wrong with it and an example."""
    try:
        return _parse(text, text.lower().split())
    except ValueError as error:
        raise ValueError(
            f"hours {text!r}: {error}; write for example 18:00-23:30, sat,sun or mon-fri 19:00-24:00"
        ) from None


def _parse(text: str, words: list[str]) -> Hours:
    match words:
        case [times] if ":" in times:
            start, end = _times(times)
            return Hours(text, start=start, end=end)
        case [days]:
            return Hours(text, _days(days))
        case [days, times]:
            return Hours(text, _days(days), *_times(times))
        case _:
            raise ValueError("days, hours, or days and hours are wanted")


def _days(text: str) -> frozenset[int]:
    found: set[int] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        start, end = _day(first), _day(last or first)
        found.update((start + offset) % 7 for offset in range((end - start) % 7 + 1))
    return frozenset(found)


def _day(name: str) -> int:
    if name not in _DAYS:
        raise ValueError(f"{name!r} is not one of {' '.join(_DAYS)}")
    return _DAYS.index(name)


def _times(text: str) -> tuple[int, int]:
    found = _TIMES.fullmatch(text)
    if not found:
        raise ValueError(f"{text!r} is not a time from-to")
    hour, minute, end_hour, end_minute = map(int, found.groups())
    start, end = hour * 60 + minute, end_hour * 60 + end_minute
    if max(minute, end_minute) > 59 or start >= _MIDNIGHT or end > _MIDNIGHT:
        raise ValueError(f"{text} is not on the clock (00:00 to 24:00)")
    if start == end:
        raise ValueError(f"{text} is no time at all (00:00-24:00 is the whole day)")
    return start, end % _MIDNIGHT if end < start else end
