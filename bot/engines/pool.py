"""Warm engine processes, lent to games a move at a time. Every order is answered with a legal move."""

import asyncio
import time
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Self

import chess

from bot.engines.crew import Crew, Seat
from bot.engines.emergency import NO_MOVE, SOURCE, emergency_move
from bot.engines.orders import EngineView, Order
from bot.engines.search import Search, Throttle
from bot.engines.share import Told, fraction, patience_ms, told
from bot.engines.spec import EngineSpec, ranked
from bot.engines.waiting import Queue, free_seat
from bot.errors import EngineError, EngineSilent
from bot.game.boards import board_of
from bot.game.facts import Trouble, Witness
from bot.game.nouns import GameId, Speed, Thought

TRIES = 3  # of one move, each on the clock that is left
SETTLE_S = 1.0  # an engine that does not obey `stop` by then is killed
LOOK_AGAIN_S = 0.5  # a waiting order asks so often whether there is hope

OnInfo = Callable[[Thought], None]


class Pool:
    """An async context manager: processes are started in the background on entry and ended on exit.

    `ready` holds an event for each spec by name: set once one of its processes has been ready.
    """

    def __init__(self, specs: Sequence[EngineSpec], tell: Witness) -> None:
        self._tell = tell
        self._queue = Queue()
        self._throttle = Throttle()
        self._crews = tuple(Crew(spec, tell, self._queue.serve) for spec in specs)
        self._fitting: dict[tuple[str, Speed], tuple[Crew, ...]] = {}
        self._searches: dict[Seat, Search] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.ready = {crew.spec.name: crew.ready for crew in self._crews}

    async def __aenter__(self) -> Self:
        for crew in self._crews:
            crew.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._queue.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*(crew.close() for crew in self._crews))

    def can_play(self, variant: str, speed: Speed) -> bool:
        """Whether an engine for such a game is there now, or is just being replaced."""
        return any(crew.ready.is_set() and crew.is_hopeful for crew in self._crews_for(variant, speed))

    def snapshot(self) -> tuple[EngineView, ...]:
        return tuple(seat.view() for crew in self._crews for seat in crew.seats)

    async def think(self, order: Order, on_info: OnInfo) -> Thought:
        """Always a legal move (`0000` where the position has none, or is none); raises only CancelledError.

        Cancelled: the search is stopped and its process serves the next order.
        """
        try:
            board = board_of(order.position)
        except ValueError as error:
            self._trouble(order.game, "position_unreadable", str(error))
            return Thought(NO_MOVE, SOURCE)
        if not any(board.legal_moves):
            return Thought(NO_MOVE, SOURCE)
        hint = ""
        for tries in range(TRIES):
            seat = await self._lease(order, board)
            if seat is None:
                break
            found, hint = await self._ask(seat, order, board, tries, on_info)
            if found is not None:
                return found
        self._trouble(order.game, "emergency_move", f"no engine answered at ply {order.position.ply}")
        return emergency_move(board, hint)

    async def forget(self, game: GameId) -> None:
        """The game is over: nobody ponders on it any more, and no process is kept for it."""
        self._throttle.forget(game)
        for seat in (seat for crew in self._crews for seat in crew.seats):
            if seat.engine is not None:
                seat.engine.forget(game)
            if seat.game == game:
                seat.game = None
                if seat.is_free and seat.engine is not None and seat.engine.is_pondering:
                    self._settle(seat)

    async def _lease(self, order: Order, board: chess.Board) -> Seat | None:
        """A process for one search, or None when it is not worth waiting any longer."""
        ticket = self._queue.ticket(order, board, self._crews_for(order.position.variant, order.speed))
        seat = None if len(self._queue) else free_seat(ticket)
        if seat is not None:
            seat.is_leased = True
            return seat
        self._queue.join(ticket)
        self._queue.serve()
        self._press()
        try:
            while not ticket.seat.done() and (wait_s := self._patience_s(order)) > 0:
                await asyncio.wait({ticket.seat}, timeout=min(wait_s, LOOK_AGAIN_S))
        except asyncio.CancelledError:
            if ticket.seat.done() and (seat := ticket.seat.result()) is not None:
                self._release(seat)
            raise
        finally:
            self._queue.leave(ticket)
        return ticket.seat.result() if ticket.seat.done() else None

    async def _ask(
        self, seat: Seat, order: Order, board: chess.Board, tries: int, on_info: OnInfo
    ) -> tuple[Thought | None, str]:
        """(the answer, "") or (None, the move it seemed to like); the lease is over either way."""
        plan = self._plan(seat, order, tries)
        if plan is None:
            self._release(seat)
            return None, ""
        seat.game = order.game
        search = self._searches[seat] = Search(seat, order, board, plan)
        try:
            thought = await search.run(self._may_ponder(seat, order), self._throttle, on_info)
        except EngineError as error:
            self._blame(seat, search, plan, error)
            return None, search.liking
        except asyncio.CancelledError:
            self._settle(seat)
            raise
        finally:
            del self._searches[seat]
            self._release(seat)
        self._crew_of(seat).thrive()
        return thought, ""

    def _plan(self, seat: Seat, order: Order, tries: int) -> Told | None:
        waited_ms = (asyncio.get_running_loop().time() - order.asked_at) * 1000
        part = fraction(len(self._crew_of(seat).alive), len(self._queue))
        return told(order.allowance, order.we_are_white, waited_ms, part, tries)

    def _blame(self, seat: Seat, search: Search, plan: Told, error: EngineError) -> None:
        if not isinstance(error, EngineSilent):
            seat.condemn(search.engine, "died", str(error))
        elif plan.is_patient:
            seat.condemn(search.engine, "silent", str(error))
        else:  # near the flag: perhaps only the machine was busy
            self._settle(seat)

    def _release(self, seat: Seat) -> None:
        seat.is_leased = False
        self._queue.serve()

    def _press(self) -> None:
        """Somebody waits: whoever thinks has to think of him."""
        for seat, search in self._searches.items() if len(self._queue) else ():
            part = fraction(len(self._crew_of(seat).alive), len(self._queue))
            search.press(part, self._queue.first_due_at)

    def _may_ponder(self, seat: Seat, order: Order) -> bool:
        """Where nobody waits and every game has a process to itself."""
        crew = self._crew_of(seat)
        games = {other.game for other in crew.seats if other.game is not None}
        is_calm = not len(self._queue) and (seat.engine is None or seat.engine.serves_only(order.game))
        return order.ponder and seat.spec.ponder and is_calm and len(games) <= len(crew.alive)

    def _settle(self, seat: Seat) -> None:
        """In the background: its process ends what it does, or is replaced."""
        seat.is_settling = True
        self._spawn(self._settled(seat))

    async def _settled(self, seat: Seat) -> None:
        engine = seat.engine
        try:
            if engine is not None and not await engine.settle(SETTLE_S) and engine.is_alive:
                seat.condemn(engine, "silent", "it does not obey `stop`")
        finally:
            seat.is_settling = False
            self._queue.serve()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _patience_s(self, order: Order) -> float:
        crews = self._crews_for(order.position.variant, order.speed)
        waited_s = asyncio.get_running_loop().time() - order.asked_at
        return patience_ms(order.allowance, any(crew.is_hopeful for crew in crews)) / 1000 - waited_s

    def _crews_for(self, variant: str, speed: Speed) -> tuple[Crew, ...]:
        if (variant, speed) not in self._fitting:
            specs = ranked([crew.spec for crew in self._crews], variant, speed)
            by_spec = {id(crew.spec): crew for crew in self._crews}
            self._fitting[variant, speed] = tuple(by_spec[id(spec)] for spec in specs)
        return self._fitting[variant, speed]

    def _crew_of(self, seat: Seat) -> Crew:
        return next(crew for crew in self._crews if seat in crew.seats)

    def _trouble(self, game: GameId, what: str, detail: str) -> None:
        self._tell(Trouble(what, detail, time.time_ns() // 1_000_000, game))
