"""Endgame tables: the fifty-move rule is kept in sight, and what is damaged is refused at the door."""

import random
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import chess
import chess.syzygy
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from bot.errors import ConfigError
from bot.sources.tablebase import CURSED_WIN, DRAW, LOSS, WIN, Tablebase
from tests.sources.asking import ask, question

FOLDER = Path(__file__).parents[3] / "shared" / "data" / "syzygy"
WON = "8/8/8/4k3/8/8/1Q6/1K6 b - - 0 1"
needs_tables = pytest.mark.skipif(not FOLDER.exists(), reason="the endgame tables are not on this machine")


@pytest.fixture
def tables() -> Iterator[Tablebase]:
    opened = Tablebase([FOLDER])
    yield opened
    opened.close()


@needs_tables
@pytest.mark.parametrize(
    "fen",
    [
        "8/8/8/8/4k3/8/8/1K1Q4 w - - 0 1",
        "8/8/8/4k3/8/8/8/KBN5 w - - 0 1",
        "8/8/8/8/8/1k6/p7/K2R4 w - - 0 1",
        "8/8/8/3K4/3P4/8/8/3k4 w - - 0 1",
    ],
)
def test_a_won_position_is_won_against_any_defence(fen: str, tables: Tablebase) -> None:
    """The defender throws dice; every position is asked anew, as in a game."""
    board, rng = chess.Board(fen), random.Random(5)
    moves: list[str] = []
    while not board.is_game_over(claim_draw=True):
        move = rng.choice(list(board.legal_moves))
        if board.turn:
            found = ask(tables, question(*moves, fen=fen))
            assert found is not None
            assert found.tablebase_wdl == WIN
            move = board.parse_uci(found.uci)
        board.push(move)
        moves.append(move.uci())
    assert board.is_checkmate()
    assert not board.turn


@needs_tables
def test_the_score_and_the_word_of_the_tables_come_with_the_move(tables: Tablebase) -> None:
    found = ask(tables, question(fen="8/8/8/8/4k3/8/8/1K1Q4 w - - 0 1"))
    assert found is not None
    assert found.source == "tablebase"
    assert found.score is not None
    assert found.score.as_cp > 19_000
    lost = ask(tables, question(fen="8/8/8/8/4k3/8/8/1K1Q4 b - - 0 1"))
    assert lost is not None
    assert lost.tablebase_wdl == LOSS


@needs_tables
def test_a_win_that_comes_too_late_is_a_draw(tables: Tablebase) -> None:
    fen = "8/8/8/4k3/8/8/8/KBN5 w - - {} 80"
    assert tables.probe(chess.Board(fen.format(0))) == WIN
    assert tables.probe(chess.Board(fen.format(90))) == CURSED_WIN


@needs_tables
@settings(max_examples=60, suppress_health_check=[HealthCheck.filter_too_much])
@given(st.permutations(range(64)), st.integers(0, 98), st.sampled_from(((3, 2), (4,), (5,), (1,))))
def test_no_move_throws_a_win_away_on_the_fifty_move_clock(
    squares: list[int], clock: int, pieces: tuple[int, ...]
) -> None:
    board = chess.Board(None)
    for square, (kind, white) in zip(
        squares, [(chess.KING, True), (chess.KING, False), *((kind, True) for kind in pieces)], strict=False
    ):
        board.set_piece_at(square, chess.Piece(kind, white))
    board.halfmove_clock = clock
    tables = _opened()
    assume(board.is_valid() and tables.probe(board) == WIN)
    found = ask(tables, question(fen=board.fen()))
    assert found is not None
    board.push_uci(found.uci)
    assert board.is_checkmate() or tables.probe(board) == LOSS


@cache
def _opened() -> Tablebase:
    return Tablebase([FOLDER])


@needs_tables
def test_a_winner_does_not_go_back_to_a_position_that_was_there(tables: Tablebase) -> None:
    fen = "8/4R3/6K1/8/1k6/8/8/8 w - - 0 1"
    first = ask(tables, question(fen=fen))
    again = ask(tables, question("e7d7", "b4c5", "d7e7", "c5b4", fen=fen))
    assert first is not None
    assert again is not None
    assert (first.uci, again.uci) == ("e7d7", "e7c7")


@needs_tables
def test_a_draw_that_several_moves_hold_is_left_to_the_engine(tables: Tablebase) -> None:
    fen = "8/8/8/4k3/8/8/8/KB6 w - - 0 1"
    assert tables.probe(chess.Board(fen)) == DRAW
    assert ask(tables, question(fen=fen)) is None


@needs_tables
def test_the_only_move_that_draws_is_played(tables: Tablebase) -> None:
    found = ask(tables, question(fen="8/1K6/8/8/2P5/k7/8/8 b - - 0 1"))
    assert found is not None
    assert (found.uci, found.tablebase_wdl) == ("a3b4", DRAW)


@needs_tables
@pytest.mark.parametrize(
    "fen", [chess.STARTING_FEN, "4k3/8/8/8/8/8/8/4K2R w K - 0 1"], ids=["too many men", "castling"]
)
def test_what_the_tables_do_not_cover_is_not_known(fen: str, tables: Tablebase) -> None:
    assert ask(tables, question(fen=fen)) is None
    assert tables.probe(chess.Board(fen)) is None


@needs_tables
def test_other_rules_need_other_tables(tables: Tablebase) -> None:
    assert ask(tables, question(fen=WON, variant="atomic")) is None


@needs_tables
def test_nobody_reads_tables_while_the_flag_falls(tables: Tablebase) -> None:
    assert ask(tables, question(fen="8/8/8/8/4k3/8/8/1K1Q4 w - - 0 1", left_ms=100)) is None


@needs_tables
def test_fewer_men_than_the_tables_have_can_be_asked_for() -> None:
    small = Tablebase([FOLDER], max_pieces=3)
    assert small.probe(chess.Board("8/8/8/4k3/8/8/8/KBN5 w - - 0 1")) is None
    small.close()


def test_a_folder_without_tables_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=f"none in {tmp_path}"):
        Tablebase([tmp_path])


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="nowhere cannot be read"):
        Tablebase([tmp_path / "nowhere"])


def test_a_damaged_table_is_named(tmp_path: Path) -> None:
    (tmp_path / "KQvK.rtbw").write_bytes(b"not a table")
    with pytest.raises(ConfigError, match=r"KQvK\.rtbw is damaged"):
        Tablebase([tmp_path])


@needs_tables
def test_a_table_damaged_inside_is_not_known_instead_of_an_error(tmp_path: Path) -> None:
    for name in ("KQvK.rtbw", "KQvK.rtbz"):
        whole = (FOLDER / name).read_bytes()
        (tmp_path / name).write_bytes(whole[:4] + b"\xff" * (len(whole) - 4))
    shutil.copy(FOLDER / "KRvK.rtbw", tmp_path)
    broken = Tablebase([tmp_path])
    assert ask(broken, question(fen="8/8/8/8/4k3/8/8/1K1Q4 w - - 0 1")) is None
    assert broken.probe(chess.Board("8/8/8/8/4k3/8/8/1K1R4 w - - 0 1")) is None
    broken.close()
