"""An engine's answers, read by the kernel: the scores its slow twin reads, and quiet ends of exchanges."""

import chess
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.packed import POSITION, pack
from engine.lab import answers
from engine.lab.games import Positions
from engine.lab.players import score_said
from tests.core.positions import board_of

QUIET = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"
HANGING = "4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1"
BLACK_TAKES = "4k3/8/8/3p4/4P3/8/8/4K3 b - - 0 1"

bounds = st.sampled_from(["", " lowerbound", " upperbound"])
lines = st.lists(st.tuples(st.integers(-40_000, 40_000), bounds), min_size=1, max_size=5)


def rows(*fens: str) -> Positions:
    found = np.zeros(len(fens), POSITION)
    for row, fen in zip(found, fens, strict=True):
        pack(board_of(fen), row)
    return found


def said(text: str) -> np.ndarray:
    return np.frombuffer(text.encode(), np.uint8)


def read(text: str, *fens: str, most: int = 1) -> Positions:
    return answers.read(said(text), rows(*fens), most).positions


def placement(row: Positions) -> str:
    board, squares = chess.Board(None), chess.SquareSet(int(row["occupied"]))
    for n, square in enumerate(squares):
        piece = int(row["men"][n >> 1]) >> 4 * (n & 1) & 15
        board.set_piece_at(square, chess.Piece(piece % 6 + 1, piece < 6))
    return board.board_fen()


@given(lines)
def test_the_kernel_reads_the_score_its_twin_reads(infos: list[tuple[int, str]]) -> None:
    text = "".join(f"info depth 1 score cp {score}{bound} nodes 9 pv e2e3\n" for score, bound in infos)
    found = read(f"{text}bestmove e2e3\n", QUIET)
    assert found["score"].tolist() == [score_said(text.encode())]


def test_a_quiet_position_is_kept_as_it_is() -> None:
    (row,) = read("info depth 2 score cp 31 pv e2e4 e8d7\nbestmove e2e4 ponder e8d7\n", QUIET)
    assert placement(row) == QUIET.split(maxsplit=1)[0]
    assert row["score"] == 31


@pytest.mark.parametrize(
    ("fen", "line", "score", "placed"),
    [
        (HANGING, "e4d5", 250, "4k3/8/8/3P4/8/8/8/4K3"),
        (HANGING, "e4d5 e8d7 e1d2", 250, "4k3/8/8/3P4/8/8/8/4K3"),
        (BLACK_TAKES, "d5e4", -250, "4k3/8/8/8/4p3/8/8/4K3"),
        ("3rk3/8/8/3q4/4P3/8/8/4K3 w - - 0 1", "e4d5 d8d5 e1e2", 250, "4k3/8/8/3r4/8/8/8/4K3"),
    ],
)
def test_a_noisy_line_is_followed_to_its_quiet_end(fen: str, line: str, score: int, placed: str) -> None:
    text = f"info depth 1 score cp 250 nodes 3 pv {line}\nbestmove {line.split(maxsplit=1)[0]}\n"
    (row,) = read(text, fen)
    assert placement(row) == placed
    assert row["score"] == score
    assert chess.Board(f"{placed} {'wb'[row['side']]} - - 0 1").is_valid()


def test_quiet_positions_further_down_the_line_have_the_same_score() -> None:
    text = "info depth 3 score cp 40 pv e4e5 e8e7 e1e2\nbestmove e4e5\n"
    found = read(text, "4k3/8/8/8/4P3/8/8/4K3 w - - 0 1", most=3)
    assert [placement(row) for row in found] == [
        "4k3/8/8/8/4P3/8/8/4K3",
        "4k3/8/8/4P3/8/8/8/4K3",
        "8/4k3/8/4P3/8/8/8/4K3",
    ]
    assert found["score"].tolist() == [40, 40, 40]
    assert found["side"].tolist() == [0, 1, 0]


def test_a_bound_says_nothing_of_the_line() -> None:
    text = "info depth 1 score cp 9 pv e2e4\ninfo depth 2 score cp 50 lowerbound pv e2e4\nbestmove e2e4\n"
    assert len(read(text, QUIET, most=4)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "info depth 1 score mate 2 pv e4d5\nbestmove e4d5\n",
        "info depth 1 score cp 9 pv e4d5\ninfo depth 2 score cp 50 lowerbound pv e4d5\nbestmove e4d5\n",
        "info depth 1 score cp 9 pv e4e5\nbestmove e4d5\n",  # not the line of the best move
        "info depth 1 score cp 9\nbestmove e4d5\n",
        "info depth 1 score cp 9 pv (none)\nbestmove (none)\n",
        "info depth 1 score cp 9 pv e4d5 e8e1\nbestmove e4d5\n",  # no such move
    ],
)
def test_what_has_no_sure_end_is_left_out(text: str) -> None:
    heard = answers.read(said(text), rows(HANGING))
    assert heard.answers == 1
    assert not len(heard.positions)


def test_a_line_that_ends_in_check_is_left_out() -> None:
    fen = "3qk3/8/8/8/8/8/8/3RK3 w - - 0 1"
    assert not len(read("info depth 1 score cp 9 pv d1d8\nbestmove d1d8\n", fen))


def test_answers_go_with_the_positions_in_their_order() -> None:
    text = "info score cp 1 pv e2e3\nbestmove e2e3\ninfo score cp 2 pv e2e4\nbestmove e2e4\nbestmove e2e4\n"
    heard = answers.read(said(text), rows(QUIET, QUIET, QUIET, QUIET))
    assert heard.positions["score"].tolist() == [1, 2]
    assert (heard.answers, heard.wordless) == (3, 2)
