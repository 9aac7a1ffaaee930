"""A pool over scripted engines, and orders for it. Nothing waits for ever."""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from bot.engines.orders import Order
from bot.engines.pool import Pool
from bot.engines.spec import EngineSpec
from bot.game.clockwork import Allowance
from bot.game.facts import EngineChanged, Fact, Trouble
from bot.game.nouns import GameId, Player, Position, Speed, Thought

SCRIPT = Path(__file__).with_name("scripted.py")
PATIENCE_S = 60.0  # for a machine that is busy with something else
LONG_MS = 600_000


def spec(mode: str, folder: Path, **wishes: Any) -> EngineSpec:
    named = {"name": mode} | wishes
    return EngineSpec(command=(sys.executable, str(SCRIPT), mode, str(folder)), **named)


class Story:
    """A running pool and everything it told."""

    def __init__(self, specs: list[EngineSpec]) -> None:
        self.facts: list[Fact] = []
        self._changed = asyncio.Event()
        self.pool = Pool(specs, self._tell)

    def _tell(self, fact: Fact) -> None:
        self.facts.append(fact)
        self._changed.set()

    def states(self) -> list[str]:
        return [fact.state for fact in self.facts if isinstance(fact, EngineChanged)]

    def troubles(self) -> list[Trouble]:
        return [fact for fact in self.facts if isinstance(fact, Trouble)]

    async def until(self, holds: Callable[[], bool]) -> None:
        """Looks whenever something is told."""
        while not holds():
            self._changed.clear()
            await self._changed.wait()

    async def all_ready(self) -> None:
        await self.until(lambda: all(view.pid for view in self.pool.snapshot()))

    async def ask(self, game: str = "a", *moves: str, **wishes: Any) -> Thought:
        return await self.pool.think(order(game, *moves, **wishes), lambda _: None)


def order(
    game: str, *moves: str, within_ms: int = LONG_MS, left_ms: int | None = LONG_MS, **wishes: Any
) -> Order:
    """White or Black to move after `moves`, by its clock."""
    variant, fen = wishes.pop("variant", "standard"), wishes.pop("fen", None)
    clock = LONG_MS if left_ms is None else left_ms
    move_ms = wishes.pop("move_ms", None)
    return Order(
        GameId(game),
        Position(variant, fen, moves),
        len(moves) % 2 == 0,
        wishes.pop("speed", Speed.BLITZ),
        Allowance(clock, clock, 0, 0, move_ms, within_ms, left_ms),
        asyncio.get_running_loop().time(),
        **wishes,
    )


def log(folder: Path) -> list[str]:
    """Every line that engines of this folder were told, without their process numbers."""
    text = (folder / "log").read_text(encoding="utf-8")
    return [line.partition(" ")[2] for line in text.splitlines()]


def tell(specs: list[EngineSpec], story: Callable[[Story], Awaitable[None]]) -> Story:
    async def told() -> Story:
        scene = Story(specs)
        async with asyncio.timeout(PATIENCE_S), scene.pool:
            await story(scene)
        return scene

    return asyncio.run(told())


RIVAL = Player("rival", "Rival", "BOT", 2500)
