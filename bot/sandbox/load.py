"""How much the sandbox bears: scripted bots over HTTP, all games at once, in this process and on one core.

    python -m bot.sandbox.load

Moves a second are counted while every bot answers at once; the latency of a push (from the moment a move is
applied to the moment a client has read the line) is told for that and, apart, for bots that take their time.
"""

import asyncio
import os
import random
import sys
import time
from collections.abc import Awaitable
from dataclasses import dataclass, field

import aiohttp
import chess

from bot.sandbox.clock import SandboxClock
from bot.sandbox.limits import Limits
from bot.sandbox.load_client import Meter, Pair
from bot.sandbox.measurements import quantile
from bot.sandbox.server import make_app, serve
from bot.sandbox.world import World

LINES = 8  # different games; pairs share them
PLIES = 500
HURRY = 60  # plies without a pawn move after which one is looked for: the fifty-move rule must not end a line
SETTLE_S = 2.0
LATE_S = 8.0  # BotLi gives a stream up after 9 s


@dataclass(frozen=True)
class Job:
    games: int = 64
    flat_out_s: float = 4.0
    paced_s: float = 6.0
    think_s: float = 0.5  # of a bot that takes its time
    plies: int = PLIES
    keep_alive_s: float = 7.0


@dataclass
class Report:
    """What was seen. Times are of pushes, in milliseconds, sorted.

    `core_share` is how much of its core the process had while bots answered at once: well below one, other
    programs took it, and the sandbox is better than its figures.
    """

    games: int
    moves: int = 0
    moves_per_s: float = 0.0
    core_share: float = 0.0
    flat_out_ms: list[float] = field(default_factory=list)
    paced_ms: list[float] = field(default_factory=list)
    paced_moves_per_s: float = 0.0
    keep_alives: int = 0
    late: int = 0
    longest_gap_s: float = 0.0
    lines_lost: int = 0

    def text(self) -> list[str]:
        return [
            f"sandbox: {self.games} games at once, {4 * self.games} streams and all clients on one core",
            f"  flat out: {self.moves_per_s:.0f} moves/s, push {spread(self.flat_out_ms)}",
            f"    with {self.core_share:.0%} of the core",
            f"  paced: {self.paced_moves_per_s:.0f} moves/s, push {spread(self.paced_ms)}",
            f"  keep-alives: {self.keep_alives}, {self.late} late (longest gap {self.longest_gap_s:.2f} s)",
            f"  lines lost: {self.lines_lost} of {self.moves} moves to two players",
        ]


def spread(sorted_ms: list[float]) -> str:
    if not sorted_ms:
        return "not measured"
    return f"p50 {quantile(sorted_ms, 0.5):.1f} ms, p99 {quantile(sorted_ms, 0.99):.1f} ms"


async def measure(job: Job) -> Report:
    """A game whose line ends is resigned; the run is over when its time is, or every game."""
    world = World(now_ms=SandboxClock(), rng=random.Random(1))
    meter = Meter(world)
    app = make_app(world, limits=Limits.off(), keep_alive_s=job.keep_alive_s)
    lines = [long_line(seed, job.plies) for seed in range(min(LINES, job.games))]
    report = Report(job.games)
    connector = aiohttp.TCPConnector(limit=0)
    timeout = aiohttp.ClientTimeout(total=None)
    async with serve(app) as served, aiohttp.ClientSession(connector=connector, timeout=timeout) as session:
        pairs = [
            Pair(number, lines[number % len(lines)], session, served.url, meter)
            for number in range(job.games)
        ]
        async with asyncio.TaskGroup() as tasks:
            players = [tasks.create_task(player) for pair in pairs for player in pair.players()]
            await _phases(job, meter, pairs, report)
            for player in players:
                player.cancel()
    report.keep_alives, report.longest_gap_s = len(meter.gaps_s), max(meter.gaps_s, default=0.0)
    report.late = sum(gap_s > LATE_S for gap_s in meter.gaps_s)
    return report


async def _phases(job: Job, meter: Meter, pairs: list[Pair], report: Report) -> None:
    for pair in pairs:
        await pair.begun()
    meter.pushes_ms.clear()
    cpu_s, wall_s = time.process_time(), time.perf_counter()
    report.moves_per_s = await _phase(job.flat_out_s, 0.0, meter, pairs)
    report.core_share = (time.process_time() - cpu_s) / (time.perf_counter() - wall_s)
    report.flat_out_ms = meter.take()
    report.paced_moves_per_s = await _phase(job.paced_s, job.think_s, meter, pairs)
    report.paced_ms = meter.take()
    meter.is_closing = True
    await _within(SETTLE_S, asyncio.gather(*(pair.settled() for pair in pairs)))
    report.moves = meter.moves
    report.lines_lost = sum(pair.lines_lost() for pair in pairs)


async def _phase(seconds: float, think_s: float, meter: Meter, pairs: list[Pair]) -> float:
    """Moves a second, over `seconds` or until every game is over."""
    meter.think_s = think_s
    moves, started_s = meter.moves, time.perf_counter()
    await _within(seconds, asyncio.gather(*(pair.over() for pair in pairs)))
    return (meter.moves - moves) / (time.perf_counter() - started_s)


async def _within(seconds: float, what: Awaitable[object]) -> None:
    try:
        async with asyncio.timeout(seconds):
            await what
    except TimeoutError:
        return


def long_line(seed: int, plies: int) -> list[str]:
    """So many legal moves from the start, after none of which the game is over or nearly drawn."""
    rng = random.Random(seed)
    board = chess.Board()
    while len(board.move_stack) < plies:
        moves = list(board.legal_moves)
        quiet = [move for move in moves if not board.is_capture(move) and not move.promotion]
        pawns = [move for move in moves if board.is_zeroing(move)]
        wished = pawns if board.halfmove_clock > HURRY and pawns else quiet or moves
        board.push(next(move for move in rng.sample(wished, len(wished)) if _goes_on(board, move)))
    return [move.uci() for move in board.move_stack]


def _goes_on(board: chess.Board, move: chess.Move) -> bool:
    board.push(move)
    goes_on = not board.is_game_over() and not board.is_repetition(3)
    board.pop()
    return goes_on


def main() -> int:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    print("\n".join(asyncio.run(measure(Job())).text()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
