"""The clock: every number a GUI could send gets a budget, and none of them loses on time."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.timeman import (
    CLOCK_CAP_MS,
    FLOOR_MS,
    HARD_RATIO,
    HELD_MOVES,
    HELD_TO_GO,
    SCALE_LEAST,
    SCALE_MOST,
    Budget,
    Clock,
    Progress,
    budget,
    is_spent,
    movetime,
    soft_scale,
)

QUIET = Progress(stable_depths=9, score_drop_cp=0, best_share=0.95)
ALARM = Progress(stable_depths=0, score_drop_cp=80, best_share=0.3)

any_int = st.integers(-(10**18), 10**18)
any_clock = st.builds(Clock, any_int, any_int, st.none() | any_int)
sane_clock = st.builds(
    Clock, st.integers(0, 20_000_000), st.integers(0, 180_000), st.none() | st.integers(1, 80)
)
overheads = st.integers(0, 2_000)
plies = st.integers(0, 600)
progresses = st.builds(Progress, st.integers(0, 60), st.integers(-2_000, 2_000), st.floats(0, 1))

# clock, overhead, ply -> soft, hard. Not a wish but a picture: what the formula means at the board.
TYPICAL = {
    "ten seconds and a tenth": (Clock(10_000, 100, None), 10, 16, Budget(387, 1_548)),
    "the same, in the middle game": (Clock(4_500, 100, None), 10, 60, Budget(254, 1_016)),
    "bullet 1+0 between programs": (Clock(60_000, 0, None), 10, 0, Budget(1_353, 5_412)),
    "bullet 1+0 over a network": (Clock(60_000, 0, None), 100, 0, Budget(1_289, 5_156)),
    "bullet 1+0, five seconds left": (Clock(5_000, 0, None), 100, 80, Budget(50, 200)),
    "blitz 3+2": (Clock(180_000, 2_000, None), 100, 0, Budget(6_791, 27_164)),
    "blitz 3+2, half a second left": (Clock(500, 2_000, None), 100, 90, Budget(120, 180)),
    "classical 90+30": (Clock(5_400_000, 30_000, None), 100, 0, Budget(160_958, 643_832)),
    "forty moves in two hours": (Clock(7_200_000, 0, 40), 10, 0, Budget(211_747, 846_988)),
    "two moves to go": (Clock(10_000, 0, 2), 10, 78, Budget(3_990, 5_985)),
    "one move to go": (Clock(10_000, 0, 1), 10, 78, Budget(5_660, 8_491)),
    "half a second left, nothing to come": (Clock(500, 0, None), 10, 120, Budget(5, 5)),
    "a negative clock": (Clock(-300, 0, None), 10, 120, Budget(5, 5)),
}


def lasts(clock: Clock, overhead_ms: int, moves: int) -> bool:
    """Whether `moves` moves, each at the hard limit plus the whole overhead, leave the flag up."""
    left = clock.left_ms
    for move in range(moves):
        to_go = clock.moves_to_go and clock.moves_to_go - move % clock.moves_to_go
        left -= budget(Clock(left, clock.inc_ms, to_go), overhead_ms, 2 * move).hard_ms + overhead_ms
        if left < 0:
            return False
        left += clock.inc_ms + (clock.left_ms if to_go == 1 else 0)
    return True


@pytest.mark.parametrize("case", TYPICAL.values(), ids=TYPICAL.keys())
def test_typical_clocks_get_these_budgets(case: tuple[Clock, int, int, Budget]) -> None:
    clock, overhead_ms, ply, expected = case
    assert budget(clock, overhead_ms, ply) == expected


@given(any_clock, any_int, any_int)
def test_floor_soft_hard_stand_in_order_whatever_is_sent(clock: Clock, overhead_ms: int, ply: int) -> None:
    soft_ms, hard_ms = budget(clock, overhead_ms, ply)
    assert FLOOR_MS <= soft_ms <= hard_ms <= CLOCK_CAP_MS


@given(sane_clock, overheads, plies)
def test_one_move_takes_at_most_a_safe_share_of_the_clock(clock: Clock, overhead_ms: int, ply: int) -> None:
    share = {1: 85, 2: 60}.get(clock.moves_to_go or 0, 45)
    hard_ms = budget(clock, overhead_ms, ply).hard_ms
    assert hard_ms <= max((clock.left_ms - overhead_ms) * share // 100, FLOOR_MS)


@given(sane_clock, overheads, plies)
def test_the_depth_under_way_at_the_soft_limit_has_room_to_end(
    clock: Clock, overhead_ms: int, ply: int
) -> None:
    soft_ms, hard_ms = budget(clock, overhead_ms, ply)
    assert hard_ms <= HARD_RATIO * soft_ms
    assert soft_ms == FLOOR_MS or soft_ms * 3 <= hard_ms * 2


@given(st.integers(-10_000, 4), st.none() | st.integers(1, 40), overheads, plies)
def test_a_clock_below_the_floor_gets_exactly_the_floor(
    left_ms: int, to_go: int | None, overhead_ms: int, ply: int
) -> None:
    assert budget(Clock(left_ms, 0, to_go), overhead_ms, ply) == Budget(FLOOR_MS, FLOOR_MS)


@given(st.integers(0, 20_000), st.integers(0, 5_000), st.integers(0, 5_000))
def test_an_overhead_larger_than_the_clock_gets_exactly_the_floor(
    left_ms: int, more_ms: int, inc_ms: int
) -> None:
    assert budget(Clock(left_ms, inc_ms, None), left_ms + more_ms, 0) == Budget(FLOOR_MS, FLOOR_MS)


@given(sane_clock, overheads, plies, st.integers(0, 1_000_000))
def test_more_time_never_means_a_smaller_budget(
    clock: Clock, overhead_ms: int, ply: int, more_ms: int
) -> None:
    # Without an increment: with one, the moves expected step up by whole moves as the clock grows.
    poor = budget(clock._replace(inc_ms=0), overhead_ms, ply)
    rich = budget(clock._replace(inc_ms=0, left_ms=clock.left_ms + more_ms), overhead_ms, ply)
    assert poor.soft_ms <= rich.soft_ms
    assert poor.hard_ms <= rich.hard_ms


@given(sane_clock, overheads, plies, st.integers(1, 60_000))
def test_more_increment_never_means_a_smaller_budget(
    clock: Clock, overhead_ms: int, ply: int, more_ms: int
) -> None:
    plain = budget(clock, overhead_ms, ply)
    richer = budget(clock._replace(inc_ms=clock.inc_ms + more_ms), overhead_ms, ply)
    assert plain.soft_ms <= richer.soft_ms
    assert plain.hard_ms <= richer.hard_ms


@given(sane_clock, plies, overheads, st.integers(1, 1_000))
def test_more_overhead_never_means_a_larger_budget(
    clock: Clock, ply: int, overhead_ms: int, more_ms: int
) -> None:
    near, far = budget(clock, overhead_ms, ply), budget(clock, overhead_ms + more_ms, ply)
    assert far.soft_ms <= near.soft_ms
    assert far.hard_ms <= near.hard_ms


@given(sane_clock, overheads, plies)
def test_a_later_move_of_a_game_expects_fewer_moves_to_come(clock: Clock, overhead_ms: int, ply: int) -> None:
    assert budget(clock, overhead_ms, ply).soft_ms <= budget(clock, overhead_ms, ply + 12).soft_ms


def test_the_ply_matters_early_and_no_more_late() -> None:
    clock = Clock(60_000, 600, None)
    assert budget(clock, 10, 0) < budget(clock, 10, 40) < budget(clock, 10, 54) == budget(clock, 10, 300)


def test_without_an_increment_one_is_thriftier() -> None:
    slim, carried = budget(Clock(60_000, 0, None), 0, 0), budget(Clock(60_000, 600, None), 0, 0)
    assert carried.soft_ms - 450 > slim.soft_ms  # 450: the share of the increment itself


@given(sane_clock, overheads, plies, st.integers(-5, 0))
def test_no_moves_to_go_means_that_none_were_told(
    clock: Clock, overhead_ms: int, ply: int, to_go: int
) -> None:
    untold = budget(clock._replace(moves_to_go=None), overhead_ms, ply)
    assert budget(clock._replace(moves_to_go=to_go), overhead_ms, ply) == untold


def test_an_absurd_number_of_moves_to_go_does_not_starve_the_search() -> None:
    assert budget(Clock(60_000, 0, 10**9), 10, 0).soft_ms > 1_000


@given(any_clock, any_int, any_int)
def test_negative_increments_overheads_and_plies_count_as_zero(
    clock: Clock, overhead_ms: int, ply: int
) -> None:
    mended = clock._replace(inc_ms=max(clock.inc_ms, 0))
    assert budget(clock, overhead_ms, ply) == budget(mended, max(overhead_ms, 0), max(ply, 0))


@given(st.integers(0, 300), st.integers(0, 3_600_000), st.integers(0, 60_000))
@example(overhead_ms=0, spare_ms=0, more_inc_ms=0)
@example(overhead_ms=30, spare_ms=0, more_inc_ms=0)
def test_with_an_increment_that_pays_for_the_floor_300_moves_at_the_hard_limit_never_flag(
    overhead_ms: int, spare_ms: int, more_inc_ms: int
) -> None:
    one_move_ms = overhead_ms + FLOOR_MS
    assert lasts(Clock(one_move_ms + spare_ms, one_move_ms + more_inc_ms, None), overhead_ms, 300)


@given(st.integers(1, HELD_TO_GO + 1), st.integers(0, 300), st.integers(0, 3_600_000), st.integers(0, 1_000))
@example(to_go=1, overhead_ms=0, spare_ms=0, inc_ms=0)
@example(to_go=40, overhead_ms=10, spare_ms=100_000, inc_ms=0)
def test_with_moves_to_go_300_moves_at_the_hard_limit_never_flag(
    to_go: int, overhead_ms: int, spare_ms: int, inc_ms: int
) -> None:
    left_ms = to_go * (overhead_ms + FLOOR_MS) + spare_ms
    assert lasts(Clock(left_ms, inc_ms, to_go), overhead_ms, 300)


@given(st.integers(1, HELD_MOVES + 1), st.integers(0, 300), st.integers(0, 3_600_000), st.integers(0, 400))
def test_without_enough_increment_the_next_moves_are_paid_for_whatever_was_spent_before(
    moves: int, overhead_ms: int, spare_ms: int, inc_ms: int
) -> None:
    clock = Clock(moves * (overhead_ms + FLOOR_MS) + spare_ms, inc_ms, None)
    assert lasts(clock, overhead_ms, moves)


def test_a_long_sudden_death_game_at_the_soft_limit_keeps_its_flag() -> None:
    left_ms = 60_000
    for move in range(120):
        left_ms -= budget(Clock(left_ms, 0, None), 10, 2 * move).soft_ms * 14 // 10 + 10
        assert left_ms > 0


@given(any_int, any_int)
def test_a_move_time_is_one_limit_less_the_overhead(ms: int, overhead_ms: int) -> None:
    limits = movetime(ms, overhead_ms)
    assert limits.soft_ms == limits.hard_ms
    assert FLOOR_MS <= limits.hard_ms <= max(FLOOR_MS, min(ms, CLOCK_CAP_MS))


def test_a_move_time_of_a_second_less_the_overhead_is_used_up() -> None:
    assert movetime(1_000, 30) == Budget(970, 970)
    assert movetime(10, 30) == Budget(FLOOR_MS, FLOOR_MS)


@given(progresses)
def test_the_scale_stays_within_its_bounds(progress: Progress) -> None:
    assert SCALE_LEAST <= soft_scale(progress) <= SCALE_MOST


@given(progresses, st.integers(0, 10))
def test_a_best_move_that_stays_never_asks_for_more_time(progress: Progress, more: int) -> None:
    steadier = progress._replace(stable_depths=progress.stable_depths + more)
    assert soft_scale(steadier) <= soft_scale(progress)


@given(progresses, st.integers(0, 500))
def test_a_falling_score_never_asks_for_less_time(progress: Progress, more: int) -> None:
    worse = progress._replace(score_drop_cp=progress.score_drop_cp + more)
    assert soft_scale(worse) >= soft_scale(progress)


@given(progresses, st.floats(0, 1))
def test_a_larger_share_of_nodes_on_the_best_move_never_asks_for_more_time(
    progress: Progress, more: float
) -> None:
    surer = progress._replace(best_share=min(progress.best_share + more, 1.0))
    assert soft_scale(surer) <= soft_scale(progress)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Progress(0, 0, 0.6), Progress(4, 0, 0.6)),
        (Progress(4, 40, 0.6), Progress(4, 0, 0.6)),
        (Progress(4, 0, 0.6), Progress(4, -10, 0.6)),
        (Progress(4, 0, 0.3), Progress(4, 0, 0.9)),
    ],
    ids=["a new best move", "a falling score", "a score that stands", "a disputed best move"],
)
def test_each_sign_of_trouble_alone_asks_for_more_time(one: Progress, other: Progress) -> None:
    assert soft_scale(one) > soft_scale(other)


def test_calm_and_alarm_are_far_apart() -> None:
    assert soft_scale(QUIET) < 0.5
    assert soft_scale(ALARM) == SCALE_MOST
    assert soft_scale(Progress(20, -100, 1.0)) == SCALE_LEAST
    assert soft_scale(Progress(4, 0, 0.6)) == pytest.approx(1.0, abs=0.02)


def test_numbers_no_search_could_report_are_clamped() -> None:
    assert soft_scale(Progress(-3, 0, -1.0)) == soft_scale(Progress(0, 0, 0.0))
    assert soft_scale(Progress(3, 0, 2.0)) == soft_scale(Progress(3, 0, 1.0))


def test_a_quiet_position_ends_its_search_before_the_soft_limit_and_an_alarming_one_after_it() -> None:
    limits = Budget(soft_ms=400, hard_ms=1_600)
    assert is_spent(limits, 399, QUIET)
    assert not is_spent(limits, 900, ALARM)
    assert is_spent(limits, 1_000, ALARM)


def test_no_depth_begins_at_or_after_the_hard_limit() -> None:
    assert is_spent(Budget(soft_ms=400, hard_ms=500), 500, ALARM)


def test_a_single_limit_is_not_scaled() -> None:
    assert not is_spent(movetime(1_000, 0), 999, QUIET)
    assert is_spent(movetime(1_000, 0), 1_000, QUIET)
