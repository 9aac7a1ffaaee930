"""Endgame tables at the root, against the three- and four-men tables where they are at hand."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import chess
import chess.syzygy
import pytest

from engine.syzygy import (
    BLESSED_LOSS,
    CURSED_WIN,
    DRAW,
    FIFTY_PLIES,
    LOSS,
    TABLE_WIN,
    WIN,
    RootRanks,
    Tables,
)

DATA = Path(__file__).parents[2] / "shared" / "data" / "syzygy"
WDL_MAGIC = chess.Board.tbw_magic or b""  # the head of a table, with nothing behind it

Folder = Callable[..., Path]


@pytest.fixture(scope="module")
def oracle() -> Iterator[chess.syzygy.Tablebase]:
    """The slow twin: python-chess, asked directly."""
    if not DATA.is_dir():
        pytest.skip("no endgame tables at hand")
    with chess.syzygy.open_tablebase(str(DATA)) as tables:
        yield tables


@pytest.fixture(scope="module")
def tables(oracle: chess.syzygy.Tablebase) -> Iterator[Tables]:
    opened = Tables(str(DATA))
    yield opened
    opened.close()


@pytest.fixture
def folder(oracle: chess.syzygy.Tablebase, tmp_path: Path) -> Folder:
    """Make a folder that holds only the tables named by patterns."""

    def make(name: str, *patterns: str) -> Path:
        made = tmp_path / name
        made.mkdir()
        for pattern in patterns:
            for table in DATA.glob(pattern):
                (made / table.name).symlink_to(table.resolve())
        return made

    return make


def rank(tables: Tables, board: chess.Board) -> RootRanks:
    """Of a board with its history, the way the driver asks."""
    ranks = tables.rank(board.root().fen(), board.chess960, [move.uci() for move in board.move_stack])
    assert ranks is not None
    return ranks


def positions(men: str, rng: Random) -> Iterator[chess.Board]:
    """Endless random legal positions with these men, White's in capitals."""
    while True:
        board = chess.Board(None)
        for square, man in zip(rng.sample(chess.SQUARES, len(men)), men, strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(man))
        board.turn = rng.choice(chess.COLORS)
        if board.is_valid() and any(board.legal_moves):
            yield board


def of_result(oracle: chess.syzygy.Tablebase, men: str, wdl: int, rng: Random) -> Iterator[chess.Board]:
    return (board for board in positions(men, rng) if oracle.probe_wdl(board) == wdl)


def children(board: chess.Board) -> Iterator[tuple[str, chess.Board]]:
    for move in board.legal_moves:
        after = board.copy()
        after.push(move)
        yield move.uci(), after


def play_out(tables: Tables, board: chess.Board, pick: Callable[[tuple[str, ...]], str]) -> chess.Board:
    """The side to move picks among its ranked moves, the other side defends as long as the tables can."""
    winner = board.turn
    while not (board.is_game_over() or board.is_fifty_moves() or board.is_repetition(3)):
        moves = rank(tables, board).moves
        board.push_uci(pick(moves) if board.turn == winner else moves[0])
    return board


@pytest.mark.parametrize("men", ["KQk", "KRk", "KBNk", "KPk", "KQkr", "KBBk"])
def test_a_won_ending_is_mated_before_fifty_moves(
    tables: Tables, oracle: chess.syzygy.Tablebase, men: str
) -> None:
    for board, _ in zip(of_result(oracle, men, WIN, Random(men)), range(2), strict=False):
        winner = board.turn
        ended = play_out(tables, board, lambda moves: moves[0])
        assert ended.is_checkmate()
        assert ended.turn != winner


@pytest.mark.parametrize("men", ["KQk", "KRk", "KBNk", "KPk"])
def test_any_choice_among_the_winning_moves_mates_too(
    tables: Tables, oracle: chess.syzygy.Tablebase, men: str
) -> None:
    rng = Random(men)
    assert play_out(tables, next(of_result(oracle, men, WIN, rng)), rng.choice).is_checkmate()


@pytest.mark.parametrize("spare", [0, 1, 5])
def test_a_win_that_the_fifty_move_clock_just_allows_is_brought_home(
    tables: Tables, oracle: chess.syzygy.Tablebase, spare: int
) -> None:
    rng = Random(spare)
    board = next(of_result(oracle, "KBNk", WIN, rng))
    board.halfmove_clock = FIFTY_PLIES - 1 - spare - oracle.probe_dtz(board)
    assert rank(tables, board).wdl == WIN
    assert play_out(tables, board, rng.choice).is_checkmate()


