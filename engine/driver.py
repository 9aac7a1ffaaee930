"""The engine as Python sees it: iterative deepening, aspiration, time, several threads. It never prints.

The kernel searches one depth a call and knows no clock. A timer writes a stop that names its search; between
depths `timeman` decides whether another is worth beginning.
"""

import math
import threading
import time
from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple

from engine import evaluation, net, params, strength, syzygy, timeman, worth
from engine.core import movegen, order, tt
from engine.core.board import copy_board, make, new_board, play, unmake
from engine.core.jit import Record
from engine.core.layout import INFINITE, MATE, MATE_BOUND, MAX_PLY
from engine.notation import (
    START_FEN,
    TABLES,
    NotationError,
    find_move,
    legal_moves,
    move_text,
    pv_texts,
    set_fen,
    to_fen,
)
from engine.workers import Table, Worker, make_worker, warm

__all__ = ["MATE", "MATE_BOUND", "Answer", "Engine", "Info", "Limits", "warm"]

DEEPEST = MAX_PLY - 4
ASPIRATION_DEPTH, ASPIRATION_DELTA, WIDEST_DELTA = 5, 14, 400
TABLE_SHARE, LEAST_PATIENCE_MS = 0.25, 5  # of the soft limit, for reading endgame tables
SHOW_BOUNDS_MS = 2_000  # a fail-high or fail-low is only news in a long search
ONLY_MOVE_DEPTH = 6  # nothing to choose: enough to have something to ponder on
PLAIN_MATE = 4  # moves: a tree without cuts is small enough for no longer mate
MATE_MARGIN = 6  # depths searched beyond a mate before a clock is saved


class Limits(NamedTuple):
    """What `go` says."""

    depth: int | None = None
    nodes: int | None = None
    movetime_ms: int | None = None
    mate: int | None = None  # stop at a mate in so many moves
    infinite: bool = False
    ponder: bool = False
    clock: timeman.Clock | None = None
    searchmoves: tuple[str, ...] = ()


class Info(NamedTuple):
    """One line of progress, from the side to move's point of view."""

    depth: int
    seldepth: int
    multipv: int
    score: int
    bound: str  # "" exact, "lowerbound", "upperbound"
    nodes: int
    nps: int
    hashfull: int
    tbhits: int
    time_ms: int
    pv: tuple[str, ...]


class Answer(NamedTuple):
    move: str | None  # None: mate or stalemate
    ponder: str | None
    score: int
    nodes: int


class Line(NamedTuple):
    score: int
    moves: list[int]


def _ignore(_: Info) -> None:
    pass


