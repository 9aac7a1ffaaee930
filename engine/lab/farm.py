"""Many games at once: worker processes play them, and they come back in the order of their numbers.

A worker has one game at a time. Its end of the pipe is silent while a game is wanted, so whatever arrives
there in the middle of one, the parent's end closing most of all, tells it to leave: a parent that was killed
leaves nobody behind. A worker that dies, or an engine that does, costs time and no game: a game depends on
its number alone and is played again.
"""

import contextlib
import multiprocessing
import signal
from collections import Counter
from collections.abc import Generator, Iterator
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import NamedTuple, Self

from engine.lab.players import OwnPlayer, UciPlayer
from engine.lab.selfplay import Player, Recipe, RecipeError, play_game
from engine.lab.settings import EngineSpec
from engine.lab.uci_client import Fault, Patience, StartError, Stopped

TRIES = 3  # of one game, before the run is given up
AHEAD = 64  # games a worker may be ahead of the slowest one
LEAVE_S = 10.0  # for a worker that was told to leave


class Contract(NamedTuple):
    """What a worker must know. `spec` None: our own engine, with a table of `hash_mb`."""

    recipe: Recipe
    seed: int
    spec: EngineSpec | None
    hash_mb: int
    patience: Patience


class Finished(NamedTuple):
    number: int
    record: bytes
    faults: tuple[str, ...]  # what the engine did wrong before it played this game to its end


class Failed(NamedTuple):
    reason: str


class FarmError(RuntimeError):
    """The run cannot go on; the message says why."""


class Interrupted(Exception):  # noqa: N818 -- not an error: the user has had enough
    """The alarm was given."""


def new_player(contract: Contract, wake: int) -> Player:
    if contract.spec is None:
        return OwnPlayer(contract.hash_mb, wake)
    return UciPlayer(contract.spec, wake, contract.patience)


def work(connection: Connection, contract: Contract) -> None:
    """A worker's life: numbers come in, games go out, until the parent closes the connection."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the parent decides
    with contextlib.suppress(EOFError, OSError, Stopped), _Bench(contract, connection.fileno()) as bench:
        while True:
            connection.send(bench.play(connection.recv()))


class _Bench:
    """One player, replaced when it fails."""

    def __init__(self, contract: Contract, wake: int) -> None:
        self._contract, self._wake = contract, wake
        self._player: Player | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._dismiss()

    def _dismiss(self) -> None:
        if self._player:
            self._player.close()
            self._player = None

    def play(self, index: int) -> Finished | Failed:
        faults: list[str] = []
        while True:
            try:
                self._player = self._player or new_player(self._contract, self._wake)
                record = play_game(self._player, self._contract.recipe, self._contract.seed, index)
                return Finished(index, record, tuple(faults))
            except Fault as fault:
                self._dismiss()
                faults.append(str(fault))
                if len(faults) == TRIES:
                    return Failed(f"game {index}: {TRIES} times the engine failed: {'; '.join(faults)}")
            except (RecipeError, StartError, MemoryError) as error:
                return Failed(f"game {index}: {error or type(error).__name__}")


class _Worker(NamedTuple):
    process: BaseProcess
    connection: Connection


def harvest(
    contract: Contract, processes: int, first: int, last: int | None, alarm: int
) -> Generator[Finished, None, None]:
    """Games first … last - 1 (None: without end), each once and in order. FarmError ends it, Interrupted
    when `alarm` can be read; closing it sends the workers home.
    """
    with contextlib.closing(_Farm(contract, processes, first, last, alarm)) as farm:
        yield from farm.games()


class _Farm:
    def __init__(self, contract: Contract, processes: int, first: int, last: int | None, alarm: int) -> None:
        self._contract, self._alarm, self._last = contract, alarm, last
        # Not `fork`: a child would hold its sisters' pipes open and never hear that the parent is gone
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload([__name__])
        self._due = self._next = first
        self._again: list[int] = []  # games of workers that died
        self._deaths: Counter[int] = Counter()
        self._done: dict[int, Finished] = {}
        self._busy: dict[Connection, tuple[_Worker, int]] = {}
        self._idle = [self._hire() for _ in range(processes)]

    def games(self) -> Iterator[Finished]:
        while self._last is None or self._due < self._last:
            self._give_work()
            for ready in wait([*self._busy, self._alarm]):
                if not isinstance(ready, Connection):
                    raise Interrupted
                self._hear(ready)
            while self._due in self._done:
                yield self._done.pop(self._due)
                self._due += 1

    def _hire(self) -> _Worker:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=work, args=(theirs, self._contract), daemon=True)
        process.start()
        theirs.close()
        return _Worker(process, ours)

    def _give_work(self) -> None:
        limit = self._due + AHEAD * (len(self._idle) + len(self._busy))
        while self._idle and (self._again or self._next < min(limit, self._last or limit)):
            index = self._again.pop() if self._again else self._next
            self._next = max(self._next, index + 1)
            worker = self._idle.pop()
            self._busy[worker.connection] = worker, index
            with contextlib.suppress(OSError):  # it is dead: its connection says so when it is read
                worker.connection.send(index)

    def _hear(self, connection: Connection) -> None:
        worker, index = self._busy.pop(connection)
        try:
            answer = connection.recv()
        except (EOFError, OSError):
            self._replace(worker, index)
            return
        if isinstance(answer, Failed):
            raise FarmError(answer.reason)
        self._done[index] = answer
        self._idle.append(worker)

    def _replace(self, worker: _Worker, index: int) -> None:
        worker.connection.close()
        worker.process.join(LEAVE_S)
        self._deaths[index] += 1
        if self._deaths[index] == TRIES:
            raise FarmError(
                f"game {index}: {TRIES} worker processes died over it (exit code {worker.process.exitcode})"
            )
        self._again.append(index)
        self._idle.append(self._hire())

    def close(self) -> None:
        """Send every worker home, and end those who stay."""
        workers = [*self._idle, *(worker for worker, _ in self._busy.values())]
        for worker in workers:
            worker.connection.close()
        for worker in workers:
            worker.process.join(LEAVE_S)
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join()
