"""One arena: who has joined, what they have scored, who meets whom next. Pure; the time is handed in.

Modest beside lila's: nobody berserks, and pairing looks at rank, colours and the last opponent alone.
"""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import NamedTuple

from bot.sandbox.refusal import Json, known, refuse
from bot.sandbox.speeds import PERF_NAMES, TimeControl, perf_icon, perf_key

PAGE = 10
PODIUM = 3
QUICK_DRAW_PLIES = 20  # a draw agreed earlier earns nothing
LONG_DRAW_PLIES = 60  # one this long earns its point whatever came before
STREAK = 2  # so many wins in a row, and the next game counts double


class Outcome(NamedTuple):
    score: float  # 1, ½ or 0
    plies: int


@dataclass
class Entrant:
    """Somebody who has joined; whoever withdraws stays on the table."""

    rating: int
    is_away: bool = False
    outcomes: list[Outcome] = field(default_factory=list)
    whites: int = 0  # games begun with White, less those with Black
    last_met: str | None = None

    @property
    def points(self) -> list[int]:
        return points(self.outcomes)

    @property
    def is_on_fire(self) -> bool:
        return [each.score for each in self.outcomes[-STREAK:]] == [1.0] * STREAK

    @classmethod
    def from_json(cls, data: Json) -> "Entrant":
        return cls(**(data | {"outcomes": [Outcome(*each) for each in data["outcomes"]]}))


def points(outcomes: Sequence[Outcome]) -> list[int]:
    """What each game earned: 2 for a win, 1 for a draw, twice that while the last two games were won.

    Of draws that follow each other only the first counts, until a win, unless the game was a long one.
    """
    earned: list[int] = []
    wins, drew = 0, False
    for score, plies in outcomes:
        times = 2 if wins >= STREAK else 1
        wins = wins + 1 if score == 1 else 0
        if score == 0.5:
            idle = plies < QUICK_DRAW_PLIES or (drew and plies < LONG_DRAW_PLIES)
            earned.append(0 if idle else times)
        else:
            earned.append(2 * times if score == 1 else 0)
        drew = score != 1 and (drew or score == 0.5)
    return earned


def pairings(free: Sequence[str], entrants: Mapping[str, Entrant], *, few: bool) -> list[tuple[str, str]]:
    """White and Black of each new game, for those who are `free`, the best first.

    Neighbours meet, but not twice running unless there are but a `few` in the arena; one may stay free. Who
    had White less often has it now.
    """
    left, pairs = list(free), []
    while len(left) > 1:
        first = left.pop(0)
        second = next(
            (
                other
                for other in left
                if few or (entrants[first].last_met, entrants[other].last_met) != (other, first)
            ),
            None,
        )
        if second is not None:
            left.remove(second)
            ahead = entrants[first].whites > entrants[second].whites
            pairs.append((second, first) if ahead else (first, second))
    return pairs


