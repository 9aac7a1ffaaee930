"""Opponents: accounts that challenge, accept and play through the same methods of the world as a request.

`House` brings those of `krait sandbox` to each world, `Company` those an embedding program asks for.
"""

import asyncio
import itertools
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import partial
from typing import Any, NamedTuple

from bot.sandbox.accounts import Account
from bot.sandbox.ai import BuiltInAi
from bot.sandbox.movers import Mover, Spec, make_mover, parse_specs
from bot.sandbox.player import Character, Habits, Player, board_of, listening, reason_to_decline
from bot.sandbox.refusal import Refusal
from bot.sandbox.site import Site
from bot.sandbox.uci_engine import Tell
from bot.sandbox.wishes import Plan
from bot.sandbox.world import World

Json = dict[str, Any]


class Entry(NamedTuple):
    """One opponent before it enters a world: its account's name and rating, and who thinks for it."""

    name: str
    rating: int
    mover: Mover
    is_anonymous: bool = False


async def make_entry(
    spec: Spec, taken: Sequence[str], rng: random.Random, tell: Tell, stack: AsyncExitStack
) -> Entry:
    """An opponent, its engine running, to be closed by `stack`; a name that is `taken` gets a number.

    NoEngineError: there is no such engine.
    """
    twins = sum(name.partition("-")[0] == spec.account_name for name in taken)
    mover = await make_mover(spec, rng, tell)
    stack.push_async_callback(mover.close)
    return Entry(f"{spec.account_name}-{twins + 1}" if twins else spec.account_name, spec.rating, mover)


async def make_entries(
    specs: Sequence[Spec], rng: random.Random, tell: Tell, stack: AsyncExitStack
) -> list[Entry]:
    """All of them, as `make_entry`; NoEngineError: one cannot be had."""
    entries: list[Entry] = []
    for spec in specs:
        entries.append(await make_entry(spec, [entry.name for entry in entries], rng, tell, stack))
    return entries


def enter(world: World, entry: Entry, *, as_bot: bool = False) -> Account:
    """The opponent's account in `world`, made when it is not there yet (a world that was saved has it)."""
    if entry.is_anonymous:
        return world.accounts.create_anonymous(entry.name)
    account = world.accounts.get(entry.name)
    if account is not None:
        return account
    title = "BOT" if as_bot else None
    return world.accounts.create(
        entry.name, title=title, rating=entry.rating, bio="plays in this sandbox", takebacks=True
    )


class Opponent:
    """One account and all of its games."""

    def __init__(self, character: Character, name: str) -> None:
        self.name = name
        self._who = character
        self._games: set[str] = set()
        self._sent: str | None = None  # the challenge last sent

    @property
    def user_id(self) -> str:
        return self._who.user_id

    async def run(self) -> None:
        """Answer challenges and play, until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            with listening(self._who.world, self._who.user_id) as events:
                while (event := await events.get()) is not None:
                    if event["type"] == "challenge":
                        self._answer(event["challenge"])
                    elif event["type"] == "gameStart" and event["game"]["gameId"] not in self._games:
                        tasks.create_task(self._play(event["game"]["gameId"]))

    async def _play(self, game_id: str) -> None:
        self._games.add(game_id)
        try:
            await Player(self._who, game_id).run()
        finally:
            self._games.discard(game_id)

    def _answer(self, challenge: Json) -> None:
        board = board_of(challenge["variant"]["key"], challenge.get("initialFen"), ())
        reason = reason_to_decline(
            knows_variant=self._who.mover.can_play(board),
            games=len(self._games),
            most_games=self._who.habits.most_games,
        )
        with suppress(Refusal):  # it was withdrawn meanwhile, or is the echo of my own
            if reason is None:
                self._who.world.lobby.accept(challenge["id"], self._who.user_id)
            else:
                self._who.world.lobby.decline(challenge["id"], self._who.user_id, reason)

    @property
    def may_challenge(self) -> bool:
        """It has room for a game, and no challenge of its own still waits for an answer."""
        waiting = {one["id"] for one in self._who.world.lobby.list(self._who.user_id)["out"]}
        return len(self._games) < self._who.habits.most_games and self._sent not in waiting

    def challenge(self, username: str, form: Mapping[str, Any]) -> str:
        """The id of the challenge, and of its game. Refusal: lila would not have it either."""
        self._sent = str(self._who.world.lobby.create(self._who.user_id, username, form)["id"])
        return self._sent


async def challenge_in_turn(
    world: World,
    opponents: Sequence[Opponent],
    form: Mapping[str, Any],
    wait: Callable[[], Awaitable[object]],
    tell: Tell,
) -> None:
    """After each `wait` the next opponent that is free challenges the next guest who is online."""
    ours = {opponent.user_id for opponent in opponents}
    turns = itertools.count()
    while True:
        await wait()
        guests = [one.name for one in world.accounts.all() if one.id not in ours and world.is_online(one.id)]
        free = [opponent for opponent in opponents if opponent.may_challenge]
        if not guests or not free:
            continue
        turn = next(turns)
        opponent, guest = free[turn % len(free)], guests[turn % len(guests)]
        try:
            opponent.challenge(guest, form)
        except Refusal as refusal:
            tell(f"{opponent.name} may not challenge {guest}: {refusal.body.get('error')}")


def settle(
    world: World, entries: Sequence[Entry], habits: Habits, rng: random.Random, *, as_bots: bool = False
) -> list[Opponent]:
    """The opponents of this world; `run` each of them."""
    accounts = [enter(world, entry, as_bot=as_bots) for entry in entries]
    return [
        Opponent(Character(world, account.id, entry.mover, habits, rng), entry.name)
        for account, entry in zip(accounts, entries, strict=True)
    ]


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
