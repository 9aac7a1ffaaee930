"""Lila's budgets: fixed windows that open at the first hit, and so many streams at once."""

from collections.abc import Callable

import pytest

from bot.sandbox.limits import BUDGETS, MINUTE_MS, Budget, Limits
from bot.sandbox.refusal import Refusal

LIMITED = (429, {"error": "Too many requests. Try again later."})


class Time:
    def __init__(self) -> None:
        self.now_ms = 1_000

    def __call__(self) -> int:
        return self.now_ms


@pytest.fixture
def time() -> Time:
    return Time()


def limits(time: Time, points: int = 3, *more: Budget) -> Limits:
    return Limits(time, {"key": (Budget(points, MINUTE_MS), *more)}, {"streams": 2})


def is_refused(deed: Callable[[], object]) -> bool:
    try:
        deed()
    except Refusal as refusal:
        return (refusal.status, refusal.body) == LIMITED and "Retry-After" not in refusal.headers
    return False


def test_what_is_over_the_budget_is_refused_with_lilas_body(time: Time) -> None:
    some = limits(time)
    assert [is_refused(lambda: some.charge("key", "me")) for _ in range(5)] == [False] * 3 + [True] * 2


def test_the_window_opens_at_the_first_hit_and_is_not_held_open_by_refused_ones(time: Time) -> None:
    some = limits(time, 1)
    some.charge("key", "me")
    time.now_ms += MINUTE_MS - 1
    assert is_refused(lambda: some.charge("key", "me"))
    time.now_ms += 1
    assert not is_refused(lambda: some.charge("key", "me"))


def test_one_persons_spending_is_nobody_elses(time: Time) -> None:
    some = limits(time, 1)
    some.charge("key", "me")
    assert not is_refused(lambda: some.charge("key", "you"))


def test_the_last_hit_may_overdraw(time: Time) -> None:
    some = limits(time, 3)
    some.charge("key", "me", cost=2)
    some.charge("key", "me", cost=5)
    assert is_refused(lambda: some.charge("key", "me"))


def test_the_tightest_of_two_budgets_decides_and_a_refusal_costs_neither(time: Time) -> None:
    some = limits(time, 1, Budget(2, 10 * MINUTE_MS))
    some.charge("key", "me")
    assert is_refused(lambda: some.charge("key", "me"))
    time.now_ms += MINUTE_MS
    some.charge("key", "me")
    time.now_ms += MINUTE_MS
    assert is_refused(lambda: some.charge("key", "me"))
    time.now_ms += 8 * MINUTE_MS
    assert not is_refused(lambda: some.charge("key", "me"))


def test_what_costs_nothing_spends_nothing(time: Time) -> None:
    some = limits(time, 1)
    for _ in range(9):
        some.charge("key", "me", cost=0)
    assert not is_refused(lambda: some.charge("key", "me"))


def test_only_so_many_streams_at_once(time: Time) -> None:
    some = limits(time)
    with some.hold("streams", "me"), some.hold("streams", "me"):
        with pytest.raises(Refusal) as caught, some.hold("streams", "me"):
            pass
        assert (caught.value.status, caught.value.body) == (
            429,
            {"error": "Please only run 2 request(s) at a time"},
        )
        with some.hold("streams", "you"):
            pass
    with some.hold("streams", "me"):
        pass


def test_no_limits_means_none() -> None:
    some = Limits.off()
    for key in BUDGETS:
        some.charge(key, "me", cost=10**9)
        some.charge(key, "me")
    holds = [some.hold("api.ip.downloads", "me") for _ in range(3)]
    with holds[0], holds[1], holds[2]:
        pass
