"""How the games went: today and ever, by speed and by kind of opponent. Pure."""

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple


class Key(NamedTuple):
    speed: str
    kind: str  # human, bot, ai, anonymous


class Score(NamedTuple):
    wins: int = 0
    draws: int = 0
    losses: int = 0

    def plus(self, result: str) -> "Score":
        """One game more; an aborted one is none."""
        return Score(
            self.wins + (result == "win"), self.draws + (result == "draw"), self.losses + (result == "loss")
        )


Scores = Mapping[Key, Score]
DECIDED = frozenset({"win", "draw", "loss"})


def day_of(when_ms: int) -> str:
    """The day in UTC, as 2026-11-18."""
    return dt.datetime.fromtimestamp(when_ms / 1000, dt.UTC).date().isoformat()


def day_began_ms(when_ms: int) -> int:
    return when_ms - when_ms % 86_400_000


@dataclass(frozen=True, slots=True)
class Results:
    """`today` is of `day` alone: ask `at` before showing it."""

    day: str = ""
    today: Scores = field(default_factory=dict)
    ever: Scores = field(default_factory=dict)

    def at(self, when_ms: int) -> "Results":
        day = day_of(when_ms)
        return self if day == self.day else replace(self, day=day, today={})

    def counted(self, key: Key, result: str, when_ms: int) -> "Results":
        if result not in DECIDED:
            return self
        now = self.at(when_ms)
        return replace(now, today=_plus(now.today, key, result), ever=_plus(now.ever, key, result))


def _plus(scores: Scores, key: Key, result: str) -> Scores:
    return {**scores, key: scores.get(key, Score()).plus(result)}


def summed(scores: Scores, keys: Iterable[Key]) -> Score:
    found = [scores[key] for key in keys]
    return Score(*(sum(column) for column in zip(*found, strict=True))) if found else Score()
