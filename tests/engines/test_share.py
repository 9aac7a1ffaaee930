"""How engines are shared: pure rules, and a whole room of games played by them in which no clock runs dry."""

import heapq
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.engines.share import (
    LEAST_ASK_MS,
    LEAST_THINK_MS,
    ceiling_ms,
    due_ms,
    fraction,
    patience_ms,
    pause_s,
    told,
)
from bot.game.clockwork import Allowance

clocks = st.integers(1, 3_600_000)
increments = st.integers(0, 60_000)
parts = st.floats(0.01, 1.0)


def allowance(left: int, increment: int = 0, move: int | None = None) -> Allowance:
    """White's, as `clockwork` makes them."""
    return Allowance(left, 60_000, increment, 0, move, max(1, left * 6 // 10), left)


@given(clocks, increments)
def test_an_order_is_due_well_before_its_flag(left: int, increment: int) -> None:
    assert due_ms(allowance(left, increment), True) < left / 2


@given(clocks, clocks, increments)
def test_less_time_on_the_clock_is_more_urgent(one: int, other: int, increment: int) -> None:
    less, more = sorted((one, other))
    assert due_ms(allowance(less, increment), True) <= due_ms(allowance(more, increment), True)


@given(st.integers(1, 64), st.integers(0, 64))
def test_the_parts_of_all_who_want_an_engine_fill_the_engines_and_no_more(engines: int, waiting: int) -> None:
    assert fraction(engines, waiting) * (engines + waiting) == pytest.approx(
        engines + waiting if not waiting else engines
    )


@given(clocks, increments, st.floats(0, 3_600_000), parts, st.integers(0, 2))
def test_an_engine_is_never_told_more_than_is_left(
    left: int, increment: int, waited: float, part: float, tries: int
) -> None:
    plan = told(allowance(left, increment), True, waited, part, tries)
    if plan is None:
        assert left - waited < LEAST_ASK_MS
        return
    assert plan.allowance.white_ms is not None
    assert 1 <= plan.allowance.white_ms <= max(1, left - waited)
    assert plan.allowance.white_inc_ms <= increment
    assert plan.allowance.black_ms == 60_000
    assert 0 < plan.stop_ms <= plan.kill_ms < left - waited


@given(clocks, increments, st.floats(0.01, 0.99))
def test_who_shares_thinks_for_his_part_of_what_a_move_may_cost(
    left: int, increment: int, part: float
) -> None:
    limit = ceiling_ms(allowance(left, increment), True, part)
    assert limit <= max(LEAST_THINK_MS, part * (left / 30 + increment))


def test_a_move_with_a_time_of_its_own_is_not_given_more_by_sharing() -> None:
    plan = told(allowance(60_000, move=100), True, 0, 0.5)
    assert plan is not None
    assert plan.allowance.move_ms == 50


def test_a_first_move_is_not_on_the_clock_however_long_it_waited() -> None:
    first = replace(allowance(60_000), flag_in_ms=None)
    plan = told(first, True, 9000, 1.0)
    assert plan is not None
    assert plan.allowance.white_ms == 60_000


def test_an_engine_that_had_its_grace_is_condemned_and_one_near_the_flag_is_not() -> None:
    calm, hasty = told(allowance(60_000), True, 0, 1.0), told(allowance(100), True, 0, 1.0)
    assert calm is not None
    assert hasty is not None
    assert (calm.is_patient, hasty.is_patient) == (True, False)


def test_hope_is_worth_waiting_for_and_a_flag_is_never_waited_for() -> None:
    clock = allowance(60_000)
    assert patience_ms(clock, hopeful=False) < patience_ms(clock, hopeful=True) < 60_000


def test_pauses_grow_to_a_minute() -> None:
    assert [pause_s(failures) for failures in range(10)] == [0, 0, 1, 2, 4, 8, 16, 32, 60, 60]


@given(st.integers(1, 4), st.integers(1, 40), st.integers(1000, 3000), st.integers(10_000, 180_000))
def test_no_clock_runs_dry_however_many_games_share_the_engines(
    engines: int, games: int, increment: int, start: int
) -> None:
    """60 moves each, opponents answer at once, every search takes all it may and five milliseconds more."""
    left = dict.fromkeys(range(games), float(start))
    moves = dict.fromkeys(range(games), 0)
    waiting = [(due_ms(allowance(start, increment), True), game, 0.0) for game in range(games)]
    heapq.heapify(waiting)
    free_at = [0.0] * engines
    while waiting:
        now = heapq.heappop(free_at)
        _, game, asked = heapq.heappop(waiting)
        now = max(now, asked)
        part = fraction(engines, min(len(waiting), sum(at <= now for *_, at in waiting)))
        usual = min(
            ceiling_ms(allowance(int(left[game]), increment), True, min(part, 0.999), now - asked), start
        )
        done = now + usual + 5
        left[game] -= done - asked
        assert left[game] > 0
        left[game] += increment
        moves[game] += 1
        heapq.heappush(free_at, done)
        if moves[game] < 60:
            heapq.heappush(waiting, (done + due_ms(allowance(int(left[game]), increment), True), game, done))
