"""The composition root: what the service is made of, opened in order and closed in reverse.

    lock > limits > engines > gateway to Lichess > account > manager, and beside it database, PGN and page

The stream of the account is open before the database is: challenges that come meanwhile are judged, games
that run are taken up, and what happens is remembered until there is somewhere to write it.
"""

import asyncio
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING

import structlog

from bot.config.model import Config, require_token
from bot.config.slices import (
    book_rules_of,
    capacity_of,
    clock_rules_of,
    engine_specs_of,
    manners_of,
    policy_of,
)
from bot.engines.pool import Pool
from bot.engines.spec import ranked
from bot.errors import BotError
from bot.game.chatter import BUILT_IN, ChatContext
from bot.game.facts import Trouble, Witness
from bot.game.lobby import queue_position
from bot.game.nouns import Speed
from bot.introduction import introduce
from bot.lichess.client import Lichess, Patience
from bot.lichess.lines import Account
from bot.lists import Roster, keep_fresh
from bot.lock import only_instance
from bot.loglines import log_facts
from bot.play.desk import ChatDesk
from bot.play.limitsfile import LimitsFile
from bot.play.manager import House, Manager
from bot.play.reception import Reception, Rosters
from bot.play.runner import Runner
from bot.play.table import Strength, Table, as_configured
from bot.play.walltime import wall_ms
from bot.play.witnesses import Witnesses
from bot.plugins import Plugins, discover
from bot.records import Records
from bot.sources.book import Book
from bot.sources.source import Source
from bot.sources.tablebase import Tablebase

if TYPE_CHECKING:
    from bot.store.store import Store

PAGE_WAITS_S = 2.0  # for the account's stream, which comes first; but a page is there when Lichess is not


