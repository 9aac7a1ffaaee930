"""What tests of opponents share: the stand-in engine, opponents that live for a test, ears for news."""

import asyncio
import random
import stat
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import chess

from bot.sandbox.movers import Mover, RandomMover, ScriptedMover, Turn
from bot.sandbox.opponents import Opponent
from bot.sandbox.player import Character, Habits
from bot.sandbox.world import World
from tests.sandbox.scene import Scene

SOURCE = Path(__file__).with_name("stand_in_engine.py")
BLITZ = {"clock.limit": 180, "clock.increment": 2}
QUIET = Habits(greets=False)


class StandIn:
    """A UCI program with `habits` (see stand_in_engine.py), and what it has heard."""

    def __init__(self, folder: Path, *habits: str) -> None:
        self.path = folder / "standin"
        self._heard = folder / "heard.txt"
        words = " ".join([str(SOURCE), str(self._heard), *habits])
        self.path.write_text(f"#!/bin/sh\nexec {sys.executable} {words}\n", encoding="utf-8")
        self.path.chmod(self.path.stat().st_mode | stat.S_IXUSR)

    @property
    def heard(self) -> list[str]:
        return self._heard.read_text(encoding="utf-8").splitlines() if self._heard.exists() else []


def first_turn(board: chess.Board | None = None) -> Turn:
    return Turn("gameGAME", chess.Board() if board is None else board, 180_000)


class Ears:
    """What has happened in a world, to be waited for."""

    def __init__(self, world: World) -> None:
        self._news: asyncio.Queue[tuple[str, str]] = asyncio.Queue()
        world.subscribe_all(lambda kind, facts: self._news.put_nowait((kind, facts["id"])))

    async def until(self, kind: str) -> str:
        """The id of the next thing of this kind to happen."""
        while (news := await self._news.get())[0] != kind:
            pass
        return news[1]


@asynccontextmanager
async def living(*opponents: Opponent) -> AsyncIterator[None]:
    async with asyncio.TaskGroup() as tasks:
        lives = [tasks.create_task(opponent.run()) for opponent in opponents]
        await asyncio.sleep(0)  # they open their streams
        yield
        for life in lives:
            life.cancel()


def scripted(line: str = "") -> Mover:
    return ScriptedMover(line.split(), random.Random(5))


def opponent_of(scene: Scene, mover: Mover | None = None, habits: Habits = QUIET, **more: Any) -> Opponent:
    """Opal of the scene, played by the house."""
    rng = random.Random(5)
    return Opponent(Character(scene.world, "opal", mover or RandomMover(rng), habits, rng, **more), "Opal")


def invite(scene: Scene, **form: Any) -> str:
    """The bot challenges Opal, with White unless another colour is wished."""
    return str(scene.world.lobby.create("numbarine", "Opal", BLITZ | {"color": "white"} | form)["id"])