def test_a_win_too_late_for_the_fifty_move_clock_is_cursed_and_its_loss_is_blessed(
    tables: Tables, oracle: chess.syzygy.Tablebase
) -> None:
    for wdl, late, sign in ((WIN, CURSED_WIN, 1), (LOSS, BLESSED_LOSS, -1)):
        board = next(b for b in of_result(oracle, "KBNk", wdl, Random(7)) if sign * oracle.probe_dtz(b) > 30)
        assert rank(tables, board).wdl == wdl
        board.halfmove_clock = FIFTY_PLIES + 2 - sign * oracle.probe_dtz(board)
        assert rank(tables, board).wdl == late


@pytest.mark.parametrize("men", ["KPkp", "KQkp", "KRkn", "KRkr", "KQkq", "KNkp", "KBPk", "KPPk"])
def test_the_result_of_the_root_is_that_of_the_tables(
    tables: Tables, oracle: chess.syzygy.Tablebase, men: str
) -> None:
    for board, _ in zip(positions(men, Random(men)), range(25), strict=False):
        ranks = rank(tables, board)
        assert ranks.wdl == oracle.probe_wdl(board), board.fen()
        for move in ranks.moves:
            after = board.copy()
            after.push_uci(move)
            assert after.is_checkmate() or -oracle.probe_wdl(after) == ranks.wdl, (board.fen(), move)


@pytest.mark.parametrize("men", ["KRkr", "KQkq", "KPkp", "KBkn", "KRkb", "KPk"])
def test_a_drawn_position_stays_drawn_and_every_drawing_move_is_kept(
    tables: Tables, oracle: chess.syzygy.Tablebase, men: str
) -> None:
    rng = Random(men)
    board = next(of_result(oracle, men, DRAW, rng))
    for _ in range(30):
        if board.is_game_over():
            break
        ranks = rank(tables, board)
        drawing = {move for move, after in children(board) if oracle.probe_wdl(after) == DRAW}
        assert (ranks.wdl, ranks.plies, set(ranks.moves)) == (DRAW, 0, drawing)
        board.push_uci(rng.choice(ranks.moves))
        board = chess.Board(board.fen())  # without history: repetition has its own test


@pytest.mark.parametrize("men", ["KQkr", "KRk", "KQkp", "KBPk"])
def test_a_lost_position_is_defended_as_long_as_possible(
    tables: Tables, oracle: chess.syzygy.Tablebase, men: str
) -> None:
    for board, _ in zip(of_result(oracle, men, LOSS, Random(men)), range(10), strict=False):
        lasts = {move: oracle.probe_dtz(after) for move, after in children(board)}
        ranks = rank(tables, board)
        assert set(ranks.moves) == {move for move in lasts if lasts[move] == max(lasts.values())}
        assert ranks.plies == max(lasts.values()) + 1


def test_mate_at_once_is_kept_alone_though_a_capture_zeroes_as_soon(tables: Tables) -> None:
    ranks = tables.rank("7k/R7/6K1/8/8/8/8/b7 w - - 0 1", False, [])
    assert ranks == RootRanks(("a7a8",), WIN, 0)


def test_after_zeroing_the_winner_has_some_slack_and_later_none(tables: Tables) -> None:
    fresh = tables.rank("8/8/8/3k4/8/8/8/Q2RK3 w - - 0 1", False, [])
    stale = tables.rank("8/8/8/3k4/8/8/8/Q2RK3 w - - 40 60", False, [])
    assert stale == RootRanks(("a1d4",), WIN, 3)  # a queen for a shorter way: DTZ at its silliest
    assert fresh is not None
    assert fresh.moves[0] == "a1d4"
    assert len(fresh.moves) > 20


def test_the_slack_never_outlasts_the_fifty_move_clock(tables: Tables) -> None:
    fen = "8/8/8/3k4/8/8/8/2B1KN2 w - - {} 60"  # fifty-six plies to mate
    assert tables.rank(fen.format(44), False, []) == RootRanks(("e1e2",), WIN, 56)
    early, late = tables.rank(fen.format(20), False, []), tables.rank(fen.format(37), False, [])
    assert early is not None
    assert late is not None
    assert len(early.moves) > len(late.moves) > 1


def test_a_detour_that_a_rounded_distance_could_make_too_long_is_not_taken(tables: Tables) -> None:
    fen = "K7/8/8/2k5/4B3/8/8/7N w - - {} 60"  # sixty-two plies to mate, sixty-four by way of a7
    safe, doubtful = tables.rank(fen.format(35), False, []), tables.rank(fen.format(36), False, [])
    assert safe is not None
    assert doubtful is not None
    assert "a8a7" in safe.moves
    assert "a8a7" not in doubtful.moves


