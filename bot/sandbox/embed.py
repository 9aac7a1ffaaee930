"""A sandbox inside another program: a test, a demo. In the same loop, on a free port, steered from Python.

    async with sandbox(opponents=["random"]) as box:
        ...  # start a bot with box.url and box.token
        game = await box.challenge("random", clock="1+0")
        match = await box.finished(game)
        assert box.measured.player(box.bot)["timeLosses"] == 0

What a person would do at the board is done in `box.world`: `box.world.games.draw(game, user, accept=True)`.
"""

import asyncio
import json
import random
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import TypeVar

import aiohttp
from aiohttp import web

from bot.sandbox.clock import Now, SandboxClock, wall_ms
from bot.sandbox.faults import Faults, parse_fault
from bot.sandbox.limits import Limits
from bot.sandbox.match import Match
from bot.sandbox.measurements import Measurements
from bot.sandbox.opponents import Company
from bot.sandbox.player import Habits
from bot.sandbox.server import app_of, serve
from bot.sandbox.site import REPLY_DELAY_S, Site
from bot.sandbox.speeds import TimeControl, perf_key
from bot.sandbox.streams import KEEP_ALIVE_S, Ending
from bot.sandbox.uci_engine import Tell
from bot.sandbox.variants import Status
from bot.sandbox.views import OUR_SOURCE, game_info, status_json
from bot.sandbox.wishes import BOT_SCOPES, DEFAULT_BOT, DEFAULT_TOKEN, Guest, read_clock
from bot.sandbox.world import World

T = TypeVar("T")
Beside = Callable[[web.Application], None]  # adds pages to the application, each in one of its own


class NotPlayedError(Exception):
    """A challenge came to nothing; the message says what became of it, and why if a reason was given."""


class Door:
    """The port a site is reached at; it can be closed, and opened again where it was."""

    def __init__(self, site: Site, *, control: bool, beside: Beside) -> None:
        self._site = site
        self._beside = beside
        self._control = control
        self._served = AsyncExitStack()
        self.url = ""

    async def open(self, port: int) -> None:
        """OSError: the port is taken."""
        app = app_of(self._site, control=self._control)
        self._beside(app)
        self.url = (await self._served.enter_async_context(serve(app, port=port))).url

    async def close(self) -> None:
        await self._served.aclose()

    async def reopen(self) -> None:
        self._site.reopen()
        await self.open(int(self.url.rpartition(":")[2]))


