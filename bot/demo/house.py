"""The parlour: the local Lichess, the service on it, the coach; what the page's handlers share."""

import asyncio
from collections.abc import AsyncIterator, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bot.app import Service
from bot.config.model import Config
from bot.config.values import CHESS
from bot.dashboard.window import Window
from bot.demo.coach import Coach
from bot.demo.guests import Guests
from bot.demo.rules import Lines
from bot.demo.warming import Progress
from bot.engines.pool import Pool
from bot.engines.spec import OptionValue
from bot.game.nouns import GameInfo
from bot.sandbox.embed import Sandbox
from bot.sandbox.variants import VARIANTS
from bot.version import version

BOT = "Krait"
GAMES_AT_ONCE = 16  # a tab that was closed holds its place until the bot may claim the win
OTHERS = tuple(key for key in VARIANTS if key not in CHESS)
CONTROLS = ("1/4..180+0..60", "unlimited", "correspondence 1..14")
OUR_ENGINES: tuple[dict[str, Any], ...] = (
    {"name": BOT, "processes": 2},
    {"name": "Textbook", "variants": list(OTHERS), "processes": 1, "ponder": False},
)


@dataclass
class Parlour:
    """`engines` are tables of krait.toml. What is seen of the service is seen through `window`."""

    engines: Sequence[dict[str, Any]] = OUR_ENGINES
    window: Window = field(default_factory=Window)
    guests: Guests = field(default_factory=Guests)
    coach: Coach = field(default_factory=Coach)
    lines: Lines = field(default_factory=Lines)
    progress: Progress | None = None
    ready: bool = False
    service: Service | None = None
    _box: Sandbox | None = None

    @property
    def box(self) -> Sandbox:
        assert self._box is not None, "a page is served by the box it belongs to"
        return self._box

    @property
    def pool(self) -> Pool | None:
        return self.service.pool if self.service else None

    @property
    def variants(self) -> list[str]:
        """What the engines offer, as the sandbox orders it."""
        offered = {key for engine in self.engines for key in engine.get("variants", CHESS)}
        return [key for key in VARIANTS if key in offered]

    def status(self) -> dict[str, Any]:
        return {
            "bot": BOT,
            "ready": self.ready,
            "progress": self.progress._asdict() if self.progress else None,
            "variants": [
                {"key": key, "name": VARIANTS[key].name, "levels": key in CHESS} for key in self.variants
            ],
        }

    def opened(self, box: Sandbox) -> None:
        self._box = box

    @asynccontextmanager
    async def serving(self, folder: Path) -> AsyncIterator[Service]:
        """The service, while inside; ready on entry. BotError: it does not start, and why."""
        config = self._config(folder)
        service = Service(config, version(), witnesses=(self.coach,), strength=self._options)
        self.service = service
        self.window.attach(service)
        task = asyncio.create_task(service.run(), name="service")
        try:
            await _first(self._online(service), task)
            self.ready = True
            yield service
        finally:
            self.ready = False
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    def _options(self, info: GameInfo) -> Mapping[str, OptionValue]:
        return {**self.guests.strength(info), **self.coach.options(info)}

    async def _online(self, service: Service) -> None:
        await self.box.online()
        assert service.pool is not None  # it was opened before the stream was
        for event in service.pool.ready.values():
            await event.wait()

    def _config(self, folder: Path) -> Config:
        no_limits = {"per_user_at_once": 0, "per_user_hour": 0, "per_user_day": 0}
        return Config.model_validate(
            {
                "token": self.box.token,
                "state_dir": str(folder),
                "lichess": {"url": self.box.url},
                "games": {"max_games": GAMES_AT_ONCE, "correspondence_check_s": 5, "abort_after_human_s": 0},
                "challenges": no_limits | {"variants": self.variants, "time_controls": list(CONTROLS)},
                "engines": list(self.engines),
                "takeback": {"max_a_game": 1000},
                "web": {"enabled": False},
            }
        )


async def _first(wanted: Coroutine[Any, Any, None], service: asyncio.Task[None]) -> None:
    """Until `wanted` is done; what the service raises before that is raised here."""
    waiting = asyncio.ensure_future(wanted)
    await asyncio.wait({waiting, service}, return_when=asyncio.FIRST_COMPLETED)
    if not waiting.done():
        waiting.cancel()
        service.result()