@dataclass
class Service:
    """One bot. `run` returns when it was drained; cancelled, it leaves its games as they are."""

    config: Config
    version: str
    once: bool = False
    witnesses: Sequence[Witness] = ()
    patience: Patience = field(default_factory=Patience)
    strength: Strength = as_configured
    manager: Manager | None = field(default=None, init=False)
    pool: Pool | None = field(default=None, init=False)
    lichess: Lichess | None = field(default=None, init=False)
    page_url: str | None = field(default=None, init=False)
    began_at: float = field(default_factory=time.monotonic, init=False)

    def __post_init__(self) -> None:
        self.tell = Witnesses(log_facts(), *self.witnesses)
        self._introduced, self._page_listens = asyncio.Event(), asyncio.Event()
        self.records = Records(self.config, self.version, self.tell, self._page_listens)
        self._draining = False
        self._introducing: asyncio.Task[Account] | None = None

    def drain(self) -> None:
        """Stop by policy: finish the games, or leave them to be taken up again."""
        self._draining = True
        if self.manager is not None:
            self.manager.drain()
        elif self._introducing is not None:
            self._introducing.cancel()

    async def run(self) -> None:
        """ConfigError, BadToken: what the operator has to do is in the message."""
        token = require_token(self.config)
        plugins = discover()
        for skipped in plugins.skipped:
            self.tell(Trouble("plugin_skipped", str(skipped), wall_ms()))
        with only_instance(self.config.state_dir, token):
            try:
                async with AsyncExitStack() as stack:
                    await self._serve(stack, token, plugins)
            except BaseExceptionGroup as group:
                raise _told_apart(group) from None

    async def _serve(self, stack: AsyncExitStack, token: str, plugins: Plugins) -> None:
        config = self.config
        limits = LimitsFile(config.state_dir / "limits.json", self.tell)
        stack.callback(limits.save)
        self.pool = await stack.enter_async_context(Pool(engine_specs_of(config), self.tell))
        lanes = max(4, config.games.max_games)
        gateway = Lichess(
            config.lichess.url,
            token,
            version=self.version,
            limits=limits.limits,
            lanes=lanes,
            patience=self.patience,
        )
        self.lichess = await stack.enter_async_context(gateway)
        page = asyncio.create_task(self._show_page(), name="page")
        stack.push_async_callback(_end, page)
        self._introducing = asyncio.create_task(introduce(self.lichess, config.lichess.url, self.tell))
        try:
            account = await self._introducing
        except asyncio.CancelledError:
            self._introducing.cancel()
            if self._draining and not is_cancelled():
                return  # told to stop before there was anything to stop
            raise
        self._introduced.set()
        self.manager = self._manager(self.lichess, self.pool, account, plugins)
        if self._draining:
            return
        async with asyncio.TaskGroup() as tasks:
            beside = [
                tasks.create_task(limits.keep()),
                tasks.create_task(self._desk.run()),
                tasks.create_task(
                    keep_fresh((self._rosters.block, self._rosters.only, self._rosters.welcome))
                ),
                tasks.create_task(self.records.keep(self.manager.recall)),
            ]
            try:
                await self.manager.run()
            finally:
                await self.records.before_leaving()
                for task in beside:
                    task.cancel()

    # --- wiring

    def _manager(self, lichess: Lichess, pool: Pool, account: Account, plugins: Plugins) -> Manager:
        config, tell = self.config, self.tell
        asked, named = config.challenges, frozenset(config.chat.commands)
        self._rosters = Rosters(*(Roster(names, tell) for names in (asked.welcome, asked.only, asked.block)))
        known = (*BUILT_IN, *plugins.commands)
        commands = [command for command in known if command.name in named or command in plugins.commands]
        self._desk = ChatDesk(lichess.say, commands if named else (), self._context, tell)
        tables = (
            Tablebase(config.tablebase.paths, config.tablebase.max_pieces) if config.tablebase.paths else None
        )
        table = Table(
            lichess=lichess,
            pool=pool,
            sources=(*plugins.sources, *([tables] if tables else []), *self._books()),
            wdl=tables.probe if tables else None,
            desk=self._desk,
            manners=manners_of(config),
            clock=clock_rules_of(config),
            tell=tell,
            strength=self.strength,
            engine_for=self._engine_for,
        )
        reception = Reception(policy_of(config), self._rosters, frozenset(asked.teams), plugins.filters, tell)
        variants = frozenset(variant for engine in config.engines for variant in engine.variants)
        house = House(capacity_of(config), config.games.correspondence_check_s, variants, once=self.once)
        return Manager(table, account, house, reception, self.records.takebacks_given)

    def _books(self) -> list[Source]:
        files = self.config.book.files
        return [Book(dict(files.items()), book_rules_of(self.config))] if files else []

    def _engine_for(self, variant: str, speed: Speed) -> str:
        """The name of whoever is asked first in such a game."""
        fitting = ranked(engine_specs_of(self.config), variant, speed)
        return fitting[0].name if fitting else self.config.engines[0].name

    def _context(self, runner: Runner, room: str, name: str) -> ChatContext:
        assert self.manager is not None  # a runner is somebody's
        info, lobby = runner.game.known[0], self.manager.lobby
        players = {player.id for player in (info.white, info.black)}
        return ChatContext(
            room=room,
            asker=name,
            is_player=name.lower() in players,
            info=info,
            engine=self._engine_for(info.variant, info.speed),
            version=self.version,
            thought=runner.last_thought,
            is_over=runner.is_over,
            players_may_see_eval=self.config.chat.eval_for_players,
            queue_position=queue_position(lobby, name),
            queue_length=len(lobby.queue),
            games_now=len(self.manager.games.runners),
            uptime_s=time.monotonic() - self.began_at,
            lag_ms=runner.lag.estimate_ms,
        )

    # --- the page

    async def _show_page(self) -> None:
        """Until cancelled. Whatever is wrong with it is told, and harms no game."""
        if not self.config.web.enabled:
            self._page_listens.set()
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(PAGE_WAITS_S):
                await self._introduced.wait()
        try:
            await self._serve_page()
        except Exception as error:  # noqa: BLE001  the boundary: the games go on without it
            self.tell(Trouble("page_failed", f"{type(error).__name__}: {error}", wall_ms()))
        finally:
            self._page_listens.set()

    async def _serve_page(self) -> None:
        await asyncio.to_thread(import_module, "bot.dashboard.server")  # no clock can spare that long
        from bot.dashboard.server import show  # noqa: PLC0415  aiohttp takes longer than the stream
        from bot.dashboard.window import Window  # noqa: PLC0415  as above

        window = Window()
        window.attach(self)
        self._page_listens.set()
        await show(window, self.config.web, self.tell, self._served)

    def _served(self, url: str | None) -> None:
        self.page_url = url
        if url is not None:
            structlog.get_logger("krait").info("page_served", url=url)

    # --- records

    @property
    def store(self) -> "Store | None":
        """The database, once it is open."""
        return self.records.store

    async def recording(self) -> "Store":
        """The database, as soon as it is open and hears everything."""
        return await self.records.opened()


async def _end(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def _told_apart(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """Of what ended several tasks at once the one thing the operator can do something about, or all of it."""
    ours: BaseException | None = group.subgroup(BotError)
    while isinstance(ours, BaseExceptionGroup):
        ours = ours.exceptions[0]
    return group if ours is None else ours


def is_cancelled() -> bool:
    """Whether somebody wants the task we are in to end, and not only one that it waits for."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
