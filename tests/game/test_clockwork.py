"""What an engine is told about time: less than there is, and never so little that it plays nonsense."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.game.clockwork import Allowance, ClockRules, Lag, allowance
from bot.game.commands import Think
from bot.game.nouns import NO_CLOCK_MS, GameInfo, Position, State, TimeControl
from tests.game.stories import an_info

RULES = ClockRules()
OPENED = ("e2e4", "e7e5")
CLOCKS = st.integers(0, 3000) | st.integers(0, 10_800_000)
LAGS = st.integers(0, 5000)
ANY_RULES = st.builds(
    ClockRules,
    first_move_ms=st.integers(1, 10_000),
    hurry_below_ms=st.integers(0, 5000),
    hurry_ms=st.integers(1, 500),
    correspondence_move_ms=st.integers(1, 600_000),
    overhead_ms=st.integers(0, 2000),
    most_lag_ms=st.integers(1, 3000),
)


def told(
    left_ms: int,
    *,
    moves: tuple[str, ...] = OPENED,
    inc_ms: int = 0,
    passed_s: float = 0.0,
    lag_ms: int = 0,
    rules: ClockRules = RULES,
    info: GameInfo | None = None,
    white: bool = True,
) -> Allowance:
    info = info or an_info(white=white)
    clocks = (left_ms, 77_000) if white else (77_000, left_ms)
    state = State(moves, *clocks, inc_ms, inc_ms)
    think = Think(1, Position("standard", None, moves), state, 100.0, white)
    return allowance(think, info, 100.0 + passed_s, lag_ms, rules)


# --- examples


def test_the_clock_is_told_less_what_has_passed_less_lag_less_a_reserve() -> None:
    given_ = told(60_000, passed_s=0.25, lag_ms=100, inc_ms=1000)
    left_ms = 60_000 - 250 - 100 - RULES.overhead_ms
    assert (given_.white_ms, given_.black_ms, given_.flag_in_ms) == (left_ms, 77_000, left_ms)
    assert (given_.white_inc_ms, given_.black_inc_ms, given_.move_ms) == (1000, 1000, None)


def test_only_our_own_clock_is_shortened() -> None:
    given_ = told(60_000, white=False, moves=("e2e4", "e7e5", "g1f3"), lag_ms=100)
    assert (given_.white_ms, given_.black_ms) == (77_000, 60_000 - 100 - RULES.overhead_ms)


@pytest.mark.parametrize("moves", [(), ("e2e4",)])
def test_a_first_move_is_quick_and_whole_clocks_are_told(moves: tuple[str, ...]) -> None:
    given_ = told(60_000, moves=moves, white=not moves, passed_s=3.0)
    assert given_.move_ms == RULES.first_move_ms
    assert {given_.white_ms, given_.black_ms} == {60_000, 77_000}


@pytest.mark.parametrize("left_ms", [0, 60_000])
def test_a_first_move_is_out_before_anybody_gives_the_game_up(left_ms: int) -> None:
    given_ = told(left_ms, moves=(), passed_s=14.0)
    assert given_.flag_in_ms == 1000 - RULES.overhead_ms
    assert (given_.move_ms or 0) < given_.answer_within_ms < 1000


def test_a_healthy_engine_may_use_half_of_the_clock() -> None:
    given_ = told(60_000)
    assert given_.answer_within_ms > 30_000
    assert given_.flag_in_ms is not None
    assert given_.flag_in_ms - given_.answer_within_ms > 20_000


def test_in_a_hurry_a_move_takes_no_longer_than_a_premove() -> None:
    """lichess-bot #1053: the engine was told 1 ms where there were 800, and hung its queen."""
    given_ = told(800 + RULES.overhead_ms)
    assert given_.move_ms == RULES.hurry_ms
    assert given_.flag_in_ms == 800


def test_an_increment_is_thought_away_in_a_hurry() -> None:
    assert (told(600, inc_ms=2000, lag_ms=50).move_ms or 0) > 100
    assert told(600, inc_ms=60, lag_ms=50).move_ms == told(600, lag_ms=50).move_ms


def test_without_an_increment_a_last_half_second_is_enough_for_many_moves() -> None:
    left_ms, count = 500 + RULES.overhead_ms, 0
    while (given_ := told(left_ms)).flag_in_ms:
        left_ms -= given_.move_ms or 0
        count += 1
    assert count > 40


def test_a_correspondence_game_is_thought_about_for_a_while_but_not_until_its_end() -> None:
    info = an_info(control=TimeControl(days=1))
    day = told(86_400_000, info=info)
    assert (day.white_ms, day.black_ms, day.move_ms) == (None, None, RULES.correspondence_move_ms)
    late = told(20_000, info=info)
    assert (late.move_ms or 0) <= 5000
    assert late.answer_within_ms <= 10_000


