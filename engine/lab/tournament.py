"""Many games at once. One slot = one thread with one pair of engine processes, reused from game to game.

Threads are enough: a slot waits in `poll` nearly all of the time, and the engines are processes.
Everything a slot has to say goes through one inbox; only the caller's thread counts, prints and decides.
A stop closes the wake pipe, on which every slot waits as well: games under way are dropped, not counted.
"""

import itertools
import os
import queue
import threading
from collections.abc import Callable, Iterator
from typing import NamedTuple

import chess

from engine.lab import openings
from engine.lab.elo import Sprt
from engine.lab.game import Game, Played, Terms
from engine.lab.openings import Book, Opening
from engine.lab.settings import EngineSpec
from engine.lab.tally import Tally
from engine.lab.uci_client import Patience, Stopped, UciEngine


class Plan(NamedTuple):
    """`book` None: every game from the usual start. `seed` None: the book in its own order."""

    specs: tuple[EngineSpec, EngineSpec]
    games: int
    concurrency: int
    book: Book | None
    seed: int | None
    start: int
    terms: Terms
    patience: Patience
    sprt: Sprt | None


class Finished(NamedTuple):
    number: int
    white: int  # which engine had White, 0 or 1
    played: Played


class SlotEnded(NamedTuple):
    warnings: list[tuple[int, dict[str, int]]]


class Interrupt(NamedTuple):
    signal: int


class Tournament:
    """Run once. After `run`, `tally` holds the score and `ended_by` the reason it ended:
    `"games"`, `"sprt"`, a signal's number or the exception that made it impossible to go on.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self.tally = Tally((plan.specs[0].name, plan.specs[1].name), plan.sprt)
        self.ended_by: str | int | Exception = "games"
        self._inbox: queue.SimpleQueue[Finished | SlotEnded | Interrupt | Exception] = queue.SimpleQueue()
        self._wake, self._alarm = os.pipe()
        self._lock = threading.Lock()
        self._jobs = self._all_jobs()
        self._stopping = False

    def interrupt(self, signal: int) -> None:
        """Safe inside a signal handler: a SimpleQueue may be filled while it is being read."""
        self._inbox.put(Interrupt(signal))

    def run(self, on_game: Callable[[Finished], None]) -> None:
        slots = [threading.Thread(target=self._slot, daemon=True) for _ in range(self._plan.concurrency)]
        for slot in slots:
            slot.start()
        try:
            living = len(slots)
            while living:
                living -= self._hear(self._inbox.get(), on_game)
        finally:
            self._stop()
            for slot in slots:
                slot.join()
            os.close(self._wake)

    def _hear(
        self, message: Finished | SlotEnded | Interrupt | Exception, on_game: Callable[[Finished], None]
    ) -> int:
        """Number of slots that have ended with this message."""
        match message:
            case Finished():
                self._count(message)
                on_game(message)
                if self.tally.verdict and not self._stopping:
                    self._end("sprt")
            case SlotEnded(warnings):
                for engine, counts in warnings:
                    self.tally.warnings[engine].update(counts)
                return 1
            case Interrupt(signal):
                self._end(signal)
            case error:
                self._end(error)
        return 0

    def _count(self, finished: Finished) -> None:
        played, white = finished.played, finished.white
        fault = played.fault
        reason = fault[1].kind if fault else played.ending.reason
        self.tally.add(finished.number, white, played.ending.result, reason)
        if fault:
            self.tally.blame(fault[0] ^ white, fault[1].kind)

    def _end(self, why: str | int | Exception) -> None:
        if not self._stopping:
            self.ended_by = why
            self._stop()

    def _stop(self) -> None:
        if not self._stopping:
            self._stopping = True
            os.close(self._alarm)

    def _all_jobs(self) -> Iterator[tuple[int, Opening]]:
        book, opening = self._plan.book, Opening(chess.STARTING_FEN, ())
        order = openings.order(len(book), self._plan.seed, self._plan.start) if book else itertools.repeat(0)
        for number in range(self._plan.games):
            if book and number % 2 == 0:
                opening = book[next(order)]
            yield number, opening

    def _next_job(self) -> tuple[int, Opening] | None:
        with self._lock:
            return None if self._stopping else next(self._jobs, None)

    def _slot(self) -> None:
        engines: list[UciEngine | None] = [None, None]
        warnings: list[tuple[int, dict[str, int]]] = []
        try:
            while (job := self._next_job()) is not None:
                self._inbox.put(self._play(*job, engines, warnings))
        except Stopped:
            pass
        except Exception as error:  # noqa: BLE001 -- a thread's boundary: the error is handed to the caller
            self._inbox.put(error)
        finally:
            for index in (0, 1):
                _dismiss(engines, index, warnings)
            self._inbox.put(SlotEnded(warnings))

    def _play(
        self,
        number: int,
        opening: Opening,
        engines: list[UciEngine | None],
        warnings: list[tuple[int, dict[str, int]]],
    ) -> Finished:
        white = number % 2
        pair = self._engine(engines, white), self._engine(engines, 1 - white)
        limits = self._plan.specs[white].limit, self._plan.specs[1 - white].limit
        played = Game(pair, limits, opening, self._plan.terms).play()
        if played.fault:
            _dismiss(engines, played.fault[0] ^ white, warnings)
        return Finished(number, white, played)

    def _engine(self, engines: list[UciEngine | None], index: int) -> UciEngine:
        engine = engines[index]
        if engine is None:
            engine = engines[index] = UciEngine(self._plan.specs[index], self._wake, self._plan.patience)
            if self._plan.terms.chess960:
                engine.set_option("UCI_Chess960", "true")
        return engine


def _dismiss(engines: list[UciEngine | None], index: int, warnings: list[tuple[int, dict[str, int]]]) -> None:
    engine, engines[index] = engines[index], None
    if engine:
        engine.close()
        warnings.append((index, dict(engine.warnings)))