@dataclass
class Arena:
    """It starts and ends by the clock; a game that outlasts it counts for nothing."""

    id: str
    name: str
    created_by: str
    control: TimeControl
    variant: str
    rated: bool
    minutes: int
    starts_at_ms: int
    bots_allowed: bool = False  # the organiser's switch
    team_id: str | None = None  # for members only
    password: str | None = None
    entrants: dict[str, Entrant] = field(default_factory=dict)
    games: list[str] = field(default_factory=list)  # those still running
    played: int = 0
    is_finished: bool = False

    @property
    def full_name(self) -> str:
        return f"{self.name} Arena"

    @property
    def perf(self) -> str:
        return perf_key(self.variant, self.control.speed)

    @property
    def ends_at_ms(self) -> int:
        return self.starts_at_ms + self.minutes * 60_000

    @property
    def closes_at_ms(self) -> int:
        """The last pairings are made so long before the end that a game has a chance to count."""
        spare_ms = max(30_000, min(self.control.initial_ms // 2, 120_000))
        return self.ends_at_ms - spare_ms

    def is_started(self, now_ms: int) -> bool:
        return not self.is_finished and now_ms >= self.starts_at_ms

    def ranking(self) -> list[str]:
        """By score, then rating; of equals, who joined first."""
        order = {user: (sum(one.points), one.rating) for user, one in self.entrants.items()}
        return sorted(order, key=lambda user: order[user], reverse=True)

    def enter(self, user: str, rating: int) -> None:
        """Join, or come back after a break."""
        if self.is_finished:
            raise refuse("This tournament no longer exists")
        entrant = self.entrants.setdefault(user, Entrant(rating))
        entrant.is_away = False

    def leave(self, user: str, now_ms: int) -> None:
        """Before the start one is gone; after it one pauses. Who is not in does nothing."""
        if user not in self.entrants or self.is_finished:
            return
        if self.is_started(now_ms):
            self.entrants[user].is_away = True
        else:
            del self.entrants[user]

    def paired(self, game_id: str, white: str, black: str) -> None:
        self.games.append(game_id)
        for user, other, side in ((white, black, 1), (black, white, -1)):
            self.entrants[user].whites += side
            self.entrants[user].last_met = other

    def count(self, game_id: str, scores: Mapping[str, float], plies: int) -> None:
        """A game is over; one that outlasted the arena is forgotten."""
        if game_id not in self.games or self.is_finished:
            return
        self.games.remove(game_id)
        self.played += 1
        for user, score in scores.items():
            self.entrants[user].outcomes.append(Outcome(score, plies))

    def finish(self) -> None:
        self.is_finished = True
        self.games.clear()

    def to_json(self) -> Json:
        return asdict(self) | {"control": list(self.control)}

    @classmethod
    def from_json(cls, data: Json) -> "Arena":
        given = {
            "control": TimeControl(*data["control"]),
            "entrants": {user: Entrant.from_json(each) for user, each in data["entrants"].items()},
        }
        return cls(**(data | given))


def arena_json(arena: Arena, now_ms: int, *, is_welcome: bool, page: int, people: Mapping[str, Json]) -> Json:
    """The arena as its page shows it, but for its duels; flags are there only when they are up."""
    order = arena.ranking()
    is_started = arena.is_started(now_ms)
    starts = dt.datetime.fromtimestamp(arena.starts_at_ms / 1000, dt.UTC)
    first = (page - 1) * PAGE
    rows = [_row(arena, user, rank, people[user]) for rank, user in enumerate(order, start=1)]
    shown: Json = {
        "nbPlayers": len(order),
        "standing": {"page": page, "players": rows[first : first + PAGE]},
        "id": arena.id,
        "createdBy": arena.created_by,
        "startsAt": starts.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "system": "arena",
        "fullName": arena.full_name,
        "minutes": arena.minutes,
        "perf": {"key": arena.perf, "name": PERF_NAMES[arena.perf], "icon": perf_icon(arena.perf)},
        "clock": {"limit": arena.control.limit_s, "increment": arena.control.increment_s},
        "variant": arena.variant,
        "rated": arena.rated,
        "verdicts": {"list": _verdicts(arena, is_welcome=is_welcome), "accepted": is_welcome},
    }
    is_open = not is_started and not arena.is_finished
    return shown | known(
        secondsToStart=(arena.starts_at_ms - now_ms) // 1000 if is_open else None,
        secondsToFinish=max(0, arena.ends_at_ms - now_ms) // 1000 if is_started else None,
        isStarted=is_started or None,
        isFinished=arena.is_finished or None,
        pairingsClosed=(is_started and now_ms >= arena.closes_at_ms) or None,
        botsAllowed=arena.bots_allowed or None,
        private=arena.password is not None or None,
        podium=[row | _tally(arena, row) for row in rows[:PODIUM]] if arena.is_finished else None,
    )


def _row(arena: Arena, user: str, rank: int, person: Json) -> Json:
    entrant = arena.entrants[user]
    earned = entrant.points
    sheet: Json = {"scores": "".join(str(each) for each in reversed(earned))}  # the newest first
    row: Json = {key: person[key] for key in ("name", "title", "flair") if key in person}
    row |= {"rank": rank, "rating": entrant.rating, "score": sum(earned)}
    row["sheet"] = sheet | ({"fire": True} if entrant.is_on_fire else {})
    return row | ({"withdraw": True} if entrant.is_away else {})


def _tally(arena: Arena, row: Json) -> Json:
    entrant = arena.entrants[row["name"].lower()]
    won = sum(each.score == 1 for each in entrant.outcomes)
    return {"nb": {"game": len(entrant.outcomes), "berserk": 0, "win": won}}


def _verdicts(arena: Arena, *, is_welcome: bool) -> list[Json]:
    if arena.team_id is None:
        return []
    verdict = "ok" if is_welcome else "You are not in the team"
    return [{"condition": f"Must be in team {arena.team_id}", "verdict": verdict}]