def test_nothing_runs_out_in_an_unlimited_game() -> None:
    given_ = told(NO_CLOCK_MS, info=an_info(control=TimeControl()), passed_s=1e6)
    assert (given_.flag_in_ms, given_.move_ms) == (None, RULES.correspondence_move_ms)


@pytest.mark.parametrize(("name", "value"), [("first_move_ms", 0), ("hurry_ms", 0), ("overhead_ms", -1)])
def test_rules_that_make_no_sense_are_refused_by_name(name: str, value: int) -> None:
    with pytest.raises(ValueError, match=f"clock: {name} is {value}"):
        ClockRules(**{name: value})


# --- properties


@given(CLOCKS, st.integers(0, 60_000), LAGS, st.floats(0, 100), ANY_RULES, st.booleans())
def test_nothing_told_is_more_than_there_is(
    left_ms: int, inc_ms: int, lag_ms: int, passed_s: float, rules: ClockRules, days: bool
) -> None:
    info = an_info(control=TimeControl(days=1)) if days else None
    given_ = told(left_ms, inc_ms=inc_ms, lag_ms=lag_ms, passed_s=passed_s, rules=rules, info=info)
    assert given_.flag_in_ms is not None
    assert 0 <= given_.flag_in_ms <= max(0, left_ms - passed_s * 1000)
    assert given_.move_ms is None or 0 < given_.move_ms <= max(1, given_.flag_in_ms // 4)
    assert given_.answer_within_ms > 0
    if given_.flag_in_ms > 1:
        assert given_.answer_within_ms < given_.flag_in_ms
    assert given_.white_ms is None or given_.white_ms == max(1, given_.flag_in_ms)


@given(CLOCKS, CLOCKS, st.integers(0, 60_000), LAGS, ANY_RULES)
def test_more_on_the_clock_is_never_less_for_the_engine(
    one_ms: int, other_ms: int, inc_ms: int, lag_ms: int, rules: ClockRules
) -> None:
    less, more = (
        told(left_ms, inc_ms=inc_ms, lag_ms=lag_ms, rules=rules) for left_ms in sorted((one_ms, other_ms))
    )
    assert (less.flag_in_ms or 0) <= (more.flag_in_ms or 0)
    assert less.answer_within_ms <= more.answer_within_ms
    assert more.move_ms is None or (less.move_ms is not None and less.move_ms <= more.move_ms)


@given(CLOCKS, LAGS, LAGS)
def test_more_lag_is_never_more_time(left_ms: int, one_ms: int, other_ms: int) -> None:
    slow, quick = (told(left_ms, lag_ms=lag_ms) for lag_ms in sorted((one_ms, other_ms), reverse=True))
    assert (slow.flag_in_ms or 0) <= (quick.flag_in_ms or 0)
    assert slow.answer_within_ms <= quick.answer_within_ms


@given(st.integers(40, 1000))
def test_the_least_that_an_engine_is_told_is_in_proportion(left_ms: int) -> None:
    given_ = told(left_ms + RULES.overhead_ms)
    assert given_.move_ms is None or given_.move_ms >= min(RULES.hurry_ms, left_ms // 20)


# --- lag


def heard(*trips_ms: float, lag: Lag = RULES.first_lag) -> Lag:
    for trip_ms in trips_ms:
        lag = lag.heard(trip_ms)
    return lag


def test_before_the_first_round_trip_the_rules_guess() -> None:
    assert RULES.first_lag.estimate_ms == pytest.approx(RULES.first_lag_ms, abs=1)


def test_a_steady_line_is_estimated_close_to_what_it_is() -> None:
    assert 40 <= heard(*[40.0] * 30).estimate_ms <= 45


def test_a_shaky_line_is_estimated_above_its_worst() -> None:
    assert heard(*[40.0, 120.0] * 20).estimate_ms >= 120


def test_one_absurd_round_trip_is_not_believed_and_many_are() -> None:
    steady = heard(*[40.0] * 30)
    assert steady.heard(60_000).estimate_ms < 400
    assert heard(*[800.0] * 40, lag=steady).estimate_ms >= 800
    assert heard(*[40.0] * 30, lag=steady.heard(60_000)).estimate_ms <= 50


@pytest.mark.parametrize("nonsense", [math.nan, math.inf, -1.0])
def test_nonsense_is_not_heard(nonsense: float) -> None:
    assert RULES.first_lag.heard(nonsense) == RULES.first_lag


@given(st.lists(st.floats(0, 1e7)), st.integers(1, 5000))
def test_the_estimate_stays_within_its_bounds(trips_ms: list[float], most_ms: int) -> None:
    assert 0 <= heard(*trips_ms, lag=Lag(most_ms=most_ms)).estimate_ms <= most_ms


def test_an_engine_that_hangs_costs_less_than_half_of_a_long_clock() -> None:
    assert told(600_000).answer_within_ms < 300_000
