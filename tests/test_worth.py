"""What each man is worth to the net: found by taking him away, told in pawns, colours fair."""

import chess
import pytest

from engine import evaluation, meaning, net, worth
from engine.core import nnue
from engine.core.jit import Record
from tests.core.positions import board_of

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
CHECKED = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"


@pytest.fixture(scope="module")
def eye() -> Record:
    made = evaluation.new_evaluator()
    nnue.reset(made, net.shipped())
    return made


@pytest.mark.parametrize("fen", [chess.STARTING_FEN, KIWIPETE, CHECKED])
def test_a_man_s_worth_is_what_the_score_loses_without_him(eye: Record, fen: str) -> None:
    board, slow = board_of(fen), chess.Board(fen)
    found = worth.worths(board, eye, net.shipped())
    whole = worth.net_score(board, eye, net.shipped())
    for square, value in found.items():
        gone = slow.copy()
        gone.remove_piece_at(square)
        gone.clear_stack()
        gone.castling_rights, gone.ep_square = 0, None
        assert whole - worth.net_score(board_of(gone.fen()), eye, net.shipped()) == value
    assert set(found) == {s for s, man in slow.piece_map().items() if man.piece_type != chess.KING}


def test_a_queen_is_worth_more_than_any_pawn_to_her_own_side(eye: Record) -> None:
    found = worth.worths(board_of(chess.STARTING_FEN), eye, net.shipped())
    assert found[chess.D1] > max(found[square] for square in range(8, 16)) > 0
    assert found[chess.D8] < min(found[square] for square in range(48, 56)) < 0


def test_the_picture_shows_every_man_over_his_worth(eye: Record) -> None:
    board = board_of("4k3/8/8/8/8/8/3Q4/4K3 w - - 0 1")
    lines = worth.picture(board, {chess.D2: 912}).splitlines()
    above = next(i for i, line in enumerate(lines) if line.startswith(" 2 |"))
    assert lines[above].split("|")[4].strip() == "Q"
    assert lines[above + 1].split("|")[4].strip() == "+9.12"
    assert len({len(line) for line in lines[:-1]}) == 1


def test_the_description_names_the_side_to_move(eye: Record) -> None:
    text = worth.describe(board_of(chess.STARTING_FEN.replace(" w ", " b ")), eye, net.shipped())
    assert text.endswith("pawns for Black, to move")


def test_the_score_is_told_in_the_pawns_of_the_uci_lines(eye: Record) -> None:
    board = board_of(KIWIPETE)
    score = meaning.of(board["pieces"]).shown(worth.net_score(board, eye, net.shipped()))
    assert f"net        {score / 100:+.2f} pawns for White" in worth.describe(board, eye, net.shipped())


def test_without_a_net_there_is_nothing_to_show(eye: Record) -> None:
    assert worth.describe(board_of(chess.STARTING_FEN), eye, net.without()) == "no net is in use"
