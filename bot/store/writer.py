"""Facts in, writing out: one task, in order, in small batches. What cannot be written now is tried again.

`tell` returns at once, whatever the disk does. An outage is told once, and lasts until a save succeeds.
"""

import asyncio
import random
import time
from collections import deque
from collections.abc import Awaitable, Callable

from bot.game.facts import Fact, Trouble, Witness

WAITING_AT_MOST = 100_000  # facts between two saves; hours of play


class Writer:
    """`fold` takes a fact into memory, `save` writes what is unwritten and raises if it cannot."""

    def __init__(
        self,
        what: str,
        fold: Callable[[Fact], None],
        save: Callable[[], Awaitable[None]],
        complain: Witness,
        *,
        pause_s: float = 0.1,
        retry_s: float = 1.0,
        retry_at_most_s: float = 60.0,
    ) -> None:
        self._what, self._fold, self._save, self._complain = what, fold, save, complain
        self._pause_s, self._retry_s, self._retry_at_most_s = pause_s, retry_s, retry_at_most_s
        self._facts: deque[Fact] = deque(maxlen=WAITING_AT_MOST)
        self._filled, self._hurry, self._saved = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._saved.set()
        self._failures = 0
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.create_task(self._run(), name=f"writer of {self._what}")

    def tell(self, fact: Fact) -> None:
        self._facts.append(fact)
        self.wake()

    def wake(self) -> None:
        self._saved.clear()
        self._filled.set()

    async def settle(self) -> None:
        """Until everything told so far is written. For ever, if it never can be."""
        if not self._saved.is_set():
            self._hurry.set()
            await self._saved.wait()

    async def close(self, patience_s: float) -> None:
        """Write what is left, within `patience_s`; what is lost then is told."""
        if self._task is None:
            return
        try:
            async with asyncio.timeout(patience_s):
                await self.settle()
        except TimeoutError:
            self._trouble(f"{self._what}_lost", f"not written within {patience_s:g} s of stopping")
        self._task.cancel()
        await asyncio.wait({self._task})

    async def _run(self) -> None:
        while True:
            await self._filled.wait()
            await self._rest(self._pause_s)
            self._filled.clear()
            await self._fold_all()
            try:
                await self._save()
            except Exception as error:  # noqa: BLE001  the boundary: whatever a disk or a server may do
                self._failed(error)
                await self._rest(self._delay_s())
            else:
                self._failures = 0
                if not self._filled.is_set():
                    self._hurry.clear()
                    self._saved.set()

    async def _fold_all(self) -> None:
        while self._facts:
            await asyncio.sleep(0)  # a burst of facts must not keep a move waiting
            fact = self._facts.popleft()
            try:
                self._fold(fact)
            except Exception as error:  # noqa: BLE001  one bad fact must not cost the others
                detail = f"{type(fact).__name__}: {type(error).__name__}: {error}"
                self._trouble(f"{self._what}_fact_refused", detail)

    def _failed(self, error: Exception) -> None:
        self._failures += 1
        self._filled.set()
        if self._failures == 1:
            reason = str(getattr(error, "orig", None) or error).splitlines()[0:1] or [type(error).__name__]
            self._trouble(f"{self._what}_failed", f"{reason[0]}; what is unwritten is kept and tried again")

    def _delay_s(self) -> float:
        most_s = min(self._retry_at_most_s, self._retry_s * 2 ** min(self._failures - 1, 16))
        return random.uniform(most_s / 2, most_s)

    async def _rest(self, seconds: float) -> None:
        """Somebody who waits for us to settle shortens it, but not to nothing while the disk refuses."""
        least_s = min(seconds, self._retry_s / 20) if self._failures else 0.0
        await asyncio.sleep(least_s)
        try:
            async with asyncio.timeout(seconds - least_s):
                await self._hurry.wait()
        except TimeoutError:
            pass

    def _trouble(self, what: str, detail: str) -> None:
        self._complain(Trouble(what, detail, time.time_ns() // 1_000_000))