def test_a_winner_who_repeated_a_position_has_no_slack(tables: Tables) -> None:
    start, lap = "8/8/8/3k4/8/8/8/Q2RK3 w - - 0 1", ["e1e2", "d5e5", "e2e1", "e5d5"]
    repeated = tables.rank(start, False, lap)
    assert repeated == RootRanks(("a1d4",), WIN, 3)
    later = tables.rank(start, False, [*lap, "d1d2", "d5e6"])
    assert later == tables.rank("8/8/4k3/8/8/8/3R4/Q3K3 w - - 40 60", False, [])


def test_a_third_repetition_is_a_draw_that_a_winner_avoids_and_a_loser_takes(tables: Tables) -> None:
    start, lap = "8/8/8/8/8/3k4/8/R3K3 w - - 0 1", ["a1a2", "d3e3", "a2a1", "e3d3"]
    assert tables.rank(start, False, [*lap, *lap[:3]]) == RootRanks(("e3d3",), DRAW, 0)
    winner = tables.rank(start, False, [*lap, *lap])
    assert winner is not None
    assert winner.wdl == WIN
    assert tables.rank(start, False, [*lap, *lap], among=["a1a2"]) == RootRanks(("a1a2",), DRAW, 0)


def test_a_quiet_move_that_completes_fifty_moves_draws_and_a_pawn_move_still_wins(tables: Tables) -> None:
    fen = "8/2P5/8/8/8/8/7k/K7 w - - 99 120"
    assert tables.rank(fen, False, []) == RootRanks(("c7c8q", "c7c8r"), WIN, 1)
    assert tables.rank(fen, False, [], among=["a1b1"]) == RootRanks(("a1b1",), DRAW, 0)


def test_a_loser_who_captures_starts_the_fifty_moves_anew_and_stays_lost(tables: Tables) -> None:
    ranks = tables.rank("6Rk/8/8/8/8/3K4/8/2Q5 b - - 95 120", False, [], among=["h8g8"])
    assert ranks == RootRanks(("h8g8",), LOSS, 10)


def test_a_mate_on_the_hundredth_ply_still_counts(tables: Tables) -> None:
    ranks = tables.rank("7k/R7/6K1/8/8/8/8/8 w - - 99 120", False, [])
    assert ranks == RootRanks(("a7a8",), WIN, 0)


def test_the_moves_may_be_narrowed(tables: Tables) -> None:
    start = "8/8/8/3k4/8/8/8/R3K3 w - - 0 1"
    ranks = tables.rank(start, False, [], among=["a1a5", "e1d1"])
    assert ranks is not None
    assert set(ranks.moves) <= {"a1a5", "e1d1"}
    assert tables.rank(start, False, [], among=["h1h2"]) is None


def test_the_history_may_hold_castling_in_either_notation(tables: Tables) -> None:
    for castling, chess960 in (("e1g1", False), ("e1h1", False), ("e1h1", True)):
        ranks = tables.rank("8/8/8/8/8/3k4/8/4K2R w K - 0 1", chess960, [castling, "d3d4"])
        assert ranks is not None
        assert ranks.wdl == WIN


@pytest.mark.parametrize(
    "fen",
    [
        "8/8/8/8/8/3k4/8/4K2R w K - 0 1",
        "4k3/pp6/8/8/8/8/8/RR2K3 w - - 0 1",
        "7k/7p/7P/8/8/8/1q6/K7 w - - 0 1",
        "7k/8/6QK/8/8/8/8/8 b - - 0 1",
        "R6k/8/6K1/8/8/8/8/8 b - - 0 1",
    ],
    ids=["castling rights", "too many men", "too many until the only move", "stalemate", "checkmate"],
)
def test_what_the_tables_do_not_cover_has_no_ranks(tables: Tables, fen: str) -> None:
    assert tables.rank(fen, False, []) is None


def test_wdl_alone_keeps_every_winning_move_and_mates_at_once(folder: Folder) -> None:
    tables = Tables(str(folder("wdl", "*.rtbw")))
    won = tables.rank("8/8/8/3k4/8/8/8/Q3K3 w - - 40 60", False, [])
    mate = tables.rank("7k/R7/6K1/8/8/8/8/8 w - - 0 1", False, [])
    lost = tables.rank("8/8/8/3k4/8/8/8/Q3K3 b - - 0 1", False, [])
    assert won is not None
    assert lost is not None
    assert (won.wdl, won.plies, len(won.moves)) == (WIN, 1, 20)
    assert "a1d4" not in won.moves
    assert mate == RootRanks(("a7a8",), WIN, 0)
    assert (lost.wdl, len(lost.moves)) == (LOSS, 6)


