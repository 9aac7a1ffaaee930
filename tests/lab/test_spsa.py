"""SPSA finds the best of a noisy landscape, stays in bounds, and does not mind being interrupted."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.lab.spsa import Knob, Schedule, Trial, Walk

HILL = (Knob("slope", 40, 0, 100), Knob("depth", 9, 1, 12), Knob("margin", 700, 500, 2_500))
SUMMIT = {"slope": 70, "depth": 5, "margin": 1_300}
PLANNED = 4_000


def height(values: dict[str, int]) -> float:
    """Of a round hill with its summit at SUMMIT."""
    return -sum(((values[knob.name] - SUMMIT[knob.name]) / knob.step) ** 2 for knob in HILL)


def contest(trial: Trial) -> float:
    """Four noisy games, as a match gives them: the better side wins more often, and draws are common."""
    likely = 1 / (1 + np.exp(-0.02 * (height(trial.plus) - height(trial.minus))))
    dice = np.random.default_rng([99, trial.number])
    return float(dice.choice([-1, 0, 1], size=4, p=[(1 - likely) / 2, 0.5, likely / 2]).mean())


def walk_of(**state: object) -> Walk:
    schedule = Schedule.ending_with(PLANNED, perturbation=1.0, rate=0.05)
    return Walk(HILL, schedule, seed=3, **state)  # type: ignore[arg-type]


def go(walk: Walk, iterations: int) -> Walk:
    while trial := walk.begin(iterations):
        walk.finish(trial, contest(trial))
    return walk


def test_the_summit_of_a_noisy_hill_is_found() -> None:
    walk = go(walk_of(), PLANNED)
    before, after = ({**walk.values(), **{k.name: k.start for k in HILL}}, walk.values())
    assert height(after) > height(before) / 10
    for knob in HILL:
        assert after[knob.name] == pytest.approx(SUMMIT[knob.name], abs=1.5 * knob.step)


def test_a_walk_interrupted_is_the_walk_uninterrupted() -> None:
    whole = go(walk_of(), 300)
    half = go(walk_of(), 123)
    half.begin(300)  # under way when the power failed
    rest = go(walk_of(theta=half.theta.tolist(), begun=half.begun, owed=half.owed), 300)
    assert rest.theta.tolist() == whole.theta.tolist()


def test_every_trial_is_finished_once_whoever_comes_first() -> None:
    walk = walk_of()
    first, second, third = (walk.begin(3) for _ in range(3))
    assert walk.begin(3) is None
    assert first
    assert second
    assert third
    for trial in (third, first):
        walk.finish(trial, 0.5)
    assert (walk.begun, walk.owed, walk.done) == (3, [2], 2)
    again = walk_of(theta=walk.theta.tolist(), begun=3, owed=walk.owed)
    owed = again.begin(5)
    following = again.begin(5)
    assert owed
    assert following
    assert (owed.number, following.number) == (2, 4)


def test_a_result_counts_only_once() -> None:
    walk = walk_of()
    trial = walk.begin(1)
    assert trial
    walk.finish(trial, 1.0)
    with pytest.raises(KeyError):
        walk.finish(trial, 1.0)


def test_a_draw_moves_nothing() -> None:
    walk = walk_of()
    trial = walk.begin(1)
    assert trial
    walk.finish(trial, 0.0)
    assert walk.theta.tolist() == [knob.start for knob in HILL]


def test_the_winner_is_approached_by_as_much_as_the_schedule_says() -> None:
    """The last iteration, won outright, moves every number by rate x perturbation steps."""
    schedule = Schedule.ending_with(PLANNED, perturbation=1.5, rate=0.05)
    walk = Walk(HILL, schedule, seed=1, begun=PLANNED - 1)
    trial = walk.begin(PLANNED)
    assert trial
    assert trial.number == PLANNED
    walk.finish(trial, 1.0)
    moved = list(walk.steps().values())
    assert moved == pytest.approx((0.05 * 1.5 * trial.signs).tolist())


knobs = st.lists(
    st.tuples(st.integers(-10_000, 10_000), st.integers(0, 5_000), st.integers(0, 5_000)).map(
        lambda t: Knob("", t[0], t[0] - t[1], t[0] + t[2])
    ),
    min_size=1,
    max_size=6,
).map(lambda found: [knob._replace(name=f"k{i}") for i, knob in enumerate(found)])


@given(knobs, st.integers(0, 99), st.lists(st.floats(-1, 1), max_size=30), st.floats(0.1, 50))
def test_nothing_ever_leaves_its_range(
    table: list[Knob], seed: int, differences: list[float], rate: float
) -> None:
    walk = Walk(table, Schedule.ending_with(30, 2.0, rate), seed)
    for difference in differences:
        trial = walk.begin(1_000)
        assert trial
        for knob in table:
            for values in (trial.plus, trial.minus, walk.values()):
                assert knob.low <= values[knob.name] <= knob.high
        walk.finish(trial, difference)
        assert all(k.low <= x <= k.high for k, x in zip(table, walk.theta, strict=True))


def test_fractions_are_felt_as_often_as_they_say() -> None:
    """4.25 is played as 5 every fourth time; and the two sides are always two perturbations apart."""
    knob = Knob("depth", 4, 0, 9)
    walk = Walk([knob], Schedule(gain=1.0, warm_up=0.0, perturbation=1.0), seed=5, theta=[4.25])
    seen = [walk._trial(1)]
    seen += [Walk([knob], Schedule(1.0, 0.0, 1.0), seed, theta=[4.25])._trial(1) for seed in range(1_000)]
    middles = [(trial.plus["depth"] + trial.minus["depth"]) / 2 for trial in seen]
    assert np.mean(middles) == pytest.approx(4.25, abs=0.05)
    assert {abs(trial.plus["depth"] - trial.minus["depth"]) for trial in seen} == {2}


def test_a_step_is_a_twentieth_of_the_range_and_at_least_one() -> None:
    assert Knob("wide", 0, -100, 300).step == 20
    assert Knob("narrow", 1, 0, 2).step == 1
