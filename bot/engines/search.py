"""One question to one process, from the lease to the answer, with its timers."""

import asyncio
from collections.abc import Callable

import chess
import chess.engine

from bot.engines.crew import Seat
from bot.engines.orders import Order
from bot.engines.record import Insight, Record
from bot.engines.share import LEAST_THINK_MS, Told, ceiling_ms
from bot.errors import EngineDied, EngineSilent
from bot.game.clockwork import Allowance
from bot.game.nouns import GameId, Thought

INSIGHTS_PER_S = 5


class Throttle:
    """At most five a second for each game, however quickly its moves follow each other."""

    def __init__(self) -> None:
        self._next: dict[GameId, float] = {}

    def is_due(self, game: GameId, now: float) -> bool:
        if now < self._next.get(game, now):
            return False
        self._next[game] = now + 1 / INSIGHTS_PER_S
        return True

    def forget(self, game: GameId) -> None:
        self._next.pop(game, None)


class Search:
    """`run` once. `press` from outside when others begin to wait."""

    def __init__(self, seat: Seat, order: Order, board: chess.Board, told: Told) -> None:
        assert seat.engine is not None, "a lease is of a living process"
        self.order = order
        self._seat, self.engine, self._board, self._told = seat, seat.engine, board, told
        self._loop = asyncio.get_running_loop()
        self._began = self._loop.time()
        self._stop_at = self._began + told.stop_ms / 1000
        self._timer = self._loop.call_at(self._stop_at, self.engine.hurry)

    @property
    def liking(self) -> str:
        """The move it seems to prefer; "" where it said nothing of this position."""
        return next(iter(self.engine.insight.pv), "")

    async def run(self, ponder: bool, throttle: Throttle, on_info: Callable[[Thought], None]) -> Thought:
        """The engine's move. EngineDied, EngineSilent: it has none, and is to be replaced."""

        def listen(record: Record) -> None:
            if throttle.is_due(self.order.game, self._loop.time()) and (insight := record.read()).pv:
                self._loop.call_soon(on_info, self._thought(insight))  # its faults are not the engine's

        try:
            async with asyncio.timeout(self._told.kill_ms / 1000):
                move = await self.engine.play(
                    self._board,
                    limit_of(self._told.allowance),
                    self.order.game,
                    opponent=self.order.opponent,
                    options=self.order.options,
                    ponder=ponder,
                    listen=listen,
                )
        except TimeoutError:
            raise EngineSilent(f"no answer within {self._told.kill_ms:.0f} ms") from None
        except EngineDied:
            raise
        except Exception as error:  # whatever a strange engine does to the driver
            raise EngineDied(repr(error)) from error
        finally:
            self._timer.cancel()
        return self._thought(self.engine.insight, self._board.uci(move))

    def press(self, part: float, latest: float) -> None:
        """Others wait: end once this part of the usual time is used up, and not after `latest`."""
        waited_ms = (self._began - self.order.asked_at) * 1000
        usual_ms = ceiling_ms(self.order.allowance, self.order.we_are_white, part, waited_ms)
        soonest = self._began + LEAST_THINK_MS / 1000
        stop_at = max(soonest, min(self._began + usual_ms / 1000, latest))
        if stop_at < self._stop_at and not self._timer.cancelled():
            self._timer.cancel()
            self._stop_at = stop_at
            self._timer = self._loop.call_at(stop_at, self.engine.hurry)

    def _thought(self, insight: Insight, uci: str = "") -> Thought:
        """`uci` "": the best so far."""
        self._seat.depth, self._seat.nps = insight.depth, insight.nps
        spent_ms = round((self._loop.time() - self._began) * 1000)
        best = uci or (insight.pv[0] if insight.pv else "")
        pv = insight.pv if insight.pv[:1] == (best,) else (best,)
        return insight._replace(time_ms=spent_ms, pv=pv).thought(best, self._seat.spec.name)


def limit_of(allowance: Allowance) -> chess.engine.Limit:
    if allowance.move_ms is not None:
        return chess.engine.Limit(time=allowance.move_ms / 1000)
    if allowance.white_ms is None or allowance.black_ms is None:
        return chess.engine.Limit(time=allowance.answer_within_ms / 2000)
    return chess.engine.Limit(
        white_clock=allowance.white_ms / 1000,
        black_clock=allowance.black_ms / 1000,
        white_inc=allowance.white_inc_ms / 1000,
        black_inc=allowance.black_inc_ms / 1000,
    )
