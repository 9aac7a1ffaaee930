"""When a game is ended without playing on."""

from engine.lab.adjudicate import BLACK, DRAW, WHITE, Rules, verdict

RESIGN = Rules(resign_moves=2, resign_cp=600)
DRAWISH = Rules(draw_moves=2, draw_cp=10, draw_after=40)


def result(rules: Rules, scores: list[int | None], plies: int = 100) -> str | None:
    ending = verdict(rules, scores, plies)
    return ending.result if ending else None


def test_both_must_see_the_win_for_long_enough() -> None:
    assert result(RESIGN, [600, 700, 800, 900]) == WHITE
    assert result(RESIGN, [-600, -700, -800, -900]) == BLACK
    assert result(RESIGN, [700, 800, 900]) is None
    assert result(RESIGN, [0, 900, 599, 900, 900]) is None


def test_a_win_seen_by_each_for_itself_is_none() -> None:
    assert result(RESIGN, [900, -900, 900, -900]) is None


def test_only_the_last_moves_count() -> None:
    assert result(RESIGN, [-900, -900, 600, 600, 600, 600]) == WHITE


def test_a_move_without_a_score_agrees_with_nothing() -> None:
    assert result(RESIGN, [900, 900, None, 900, 900]) is None
    assert result(DRAWISH, [0, 0, 0, None]) is None


def test_a_draw_needs_quiet_scores_and_enough_moves_behind_it() -> None:
    assert result(DRAWISH, [10, -10, 0, 5]) == DRAW
    assert result(DRAWISH, [10, -11, 0, 5]) is None
    assert result(DRAWISH, [0, 0, 0, 0], plies=79) is None
    assert result(DRAWISH, [0, 0, 0, 0], plies=80) == DRAW


def test_a_game_too_long_is_a_draw() -> None:
    assert result(Rules(max_plies=100), [], plies=99) is None
    assert result(Rules(max_plies=100), [], plies=100) == DRAW


def test_with_every_rule_off_nothing_is_adjudicated() -> None:
    assert result(Rules(), [9999] * 50) is None
