"""The classical evaluation: fair to both colours, the same however it is computed, and told in full."""

import re
from itertools import pairwise
from pathlib import Path

import chess
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import evaluation
from engine.core import endgame, evaluate
from engine.core.board import new_board
from engine.core.jit import Record
from engine.core.layout import WEIGHTS
from engine.core.terms import SIZE, TERMS
from engine.evaluation import load_weights, save_weights
from engine.notation import START_FEN, TABLES, set_fen

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"


def board_of(fen: str) -> Record:
    board = new_board()
    set_fen(board, fen)
    return board


def evaluated(fen: str, evaluator: Record) -> int:
    return int(evaluate.evaluate(TABLES, board_of(fen), evaluator))


def fresh(fen: str) -> int:
    return evaluated(fen, evaluation.new_evaluator())


def mirrored(fen: str) -> str:
    return chess.Board(fen).mirror().fen()


@st.composite
def positions(draw: st.DrawFn) -> list[str]:
    """The positions without check of a random game in which much is taken."""
    board = chess.Board()
    fens: list[str] = []
    for choice in draw(st.lists(st.integers(0, 1000), min_size=1, max_size=120)):
        moves = list(board.legal_moves)
        if not moves:
            break
        captures = [move for move in moves if board.is_capture(move)] if choice % 2 else []
        board.push((captures or moves)[choice % len(captures or moves)])
        if not board.is_check():
            fens.append(board.fen())
    return fens


@given(positions())
def test_colours_swapped_the_value_is_the_same_for_the_side_to_move(fens: list[str]) -> None:
    evaluator = evaluation.new_evaluator()
    for fen in fens:
        assert evaluated(fen, evaluator) == evaluated(mirrored(fen), evaluator), fen


@given(positions())
def test_traced_and_untraced_pawn_cache_cold_and_hot_all_agree(fens: list[str]) -> None:
    evaluator, counts = evaluation.new_evaluator(), np.zeros((2, WEIGHTS), np.int16)
    for fen in fens:
        cold = fresh(fen)
        carried, hot = evaluated(fen, evaluator), evaluated(fen, evaluator)
        assert cold == carried == hot == evaluate.trace(TABLES, board_of(fen), evaluator, counts), fen


@given(positions())
def test_the_parts_told_add_up_to_the_whole(fens: list[str]) -> None:
    for fen in fens[-3:]:
        parts = evaluation.break_down(board_of(fen))
        sign = 1 if parts.white_to_move else -1
        early, late = (sign * sum(line.balance[i] for line in parts.lines) for i in range(2))
        late_share = (evaluate.FULL_PHASE - parts.phase) * parts.scale / endgame.FULL_SCALE
        assert parts.total == fresh(fen)
        assert abs((early * parts.phase + late * late_share) / evaluate.FULL_PHASE - parts.tapered) < 2
        if all(chess.popcount(men) > 1 for men in chess.Board(fen).occupied_co):
            assert parts.lone_king == 0


def numbers(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"[-+]?\d+\.\d\d", text)]


@pytest.mark.parametrize("fen", [START_FEN, KIWIPETE, mirrored(KIWIPETE), "8/5k2/8/3Q4/8/8/4K3/8 b - - 0 1"])
def test_the_table_printed_adds_up(fen: str) -> None:
    lines = evaluation.breakdown(board_of(fen)).splitlines()
    terms = [numbers(line) for line in lines if any(line.startswith(f"{term.name} ") for term in TERMS)]
    sums = next(numbers(line) for line in lines if line.startswith("sum "))
    assert len(terms) == len(TERMS)
    assert np.allclose(np.sum(terms, axis=0), sums, atol=0.005 * len(TERMS))
    said = {line.split()[0]: numbers(line)[0] for line in lines if "pawns for White" in line}
    assert said["tapered"] == pytest.approx(sums[-1], abs=0.011)
    assert said["tapered"] + said["lone"] == pytest.approx(said["total"])
    sign = -1 if " b " in fen else 1
    assert round(100 * said["total"]) == sign * fresh(fen)


def test_the_start_is_worth_the_move_and_nothing_else() -> None:
    parts = evaluation.break_down(board_of(START_FEN))
    assert [line.name for line in parts.lines if line.balance != (0, 0)] == ["tempo"]
    assert 0 < parts.total < 60


def test_the_more_is_taken_from_black_the_better_for_white() -> None:
    blacks = (
        "rnbqkbnr/pppppppp",
        "rnbqkbnr/ppp1pppp",
        "r1bqkbnr/pppppppp",
        "1nbqkbnr/pppppppp",
        "rnb1kbnr/pppppppp",
    )
    values = [fresh(f"{black}/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1") for black in blacks]
    assert all(worse + 30 < better for worse, better in pairwise(values)), values


def test_a_pawn_far_advanced_is_worth_more() -> None:
    assert fresh("8/8/4k3/8/4P3/4K3/8/8 w - - 0 1") + 100 < fresh("8/4P3/8/2k5/8/4K3/8/8 w - - 0 1")


