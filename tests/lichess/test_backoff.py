"""When to try again, and when to suspect somebody else of holding the token."""

import random

from hypothesis import given
from hypothesis import strategies as st

from bot.errors import RateLimited, Unreachable
from bot.lichess.backoff import Backoff
from bot.lichess.lines import Ended
from bot.lichess.rivalry import PROOF, Reopening

RNG = random.Random(5)
SEEDS = st.integers(0, 2**32).map(random.Random)


@given(st.integers(0, 10**6), st.floats(0.01, 10), st.floats(10, 1000), SEEDS)
def test_a_pause_is_never_longer_than_the_cap_and_never_shorter_than_half_its_worth(
    failures: int, first_s: float, cap_s: float, rng: random.Random
) -> None:
    pause_s = Backoff(first_s, cap_s, failures=failures).pause_s(rng)
    whole_s = 0.0 if not failures else min(cap_s, first_s * 2.0 ** min(failures - 1, 40))
    assert whole_s / 2 <= pause_s <= whole_s


def test_pauses_grow_differ_and_are_forgotten_on_success() -> None:
    tired = Backoff(1.0, 60.0).failed().failed().failed()
    assert len({tired.pause_s(RNG) for _ in range(9)}) > 1
    assert tired.pause_s(RNG) > Backoff(1.0, 60.0).failed().pause_s(RNG)
    assert tired.succeeded().pause_s(RNG) == 0.0


def test_the_first_try_may_be_free() -> None:
    eager = Backoff(free=1).failed()
    assert eager.pause_s(RNG) == 0.0
    assert eager.failed().pause_s(RNG) > 0.0


def told(*ends: Ended) -> Reopening:
    state = Reopening()
    for ended in ends:
        state = state.after(ended, RNG)
    return state


POLITE = Ended(None, 3.0)


def test_a_polite_end_again_and_again_soon_after_opening_means_another_program() -> None:
    assert not told(POLITE, POLITE).is_contested
    assert told(*[POLITE] * PROOF).is_contested
    assert "another program holds this token" in told(*[POLITE] * PROOF).verdict


def test_a_restart_of_the_server_once_a_day_is_no_rival() -> None:
    day = Ended(None, 86_400.0)
    assert not told(*[day] * 20).is_contested
    assert told(*[day] * 20).verdict == ""


def test_a_torn_stream_is_no_sign_of_a_rival() -> None:
    assert not told(*[Ended(Unreachable("reset"), 3.0)] * 20).is_contested


def test_a_rival_that_pauses_as_we_do_is_still_seen() -> None:
    state = Reopening()
    for _ in range(12):
        state = state.after(Ended(None, state.pause_s), RNG)  # it comes back when we would
    assert state.is_contested
    assert state.pause_s >= 240.0


def test_a_stream_that_lives_ends_the_quarrel() -> None:
    assert not told(*[POLITE] * 5, Ended(None, 7200.0)).is_contested


def opens_in(window_s: float, lived_s: float, error: Unreachable | None, rng: random.Random) -> int:
    """How often we open in the worst stretch of so many seconds, if every stream ends like this."""
    state, now, opens = Reopening(), 0.0, []
    while now < 20 * window_s:
        opens.append(now)
        state = state.after(Ended(error, lived_s), rng)
        now += lived_s + state.pause_s
    return max(sum(at <= each < at + window_s for each in opens) for at in opens)


@given(SEEDS, st.floats(0.0, 20.0))
def test_a_fight_stays_far_below_the_limit_of_thirty_opens_in_ten_minutes(
    rng: random.Random, lived_s: float
) -> None:
    assert opens_in(600.0, lived_s, None, rng) <= 10


@given(SEEDS)
def test_a_server_that_is_down_is_asked_less_and_less(rng: random.Random) -> None:
    assert opens_in(600.0, 0.0, Unreachable("down"), rng) <= 30


def test_a_limit_is_waited_for() -> None:
    assert told(Ended(RateLimited(321.0), 0.0)).pause_s == 321.0