class Sandbox:
    """A running sandbox and a bot account in it. Made by `sandbox`."""

    def __init__(self, site: Site, door: Door, company: Company, guest: Guest) -> None:
        self.bot, self.token = guest
        self.faults = site.faults
        self._site = site
        self._door = door
        self._company = company
        self._happened = asyncio.Event()
        self._leave: list[Callable[[], None]] = []
        self._listen(site.world)
        site.subscribe_world(self._listen)
        company.on_change = self._stir

    @property
    def url(self) -> str:
        """A bare origin, without a slash at its end."""
        return self._door.url

    @property
    def world(self) -> World:
        return self._site.world

    @property
    def measured(self) -> Measurements:
        return self._site.measured

    # people

    def account(self, name: str, *, title: str | None = None, scopes: Sequence[str] = BOT_SCOPES) -> str:
        """One more account; its token. ValueError: the name is taken or none."""
        account = self.world.accounts.create(name, title=title)
        return self.world.accounts.issue_token(account.id, scopes).secret

    async def opponent(self, kind: str, *, as_bot: bool = False, anonymous: bool = False) -> str:
        """The user id of an opponent that plays from now on; asked for twice, it is the same one.

        `kind` is a word of `--opponents`: random, script:e4 e5 Qh5, stockfish:1500, /path/to/engine,
        silent[:n] (after n moves of its own it sits there and never moves), leaver[:n] (it leaves).
        ValueError: no such word; NoEngineError: no such engine.
        """
        return await self._company.opponent(kind, as_bot=as_bot, anonymous=anonymous)

    # games

    async def challenge(
        self,
        opponent: str = "random",
        *,
        clock: str = "3+2",
        rated: bool = False,
        color: str = "random",
        variant: str = "standard",
        fen: str | None = None,
        as_bot: bool = False,
        anonymous: bool = False,
    ) -> str:
        """The id of the game that came of it, once the bot has accepted; kept alive until then.

        `clock`: 3+2, 0.5+0, 2d, unlimited; `color` is the challenger's, as on Lichess. NotPlayedError: the
        bot declined; Refusal: lila would not have sent it.
        """
        form = {"variant": variant, "rated": rated, "color": color, "fen": fen, **read_clock(clock)}
        user = await self.opponent(opponent, as_bot=as_bot, anonymous=anonymous)
        made = str(self.world.lobby.create(user, self.bot, form)["id"])
        leave = self.world.subscribe_challenge(made, lambda _: None)
        try:
            return await self.until(partial(_accepted, made))
        finally:
            leave()

    async def pair(self, opponent: str, control: TimeControl, *, bot_is_white: bool) -> str:
        """The id of a game between the bot and an opponent that nobody had to ask for, with any clock at all.

        As when an organiser of Lichess pairs two players; clocks may be shorter than a challenge's.
        """
        user = await self.opponent(opponent)
        games, accounts = self.world.games, self.world.accounts
        perf = perf_key("standard", control.speed)
        bot, rival = (games.seat_for(accounts.require(each), perf) for each in (self.bot.lower(), user))
        white, black = (bot, rival) if bot_is_white else (rival, bot)
        return games.start(white, black, variant="standard", control=control, source=OUR_SOURCE).id

    async def finished(self, game_id: str) -> Match:
        """The game, when it is over."""
        return await self.until(lambda world: _if(world.games.get(game_id), lambda match: match.is_over))

    async def moved(self, game_id: str, ply: int) -> Match:
        """The game, when so many plies are played in it, or it is over."""
        return await self.until(
            lambda world: _if(world.games.get(game_id), lambda match: match.is_over or match.ply >= ply)
        )

    async def online(self, user: str | None = None) -> None:
        """Until the bot, or another user, has its event stream open."""
        await self.until(lambda world: world.follows(user or self.bot) or None)

    async def left(self, game_id: str, user: str) -> None:
        """Until `user` no longer follows a game."""
        await self.until(lambda world: True if not world.follows(user, game_id) else None)

    async def until(self, look: Callable[[World], T | None]) -> T:
        """What `look` finds, as soon as it finds anything: it is asked again after each thing that happens.

        That is: a challenge made or answered, a game begun, moved in or over, a stream opened or closed.
        """
        while (found := look(self.world)) is None:
            self._company.check()
            await self._happened.wait()
        return found

    # time and trouble

    def advance(self, ms: int) -> None:
        """Every clock leaps, and what falls due is done."""
        self._site.jump(ms)

    def freeze(self) -> None:
        """Time stands still but for `advance`, until `thaw`."""
        if (clock := self._site.clock()) is not None:
            clock.freeze()
            self._site.stir()

    def thaw(self) -> None:
        if (clock := self._site.clock()) is not None:
            clock.thaw()
            self._site.stir()

    def restart(self, down_ms: int = 0) -> None:
        """As when lila restarts: every stream torn, 502 for `down_ms`, then 15 s more on every clock."""
        self._site.restart(down_ms)

    def reload(self) -> None:
        """The world is saved and loaded, as when the sandbox itself is started again; streams are torn."""
        saved = json.loads(json.dumps(self.world.save()))
        self._site.replace_world(World.load(saved, now_ms=self.world.now_ms, rng=random.Random()))

    def replay_start(self, game_id: str) -> int:
        """The bot's event stream says next that a game begins, whether or not it is over by now."""
        match = self.world.games.get(game_id)
        side = match.color_of(self.bot.lower())
        if side is None:
            raise ValueError(f"{self.bot} does not play {match.id}")
        game = game_info(match, side, self.world.now_ms()) | {"status": status_json(Status.STARTED)}
        game.pop("winner", None)
        body = json.dumps({"type": "gameStart", "game": game}, separators=(",", ":"))
        return self.faults.add("line", on="event", user=self.bot, body=body)

    @asynccontextmanager
    async def intruder(self) -> AsyncIterator[None]:
        """A second client holds the bot's event stream while inside: the bot's own was ended for it."""
        headers = {"Authorization": f"Bearer {self.token}", "User-Agent": "intruder"}
        async with (
            aiohttp.ClientSession(self.url, headers=headers) as http,
            http.get("/api/stream/event", timeout=aiohttp.ClientTimeout(total=None)) as response,
        ):
            response.raise_for_status()
            yield

    @asynccontextmanager
    async def outage(self) -> AsyncIterator[None]:
        """Nobody listens at the port while inside; games and clocks go on, and so do opponents."""
        self._site.streams.end_all(Ending.RESET)
        await self._door.close()
        try:
            yield
        finally:
            await self._door.reopen()

    # its own life

    def _listen(self, world: World) -> None:
        for leave in self._leave:
            leave()
        self._leave = [
            world.subscribe_all(lambda _kind, _facts: self._stir()),
            world.subscribe_presence(lambda _user: self._stir()),
        ]
        self._stir()

    def _stir(self) -> None:
        self._happened.set()
        self._happened = asyncio.Event()


