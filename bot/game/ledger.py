"""The lobby's books: who plays, who was promised a game until when, who waits, and what is still free.

Capacity is counted from entries with names and deadlines, never by a counter that somebody has to give back.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from bot.game.nouns import Challenge, ChallengeId, GameBrief, GameId, Player, Speed
from bot.game.terms import Kind, kind_of, user_of


class Sort(StrEnum):
    BEST = "best"  # rating, and 200 each for a rated game and a title
    FIRST = "first"  # first come, first served
    HUMANS = "humans"  # humans before bots, then first come


@dataclass(frozen=True, slots=True)
class Capacity:
    """How much fits, and for how long a word holds.

    A bot's challenge with a clock dies on Lichess after 20 s; a person's lives as long as the page is open.
    """

    max_games: int = 1
    max_correspondence: int = 10  # days a turn or unlimited: they hold no slot of the others
    reserved_for_humans: int = 0  # of max_games
    queue_length: int = 20
    sort: Sort = Sort.BEST
    promise_s: float = 30.0
    bot_waits_s: float = 20.0
    human_waits_s: float = 120.0
    correspondence_waits_s: float = 86_400.0


@dataclass(frozen=True, slots=True)
class Seat:
    """What a game takes, played or promised. `until` is None where it is played."""

    user: str | None
    is_bot: bool
    timed: bool
    until: float | None = None


@dataclass(frozen=True, slots=True)
class Waiting:
    challenge: Challenge
    until: float

    @property
    def seat(self) -> Seat:
        return seat_for(self.challenge, self.challenge.challenger)


@dataclass(frozen=True, slots=True)
class Lobby:
    """`queue` is in the order of arrival; `ours`: challenges we sent; `surplus`: games to be aborted."""

    capacity: Capacity = field(default_factory=Capacity)
    playing: Mapping[GameId, Seat] = field(default_factory=dict)
    promised: Mapping[ChallengeId, Seat] = field(default_factory=dict)
    queue: tuple[Waiting, ...] = ()
    ours: tuple[ChallengeId, ...] = ()
    surplus: frozenset[GameId] = frozenset()
    ready: bool = False
    draining: bool = False

    @property
    def is_idle(self) -> bool:
        return not self.playing and not self.promised


def seat_for(challenge: Challenge, opponent: Player | None, until: float | None = None) -> Seat:
    is_bot = kind_of(opponent) is Kind.BOT
    return Seat(user_of(opponent), is_bot, challenge.control.speed is not Speed.CORRESPONDENCE, until)


def seat_of(brief: GameBrief) -> Seat:
    return Seat(user_of(brief.opponent), brief.opponent.is_bot, brief.speed is not Speed.CORRESPONDENCE)


def taken(lobby: Lobby) -> Iterator[Seat]:
    yield from lobby.playing.values()
    yield from lobby.promised.values()


def free(lobby: Lobby, *, timed: bool = True) -> int:
    """Slots for games with a clock, or for those without. Never below 0, however many were found at start."""
    most = lobby.capacity.max_games if timed else lobby.capacity.max_correspondence
    return max(0, most - sum(seat.timed is timed for seat in taken(lobby)))


def fits(lobby: Lobby, seat: Seat) -> bool:
    """Bots never hold the slots that are reserved for humans."""
    if not free(lobby, timed=seat.timed):
        return False
    if not (seat.timed and seat.is_bot):
        return True
    for_bots = lobby.capacity.max_games - lobby.capacity.reserved_for_humans
    return sum(each.timed and each.is_bot for each in taken(lobby)) < for_bots


def held_by(lobby: Lobby, user: str | None) -> int:
    """Games, promises and queued challenges of one opponent; nobody knows how many an anonymous one has."""
    if user is None:
        return 0
    seats = [*taken(lobby), *(waiting.seat for waiting in lobby.queue)]
    return sum(seat.user == user for seat in seats)


def ranked(lobby: Lobby) -> tuple[Waiting, ...]:
    """Who is served first stands first; equals in the order of arrival."""
    match lobby.capacity.sort:
        case Sort.FIRST:
            return lobby.queue
        case Sort.HUMANS:
            return tuple(sorted(lobby.queue, key=lambda waiting: waiting.seat.is_bot))
        case Sort.BEST:
            return tuple(sorted(lobby.queue, key=lambda waiting: -_worth(waiting.challenge)))


def queue_position(lobby: Lobby, user: str) -> int | None:
    """1 is next; None: does not wait."""
    names = [waiting.seat.user for waiting in ranked(lobby)]
    return names.index(user.lower()) + 1 if user.lower() in names else None


def _worth(challenge: Challenge) -> int:
    player = challenge.challenger
    titled = player is not None and player.title is not None and not player.is_bot
    return (player.rating or 0 if player else 0) + 200 * challenge.rated + 200 * titled
