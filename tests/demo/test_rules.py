"""What the page is told of the rules."""

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.demo.rules import LONGEST, Lines, legal_moves, san_line, seen
from bot.game.boards import board_of
from bot.game.nouns import Position

CASTLING = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"


@st.composite
def games(draw: st.DrawFn) -> tuple[str, ...]:
    board, moves = chess.Board(), []
    for _ in range(draw(st.integers(0, 30))):
        if not (legal := sorted(move.uci() for move in board.legal_moves)):
            break
        moves.append(draw(st.sampled_from(legal)))
        board.push_uci(moves[-1])
    return tuple(moves)


@given(games(), st.data())
def test_a_line_told_in_parts_is_the_line_told_at_once(moves: tuple[str, ...], data: st.DataObject) -> None:
    lines = Lines()
    for ply in sorted(data.draw(st.lists(st.integers(0, len(moves)), max_size=5))):
        lines.steps(Position("standard", None, moves[:ply]))
    whole = Position("standard", None, moves)
    assert lines.steps(whole) == Lines().steps(whole)
    assert [step.uci for step in lines.steps(whole)] == list(moves)


@given(games())
def test_the_last_step_is_the_position_whose_moves_are_told(moves: tuple[str, ...]) -> None:
    told = seen(Position("standard", None, moves), Lines())
    board = board_of(Position("standard", None, moves))
    assert (told["steps"] or [told["start"]])[-1]["fen"] == board.fen()
    assert sorted(told["legal"]) == sorted(move.uci() for move in board.legal_moves)


def test_a_check_is_told_with_the_move_that_gave_it() -> None:
    told = seen(Position("standard", None, ("e2e4", "f7f5", "d1h5")), Lines())
    assert [step["check"] for step in told["steps"]] == [False, False, True]


def test_castling_may_be_played_by_either_gesture_where_both_are_understood() -> None:
    board = chess.Board(CASTLING, chess960=True)
    assert {"e1h1", "e1g1", "e1a1", "e1c1"} <= set(legal_moves("fromPosition", board))
    assert {"e1h1", "e1a1"} <= set(legal_moves("chess960", board))
    assert not {"e1g1", "e1c1"} & set(legal_moves("chess960", board))
    assert not {"e1h1", "e1a1"} & set(legal_moves("standard", chess.Board(CASTLING)))


def test_a_game_that_a_variant_has_ended_has_no_moves() -> None:
    on_the_hill = "8/8/8/8/8/3K4/8/7k w - - 0 1"
    assert seen(Position("kingOfTheHill", on_the_hill, ()), Lines())["legal"] != []
    assert seen(Position("kingOfTheHill", on_the_hill, ("d3d4",)), Lines())["legal"] == []


def test_a_variation_is_named_as_far_as_it_is_legal() -> None:
    assert san_line(Position("standard", None, ()), ("e2e4", "e7e5", "e1e8")) == ["e4", "e5"]


def test_a_move_that_is_not_legal_is_refused() -> None:
    with pytest.raises(ValueError, match="illegal"):
        Lines().steps(Position("standard", None, ("e2e5",)))


def test_a_list_without_end_is_refused() -> None:
    with pytest.raises(ValueError, match=str(LONGEST)):
        Lines().steps(Position("standard", None, ("g1f3",) * (LONGEST + 1)))
