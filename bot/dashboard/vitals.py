"""What is looked up when somebody looks: the account, its stream, slots, queue, engines and budgets.

Nobody is told of these, for they change all the time. Looking changes nothing, and never enters a game.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from bot.engines.orders import EngineView
from bot.game.ledger import Lobby, ranked, taken
from bot.game.nouns import Challenge
from bot.lichess.limits import Standing
from bot.lichess.lines import Account
from bot.store.rows import kind_of

if TYPE_CHECKING:
    from bot.app import Service


class Slots(NamedTuple):
    """Games with a clock, and those without."""

    most: int = 0
    playing: int = 0
    promised: int = 0
    most_slow: int = 0
    playing_slow: int = 0

    @property
    def free(self) -> int:
        return max(0, self.most - self.playing - self.promised)


NO_SLOTS = Slots()


class Waiter(NamedTuple):
    """Somebody whose challenge waits for a slot."""

    name: str
    rating: int | None
    kind: str
    control: str
    variant: str
    rated: bool


@dataclass(frozen=True, slots=True)
class Vitals:
    """`answering`: each engine by name, and whether one of its processes has answered and lives."""

    version: str = ""
    site: str = ""
    uptime_s: float = 0.0
    account: Account | None = None
    stream_age_s: float | None = None
    slots: Slots = NO_SLOTS
    queue: tuple[Waiter, ...] = ()
    engines: tuple[EngineView, ...] = ()
    answering: Mapping[str, bool] = field(default_factory=dict)
    budgets: tuple[Standing, ...] = ()
    limited: Mapping[str, int] = field(default_factory=dict)  # 429s, by kind of request
    draining: bool = False


def look(service: "Service | None") -> Vitals:
    """As it is now; a service that is just starting has less to show."""
    if service is None:
        return Vitals()
    manager, pool, lichess = service.manager, service.pool, service.lichess
    lobby = manager.lobby if manager else None
    engines = pool.snapshot() if pool else ()
    limits = lichess.limits if lichess else None
    return Vitals(
        version=service.version,
        site=service.config.lichess.url,
        uptime_s=time.monotonic() - service.began_at,
        account=manager.account if manager else None,
        stream_age_s=lichess.stream_age_s() if lichess else None,
        slots=slots_of(lobby) if lobby else Slots(service.config.games.max_games),
        queue=tuple(waiter_of(waiting.challenge) for waiting in ranked(lobby)) if lobby else (),
        engines=engines,
        answering={name: is_answering(name, engines) for name in pool.ready} if pool else {},
        budgets=limits.standings(time.time()) if limits else (),
        limited={str(kind): count for kind, count in limits.heard.items()} if limits else {},
        draining=lobby.draining if lobby else False,
    )


def is_answering(name: str, engines: tuple[EngineView, ...]) -> bool:
    return any(each.name == name and each.state not in {"starting", "down"} for each in engines)


def slots_of(lobby: Lobby) -> Slots:
    return Slots(
        most=lobby.capacity.max_games,
        playing=sum(seat.timed for seat in lobby.playing.values()),
        promised=sum(seat.timed for seat in lobby.promised.values()),
        most_slow=lobby.capacity.max_correspondence,
        playing_slow=sum(not seat.timed for seat in taken(lobby)),
    )


def waiter_of(challenge: Challenge) -> Waiter:
    who = challenge.challenger
    return Waiter(
        name=who.name if who else "Anonymous",
        rating=who.rating if who else None,
        kind=kind_of(who) if who else "anonymous",
        control=str(challenge.control),
        variant=challenge.variant,
        rated=challenge.rated,
    )