class Engine:
    """One position, one table, one search at a time. `stop` and `ponderhit` may come from any thread, at any
    time; everything else waits until no search is under way.
    """

    def __init__(self, hash_mb: int = 16, threads: int = 1, numbers: dict[str, int] | None = None) -> None:
        self.multipv = 1
        self.overhead_ms = 10
        self.chess960 = False
        self.tables: syzygy.Tables | None = None
        self.strength: strength.Strength | None = None
        self.random = Random()
        self.numbers = params.record(numbers)
        self.table = Table(hash_mb)
        self.weights = net.shipped()
        self.workers = [make_worker(self.weights) for _ in range(threads)]
        self.board = new_board()
        self._start, self._moves = START_FEN, list[str]()
        set_fen(self.board, START_FEN)
        self._ticket = 0
        self._guard = threading.Lock()  # of the four below
        self._search: _Search | None = None

    # The position and the means

    @property
    def ply(self) -> int:
        """Half-moves since the start of the game."""
        return int(self.board["ply"])

    def resize(self, hash_mb: int) -> None:
        """Exchange the table for an empty one of another size; MemoryError leaves the old one."""
        self.table = Table(hash_mb)

    def set_threads(self, count: int) -> None:
        more = [make_worker(self.weights) for _ in range(count - len(self.workers))]
        self.workers = self.workers[:count] + more

    def use_net(self, weights: Record) -> None:
        """Evaluate by another net: what is known of any position was judged by the old one."""
        self.weights = weights
        self.workers = [worker.using(weights) for worker in self.workers]
        self.new_game()

    def new_game(self) -> None:
        """Forget the table and everything learnt."""
        self.table.clear()
        for worker in self.workers:
            order.forget(worker.state)

    def set_position(self, fen: str, moves: Sequence[str]) -> None:
        """NotationError keeps the last good position."""
        fresh = new_board()
        set_fen(fresh, fen)
        for number, text in enumerate(moves, 1):
            try:
                move = find_move(fresh, text)
            except NotationError as error:
                raise NotationError(f"move {number}: {error}") from None
            play(TABLES, fresh, move)
        self.board = fresh
        self._start, self._moves = fen, list(moves)

    def fen(self) -> str:
        return to_fen(self.board, chess960=self.chess960)

    def describe(self) -> str:
        """A diagram of the position, its FEN and its key."""
        placement = self.fen().split()[0]
        for gap in "12345678":
            placement = placement.replace(gap, "." * int(gap))
        rows = [f"{8 - i}  {' '.join(row)}" for i, row in enumerate(placement.split("/"))]
        checkers = [square for square in range(64) if int(self.board["checkers"]) >> square & 1]
        names = " ".join(f"{'abcdefgh'[s % 8]}{s // 8 + 1}" for s in checkers)
        key = f"{int(self.board['key']):016X}"
        return "\n".join(
            [*rows, "", "   a b c d e f g h", "", f"Fen: {self.fen()}", f"Key: {key}", f"Checkers: {names}"]
        )

    def breakdown(self) -> str:
        """The classical evaluation term by term, then what the net says: the net plays, if one is in use."""
        seen = worth.describe(self.board, self.workers[0].evaluator, self.weights)
        return f"{evaluation.breakdown(self.board)}\n\n{seen}"

    def perft(self, depth: int) -> dict[str, int]:
        """Leaves below each root move."""
        counts = {}
        board = new_board()
        copy_board(self.board, board)
        for move in legal_moves(board):
            text = move_text(board, move, chess960=self.chess960)
            make(TABLES, board, move)
            counts[text] = int(movegen.perft(TABLES, board, depth - 1)) if depth > 1 else 1
            unmake(board)
        return counts

    # Searching

    def search(self, limits: Limits, on_info: Callable[[Info], None] = _ignore) -> Answer:
        """Search until a limit is met; with `infinite` or `ponder` not before `stop` or `ponderhit`."""
        roots = self._roots(limits.searchmoves)
        if not roots:
            score = -MATE if self.board["checkers"] else 0
            return Answer(None, None, score, 0)
        with self._guard:
            self._ticket += 1
            self.table.grow_older()
            found = self._search = _Search(self, limits, roots, on_info, self._ticket)
        try:
            return found.run()
        finally:
            with self._guard:
                self._search = None

    def stop(self) -> None:
        """End the search under way; without one, do nothing."""
        with self._guard:
            if self._search:
                self._search.stop()

    def ponderhit(self) -> None:
        """The pondered move was played: the clock runs from now."""
        with self._guard:
            if self._search:
                self._search.ponderhit()

    def _roots(self, wanted: tuple[str, ...]) -> list[int]:
        legal = legal_moves(self.board)
        named = [move for move in legal if self._is_named(move, wanted)]
        return named or legal  # a list of nothing but illegal moves is no restriction

    def _is_named(self, move: int, wanted: tuple[str, ...]) -> bool:
        return any(move_text(self.board, move, chess960=chess960) in wanted for chess960 in (True, False))

    def ranks(self, searchmoves: tuple[str, ...], patience_ms: float) -> syzygy.RootRanks | None:
        if (
            self.tables is None
            or sum(int(c).bit_count() for c in self.board["colours"]) > self.tables.largest
        ):
            return None
        return self.tables.rank(self._start, self.chess960, self._moves, searchmoves, patience_ms)


