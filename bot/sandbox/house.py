"""Whom the sandbox itself brings to a world: opponents, who go and challenge guests, and the built-in AI."""

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Any

from bot.sandbox.ai import BuiltInAi
from bot.sandbox.manners import Habits
from bot.sandbox.movers import parse_specs
from bot.sandbox.opponents import Entry, challenge_in_turn, enter, make_entry, settle
from bot.sandbox.site import Site
from bot.sandbox.uci_engine import Tell
from bot.sandbox.wishes import Plan
from bot.sandbox.world import World


async def in_each_world(site: Site, live: Callable[[World], Coroutine[Any, Any, None]]) -> None:
    """`live`, which never returns, in the site's world and then in every one that takes its place."""
    replaced = asyncio.Event()
    leave = site.subscribe_world(lambda _world: replaced.set())
    try:
        while True:
            replaced.clear()
            async with asyncio.TaskGroup() as tasks:
                life = tasks.create_task(live(site.world))
                await replaced.wait()
                life.cancel()
    finally:
        leave()


class House:
    """Holds the engines for as long as the sandbox runs; its people move over when the world is replaced."""

    def __init__(self, plan: Plan, entries: Sequence[Entry], rng: random.Random, tell: Tell) -> None:
        self._plan = plan
        self._entries = entries
        self._rng = rng
        self._tell = tell
        self._ai = BuiltInAi(rng, tell)

    async def live(self, world: World) -> None:
        """Until cancelled."""
        habits = Habits(pace=self._plan.pace)
        as_bots = self._plan.wishes.as_bots
        opponents = settle(world, self._entries, habits, self._rng, as_bots=as_bots)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._ai.run(world))
            for opponent in opponents:
                tasks.create_task(opponent.run())
            if self._plan.every_s is not None:
                wait = partial(asyncio.sleep, self._plan.every_s)
                tasks.create_task(challenge_in_turn(world, opponents, self._plan.form, wait, self._tell))

    async def close(self) -> None:
        """The AI's engines; those of opponents belong to whoever made them."""
        await self._ai.close()


Kind = tuple[str, bool, bool]  # the word for an opponent, whether it is a bot, whether it is anonymous


class Company:
    """Opponents that come when they are asked for, and the built-in AI, in each world of a site."""

    def __init__(self, site: Site, habits: Habits, rng: random.Random, tell: Tell) -> None:
        self.on_change: Callable[[], None] = lambda: None  # called when one of them has ended
        self._site = site
        self._habits = habits
        self._rng = rng
        self._tell = tell
        self._entries: dict[Kind, Entry] = {}
        self._entering = asyncio.Lock()
        self._engines = AsyncExitStack()
        self._lives: list[asyncio.Task[None]] = []

    @asynccontextmanager
    async def playing(self) -> AsyncIterator[None]:
        """They play while inside."""
        ai = BuiltInAi(self._rng, self._tell)
        async with self._engines:
            self._engines.push_async_callback(ai.close)
            self._run(ai.run)
            try:
                yield
            finally:  # no TaskGroup: what is raised inside is to leave as it is
                for life in self._lives:
                    life.cancel()
                await asyncio.wait(self._lives)

    def check(self) -> None:
        """Raise what has ended one of them, if anything has: they end for no other reason."""
        for life in self._lives:
            if life.done() and not life.cancelled():
                life.result()

    def _run(self, live: Callable[[World], Coroutine[Any, Any, None]]) -> None:
        life = asyncio.create_task(in_each_world(self._site, live))
        life.add_done_callback(lambda _: self.on_change())
        self._lives.append(life)

    async def opponent(self, kind: str, *, as_bot: bool = False, anonymous: bool = False) -> str:
        """The user id of an opponent that plays from now on; asked for twice, it is the same one.

        ValueError: `kind` is no word for one opponent; NoEngineError: there is no such engine.
        """
        key = (kind, as_bot, anonymous)
        async with self._entering:
            if key not in self._entries:
                await self._admit(key)
        return enter(self._site.world, self._entries[key], as_bot=as_bot).id

    async def _admit(self, kind: Kind) -> None:
        specs = parse_specs(kind[0])
        if len(specs) != 1:
            raise ValueError(f"{kind[0]!r} is not one opponent")
        taken = [entry.name for entry in self._entries.values()]
        entry = await make_entry(specs[0], taken, self._rng, self._tell, self._engines)
        self._entries[kind] = entry._replace(is_anonymous=kind[2])
        self._run(partial(self._play_as, kind))

    async def _play_as(self, kind: Kind, world: World) -> None:
        (opponent,) = settle(world, [self._entries[kind]], self._habits, self._rng, as_bots=kind[1])
        await opponent.run()
