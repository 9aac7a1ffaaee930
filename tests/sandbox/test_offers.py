"""Draws, takebacks and claims in one game."""

import chess
import pytest

from bot.sandbox.match import Match
from bot.sandbox.offers import Answer, answer_draw, answer_takeback, claim, claim_threefold, settle_after_move
from bot.sandbox.speeds import TimeControl
from bot.sandbox.variants import Status
from tests.sandbox.scene import SHUFFLE, START_MS, a_match, error_of, play

W, B = chess.WHITE, chess.BLACK
OPENING = ("e2e4", "e7e5")
BARE_BLACK = "4k3/8/8/8/8/8/8/R3K3 w - - 0 1"


def opened(**kwargs: object) -> Match:
    match = a_match(**kwargs)  # type: ignore[arg-type]
    play(match, *OPENING)
    return match


def draw(match: Match, side: chess.Color, accept: bool = True) -> Answer:
    return answer_draw(match, side, accept, START_MS)


def takeback(match: Match, side: chess.Color, accept: bool = True, *, at_ms: int = START_MS) -> Answer:
    return answer_takeback(match, side, accept, at_ms, allowed=True)


# Draws


def test_an_offer_is_accepted_by_the_other_side() -> None:
    match = opened()
    assert draw(match, W) is Answer.OFFERED
    assert draw(match, B) is Answer.ACCEPTED
    assert (match.status, match.winner) == (Status.DRAW, None)


def test_an_offer_can_be_declined() -> None:
    match = opened()
    draw(match, W)
    assert draw(match, B, accept=False) is Answer.DECLINED
    assert draw(match, B, accept=False) is Answer.IGNORED
    assert not match.offers.draw


def test_nobody_accepts_an_offer_of_their_own() -> None:
    match = opened()
    draw(match, W)
    assert draw(match, W) is Answer.IGNORED
    assert draw(match, W, accept=False) is Answer.IGNORED
    assert match.offers.draw == {W}


def test_no_draw_before_both_have_moved() -> None:
    match = a_match()
    play(match, "e2e4")
    assert draw(match, B) is Answer.IGNORED


def test_no_draw_with_the_ai() -> None:
    assert draw(opened(ai=1), W) is Answer.IGNORED


def test_an_offer_is_not_repeated_within_twenty_plies() -> None:
    match = opened(control=TimeControl())
    draw(match, W)
    draw(match, B, accept=False)
    for _ in range(10):
        match.moves += ["pass"] * 2
        assert draw(match, W) is Answer.IGNORED
    match.moves += ["pass"]
    assert draw(match, W) is Answer.OFFERED


def test_an_early_draw_can_be_ruled_out() -> None:
    match = opened(rules=("noEarlyDraw",))
    assert draw(match, W) is Answer.IGNORED
    match.moves += ["pass"] * 58
    assert draw(match, W) is Answer.OFFERED


def test_an_offer_on_a_threefold_ends_the_game_at_once() -> None:
    match = a_match()
    play(match, *SHUFFLE, *SHUFFLE)
    assert draw(match, B) is Answer.CLAIMED
    assert match.status is Status.DRAW


def test_who_cannot_lose_need_not_ask() -> None:
    match = a_match("fromPosition", BARE_BLACK)
    play(match, "a1a2", "e8e7")
    assert draw(match, B) is Answer.OFFERED
    match = a_match("fromPosition", BARE_BLACK)
    play(match, "a1a2", "e8e7")
    assert draw(match, W) is Answer.CLAIMED
    assert (match.status, match.winner) == (Status.INSUFFICIENT_MATERIAL_CLAIM, None)


def test_a_threefold_is_claimed_for_the_players() -> None:
    match = a_match()
    play(match, *SHUFFLE)
    assert not claim_threefold(match, START_MS)
    play(match, *SHUFFLE)
    assert not match.is_over  # the rules alone do not end it
    assert claim_threefold(match, START_MS)
    assert match.status is Status.DRAW


def test_a_move_declines_what_the_other_side_has_on_the_table() -> None:
    match = opened()
    draw(match, B)
    takeback(match, B)
    play(match, "g1f3")
    assert settle_after_move(match, W, START_MS)
    assert not match.offers.draw
    assert not match.offers.takeback


def test_a_move_leaves_ones_own_offer_standing() -> None:
    match = opened()
    draw(match, W)
    play(match, "g1f3")
    assert not settle_after_move(match, W, START_MS)
    assert match.offers.draw == {W}