@pytest.mark.parametrize(
    "fen",
    [
        "8/8/8/3k4/8/8/2NNK3/8 w - - 0 1",
        "8/8/8/8/3k4/8/2B1K3/8 w - - 0 1",
        "8/8/8/8/3k4/8/2N1K3/8 b - - 0 1",
        "k7/8/1K6/P7/8/4B3/8/8 w - - 0 1",  # a dark bishop, and a light corner
        "7k/8/5K2/7P/8/5B2/8/8 b - - 0 1",  # a light one, and a dark corner
    ],
)
def test_what_cannot_be_won_is_worth_little(fen: str) -> None:
    assert abs(fresh(fen)) < 100
    assert abs(fresh(mirrored(fen))) < 100


@pytest.mark.parametrize(
    ("drawn", "won"),
    [
        ("k7/8/1K6/P7/8/4B3/8/8 w - - 0 1", "k7/8/1K6/P7/8/3B4/8/8 w - - 0 1"),  # the other bishop
        ("k7/8/1K6/P7/8/4B3/8/8 w - - 0 1", "8/8/1K2k3/P7/8/4B3/8/8 w - - 0 1"),  # the king is far
        ("8/8/8/3k4/8/8/2NNK3/8 w - - 0 1", "8/8/8/3k4/8/8/2BNK3/8 w - - 0 1"),
        ("8/8/3kb3/8/3PP3/2B1K3/8/8 w - - 0 1", "8/8/3kb3/8/3PP3/3BK3/8/8 w - - 0 1"),  # opposite bishops
    ],
)
def test_a_drawn_ending_is_scaled_and_its_winning_twin_is_not(drawn: str, won: str) -> None:
    assert fresh(drawn) < fresh(won)
    assert evaluation.break_down(board_of(drawn)).scale < evaluation.break_down(board_of(won)).scale


def test_a_bare_king_is_driven_to_the_edge() -> None:
    assert fresh("8/8/8/3k4/8/8/R3K3/8 w - - 0 1") < fresh("3k4/8/8/8/8/8/R3K3/8 w - - 0 1")


def test_with_bishop_and_knight_it_is_driven_to_the_bishops_corner() -> None:
    assert fresh("7k/8/5K2/8/8/3BN3/8/8 w - - 0 1") < fresh("k7/8/2K5/8/8/3BN3/8/8 w - - 0 1")


# The file


def spoilt(folder: Path, old: str, new: str) -> Path:
    """The shipped file with one thing changed."""
    text = evaluation.WEIGHTS_FILE.read_text(encoding="utf-8")
    assert old in text
    path = folder / "weights.txt"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return path


def test_the_shipped_weights_are_those_of_a_chess_player() -> None:
    weights = load_weights()
    assert weights.shape == (SIZE, 2)
    pawn, knight, bishop, rook, queen = weights[:5].mean(axis=1)
    assert 90 <= pawn <= 110
    assert 2.5 * pawn < knight < bishop < rook < 2 * bishop < queen


def test_weights_saved_are_the_weights_loaded(tmp_path: Path) -> None:
    weights = np.random.default_rng(1).integers(-9_999, 9_999, (SIZE, 2))
    save_weights(tmp_path / "weights.txt", weights, ["made up", ""])
    assert (load_weights(tmp_path / "weights.txt") == weights).all()


@pytest.mark.parametrize(
    ("old", "new", "where", "complaint"),
    [
        ("[tempo]", "[temper]", "[temper]", "[temper], which the evaluation does not know"),
        ("[tempo]", "[space]", "[space]", "[space], a second time"),
        ("[material]", "[material", "[material", "expected [a term]"),
        ("[bishop pair]\nmg", "[bishop pair]\nmg x", "mg x", "'x' is not a whole number"),
        ("[bishop pair]\nmg", "[bishop pair]\nmg 1.5", "mg 1.5", "'1.5' is not a whole number"),
        ("[bishop pair]\nmg", "[bishop pair]\nmg 10001", "mg 10001", "beyond"),
        ("[bishop pair]\nmg", "[bishop pair]\nmg 1", "[bishop pair]", "has 2 values of mg, not 1"),
        ("[bishop pair]\nmg", "[bishop pair]\nop", "op", "expected [a term]"),
    ],
)
def test_a_slip_in_the_file_is_named_with_its_line(
    tmp_path: Path, old: str, new: str, where: str, complaint: str
) -> None:
    path = spoilt(tmp_path, old, new)
    with pytest.raises(ValueError, match=re.escape(complaint)) as caught:
        load_weights(path)
    lines = [number for number, line in enumerate(path.read_text().splitlines(), 1) if where in line]
    assert any(f"{path}:{number}:" in str(caught.value) for number in lines)


def test_a_file_without_a_term_is_refused(tmp_path: Path) -> None:
    text = evaluation.WEIGHTS_FILE.read_text(encoding="utf-8")
    path = tmp_path / "weights.txt"
    path.write_text(text[: text.index("[tempo]")], encoding="utf-8")
    with pytest.raises(ValueError, match=r"no weights for \[tempo\]"):
        load_weights(path)
