"""The whole service and a sandbox in one loop, over real HTTP, with an engine that answers at once."""

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

from bot import log
from bot.app import Service
from bot.config.model import Config
from bot.game.facts import Fact
from bot.lichess.client import Patience
from bot.sandbox.embed import Sandbox, sandbox

ENGINE = Path(__file__).with_name("instant_engine.py")
PATIENCE_S = 60.0  # for a machine that is busy with something else
QUICK = Patience(game_silence_s=1.0, event_silence_s=1.0, move_s=1.0)
BEAT_S = 0.3  # keep-alives that a quick patience can live with
F = TypeVar("F")


def engine(*how: str, **settings: Any) -> dict[str, Any]:
    """An `[[engines]]` table with the instant engine behaving like `how`."""
    return {"name": "instant", "command": [sys.executable, str(ENGINE), *how], "processes": 2} | settings


class Bot:
    """A running service, and the facts it told."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.facts: list[Fact] = []
        self._news = asyncio.Event()
        service.tell.join(self._hear)

    def _hear(self, fact: Fact) -> None:
        self.facts.append(fact)
        self._news.set()
        self._news = asyncio.Event()

    def told(self, kind: type[F]) -> list[F]:
        return [fact for fact in self.facts if isinstance(fact, kind)]

    def troubles(self) -> set[str]:
        return {fact.what for fact in self.facts if type(fact).__name__ == "Trouble"}  # type: ignore[union-attr]  # by its name

    async def until(self, kind: type[F], holds: Callable[[F], bool] = lambda _: True) -> F:
        """The first such fact, told already or yet to come."""
        while True:
            found = next((fact for fact in self.told(kind) if holds(fact)), None)
            if found is not None:
                return found
            await self._news.wait()


@asynccontextmanager
async def running(
    box: Sandbox, state: Path, *, patience: Patience = QUICK, once: bool = False, **settings: Any
) -> AsyncIterator[Bot]:
    """The service of the box's bot account. `settings` are tables of krait.toml."""
    tables = {"engines": [engine()], "web": {"enabled": False}} | settings
    given = {"token": box.token, "state_dir": str(state), "lichess": {"url": box.url}}
    config = Config.model_validate(given | tables)
    bot = Bot(Service(config, "test", once=once, patience=patience))
    task = asyncio.create_task(bot.service.run())
    try:
        await _first(box.online(), task)
        yield bot
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _first(wanted: Awaitable[None], service: asyncio.Task[None]) -> None:
    """Until `wanted`; what the service raises before that is raised here."""
    waiting = asyncio.ensure_future(wanted)
    await asyncio.wait({waiting, service}, return_when=asyncio.FIRST_COMPLETED)
    if not waiting.done():
        waiting.cancel()
        service.result()


def tell(story: Callable[[Sandbox], Awaitable[None]], **options: Any) -> None:
    """Tell a story in a fresh sandbox; it ends in time, or is a failure."""
    log.configure("json", "error")  # what is told is looked at as facts

    async def whole() -> None:
        wishes = {"keep_alive_s": BEAT_S, "limited": False, "reply_delay_s": 0.0} | options
        async with asyncio.timeout(PATIENCE_S), sandbox(**wishes) as box:
            await story(box)

    asyncio.run(whole())