class _Search:
    """One search, from `go` to `bestmove`."""

    def __init__(
        self,
        engine: Engine,
        limits: Limits,
        roots: list[int],
        on_info: Callable[[Info], None],
        ticket: int,
    ) -> None:
        self._engine, self._limits, self._on_info = engine, limits, on_info
        self._ticket = ticket
        self._roots = roots
        self._workers: list[Worker] = engine.workers
        self._main = self._workers[0]
        self._numbers = engine.numbers  # of the depth under way
        self._started = time.perf_counter()
        self._released = threading.Event()
        if not (limits.infinite or limits.ponder):
            self._released.set()
        self._budget = self._choose_budget()
        self._alarm: threading.Timer | None = None
        self._lines_wanted = min(self._choose_lines(), len(roots))
        self._lines = [Line(0, [roots[0]])]  # a legal move is in hand before the first depth ends
        self._ranks: syzygy.RootRanks | None = None
        self._depth = 0
        for worker in self._workers:
            worker.prepare(engine.board, engine.table, ticket, roots)
        if limits.nodes:
            self._limit_nodes(limits.nodes)

    def run(self) -> Answer:
        helpers = [
            threading.Thread(target=self._help, args=(i,), daemon=True) for i in range(1, len(self._workers))
        ]
        if not self._limits.ponder:
            self._set_alarm()
        try:
            self._ask_tables()
            self._deepen(helpers)
            self._released.wait()
        finally:
            self.stop()
            for helper in helpers:
                if helper.ident:
                    helper.join()
        return self._answer()

    def stop(self) -> None:
        for worker in self._workers:
            worker.stop(self._ticket)
        if self._alarm:
            self._alarm.cancel()
        self._released.set()

    def ponderhit(self) -> None:
        """What was spent pondering counts as thought, so a long ponder may answer at once; the alarm starts
        anew.
        """
        if not self._limits.ponder or self._released.is_set():
            return
        self._limits = self._limits._replace(ponder=False)
        if self._limits.infinite:
            return
        self._set_alarm()
        self._released.set()
        if self._is_enough():
            self.stop()

    # Limits

    def _choose_budget(self) -> timeman.Budget | None:
        limits, overhead = self._limits, self._engine.overhead_ms
        if limits.infinite:
            return None
        if limits.movetime_ms is not None:
            return timeman.movetime(limits.movetime_ms, overhead)
        return timeman.budget(limits.clock, overhead, self._engine.ply) if limits.clock else None

    def _limit_nodes(self, nodes: int) -> None:
        state = self._main.state
        state["node_limit"] = min(int(state["node_limit"]), max(nodes // len(self._workers), 1))

    def _choose_numbers(self, depth: int) -> Record:
        """A short mate asked for is found at its own depth when nothing is cut; a long one needs the cuts."""
        mate = self._limits.mate
        if mate and mate <= PLAIN_MATE and depth <= 2 * mate:
            return params.plain(tt_cutoffs=1)
        return self._engine.numbers

    def _choose_lines(self) -> int:
        weak = self._engine.strength
        return max(self._engine.multipv, strength.candidate_count(weak.elo) if weak else 1)

    def _set_alarm(self) -> None:
        if self._budget:
            self._alarm = threading.Timer(self._budget.hard_ms / 1000, self.stop)
            self._alarm.daemon = True
            self._alarm.start()

    def _ask_tables(self) -> None:
        """Keep only the root moves that the endgame tables call best; reading them is on the clock."""
        patience_ms = self._budget.soft_ms * TABLE_SHARE if self._budget else math.inf
        if patience_ms < LEAST_PATIENCE_MS:
            return
        self._ranks = self._engine.ranks(self._limits.searchmoves, patience_ms)
        if self._ranks:
            self._roots = [find_move(self._engine.board, text) for text in self._ranks.moves]
            self._lines_wanted = min(self._lines_wanted, len(self._roots))
            self._lines = [Line(0, [self._roots[0]])]
            for worker in self._workers:
                worker.restrict(self._roots)

    def _elapsed_ms(self) -> float:
        return (time.perf_counter() - self._started) * 1000

    # Deepening

    def _deepen(self, helpers: list[threading.Thread]) -> None:
        self._stable = self._drop = 0
        self._average = 0.0
        deepest = min(self._limits.depth or DEEPEST, DEEPEST)
        for depth in range(1, deepest + 1):
            self._numbers = self._choose_numbers(depth)
            lines = self._one_depth(depth)
            if self._main.is_stopped():
                return
            self._note_progress(depth, lines)
            if self._is_enough():
                return
            if depth == 1:
                self._after_first_depth(helpers)

    def _after_first_depth(self, helpers: list[threading.Thread]) -> None:
        """Only now, so that there is an answer: with more threads than cores helpers would starve it, and a
        weak player's few nodes would not suffice to look at each of its candidates.
        """
        if self._engine.strength:
            self._limit_nodes(strength.node_cap(self._engine.strength.elo))
        for helper in helpers:
            helper.start()

    def _one_depth(self, depth: int) -> list[Line]:
        """Search every line of MultiPV to `depth`. A depth cut short still counts if it has found a better
        move.
        """
        state = self._main.state
        state["root_done"][:] = 0
        lines: list[Line] = []
        for number in range(self._lines_wanted):
            state["root_line"] = number
            guess = self._lines[number].score if number < len(self._lines) else 0
            score = self._aspirate(depth, number, guess)
            if self._main.is_stopped():
                if number == 0 and state["root_best"]:
                    better = self._main.line()[0] != self._lines[0].moves[0]
                    self._lines[0] = Line(self._lines[0].score, self._main.line())
                    if better:
                        self._tell(depth, 0, self._lines[0], "lowerbound")
                return lines
            line = Line(score, self._main.line())
            lines.append(line)
            state["root_done"][self._roots.index(line.moves[0])] = 1
        return sorted(lines, key=lambda line: -line.score)

    def _aspirate(self, depth: int, number: int, guess: int) -> int:
        """Search with a narrow window around the last score, widened on the side where it fails."""
        delta = ASPIRATION_DELTA
        alpha, beta = -INFINITE, INFINITE
        if depth >= ASPIRATION_DEPTH and abs(guess) < MATE_BOUND:
            alpha, beta = guess - delta, guess + delta
        while True:
            score = self._main.search(self._numbers, depth, alpha, beta)
            if self._main.is_stopped() or alpha < score < beta:
                return score
            if self._elapsed_ms() > SHOW_BOUNDS_MS and self._lines_wanted == 1:
                moves = self._main.line() if score >= beta else self._lines[number].moves
                self._tell(depth, number, Line(score, moves), "lowerbound" if score >= beta else "upperbound")
            wide = delta > WIDEST_DELTA or abs(score) >= MATE_BOUND
            if score <= alpha:
                beta = (alpha + beta) // 2
                alpha = -INFINITE if wide else score - delta
            else:
                beta = INFINITE if wide else score + delta
            delta *= 2

    def _note_progress(self, depth: int, lines: list[Line]) -> None:
        best = lines[0]
        same = depth > 1 and best.moves[0] == self._lines[0].moves[0]
        self._stable = self._stable + 1 if same else 0
        self._average = best.score if depth == 1 else (self._average + best.score) / 2
        self._drop = round(self._average - best.score) * 2
        self._lines, self._depth = lines, depth
        for number, line in enumerate(lines[: self._engine.multipv]):
            self._tell(depth, number, line, "")

    def _is_enough(self) -> bool:
        """Between two depths: is the answer good enough to stop?"""
        limits, score, depth = self._limits, self._lines[0].score, self._depth
        if limits.mate and score >= MATE - 2 * limits.mate + 1:
            return True
        if limits.infinite or limits.ponder or self._budget is None:
            return False
        if limits.clock:
            if len(self._roots) == 1 and depth >= ONLY_MOVE_DEPTH:
                return True
            if abs(score) >= MATE_BOUND and depth >= MATE - abs(score) + MATE_MARGIN:
                return True
        return timeman.is_spent(self._budget, self._elapsed_ms(), self._progress())

    def _progress(self) -> timeman.Progress:
        state = self._main.state
        spent = int(state["root_nodes"][self._roots.index(self._lines[0].moves[0])])
        return timeman.Progress(self._stable, self._drop, spent / max(int(state["nodes"]), 1))

    def _help(self, number: int) -> None:
        """A further thread searches the same root for itself; the shared table is how it helps."""
        worker = self._workers[number]
        for depth in range(1 + number % 2, DEEPEST + 1):
            worker.search(self._engine.numbers, depth, -INFINITE, INFINITE)
            if worker.is_stopped():
                return

    # Reporting

    def _nodes(self) -> int:
        return sum(int(worker.state["nodes"]) for worker in self._workers)

    def _shown(self, score: int) -> int:
        return self._ranks.score(score) if self._ranks else score

    def _tell(self, depth: int, number: int, line: Line, bound: str) -> None:
        if self._on_info is _ignore:
            return  # nobody listens, and the telling takes an eighth of a search of 10,000 nodes
        elapsed = self._elapsed_ms()
        nodes = self._nodes()
        self._on_info(
            Info(
                depth=depth,
                seldepth=int(self._main.state["seldepth"]),
                multipv=number + 1,
                score=self._shown(line.score),
                bound=bound,
                nodes=nodes,
                nps=round(nodes * 1000 / max(elapsed, 0.001)),
                hashfull=int(tt.hashfull(self._main.state)),
                tbhits=len(self._roots) if self._ranks else 0,
                time_ms=int(elapsed),
                pv=self._texts(line.moves),
            )
        )

    def _texts(self, moves: list[int]) -> tuple[str, ...]:
        board = new_board()
        copy_board(self._engine.board, board)
        return pv_texts(board, moves, chess960=self._engine.chess960)

    def _answer(self) -> Answer:
        line = self._lines[0]
        weak = self._engine.strength
        if weak:
            candidates = [strength.Candidate(line, line.score) for line in self._lines]
            line = strength.choose(weak.elo, candidates, self._engine.random)
        texts = self._texts(line.moves[:2])
        return Answer(texts[0], texts[1] if len(texts) > 1 else None, self._shown(line.score), self._nodes())
