"""Everything that can be seen of a service, in one place: made before it, attached when it is there.

window = Window()
window.attach(service)     # hears its facts from now on, and looks at it when somebody looks
make_app(window)           # bot.dashboard.server
"""

import asyncio
from typing import TYPE_CHECKING

from aiohttp import web

from bot.dashboard.feed import Feed
from bot.dashboard.metrics import Metrics
from bot.dashboard.picture import RECENT_KEPT
from bot.dashboard.results import Key, Results, Score, day_began_ms, day_of
from bot.dashboard.snapshot import Asked
from bot.dashboard.vitals import Vitals, look
from bot.errors import BotError
from bot.game.facts import Fact, Trouble
from bot.play.walltime import wall_ms

if TYPE_CHECKING:
    from bot.app import Service
    from bot.store.queries import Queries
    from bot.store.rows import GameRow


class Window:
    """Only looks: it holds a service, and changes nothing of it."""

    def __init__(self) -> None:
        self._service: Service | None = None
        self._attached = asyncio.Event()
        self.feed = Feed(self.look)
        self.metrics = Metrics(self.look)

    def attach(self, service: "Service") -> None:
        self._service = service
        service.tell.join(self.tell)
        self._attached.set()

    def tell(self, fact: Fact) -> None:
        """A witness."""
        self.feed.tell(fact)
        self.metrics.tell(fact)

    def look(self) -> Vitals:
        return look(self._service)

    @property
    def ask(self) -> "Queries | None":
        """The database, once it is open."""
        store = self._service.store if self._service else None
        return store.ask if store else None

    async def remember(self) -> None:
        """Read what happened before this life, as soon as that can be asked."""
        await self._attached.wait()
        assert self._service is not None  # that is what was waited for
        store = await self._service.recording()
        try:
            ends = -1
            while ends != self.feed.ends:  # else a game that ended meanwhile would count twice, or not at all
                ends = self.feed.ends
                await store.settle()
                now_ms = wall_ms()
                results = await read_results(store.ask, now_ms)
                games = await read_recent(store.ask)
                asked = await read_challenges(store.ask)
            self.feed.remember(results, games, asked)
        except BotError as error:
            self.feed.tell(Trouble("history_unknown", str(error), wall_ms()))


async def read_results(ask: "Queries", now_ms: int) -> Results:
    from bot.store.wanted import Wanted  # noqa: PLC0415  SQLAlchemy is slow to load; the store has done so

    by = ("speed", "kind")
    ever = {Key(*tally.key): Score(*tally[1:]) for tally in await ask.tally(by)}
    today = await ask.tally(by, Wanted(since_ms=day_began_ms(now_ms)))
    return Results(day_of(now_ms), {Key(*tally.key): Score(*tally[1:]) for tally in today}, ever)


async def read_recent(ask: "Queries") -> "tuple[GameRow, ...]":
    from bot.store.wanted import Wanted  # noqa: PLC0415  as above

    return await ask.games(Wanted(over=True), limit=RECENT_KEPT)


async def read_challenges(ask: "Queries") -> list[Asked]:
    """The latest judgement of each."""
    found: dict[str, Asked] = {}
    for row in await ask.challenges(limit=2 * RECENT_KEPT):
        asked = Asked(
            id=row["challenge"],
            name=row["challenger_name"],
            rating=row["rating"],
            kind=row["kind"],
            control=row["control"],
            variant=row["variant"],
            rated=row["rated"],
            verdict="gone" if row["gone"] else row["verdict"],
            why=row["gone"] or row["why"],
            when_ms=row["when_ms"],
        )
        found.setdefault(asked.id, asked)
    return list(found.values())


WINDOW = web.AppKey("window", Window)
