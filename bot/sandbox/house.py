"""Whom the sandbox itself brings to a world: opponents, who go and challenge guests, and the built-in AI."""

import asyncio
import random
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Any

from bot.sandbox.ai import BuiltInAi
from bot.sandbox.manners import Habits
from bot.sandbox.opponents import Entry, challenge_in_turn, settle
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
