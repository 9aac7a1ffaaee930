"""The ledger: budgets, rests and benches."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.lichess.limits import BUDGETS, Budget, Kind, Limits

NOW = 1_790_000_000.0
KINDS = st.sampled_from(sorted(BUDGETS))
STEPS = st.lists(st.tuples(st.floats(0, 40_000), st.integers(1, 4)), max_size=120)


def used_up(kind: Kind) -> Limits:
    limits = Limits()
    while not limits.wait_s(kind, NOW):
        limits.spend(kind, NOW)
    return limits


@given(KINDS, STEPS)
def test_in_no_stretch_of_a_windows_length_is_more_spent_than_its_budget(
    kind: Kind, steps: list[tuple[float, int]]
) -> None:
    limits, now, spent = Limits(), NOW, []
    for pause_s, cost in steps:
        now += pause_s
        if not limits.wait_s(kind, now, cost):
            limits.spend(kind, now, cost)
            spent.append((now, cost))
    for points, window_s in BUDGETS[kind]:
        for end, _ in spent:
            assert sum(cost for at, cost in spent if end - window_s < at <= end) <= points


@given(KINDS, STEPS, st.integers(1, 4))
def test_what_must_wait_may_go_when_the_wait_is_over_and_not_before(
    kind: Kind, steps: list[tuple[float, int]], cost: int
) -> None:
    limits, now = Limits(), NOW
    for pause_s, paid in steps:
        now += pause_s / 100
        limits.spend(kind, now, paid)
    wait_s = limits.wait_s(kind, now, cost)
    if wait_s > 1:
        assert limits.wait_s(kind, now + wait_s - 1, cost) > 0.0
    assert limits.wait_s(kind, now + wait_s + 1e-3, cost) == 0.0


@pytest.mark.parametrize(
    ("kind", "budget"),
    [
        (Kind.EVENT_STREAM, Budget(30, 600)),
        (Kind.ACCOUNT, Budget(30, 300)),
        (Kind.CHALLENGE, Budget(25, 60)),
        (Kind.CHALLENGE, Budget(200, 86_400)),
        (Kind.AI, Budget(20, 86_400)),
        (Kind.ARENA, Budget(30, 600)),
    ],
)
def test_our_budgets_lie_below_those_of_lichess(kind: Kind, budget: Budget) -> None:
    assert any(ours.window_s == budget.window_s and ours.points < budget.points for ours in BUDGETS[kind])


def test_a_human_costs_five_times_what_a_bot_costs() -> None:
    limits = Limits()
    limits.spend(Kind.CHALLENGE, NOW, 16)
    assert limits.challenge_wait_s("anna", NOW, is_bot=False) > 0
    assert limits.challenge_wait_s("deep", NOW, is_bot=True) == 0


@pytest.mark.parametrize("kind", [Kind.MOVE, Kind.GAME_STREAM])
def test_where_a_clock_runs_nothing_waits_whatever_is_limited(kind: Kind) -> None:
    limits = used_up(Kind.CHALLENGE)
    limits.limited(Kind.CHALLENGE, NOW, 86_000)
    assert limits.limited(kind, NOW) <= 1.0
    assert limits.wait_s(kind, NOW) == 0.0


def test_a_429_puts_its_own_kind_to_rest_and_no_other() -> None:
    limits = Limits()
    limits.limited(Kind.CHALLENGE, NOW)
    assert [kind for kind in Kind if limits.wait_s(kind, NOW)] == [Kind.CHALLENGE]


def test_a_rest_lasts_as_long_as_lichess_says() -> None:
    limits = Limits()
    assert limits.limited(Kind.CHALLENGE, NOW, 777) == 777
    assert limits.wait_s(Kind.CHALLENGE, NOW + 700) == 77


def test_without_a_word_the_rest_is_a_minute_then_doubles_to_ten_and_success_ends_it() -> None:
    limits, rests, now = Limits(), [], NOW
    for _ in range(6):
        rests.append(limits.limited(Kind.LOOKUP, now))
        now += rests[-1]
    assert rests == [60, 120, 240, 480, 600, 600]
    limits.succeeded(Kind.LOOKUP, now)
    assert limits.limited(Kind.LOOKUP, now) == 60


def test_an_answer_that_was_under_way_does_not_end_a_rest() -> None:
    limits = Limits()
    limits.limited(Kind.LOOKUP, NOW)
    limits.succeeded(Kind.LOOKUP, NOW + 1)
    assert limits.wait_s(Kind.LOOKUP, NOW + 1) == 59


def test_a_move_is_tried_again_after_one_then_two_then_four_seconds() -> None:
    limits = Limits()
    assert [limits.limited(Kind.MOVE, NOW) for _ in range(4)] == [1, 2, 4, 4]


def test_an_opponents_limit_benches_that_opponent_only() -> None:
    limits = Limits()
    limits.limited(Kind.CHALLENGE, NOW, 5000, "bot.vsBot.day", opponent="Deep", theirs=True)
    assert limits.challenge_wait_s("deep", NOW, is_bot=True) == 5000
    assert limits.challenge_wait_s("other", NOW, is_bot=True) == 0
    assert limits.benched_s("DEEP", NOW + 5000) == 0


def test_our_own_day_of_games_with_bots_leaves_humans_welcome() -> None:
    limits = Limits()
    limits.limited(Kind.ANSWER, NOW, 5000, "bot.vsBot.day")
    assert limits.wait_s(Kind.ANSWER, NOW) == 0
    assert limits.challenge_wait_s("deep", NOW, is_bot=True) == 5000
    assert limits.challenge_wait_s("anna", NOW, is_bot=False) == 0


def test_a_game_that_is_told_of_twice_is_counted_once() -> None:
    limits = Limits()
    for game in [*range(99), *range(99)]:
        limits.spend(Kind.BOT_GAME, NOW, what=str(game))
    assert limits.wait_s(Kind.BOT_GAME, NOW) == 0
    limits.spend(Kind.BOT_GAME, NOW, what="the hundredth")
    assert limits.wait_s(Kind.BOT_GAME, NOW) > 0


@given(KINDS, STEPS, st.floats(0, 1e5))
def test_a_restart_forgets_nothing(kind: Kind, steps: list[tuple[float, int]], later_s: float) -> None:
    limits, now = Limits(), NOW
    for pause_s, cost in steps:
        now += pause_s
        limits.spend(kind, now, cost, what=str(cost))
    limits.limited(kind, now)
    limits.limited(kind, now, 99, opponent="Deep", theirs=True)
    again = Limits.from_json(json.loads(json.dumps(limits.to_json())))
    now += later_s
    assert again.wait_s(kind, now) == limits.wait_s(kind, now)
    assert again.benched_s("deep", now) == limits.benched_s("deep", now)
    assert again.limited(kind, now) == limits.limited(kind, now)


def test_a_wall_clock_set_back_does_not_silence_us_for_ever() -> None:
    limits = used_up(Kind.ACCOUNT)
    limits.limited(Kind.ACCOUNT, NOW)
    long_ago = NOW - 10 * 365 * 86_400
    wait_s = limits.wait_s(Kind.ACCOUNT, long_ago)
    assert math.isfinite(wait_s)
    assert wait_s <= 2 * 86_400


@pytest.mark.parametrize("bad", [None, [], {}, {"spent": 3}, {"spent": {}, "rests": {"x": 1}, "benched": {}}])
def test_what_is_no_ledger_is_refused_in_one_line(bad: object) -> None:
    with pytest.raises(ValueError, match="this is no ledger of limits"):
        Limits.from_json(bad)
