"""What a search works with: the shared table, one worker a thread, and the list of kernels to compile at
start.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from engine import evaluation, net, params
from engine.core import jit, movegen, nnue, order, tt
from engine.core.attacks import attackers
from engine.core.board import copy_board, new_board, play
from engine.core.jit import Record
from engine.core.layout import INFINITE
from engine.core.node import Means, new_worker
from engine.core.search import search
from engine.notation import START_FEN, TABLES, legal_moves, pv_texts, set_fen

BYTES_PER_MB = 1024 * 1024
FOREVER = 1 << 62


class Table:
    """Memory of the transposition table, aligned so that a bucket is one cache line."""

    def __init__(self, megabytes: int) -> None:
        self.buckets = megabytes * BYTES_PER_MB // tt.BUCKET_BYTES
        self._memory = np.zeros(self.buckets * tt.BUCKET_BYTES // 8 + 8, np.uint64)
        self.address = -(-self._memory.ctypes.data // tt.BUCKET_BYTES) * tt.BUCKET_BYTES
        self.age = 0

    def clear(self) -> None:
        self._memory.fill(0)

    def grow_older(self) -> None:
        """A new search begins: entries of earlier ones are the first to be replaced."""
        self.age = (self.age + 1) % tt.AGES


class Worker(NamedTuple):
    """The records of one search thread."""

    board: Record
    state: Record
    evaluator: Record
    weights: Record  # the net, which all threads share

    def prepare(self, position: Record, table: Table, ticket: int, roots: list[int]) -> None:
        """Set up for the search that `ticket` names, from `position`, with the root's moves in `roots`."""
        state = self.state
        copy_board(position, self.board)
        state["ticket"] = ticket
        for name in ("nodes", "seldepth", "null_ply", "root_line", "root_best"):
            state[name] = 0
        state["node_limit"] = FOREVER
        state["tt_address"], state["tt_buckets"], state["tt_age"] = table.address, table.buckets, table.age
        state["root_done"][:] = 0
        state["root_nodes"][:] = 0
        self.restrict(roots)
        order.before_search(state)

    def restrict(self, roots: list[int]) -> None:
        """Let the root play these moves only."""
        self.state["root_count"] = len(roots)
        self.state["root_moves"][: len(roots)] = roots

    def stop(self, ticket: int) -> None:
        """A stop names its search, so a late one can never end the next."""
        self.state["stop"] = max(int(self.state["stop"]), ticket)

    def is_stopped(self) -> bool:
        return bool(self.state["stop"] >= self.state["ticket"])

    def using(self, weights: Record) -> "Worker":
        """The same worker with another net."""
        nnue.reset(self.evaluator, weights)
        return self._replace(weights=weights)

    def search(self, numbers: Record, depth: int, alpha: int, beta: int) -> int:
        """One depth from the root; meaningless if the worker is stopped before it returns."""
        self.state["root_best"] = 0
        self.state["root_depth"] = depth
        means = Means(TABLES, self.board, self.state, self.evaluator, self.weights, numbers)
        return int(search(means, depth, alpha, beta, 0, 0))

    def line(self) -> list[int]:
        return [int(move) for move in self.state["pv"][0, : self.state["pv_length"][0]]]


def make_worker(weights: Record | None = None) -> Worker:
    """A worker that evaluates by a net; by the one shipped if none is given."""
    chosen = net.shipped() if weights is None else weights
    return Worker(new_board(), new_worker(), evaluation.new_evaluator(), chosen).using(chosen)


def warm(progress: Callable[[str, int, int], None] | None = None) -> None:
    """Compile or load every kernel that play needs; `progress` hears (name, done, total)."""
    made: list[Worker] = []
    table = Table(1)
    position = new_board()

    def evaluator() -> None:
        made.append(make_worker())
        set_fen(position, START_FEN)

    def evaluation_kernel() -> None:
        nnue.evaluate(TABLES, position, made[0].evaluator, made[0].weights)

    def moves() -> None:
        legal_moves(position)
        movegen.perft(TABLES, position, 1)
        attackers(TABLES, position, 0, position["colours"][0])

    def searching() -> None:
        made[0].prepare(position, table, 1, legal_moves(position))
        made[0].search(params.record(), 1, -INFINITE, INFINITE)
        pv_texts(position, made[0].line(), chess960=False)

    def rest() -> None:
        order.forget(made[0].state)
        tt.hashfull(made[0].state)
        play(TABLES, position, legal_moves(position)[0])

    steps: list[tuple[str, Callable[[], object]]] = [
        ("weights", evaluator),
        ("moves", moves),
        ("evaluation", evaluation_kernel),
        ("search", searching),
        ("table and histories", rest),
    ]
    jit.warm(steps, progress)
