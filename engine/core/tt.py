"""The transposition table: buckets of four entries in one cache line, shared by all threads without a lock.

An entry is two words, `key ^ data` and `data`: a torn pair, written by two threads at once, fails the
comparison and is a miss. A false hit stays possible (two positions, one key), so every move read here is
verified before use.

data: move 16 | score 16 | static evaluation 16 | depth 8 | age 5, in the principal variation 1, bound 2
"""

import numpy as np

from engine.core.bits import I64, U64, ZERO, load, prefetch, store
from engine.core.jit import Record, kernel
from engine.core.layout import MATE_BOUND

UPPER, LOWER, EXACT = 1, 2, 3
ENTRIES = 4
BUCKET_BYTES = 64
AGES = 32
S16, S32, S48, S56, S64K = U64(16), U64(32), U64(48), U64(56), U64(0xFFFF)
BYTE = U64(0xFF)


@kernel
def bucket(worker: Record, key: np.uint64) -> np.uint64:
    """Address of the key's bucket: the upper half of the key scaled to the number of buckets."""
    return worker.tt_address + (((key >> S32) * worker.tt_buckets) >> S32) * U64(BUCKET_BYTES)


@kernel
def touch(worker: Record, key: np.uint64) -> None:
    prefetch(bucket(worker, key))


@kernel
def probe(worker: Record, key: np.uint64) -> np.uint64:
    """The entry's data, or zero."""
    address = bucket(worker, key)
    for i in range(ENTRIES):
        data = load(address + U64(16 * i + 8))
        if load(address + U64(16 * i)) ^ data == key and data != ZERO:
            return data
    return ZERO


@kernel
def move_of(data: np.uint64) -> int:
    return I64(data & S64K)


@kernel
def score_of(data: np.uint64, ply: int) -> int:
    """Mates are stored as counted from the position itself and read as counted from the root."""
    score = I64(np.int16((data >> S16) & S64K))
    if score >= MATE_BOUND:
        return score - ply
    if score <= -MATE_BOUND:
        return score + ply
    return score


@kernel
def static_of(data: np.uint64) -> int:
    return I64(np.int16((data >> S32) & S64K))


@kernel
def depth_of(data: np.uint64) -> int:
    return I64((data >> S48) & BYTE)


@kernel
def bound_of(data: np.uint64) -> int:
    return I64(data >> S56) & 3


@kernel
def decides(bound: int, score: int, alpha: int, beta: int) -> bool:
    """Whether a stored score answers a search of this window by itself."""
    return bound == EXACT or (bound == LOWER and score >= beta) or (bound == UPPER and score <= alpha)


@kernel
def was_pv(data: np.uint64) -> bool:
    return I64(data >> S56) & 4 != 0


@kernel
def keep(
    worker: Record,
    key: np.uint64,
    move: int,
    score: int,
    static: int,
    depth: int,
    bound: int,
    pv: int,
    ply: int,
) -> None:
    """Store in the entry of this key, else in the one worth least: shallow and old."""
    address = bucket(worker, key)
    chosen, least = address, 1 << 30
    old = ZERO
    for i in range(ENTRIES):
        here = address + U64(16 * i)
        data = load(here + U64(8))
        if load(here) ^ data == key or data == ZERO:
            chosen, old = here, data
            break
        age = (worker.tt_age - (I64(data >> S56) >> 3)) & (AGES - 1)
        worth = depth_of(data) - 4 * age
        if worth < least:
            chosen, least = here, worth
    if old != ZERO:
        if move == 0:
            move = move_of(old)
        # A much deeper bound of this very search is worth more than a fresh shallow one
        same_age = I64(old >> S56) >> 3 == worker.tt_age
        if bound != EXACT and same_age and depth + 4 + 2 * pv <= depth_of(old):
            return
    if score >= MATE_BOUND:
        score += ply
    elif score <= -MATE_BOUND:
        score -= ply
    flags = worker.tt_age << 3 | pv << 2 | bound
    data = (
        U64(move)
        | (U64(score) & S64K) << S16
        | (U64(static) & S64K) << S32
        | U64(max(depth, 0)) << S48
        | U64(flags) << S56
    )
    store(chosen, key ^ data)
    store(chosen + U64(8), data)


@kernel
def hashfull(worker: Record) -> int:
    """Per mille of the table written in this search, from its first 250 buckets."""
    used = 0
    for i in range(min(250, I64(worker.tt_buckets)) * ENTRIES):
        data = load(worker.tt_address + U64(16 * i + 8))
        if data != ZERO and I64(data >> S56) >> 3 == worker.tt_age:
            used += 1
    return used * 1000 // (min(250, I64(worker.tt_buckets)) * ENTRIES)
