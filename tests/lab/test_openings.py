"""Opening books in every form they come in."""

import gzip
import itertools
import zipfile
from pathlib import Path

import chess
import pytest

from engine.lab import openings
from engine.lab.openings import Opening, OpeningError

ITALIAN = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3"
EPD = f"""# two positions
{" ".join(ITALIAN.split()[:4])} hmvc 3; fmvn 3; id "Italian";

rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2
"""
PGN = """[Event "one"]
[Result "*"]

1. e4 e5 {a comment
[%eval 0.3] over two lines} 2. Nf3 *

[Event "two"]
[FEN "4k3/8/8/8/8/8/8/4K2R w K - 0 1"]
[SetUp "1"]

1. O-O *
"""
SHARED = Path(__file__).parents[2].parent / "shared" / "data" / "openings"


def book(folder: Path, name: str, text: str, *, chess960: bool = False) -> openings.Book:
    (folder / name).write_text(text)
    return openings.load(folder / name, chess960)


def test_epd_lines_become_positions(tmp_path: Path) -> None:
    read = book(tmp_path, "x.epd", EPD)
    assert len(read) == 2
    assert read[0] == Opening(ITALIAN, ())
    assert read[1].fen.endswith("w KQkq - 0 2")


def test_pgn_games_become_moves_from_their_start(tmp_path: Path) -> None:
    read = book(tmp_path, "x.pgn", PGN)
    assert len(read) == 2
    assert read[0] == Opening(chess.STARTING_FEN, ("e2e4", "e7e5", "g1f3"))
    assert read[1] == Opening("4k3/8/8/8/8/8/8/4K2R w K - 0 1", ("e1g1",))


def test_a_zip_and_a_gz_read_like_the_plain_file(tmp_path: Path) -> None:
    plain = book(tmp_path, "x.pgn", PGN)
    with zipfile.ZipFile(tmp_path / "x.pgn.zip", "w") as archive:
        archive.writestr("x.pgn", PGN)
    (tmp_path / "x.pgn.gz").write_bytes(gzip.compress(PGN.encode()))
    for name in ("x.pgn.zip", "x.pgn.gz"):
        packed = openings.load(tmp_path / name)
        assert [packed[n] for n in range(len(packed))] == [plain[n] for n in range(len(plain))]


def test_an_archive_with_two_files_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("a.epd", EPD)
        archive.writestr("b.epd", EPD)
    with pytest.raises(OpeningError, match="one file"):
        openings.load(tmp_path / "x.zip")


@pytest.mark.parametrize("name", ["none.epd", "none.pgn.zip", "none.gz"])
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(OpeningError, match=name):
        openings.load(tmp_path / name)


@pytest.mark.parametrize("name", ["x.zip", "x.gz"])
def test_a_broken_archive_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"nonsense")
    with pytest.raises(OpeningError, match=name):
        openings.load(tmp_path / name)


def test_an_empty_book_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OpeningError, match="no openings"):
        book(tmp_path, "x.epd", "# nothing\n")


@pytest.mark.parametrize(
    "line",
    [
        "hello",
        "8/8/8/8/8/8/8/8 w - - 0 1",
        "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",  # stalemate: nothing to play
    ],
)
def test_a_bad_position_is_refused_with_its_line(tmp_path: Path, line: str) -> None:
    with pytest.raises(OpeningError, match=r"x\.epd:2: "):
        book(tmp_path, "x.epd", f"# head\n{line}\n")[0]


def test_an_illegal_move_in_a_game_is_refused_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(OpeningError, match=r"x\.pgn:1: .*Ke4"):
        book(tmp_path, "x.pgn", '[Event "x"]\n\n1. Ke4 *\n')[0]


def test_fischer_castling_rights_survive(tmp_path: Path) -> None:
    fen = "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1"
    assert book(tmp_path, "x.epd", fen, chess960=True)[0].fen == fen
    shredder = fen.replace("KQkq", "HFhf")
    assert book(tmp_path, "x.epd", shredder, chess960=True)[0].fen == fen


def test_the_same_seed_draws_the_same_order_and_every_opening_once() -> None:
    first = list(itertools.islice(openings.order(10, 7), 20))
    assert first == list(itertools.islice(openings.order(10, 7), 20))
    assert sorted(first[:10]) == sorted(first[10:]) == list(range(10))
    assert first != list(itertools.islice(openings.order(10, 8), 20))


def test_in_order_means_from_the_start_asked_for_and_round() -> None:
    assert list(itertools.islice(openings.order(4, None, 2), 6)) == [2, 3, 0, 1, 2, 3]


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared books are not on this machine")
@pytest.mark.parametrize(
    ("name", "size"),
    [("8moves_v3.pgn.zip", 34_700), ("FRC_openings.epd.zip", 960), ("noob_3moves.epd.zip", 150_932)],
)
def test_the_shared_books_are_read_whole(name: str, size: int) -> None:
    read = openings.load(SHARED / name, chess960=name.startswith("FRC"))
    assert len(read) == size
    assert read[0] != read[size - 1]
