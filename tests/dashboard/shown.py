"""Games told as facts to a window that shows what a test puts there, and pages that look through it."""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import aiohttp

from bot.dashboard.server import make_app, serve
from bot.dashboard.vitals import Slots, Vitals
from bot.dashboard.window import Window
from bot.engines.orders import EngineView
from bot.game.facts import (
    ChallengeJudged,
    ChatHeard,
    ConnectionChanged,
    Fact,
    GameRated,
    ThoughtGrew,
    Trouble,
)
from bot.game.nouns import Challenge, ChallengeId, Player, Speed, TimeControl
from bot.lichess.lines import Account
from bot.store.queries import Queries
from tests.store.telling import START_MS, Teller, game_info, random_game, thought

PATIENCE_S = 60.0
ENGINE = EngineView("Krait", 4711, None, 12, 1_900_000, 50_000_000, 0, "idle")
WELL = Vitals(
    version="1.2.3",
    site="https://lichess.org",
    account=Account("krait", "Krait", "BOT", {"blitz": 2500}, 17),
    stream_age_s=2.0,
    slots=Slots(4, 1, 0, 5, 0),
    engines=(ENGINE,),
    answering={"Krait": True},
)
ONLINE = ConnectionChanged("online", "Krait", START_MS)
OPPONENTS = (
    Player("anna", "Anna", None, 1900),
    Player("maia", "maia", "BOT", 1700),
    Player(None, "Anonymous"),
    Player(None, "AI", ai_level=3),
)


class Shown(Window):
    """What would be looked up is `vitals`; the database is `ask`."""

    def __init__(self, vitals: Vitals = WELL) -> None:
        self.vitals = vitals
        self.asked: Queries | None = None
        super().__init__()

    def look(self) -> Vitals:
        return self.vitals

    @property
    def ask(self) -> Queries | None:
        return self.asked


@asynccontextmanager
async def page(window: Window, **options: Any) -> AsyncIterator[aiohttp.ClientSession]:
    """A browser's connection to the page of `window`, over a real socket."""
    async with (
        serve(make_app(window, wrong_s=0.0, **options), "127.0.0.1", 0) as url,
        aiohttp.ClientSession(url) as http,
    ):
        yield http


def run(story: Callable[[], Awaitable[None]]) -> None:
    async def patiently() -> None:
        async with asyncio.timeout(PATIENCE_S):
            await story()

    asyncio.run(patiently())


@dataclass
class Tale:
    """A game that is told, with everything that can happen to one."""

    seed: int
    teller: Teller = field(init=False)

    def __post_init__(self) -> None:
        self.dice = random.Random(self.seed)
        variant = self.dice.choice(["standard", "standard", "chess960", "crazyhouse", "atomic"])
        self.fen, self.moves = random_game(self.seed, variant, self.dice.randrange(30))
        self.teller = Teller(
            game_info(
                f"game{self.seed:04d}",
                opponent=self.dice.choice(OPPONENTS),
                white=self.dice.random() < 0.5,
                variant=variant,
                initial_fen=self.fen,
                speed=self.dice.choice([Speed.BULLET, Speed.BLITZ]),
            )
        )

    def facts(self) -> Iterator[Fact]:
        teller, dice = self.teller, self.dice
        game = teller.info.id
        yield teller.opened()
        for uci in self.moves:
            if dice.random() < 0.5:
                yield ThoughtGrew(game, teller.state.ply, thought(uci, teller.state.ply), teller.now_ms)
            yield from teller.ply(uci)
            if dice.random() < 0.1:
                yield ChatHeard(game, "player", "Anna", "hello", teller.now_ms)
            if dice.random() < 0.05:
                yield Trouble("move_unsure", uci, teller.now_ms, game)
        if dice.random() < 0.3 and len(self.moves) > 2:
            yield teller.taken_back(2)
        if dice.random() < 0.7:
            yield teller.closed(dice.choice(["win", "draw", "loss", "aborted"]))
            if dice.random() < 0.5:
                yield GameRated(game, 5, teller.now_ms)


def interleaved(seeds: list[int], order: random.Random) -> tuple[list[Fact], list[Tale]]:
    """Several games at once, each in its own order."""
    tales = [Tale(seed) for seed in dict.fromkeys(seeds)]
    streams = [tale.facts() for tale in tales]
    told: list[Fact] = []
    while streams:
        stream = order.choice(streams)
        fact = next(stream, None)
        if fact is None:
            streams.remove(stream)
        else:
            told.append(fact)
    return told, tales


def judged(number: int, verdict: str = "declined", why: str = "too fast") -> ChallengeJudged:
    who = Player("otto", "Otto", None, 1500)
    asked = Challenge(
        ChallengeId(f"ask{number:05d}"), who, None, "standard", True, TimeControl(60, 0), "random"
    )
    return ChallengeJudged(asked, verdict, "tooFast", why, START_MS + number)


def without(vitals: Vitals, **changes: Any) -> Vitals:
    return replace(vitals, **changes)
