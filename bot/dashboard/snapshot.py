"""What is to be seen, at one instant: frozen, and the same whoever looks."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from bot.dashboard.results import Results
from bot.dashboard.watched import GameView
from bot.game.facts import ChallengeJudged, ConnectionChanged
from bot.game.nouns import GameId
from bot.store.rows import GameRow, kind_of


class Asked(NamedTuple):
    """A challenge and what became of it."""

    id: str
    name: str
    rating: int | None
    kind: str
    control: str
    variant: str
    rated: bool
    verdict: str
    why: str
    when_ms: int


class Survived(NamedTuple):
    """`times` in a row."""

    what: str
    detail: str
    game: GameId | None
    when_ms: int
    times: int = 1


@dataclass(frozen=True, slots=True)
class Snapshot:
    """`games` run; `closed` are over, the latest last. `recent` and the rest: the latest first."""

    connection: ConnectionChanged | None = None
    games: Mapping[GameId, GameView] = field(default_factory=dict)
    closed: Mapping[GameId, GameView] = field(default_factory=dict)
    results: Results = field(default_factory=Results)
    recent: tuple[GameRow, ...] = ()
    challenges: tuple[Asked, ...] = ()
    troubles: tuple[Survived, ...] = ()
    ratings: Mapping[str, int] = field(default_factory=dict)  # ours, where a game has changed it


def asked_of(fact: ChallengeJudged) -> Asked:
    asked, who = fact.challenge, fact.challenge.challenger
    return Asked(
        id=asked.id,
        name=who.name if who else "Anonymous",
        rating=who.rating if who else None,
        kind=kind_of(who) if who else "anonymous",
        control=str(asked.control),
        variant=asked.variant,
        rated=asked.rated,
        verdict=fact.verdict,
        why=fact.why,
        when_ms=fact.when_ms,
    )
