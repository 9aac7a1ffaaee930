"""Playing weaker on purpose."""

import itertools
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import strength
from engine.strength import (
    ELO_MAX,
    ELO_MIN,
    MATE,
    MATE_BOUND,
    Candidate,
    candidate_count,
    chances,
    choose,
    node_cap,
)

elos = st.integers(ELO_MIN, ELO_MAX)
mates = st.integers(1, 60).map(lambda plies: MATE - plies)
scores = st.integers(-3_000, 3_000) | mates | mates.map(lambda score: -score)
score_lists = st.lists(scores, min_size=1, max_size=10)


def expected_loss(elo: int, line_scores: list[int]) -> float:
    best = max(map(strength._felt, line_scores))
    weighed = zip(chances(elo, line_scores), line_scores, strict=True)
    return sum(chance * (best - strength._felt(score)) for chance, score in weighed)


def candidates(*line_scores: int) -> list[Candidate[int]]:
    return [Candidate(index, score) for index, score in enumerate(line_scores)]


@given(elos, score_lists)
def test_chances_are_a_distribution(elo: int, line_scores: list[int]) -> None:
    given_chances = chances(elo, line_scores)
    assert len(given_chances) == len(line_scores)
    assert min(given_chances) >= 0
    assert sum(given_chances) == pytest.approx(1)


@given(elos, score_lists)
def test_the_best_candidate_is_always_possible_and_none_is_likelier(elo: int, line_scores: list[int]) -> None:
    given_chances = chances(elo, line_scores)
    assert given_chances[line_scores.index(max(line_scores))] == max(given_chances) > 0


@given(score_lists, st.integers())
def test_at_full_strength_the_first_best_candidate_is_played(line_scores: list[int], seed: int) -> None:
    best, rng = line_scores.index(max(line_scores)), Random(seed)
    assert choose(ELO_MAX, candidates(*line_scores), rng) == best
    assert choose(ELO_MAX + 500, candidates(*line_scores), rng) == best


@given(elos, elos, score_lists)
def test_the_expected_loss_never_rises_with_the_elo(one: int, other: int, line_scores: list[int]) -> None:
    weaker, stronger = sorted((one, other))
    assert expected_loss(stronger, line_scores) <= expected_loss(weaker, line_scores) + 1e-9


def test_the_expected_loss_falls_all_along_the_range() -> None:
    losses = [expected_loss(elo, [40, 20, -30, -120, -300]) for elo in range(ELO_MIN, ELO_MAX + 1, 100)]
    assert all(weaker > stronger for weaker, stronger in itertools.pairwise(losses))
    assert losses[0] > 60
    assert losses[-1] == 0


@given(elos, score_lists, st.integers())
def test_the_same_dice_give_the_same_move(elo: int, line_scores: list[int], seed: int) -> None:
    lines = candidates(*line_scores)
    assert choose(elo, lines, Random(seed)) == choose(elo, lines, Random(seed))


def test_the_moves_are_played_as_often_as_the_chances_say() -> None:
    rng, lines = Random(4), candidates(50, 0, -100)
    played = [choose(1_200, lines, rng) for _ in range(4_000)]
    for move, chance in enumerate(chances(1_200, [50, 0, -100])):
        assert played.count(move) / 4_000 == pytest.approx(chance, abs=0.03)


def test_one_number_is_drawn_whether_or_not_there_is_a_choice() -> None:
    states = []
    for elo in (ELO_MIN, ELO_MAX):
        rng = Random(1)
        choose(elo, candidates(30, 10), rng)
        states.append(rng.getstate())
    assert states[0] == states[1]


def test_the_weakest_blunders_sometimes_and_a_master_hardly_ever() -> None:
    assert 0.05 < chances(ELO_MIN, [0, -300])[1] < 0.35
    assert chances(2_400, [0, -300])[1] < 1e-6


def test_a_beginner_may_walk_past_mate_in_one_and_a_club_player_never_does() -> None:
    assert chances(ELO_MIN, [MATE - 1, 900])[1] > 0
    assert chances(1_000, [MATE - 1, 900]) == [1, 0]
    assert chances(1_000, [MATE - 3, 900])[1] > 0
    assert chances(1_400, [MATE - 3, 900]) == [1, 0]


def test_a_club_player_never_allows_mate_in_one() -> None:
    assert chances(ELO_MIN, [-100, 2 - MATE])[1] > 0
    assert chances(1_200, [-100, 2 - MATE]) == [1, 0]


@given(elos, st.lists(mates.map(lambda score: -score), min_size=1, max_size=6))
def test_when_every_move_is_mated_the_longest_defence_is_always_possible(elo: int, lost: list[int]) -> None:
    assert chances(elo, lost)[lost.index(max(lost))] > 0


def test_a_choice_among_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="no candidate"):
        choose(1_500, [], Random(0))


@given(elos, st.integers(1, 400))
def test_the_node_cap_grows_with_the_elo(elo: int, more: int) -> None:
    assert node_cap(elo) <= node_cap(elo + more)


def test_the_node_cap_is_exponential_between_its_ends() -> None:
    assert node_cap(ELO_MIN) == node_cap(0) == strength.NODES_AT_MIN
    assert node_cap(ELO_MAX) == node_cap(9_999) == strength.NODES_AT_MAX
    assert node_cap((ELO_MIN + ELO_MAX) // 2) ** 2 == strength.NODES_AT_MIN * strength.NODES_AT_MAX


def test_the_weaker_the_more_candidates_and_at_full_strength_one() -> None:
    counts = [candidate_count(elo) for elo in range(ELO_MIN, ELO_MAX + 1, 50)]
    assert counts == sorted(counts, reverse=True)
    assert (counts[0], counts[-2], counts[-1]) == (strength.CANDIDATES_AT_MIN, 2, 1)


def test_mate_scores_are_those_of_the_driver() -> None:
    driver = pytest.importorskip("engine.driver")
    assert (driver.MATE, driver.MATE_BOUND) == (MATE, MATE_BOUND)
