"""What Lichess lets us do how often, and what it has told us to leave alone for a while. A pure ledger.

Each kind of request has budgets of its own, slightly under the server's, over windows that slide: whatever
stretch of that length one looks at, no more was spent in it. A 429 puts that one kind to rest, an opponent's
own limit benches that one opponent; everything else goes on. Moves and the streams of games never wait here.
Times are those of the wall clock, in seconds, so that the ledger survives a restart as JSON.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple, Self

Json = dict[str, Any]
MINUTE_S, DAY_S = 60.0, 86_400.0
LONGEST_S = 2 * DAY_S  # no rest is longer: a wall clock set back must not silence us for ever


class Kind(StrEnum):
    MOVE = "move"
    GAME_STREAM = "game_stream"
    EVENT_STREAM = "event_stream"
    DEED = "deed"  # abort, resign, draw, takeback, claims
    ANSWER = "answer"  # to challenges, and taking back our own
    CHAT = "chat"
    ACCOUNT = "account"
    LOOKUP = "lookup"
    CHALLENGE = "challenge"
    AI = "ai"
    BOT_GAME = "bot_game"
    ARENA = "arena"


class Budget(NamedTuple):
    points: int
    window_s: float


BUDGETS: Mapping[Kind, tuple[Budget, ...]] = {
    Kind.EVENT_STREAM: (Budget(25, 10 * MINUTE_S),),  # of 30
    Kind.ACCOUNT: (Budget(10, 5 * MINUTE_S),),  # of 30
    Kind.CHALLENGE: (Budget(20, MINUTE_S), Budget(180, DAY_S)),  # of 25 and 200
    Kind.AI: (Budget(4, MINUTE_S), Budget(19, DAY_S)),  # of 5 and 20
    Kind.BOT_GAME: (Budget(100, DAY_S),),  # the server counts games, and so do we: there is nothing to save
    Kind.ARENA: (Budget(25, 10 * MINUTE_S),),  # of 30
}
COST_OF_A_BOT, COST_OF_A_HUMAN = 1, 5  # of the points for challenges
URGENT = frozenset({Kind.MOVE, Kind.GAME_STREAM})  # a clock is running: never held back, soon tried again
REST_S, LONGEST_REST_S = 60.0, 600.0
URGENT_REST_S, LONGEST_URGENT_REST_S = 1.0, 4.0
KINDS_OF_KEYS = {"bot.vsBot.day": Kind.BOT_GAME}  # limits that are not those of the endpoint they came from


class Spent(NamedTuple):
    at: float
    cost: int
    what: str  # a thing that is paid for once only, such as a game; "" for all else


class Rest(NamedTuple):
    until: float
    strikes: int  # in a row


class Standing(NamedTuple):
    """A budget as a page shows it: what is left of it now, and how long this kind must wait."""

    kind: Kind
    budget: Budget
    left: int
    wait_s: float


@dataclass
class Limits:
    budgets: Mapping[Kind, tuple[Budget, ...]] = field(default_factory=lambda: BUDGETS)
    _spent: dict[Kind, list[Spent]] = field(default_factory=dict)
    _rests: dict[Kind, Rest] = field(default_factory=dict)
    _benched: dict[str, float] = field(default_factory=dict)
    heard: dict[Kind, int] = field(default_factory=dict)  # how often Lichess said so, since we started

    def wait_s(self, kind: Kind, now: float, cost: int = 1) -> float:
        """How long this kind must wait; 0: go. Always 0 where a clock is running."""
        if kind in URGENT:
            return 0.0
        spent = self._kept(kind, now)
        waits = [self._affordable_in(spent, budget, now, cost) for budget in self.budgets.get(kind, ())]
        rest = self._rests.get(kind)
        rested = min(rest.until - now, LONGEST_S) if rest else 0.0
        return max(0.0, rested, *waits)

    def benched_s(self, opponent: str, now: float) -> float:
        """How long this opponent is of no use to us because Lichess limits them; 0: welcome."""
        return max(0.0, min(self._benched.get(opponent.lower(), now) - now, LONGEST_S))

    def challenge_wait_s(self, opponent: str, now: float, *, is_bot: bool) -> float:
        cost = COST_OF_A_BOT if is_bot else COST_OF_A_HUMAN
        game = self.wait_s(Kind.BOT_GAME, now) if is_bot else 0.0
        return max(self.wait_s(Kind.CHALLENGE, now, cost), game, self.benched_s(opponent, now))

    def spend(self, kind: Kind, now: float, cost: int = 1, what: str = "") -> None:
        """`what` names a thing that is counted once, however often we hear of it."""
        if kind not in self.budgets:
            return
        spent = self._kept(kind, now)
        if not what or all(each.what != what for each in spent):
            spent.append(Spent(now, cost, what))

    def succeeded(self, kind: Kind, now: float) -> None:
        """The next 429 is a first one again, unless this was asked before the last was heard."""
        rest = self._rests.get(kind)
        if rest is not None and (rest.until <= now or kind in URGENT):
            del self._rests[kind]

    def limited(
        self,
        kind: Kind,
        now: float,
        seconds: float = 0.0,
        key: str = "",
        *,
        opponent: str = "",
        theirs: bool = False,
    ) -> float:
        """Lichess said so; how long it means. 0 seconds: it did not say, and we wait longer each time."""
        self.heard[kind] = self.heard.get(kind, 0) + 1
        if theirs:
            seconds = seconds or REST_S
            if opponent:
                self._benched[opponent.lower()] = now + min(seconds, LONGEST_S)
            return seconds
        kind = KINDS_OF_KEYS.get(key, kind)
        first_s, cap_s = (
            (URGENT_REST_S, LONGEST_URGENT_REST_S) if kind in URGENT else (REST_S, LONGEST_REST_S)
        )
        strikes = self._rests[kind].strikes + 1 if kind in self._rests else 1
        seconds = seconds or min(cap_s, first_s * 2 ** min(strikes - 1, 20))
        self._rests[kind] = Rest(now + min(seconds, LONGEST_S), strikes)
        return seconds

    def _kept(self, kind: Kind, now: float) -> list[Spent]:
        """What still counts; what lies in the future was written by a clock that has been set back."""
        longest_s = max((budget.window_s for budget in self.budgets.get(kind, ())), default=0.0)
        spent = [
            each._replace(at=min(each.at, now))
            for each in self._spent.get(kind, ())
            if each.at > now - longest_s
        ]
        self._spent[kind] = spent
        return spent

    @staticmethod
    def _affordable_in(spent: list[Spent], budget: Budget, now: float, cost: int) -> float:
        """When enough has left the window; what costs more than all of it waits for an empty one."""
        counted = [each for each in spent if each.at > now - budget.window_s]
        over = min(cost, budget.points) - budget.points + sum(each.cost for each in counted)
        wait_s = 0.0
        for each in counted:
            if over <= 0:
                break
            over -= each.cost
            wait_s = each.at + budget.window_s - now
        return wait_s

    def standings(self, now: float) -> tuple[Standing, ...]:
        """Every budget; and without one, whatever rests at the moment."""
        found = []
        for kind in Kind:
            wait_s, spent = self.wait_s(kind, now), self._kept(kind, now)
            for budget in self.budgets.get(kind, ()):
                used = sum(each.cost for each in spent if each.at > now - budget.window_s)
                found.append(Standing(kind, budget, max(0, budget.points - used), wait_s))
            if wait_s and kind not in self.budgets:
                found.append(Standing(kind, Budget(0, 0.0), 0, wait_s))
        return tuple(found)

    def to_json(self) -> Json:
        return {
            "spent": {kind: [list(each) for each in spent] for kind, spent in self._spent.items() if spent},
            "rests": {kind: list(rest) for kind, rest in self._rests.items()},
            "benched": dict(self._benched),
        }

    @classmethod
    def from_json(cls, data: Any) -> Self:
        """The ledger that was saved. ValueError says that this is none."""
        try:
            return cls(
                _spent={
                    Kind(kind): [Spent(float(at), int(cost), str(what)) for at, cost, what in spent]
                    for kind, spent in data["spent"].items()
                },
                _rests={
                    Kind(kind): Rest(float(until), int(strikes))
                    for kind, (until, strikes) in data["rests"].items()
                },
                _benched={str(user): float(until) for user, until in data["benched"].items()},
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ValueError(f"this is no ledger of limits: {error}") from error