def _accepted(challenge_id: str, world: World) -> str | None:
    challenge = world.lobby.find(challenge_id)
    if challenge.status == "accepted":
        return challenge_id
    if challenge.is_active:
        return None
    reason = f": {challenge.decline_reason}" if challenge.decline_reason else ""
    raise NotPlayedError(f"the challenge was {challenge.status}{reason}")


def _if(match: Match, holds: Callable[[Match], bool]) -> Match | None:
    return match if holds(match) else None


@asynccontextmanager
async def sandbox(
    *,
    bot: str = DEFAULT_BOT,
    token: str = DEFAULT_TOKEN,
    rating: int = 1500,
    takebacks: bool = False,
    opponents: Sequence[str] = (),
    faults: Sequence[str] = (),
    habits: Habits | None = None,
    limited: bool = True,
    control: bool = False,
    port: int = 0,
    keep_alive_s: float = KEEP_ALIVE_S,
    reply_delay_s: float = REPLY_DELAY_S,
    source: Now = wall_ms,
    seed: int | None = None,
    tell: Tell = lambda _text: None,
    beside: Beside = lambda _app: None,
) -> AsyncIterator[Sandbox]:
    """A sandbox with a bot account, served while inside.

    `opponents` are there from the start (others come when they are asked for), `faults` are written as for
    `--fault`; `limited=False` lifts lila's rate limits; `source` is the time it starts from; `tell` hears
    what an opponent's engine cannot do; `beside` may add pages at the same address. OSError: the port is
    taken.
    """
    rng = random.Random(seed)
    world = World(now_ms=SandboxClock(source), rng=rng)
    account = world.accounts.create(bot, title="BOT", rating=rating, takebacks=takebacks)
    world.accounts.issue_token(account.id, BOT_SCOPES, secret=token)
    site = Site(
        world,
        Faults(*(parse_fault(text) for text in faults)),
        Limits(world.now_ms) if limited else Limits.off(),
        keep_alive_s=keep_alive_s,
        reply_delay_s=reply_delay_s,
    )
    door = Door(site, control=control, beside=beside)
    company = Company(site, habits or Habits(), rng, tell)
    box = Sandbox(site, door, company, Guest(bot, token))
    async with company.playing():
        await door.open(port)
        try:
            for kind in opponents:
                await box.opponent(kind)
            yield box
        finally:
            await door.close()