def test_a_missing_dtz_table_falls_back_to_wdl(folder: Folder) -> None:
    tables = Tables(str(folder("some", "*.rtbw", "KRvK.rtbz")))
    queen = tables.rank("8/8/8/3k4/8/8/8/Q3K3 w - - 0 1", False, [])
    rook = tables.rank("8/8/8/3k4/8/8/8/R3K3 w - - 0 1", False, [])
    assert queen is not None
    assert rook is not None
    assert (queen.plies, rook.plies) == (1, 27)


def test_dtz_is_given_up_when_patience_runs_out(tables: Tables) -> None:
    fen, ticks = "8/8/8/3k4/8/8/8/R3K3 w - - 0 1", iter(range(100))
    hurried = tables.rank(fen, False, [], patience_ms=5_000, now=lambda: float(next(ticks)))
    patient = tables.rank(fen, False, [], patience_ms=5_000, now=lambda: 0.0)
    assert (
        next(ticks) == 7
    )  # asked once at the start and then before each move, until five seconds had passed
    assert hurried is not None
    assert patient is not None
    assert (hurried.wdl, hurried.plies) == (WIN, 1)
    assert (patient.wdl, patient.plies) == (WIN, 27)


def test_a_missing_table_of_a_successor_leaves_the_position_uncovered(folder: Folder) -> None:
    tables = Tables(str(folder("pawn", "KPvK.*")))
    assert tables.rank("8/2P1k3/8/8/8/8/8/K7 w - - 0 1", False, []) is None


def test_a_table_damaged_inside_leaves_the_position_uncovered(folder: Folder) -> None:
    broken = folder("broken", "K?vK.rtbw") / "KQvK.rtbw"
    head = broken.read_bytes()[:8]
    broken.unlink()
    broken.write_bytes(head + bytes(72))
    assert Tables(str(broken.parent)).rank("8/8/8/3k4/8/8/8/Q3K3 w - - 0 1", False, []) is None


def test_several_folders_are_one_set_of_tables(folder: Folder) -> None:
    wdl, dtz = folder("wdl", "K?vK.rtbw"), folder("dtz", "K?vK.rtbz")
    tables = Tables(os.pathsep.join([str(wdl), "", f" {dtz} "]))
    assert (tables.largest, tables.count) == (3, 10)
    ranks = tables.rank("8/8/8/3k4/8/8/8/R3K3 w - - 0 1", False, [])
    assert ranks is not None
    assert ranks.plies > 1


def test_the_most_men_covered_are_counted_with_their_kings(tables: Tables) -> None:
    assert tables.largest == 4


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="nowhere: No such file"):
        Tables(str(tmp_path / "nowhere"))


def test_a_file_in_place_of_a_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ValueError, match="file: Not a directory"):
        Tables(str(tmp_path / "file"))


def test_an_empty_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "readme.txt").write_text("no tables here")
    with pytest.raises(ValueError, match=f"no endgame tables in {tmp_path}"):
        Tables(str(tmp_path))


def test_one_bad_folder_among_good_ones_is_refused(folder: Folder, tmp_path: Path) -> None:
    good = folder("good", "K?vK.*")
    with pytest.raises(ValueError, match="nowhere"):
        Tables(f"{good}{os.pathsep}{tmp_path / 'nowhere'}")


@pytest.mark.parametrize("paths", ["", "  ", os.pathsep])
def test_no_folder_at_all_is_refused(paths: str) -> None:
    with pytest.raises(ValueError, match="no WDL tables"):
        Tables(paths)


@pytest.mark.parametrize("content", [b"", b"not a table at all", bytes(80), WDL_MAGIC + bytes(77)], ids=len)
def test_a_damaged_table_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "KQvK.rtbw").write_bytes(content)
    with pytest.raises(ValueError, match=r"damaged: .*KQvK\.rtbw"):
        Tables(str(tmp_path))


def test_dtz_without_any_wdl_is_refused(folder: Folder) -> None:
    dtz = folder("dtz", "*.rtbz")
    with pytest.raises(ValueError, match="no WDL tables"):
        Tables(str(dtz))


@pytest.mark.parametrize(
    ("wdl", "searched", "told"),
    [
        (WIN, 350, TABLE_WIN - 9),
        (WIN, 31_990, 31_990),
        (LOSS, -350, 9 - TABLE_WIN),
        (LOSS, -31_990, -31_990),
        (DRAW, 700, 0),
        (CURSED_WIN, 700, 1),
        (BLESSED_LOSS, -700, -1),
    ],
)
def test_the_score_told_is_a_found_mate_or_the_word_of_the_tables(wdl: int, searched: int, told: int) -> None:
    assert RootRanks(("a1a2",), wdl, 9).score(searched) == told
