"""Orders that wait for an engine: the most urgent first, each to the best process that may serve it."""

import asyncio
import bisect
import itertools
from collections.abc import Sequence

import chess

from bot.engines.crew import Crew, Seat
from bot.engines.orders import Order
from bot.engines.share import due_ms


class Ticket:
    """An order's place in the queue; `seat` becomes its process, or None when the pool closes."""

    def __init__(self, order: Order, board: chess.Board, crews: Sequence[Crew], number: int) -> None:
        self.order, self.board, self.crews = order, board, crews
        self.due_at = order.asked_at + due_ms(order.allowance, order.we_are_white) / 1000
        self.seat: asyncio.Future[Seat | None] = asyncio.get_running_loop().create_future()
        self.urgency = (self.due_at, number)


class Queue:
    def __init__(self) -> None:
        self._waiting: list[Ticket] = []
        self._numbers = itertools.count()

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def first_due_at(self) -> float:
        """When the most urgent has waited long enough; only where one waits."""
        return self._waiting[0].due_at

    def ticket(self, order: Order, board: chess.Board, crews: Sequence[Crew]) -> Ticket:
        """Not queued yet."""
        return Ticket(order, board, crews, next(self._numbers))

    def join(self, ticket: Ticket) -> None:
        bisect.insort(self._waiting, ticket, key=lambda waiting: waiting.urgency)

    def leave(self, ticket: Ticket) -> None:
        """Idempotent."""
        if ticket in self._waiting:
            self._waiting.remove(ticket)

    def serve(self) -> None:
        """Give every free process to the most urgent order it may serve."""
        for ticket in tuple(self._waiting):
            seat = free_seat(ticket)
            if seat is not None:
                self.leave(ticket)
                seat.is_leased = True
                ticket.seat.set_result(seat)

    def close(self) -> None:
        for ticket in self._waiting:
            ticket.seat.set_result(None)
        self._waiting.clear()


def free_seat(ticket: Ticket) -> Seat | None:
    """Of the first crew that has a living process for this board: the one to take now, if any is free.

    A crew further down stands in only while those before it have none.
    """
    for crew in ticket.crews:
        able = [seat for seat in crew.seats if seat.is_alive and seat.knows(ticket.board)]
        if able:
            free = [seat for seat in able if seat.is_free]
            return min(free, key=lambda seat: _strangeness(seat, ticket.order), default=None)
    return None


def _strangeness(seat: Seat, order: Order) -> tuple[bool, bool, bool]:
    """The process that served this game last has it in its table; one of nobody's disturbs nobody."""
    is_pondering = seat.engine is not None and seat.engine.is_pondering
    return seat.game != order.game, is_pondering, seat.game is not None
