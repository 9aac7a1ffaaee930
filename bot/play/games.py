"""Every game in our hands: one with a clock has a task; correspondence sleeps between visits."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterable

from bot.game.facts import Trouble
from bot.game.nouns import GameBrief, GameId, Speed
from bot.lichess.backoff import Backoff
from bot.play.runner import Runner
from bot.play.table import Table
from bot.play.walltime import wall_ms

VISITS_AT_ONCE = 2  # correspondence has days: it must not take engines from those who have seconds


class Games:
    """`ended` is told of each game that is over; `takebacks` knows how many were given before a restart."""

    def __init__(
        self, table: Table, ended: Callable[[GameId], None], takebacks: Callable[[GameId], Awaitable[int]]
    ) -> None:
        self._table, self._ended, self._takebacks = table, ended, takebacks
        self.runners: dict[GameId, Runner] = {}
        self._tasks: dict[GameId, asyncio.Task[None]] = {}
        self._asleep: dict[GameId, GameBrief] = {}
        self._visits = asyncio.Semaphore(VISITS_AT_ONCE)

    @property
    def in_hand(self) -> frozenset[GameId]:
        return frozenset(self._tasks) | frozenset(self._asleep)

    @property
    def on_the_clock(self) -> int:
        """Games that would suffer if we left now."""
        return sum(game not in self._asleep for game in self._tasks)

    def play(self, brief: GameBrief, *, resumed: bool) -> None:
        """Begin, or go on with, a game; nothing happens when it is in hand already."""
        if brief.id in self.in_hand:
            return
        if brief.speed is Speed.CORRESPONDENCE:
            self._asleep[brief.id] = brief
            self._visit(brief, resumed=resumed)
        else:
            self._start(brief, self._run(brief, resumed=resumed))

    def check_in(self, listed: Iterable[GameBrief]) -> None:
        """Wake the correspondence games in which it is our turn, and those that ended while they slept."""
        by_id = {brief.id: brief for brief in listed}
        for game, brief in list(self._asleep.items()):
            latest = by_id.get(game)
            if latest is None or latest.is_my_turn:
                self._visit(latest or brief, resumed=True)

    def finished(self, brief: GameBrief) -> None:
        """Lichess says that it is over: one that sleeps is looked at once more, the others know."""
        if brief.id in self._asleep:
            self._visit(brief, resumed=True)

    async def close(self) -> None:
        """Leave every game as it is."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _visit(self, brief: GameBrief, *, resumed: bool) -> None:
        if brief.id not in self._tasks:
            self._start(brief, self._call_on(brief, resumed=resumed))

    def _start(self, brief: GameBrief, job: Awaitable[None]) -> None:
        async def live() -> None:
            try:
                await job
            finally:
                self._tasks.pop(brief.id, None)
                self.runners.pop(brief.id, None)

        self._tasks[brief.id] = asyncio.create_task(live(), name=f"game {brief.id}")

    async def _call_on(self, brief: GameBrief, *, resumed: bool) -> None:
        async with self._visits:
            runner = await self._once(brief, resumed=resumed, visit=True)
        if runner is not None and runner.is_over:
            self._asleep.pop(brief.id, None)
            self._ended(brief.id)

    async def _run(self, brief: GameBrief, *, resumed: bool) -> None:
        """A fault of ours ends a runner, never the game: another one takes it up."""
        backoff, rng = Backoff(first_s=0.2, cap_s=5.0), random.Random()
        while await self._once(brief, resumed=resumed) is None:
            backoff, resumed = backoff.failed(), True
            await asyncio.sleep(backoff.pause_s(rng))
        self._ended(brief.id)

    async def _once(self, brief: GameBrief, *, resumed: bool, visit: bool = False) -> Runner | None:
        """The runner when it has done its work; None when it broke."""
        runner = Runner(self._table, brief, resumed=resumed, visit=visit)
        self.runners[brief.id] = runner
        asking = asyncio.create_task(self._recall(runner)) if resumed else None
        try:
            await runner.run()
        except Exception as error:  # noqa: BLE001  the boundary: told, and the game is taken up again
            detail = f"{type(error).__name__}: {error}"
            self._table.tell(Trouble("runner_failed", detail, wall_ms(), brief.id))
            return None
        finally:
            if asking is not None:
                asking.cancel()
        return runner

    async def _recall(self, runner: Runner) -> None:
        """Beside the game: its clock may be running."""
        runner.recall_takebacks(await self._takebacks(runner.brief.id))
