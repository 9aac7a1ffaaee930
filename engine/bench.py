"""The node signature: fixed positions to a fixed depth on one thread. Its sum is the checksum of the engine.

The same number means that a change has not touched play; another number asks for a measured match.
"""

import time
from collections.abc import Callable
from typing import NamedTuple

from engine.driver import Engine, Limits

DEPTH = 12
SIGNATURE = 3_244_903  # nodes of `run()`; changes only with an entry in engine/lab/MEASUREMENTS.md
HASH_MB = 16
POSITIONS = (
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "1k1r2r1/1bp1nq1p/1p2p2n/p2pPppN/P2P4/B1P3Q1/2P1BPPP/R3K2R w KQ - 4 18",
    "r1b2rk1/1p1qppbp/p5p1/n1ppP3/P2P2PN/2PBQ2P/2P2P2/R1B1R1K1 b - - 1 16",
    "r1b1kb1r/ppqnpp1p/2pp2p1/6B1/3PP1n1/2N2N1P/PPPQ1PP1/R3KB1R b KQkq - 0 8",
    "rn2kb1r/pp2qppp/2pp1n2/4p3/2BPP1b1/2N2N2/PPP2PPP/R1BQ1RK1 w kq - 1 7",
    "4r1rk/p2bqpb1/1p1p2p1/n1pPp1p1/2P1P1P1/2NBB2P/PPQ2P1K/R5R1 w - - 0 20",
    "r1bq1rk1/1p2bppp/p1np1n2/2pNp3/2B1P3/3PBN2/PPP2PPP/R2Q1RK1 w - - 2 9",
    "r1b2rk1/pp1nqppp/2pbpn2/3p4/2P5/1PN1PN2/PBQPBPPP/R4RK1 b - - 8 9",
    "r3r1k1/2p2pp1/1pbp2np/2n3q1/p1P1P3/P1R1BP2/1P1Q1NPP/3BR1K1 b - - 8 25",
    "r1bq1rk1/pp1p1pp1/3P1n1p/b1p5/7B/1QP1PN2/P4PPP/2KR1B1R b - - 0 14",
    "6r1/1k2qp1p/2p1bnr1/1pb5/3pPB2/pP1P1Q1P/P4PP1/R2BNRK1 w - - 0 24",
    "2rrnk2/5pbp/b2pp1p1/p3P3/Pp1P1N2/1P3BP1/5P1P/B1RR2K1 w - - 7 29",
    "1b2qr1k/rb4pp/pp2pp2/3n1n1P/1P1PN3/P2B1NPQ/1B3P2/2R1R1K1 b - - 1 28",
    "r3k2r/pppq2pp/3b4/3P1pP1/3QpNn1/4B3/PPP1PP2/R3K2R w KQkq - 5 15",
    "2kr3r/1pq1bppp/p1b1p1n1/P1p1P3/8/2QP1N2/1PPN1PPP/R1B1R1K1 w - - 7 15",
    "1rb2rk1/p4ppp/2pp1b2/4pP2/4P3/qPQ5/P1P3PP/R1B1KB1R b KQ - 4 16",
    "3q2k1/p2n1pp1/1p2r2p/2n5/2PQ2P1/P4PB1/5K1P/3R1B2 w - - 8 35",
    "3r2rk/pp6/3p1bp1/7q/2p1PP1P/2P5/1PBQ4/2K3RR w - - 5 25",
    "6rk/2p4p/2Pp4/p2Pp2p/P4q1b/1R1Q1PrP/3N2P1/6RK w - - 1 32",
    "3r1rk1/2q2pp1/3b4/1p4Pp/p1p1Q2P/P3BP2/1PP5/1K1R3R w - - 2 26",
    "8/2rb4/1kr1p1p1/1p1pPp1p/pP1R1P1P/P3P1P1/4BK2/3R4 b - - 8 140",
    "1n4k1/1q1n1ppp/pp1Qp3/4P3/8/P1N3BP/1P3PP1/6K1 b - - 0 23",
    "r7/1p1kbb2/1Pp1nn1p/N2p4/N2Pp2P/P1Q1P3/KB2B2q/4R3 w - - 9 39",
    "r1b1rB2/p4kP1/2p1pp2/3p4/2p5/P1P5/2P2PP1/R4RK1 b - - 1 25",
    "6r1/2p2pk1/pr1b1pq1/7p/1P1P4/P2Q2P1/4RP1P/2B1R1K1 w - - 4 29",
    "2r4k/1B4bp/3p2p1/2q5/p3QP1P/P1P3P1/1P4K1/3N4 b - - 2 46",
    "2R5/5k2/1p4p1/1P3p1p/1KP1r2P/4R1P1/8/2r5 w - - 14 46",
    "8/2B3pk/1N3p1p/r1b5/6P1/p6P/R4P2/6K1 b - - 1 39",
    "1r5k/pp2r2p/5q2/P2R1p2/2P5/5Q1P/5P2/6RK b - - 2 33",
    "8/1p4pk/p1b3q1/4B2p/8/P4P1P/1P4PK/4Q3 w - - 67 96",
    "1k2r3/2p5/p5N1/Pp3P2/1Pq1b3/6Q1/6P1/4R1K1 w - - 2 43",
    "3k4/6R1/p2p4/1p2p3/4b3/P1K5/2P5/8 w - - 8 47",
    "8/4n3/5k1p/5p2/5P2/6P1/4BP1K/8 w - - 2 48",
    "8/3b4/3k4/5p2/8/p1K3P1/P5B1/8 w - - 0 43",
    "8/6p1/4k3/2P1p2p/rn6/5P2/1R4PK/2B5 b - - 0 52",
    "8/pp4K1/3k3p/1P1Pp1bP/4P3/8/P7/5B2 b - - 8 39",
    "4b3/8/3KP3/5k2/3P4/6p1/8/4N3 b - - 2 95",
    "8/4k1p1/1P2p3/8/3K4/r7/1R6/8 b - - 1 76",
    "8/2K5/5kp1/4R3/n7/6Pp/8/8 w - - 1 66",
)


class BenchResult(NamedTuple):
    nodes: int
    nps: int
    seconds: float


def run(
    on_position: Callable[[int, int, int], None] | None = None, depth: int = DEPTH, threads: int = 1
) -> BenchResult:
    """Search every position from an empty table; `on_position` hears (number from 1, total, nodes so far)."""
    engine = Engine(hash_mb=HASH_MB, threads=threads)
    nodes, seconds = 0, 0.0
    for number, fen in enumerate(POSITIONS, 1):
        engine.new_game()
        engine.set_position(fen, ())
        began = time.perf_counter()
        nodes += engine.search(Limits(depth=depth)).nodes
        seconds += time.perf_counter() - began
        if on_position:
            on_position(number, len(POSITIONS), nodes)
    return BenchResult(nodes, round(nodes / seconds), seconds)
