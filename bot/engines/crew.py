"""The processes of one spec: one brought up before the rest, each replaced when it ends."""

import asyncio
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import chess

from bot.engines.orders import EngineView
from bot.engines.process import Engine
from bot.engines.share import pause_s
from bot.engines.spec import EngineSpec
from bot.errors import EngineMissing
from bot.game.facts import EngineChanged, Trouble, Witness

if TYPE_CHECKING:
    from bot.game.nouns import GameId


class Seat:
    """A place for one process, which is sometimes empty."""

    def __init__(self, spec: EngineSpec) -> None:
        self.spec = spec
        self.engine: Engine | None = None
        self.game: GameId | None = None  # the one it serves or served last, while that is played
        self.is_leased = self.is_settling = False
        self.starts = self.depth = self.nps = 0
        self._fault: tuple[str, str] | None = None

    @property
    def is_alive(self) -> bool:
        return self.engine is not None and self.engine.is_alive and self._fault is None

    @property
    def is_free(self) -> bool:
        return self.is_alive and not self.is_leased and not self.is_settling

    def knows(self, board: chess.Board) -> bool:
        return self.engine is not None and self.engine.knows(board)

    def condemn(self, engine: Engine, state: str, why: str) -> None:
        """`engine` is of no use any more: killed at once, replaced by the crew. Harmless if it has been."""
        if self.engine is engine:
            self._fault = self._fault or (state, why)
            engine.kill()

    def sit(self, engine: Engine) -> None:
        self._fault = None
        self.engine = engine
        self.starts += 1

    def rise(self, why: str) -> tuple[str, str]:
        """Its process has ended; (state, why) of that end."""
        self.engine = self.game = None
        return self._fault or ("died", why)

    def view(self) -> EngineView:
        engine = self.engine
        return EngineView(
            self.spec.name,
            engine.pid if engine else 0,
            self.game,
            self.depth,
            self.nps,
            engine.memory_bytes() if engine else 0,
            max(0, self.starts - 1),
            self._state(),
        )

    def _state(self) -> str:
        if self.engine is None or not self.is_alive:
            return "down" if self.starts else "starting"
        if self.is_leased:
            return "thinking"
        if self.is_settling:
            return "settling"
        return "pondering" if self.engine.is_pondering else "idle"


class Crew:
    """`on_change` is called when a process has become free or all hope for one has changed."""

    def __init__(self, spec: EngineSpec, tell: Witness, on_change: Callable[[], None]) -> None:
        self.spec = spec
        self.seats = tuple(Seat(spec) for _ in range(spec.processes))
        self.ready = asyncio.Event()  # once one has been ready; it stays set
        self.failures = 0  # in a row: an answer makes it none
        self._tell, self._on_change = tell, on_change
        self._warned: set[str] = set()
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def alive(self) -> list[Seat]:
        return [seat for seat in self.seats if seat.is_alive]

    @property
    def is_hopeful(self) -> bool:
        """One is there, or will be unless something is wrong with all of them."""
        return self.failures < 2 or bool(self.alive)

    def start(self) -> None:
        """In the background: one first, because an engine may compile itself at its very first start."""
        self._tasks.append(asyncio.create_task(self._bring_up(), name=f"engines {self.spec.name}"))

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*(seat.engine.quit() for seat in self.seats if seat.engine))

    def thrive(self) -> None:
        """One of them answered."""
        self.failures = 0

    async def _bring_up(self) -> None:
        for number, seat in enumerate(self.seats):
            self._tasks.append(asyncio.create_task(self._keep(seat), name=f"{self.spec.name} {number}"))
            await self.ready.wait()

    async def _keep(self, seat: Seat) -> None:
        while True:
            await asyncio.sleep(pause_s(self.failures))
            try:
                engine = await Engine.start(self.spec, self._warn)
            except EngineMissing as error:
                self._fail("missing", 0, str(error))
                continue
            seat.sit(engine)
            self.ready.set()
            self._report("restarted" if seat.starts > 1 else "ready", engine.pid, "")
            self._on_change()
            last_words = await engine.gone()
            await engine.kill_and_wait()
            state, why = seat.rise(last_words)
            self._fail(state, engine.pid, why)

    def _fail(self, state: str, pid: int, why: str) -> None:
        self.failures += 1
        pause = pause_s(self.failures)
        self._report(state, pid, f"{why}; next start in {pause:g} s" if pause else why)
        self._on_change()

    def _report(self, state: str, pid: int, detail: str) -> None:
        self._tell(EngineChanged(self.spec.name, pid, state, detail, _now_ms()))

    def _warn(self, text: str) -> None:
        if text not in self._warned:
            self._warned.add(text)
            self._tell(Trouble("engine_option", text, _now_ms()))


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