# Takebacks


def test_a_takeback_of_ones_last_move_undoes_one_ply() -> None:
    match = opened()
    assert takeback(match, B) is Answer.OFFERED
    assert takeback(match, W) is Answer.ACCEPTED
    assert match.moves == ["e2e4"]
    assert match.turn is B


def test_a_takeback_asked_for_on_ones_own_turn_undoes_two_plies() -> None:
    match = opened()
    assert takeback(match, W) is Answer.OFFERED
    assert takeback(match, B) is Answer.ACCEPTED
    assert match.moves == []
    assert match.turn is W


def test_no_takeback_before_both_have_moved_nor_when_one_is_on_the_table() -> None:
    match = a_match()
    play(match, "e2e4")
    assert takeback(match, W) is Answer.IGNORED
    match = opened()
    takeback(match, W)
    assert takeback(match, W) is Answer.IGNORED


def test_takebacks_are_ignored_where_a_preference_forbids_them() -> None:
    assert answer_takeback(opened(), W, True, START_MS, allowed=False) is Answer.IGNORED


@pytest.mark.parametrize("match", [opened(source="arena")])
def test_nothing_is_taken_back_in_a_tournament(match: Match) -> None:
    assert takeback(match, W) is Answer.IGNORED


def test_a_proposal_is_withdrawn_or_declined() -> None:
    match = opened()
    takeback(match, W)
    assert takeback(match, W, accept=False) is Answer.CANCELED
    assert takeback(match, W, accept=False) is Answer.IGNORED


@pytest.mark.parametrize(("refusals", "pause_ms"), [(1, 10_000), (2, 40_000), (3, 90_000), (40, 1_000_000)])
def test_after_a_refusal_one_waits_ever_longer_before_asking_again(refusals: int, pause_ms: int) -> None:
    match = opened()
    match.offers.refused, match.offers.refused_at_ms = refusals - 1, 0
    takeback(match, W)
    assert takeback(match, B, accept=False) is Answer.DECLINED
    assert takeback(match, W, at_ms=START_MS + pause_ms) is Answer.IGNORED
    assert takeback(match, W, at_ms=START_MS + pause_ms + 1) is Answer.OFFERED


def test_the_ai_takes_back_what_it_is_asked_to() -> None:
    match = opened(ai=2)
    assert takeback(match, W) is Answer.ACCEPTED
    assert match.ply == 0
    play(match, "e2e4")
    assert takeback(match, W) is Answer.ACCEPTED  # the AI was to move: one ply
    assert match.ply == 0
    assert takeback(match, W) is Answer.IGNORED


def test_a_takeback_of_two_gives_the_side_that_answered_its_time_back() -> None:
    match = opened()
    now_ms = play(match, "g1f3", "b8c6", each_ms=10_000)
    answer_takeback(match, W, True, now_ms + 4000, allowed=True)
    answer_takeback(match, B, True, now_ms + 5000, allowed=True)
    assert match.left_ms(W, now_ms + 5000) == 180_000 - 10_000 + 2000
    assert match.left_ms(B, now_ms + 5000) == 180_000
    assert match.left_ms(W, now_ms + 6000) == 171_000  # and White is thinking again


# Claims


def test_a_game_is_claimed_when_the_other_has_left_on_its_turn() -> None:
    match = opened()
    late = "This is not the time to claim victory"
    assert error_of(claim, match, W, START_MS, is_gone=True, victory=True) == late
    claim(match, B, START_MS, is_gone=True, victory=True)
    assert (match.status, match.winner) == (Status.TIMEOUT, B)
    assert error_of(claim, match, B, START_MS, is_gone=True, victory=True) == late


def test_nothing_is_claimed_from_somebody_who_is_there() -> None:
    match = opened()
    there = "You cannot claim victory in this game"
    assert error_of(claim, match, B, START_MS, is_gone=False, victory=True) == there


def test_a_draw_can_be_claimed_instead() -> None:
    match = opened()
    claim(match, B, START_MS, is_gone=True, victory=False)
    assert (match.status, match.winner) == (Status.TIMEOUT, None)


def test_a_claim_without_material_draws_and_is_refused() -> None:
    match = a_match("fromPosition", BARE_BLACK)
    play(match, "a1a2", "e8e7")
    cannot = "You cannot claim victory in this game"
    assert error_of(claim, match, B, START_MS, is_gone=True, victory=True) == cannot
    assert (match.status, match.winner) == (Status.TIMEOUT, None)
