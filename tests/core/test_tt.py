"""The transposition table: what is kept is read, what is torn is not."""

import ctypes

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core import tt
from engine.core.layout import MATE
from engine.core.node import new_worker
from engine.workers import Table

keys = st.integers(1, 2**64 - 1).map(np.uint64)


class Memory:
    """A worker and the table it looks into."""

    def __init__(self) -> None:
        self.table = Table(1)
        self.worker = new_worker()
        self.worker["tt_address"], self.worker["tt_buckets"] = self.table.address, self.table.buckets

    def keep(self, key: np.uint64, depth: int = 5, score: int = 0, ply: int = 0, move: int = 7) -> None:
        tt.keep(self.worker, key, move, score, 0, depth, tt.EXACT, 0, ply)

    def probe(self, key: np.uint64) -> np.uint64:
        return np.uint64(tt.probe(self.worker, key))


@pytest.fixture(scope="module")
def memory() -> Memory:
    return Memory()


def same_bucket(number: int) -> np.uint64:
    """Keys that differ only where the bucket is not chosen."""
    return np.uint64((1 << 40) + number)


@given(
    keys,
    st.integers(1, 65_535),
    st.integers(-30_000, 30_000),
    st.integers(-30_000, 30_000),
    st.integers(0, 127),
    st.sampled_from((tt.UPPER, tt.LOWER, tt.EXACT)),
    st.integers(0, 1),
)
def test_what_is_kept_is_read(
    memory: Memory, key: np.uint64, move: int, score: int, static: int, depth: int, bound: int, pv: int
) -> None:
    memory.table.clear()
    tt.keep(memory.worker, key, move, score, static, depth, bound, pv, 3)
    data = memory.probe(key)
    found = (tt.move_of(data), tt.score_of(data, 3), tt.static_of(data), tt.depth_of(data), tt.bound_of(data))
    assert found == (move, score, static, depth, bound)
    assert tt.was_pv(data) == bool(pv)


def test_an_empty_table_knows_nothing(memory: Memory) -> None:
    memory.table.clear()
    assert memory.probe(np.uint64(1 << 50)) == 0


@pytest.mark.parametrize("sign", [1, -1])
def test_a_mate_is_counted_from_the_place_where_it_is_read(memory: Memory, sign: int) -> None:
    memory.table.clear()
    memory.keep(same_bucket(0), score=sign * (MATE - 9), ply=4)  # mated five plies after the position
    assert tt.score_of(memory.probe(same_bucket(0)), 10) == sign * (MATE - 15)


@given(keys, st.integers(0, 63), st.booleans())
def test_an_entry_torn_by_two_threads_is_a_miss(
    memory: Memory, key: np.uint64, bit: int, first: bool
) -> None:
    """Any flipped bit in one of the two words stands for a write that another thread has overtaken."""
    memory.table.clear()
    memory.keep(key)
    address = int(tt.bucket(memory.worker, key)) + (0 if first else 8)
    ctypes.c_uint64.from_address(address).value ^= 1 << bit
    assert memory.probe(key) == 0


def test_a_full_bucket_gives_up_its_shallowest_entry(memory: Memory) -> None:
    memory.table.clear()
    for number, depth in enumerate((9, 3, 8, 7)):
        memory.keep(same_bucket(number), depth)
    memory.keep(same_bucket(4), 1)
    assert [bool(memory.probe(same_bucket(n))) for n in range(5)] == [True, False, True, True, True]


def test_a_full_bucket_gives_up_an_old_entry_before_a_shallow_one(memory: Memory) -> None:
    memory.table.clear()
    memory.worker["tt_age"] = 30
    memory.keep(same_bucket(0), 6)
    memory.worker["tt_age"] = 1  # the age has gone round: three searches later
    for number, depth in enumerate((3, 8, 7), 1):
        memory.keep(same_bucket(number), depth)
    memory.keep(same_bucket(4), 1)
    memory.worker["tt_age"] = 0
    assert [bool(memory.probe(same_bucket(n))) for n in range(5)] == [False, True, True, True, True]


def test_a_later_entry_without_a_move_keeps_the_move(memory: Memory) -> None:
    memory.table.clear()
    memory.keep(same_bucket(0), 5, move=99)
    memory.keep(same_bucket(0), 6, move=0)
    assert tt.move_of(memory.probe(same_bucket(0))) == 99


def test_hashfull_counts_this_search_only(memory: Memory) -> None:
    memory.table.clear()
    step = (1 << 64) // memory.table.buckets
    for number in range(250):
        memory.keep(np.uint64(number * step + (1 << 45)))
    assert tt.hashfull(memory.worker) == 250
    memory.worker["tt_age"] = 1
    assert tt.hashfull(memory.worker) == 0
    memory.worker["tt_age"] = 0
