"""What an opening is called."""

from pathlib import Path

import chess
import pytest

from bot.errors import ConfigError
from bot.store.openings import Opening, own_openings, read_openings

OWN = own_openings()
SHARED = Path(__file__).parents[3] / "shared" / "data" / "names"


def test_every_line_of_our_own_can_be_played() -> None:
    for line in OWN._lines:
        board = chess.Board()
        for san in line:
            move = board.parse_san(san)
            assert board.san(move) == san
            board.push(move)


def test_every_first_move_has_a_name() -> None:
    board = chess.Board()
    assert all(OWN.find([board.san(move)]) for move in board.legal_moves)


def test_the_longest_line_names_the_game() -> None:
    moves = ["e4", "c5", "Nf3", "d6", "d4", "cxd4", "Nxd4", "Nf6", "Nc3", "a6", "Be3", "e5"]
    assert OWN.find(moves) == Opening("B90", "Sicilian Defense: Najdorf Variation")
    assert OWN.find(moves[:2]) == Opening("B20", "Sicilian Defense")


def test_what_has_no_name_has_none() -> None:
    assert OWN.find([]) is None
    assert OWN.find(["Kxe9"]) is None


def test_names_can_be_read_from_a_folder(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("eco\tname\tpgn\nA00\tMine\t1. a3 a6 2. a4\n\n", encoding="utf-8")
    (tmp_path / "b.tsv").write_text("name\tuci\tpgn\teco\nYours\tx\t1.e4\tB00\n", encoding="utf-8")
    names = read_openings(tmp_path)
    assert names.find(["a3", "a6", "a4", "a5"]) == Opening("A00", "Mine")
    assert names.find(["e4"]) == Opening("B00", "Yours")
    assert names.longest == 3


@pytest.mark.parametrize("text", ["", "eco\tname\n", "eco\tname\tpgn\nA00\tshort\n"])
def test_a_table_that_is_none_is_refused_by_its_name(tmp_path: Path, text: str) -> None:
    (tmp_path / "bad.tsv").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"bad\.tsv"):
        read_openings(tmp_path)


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no \.tsv file"):
        read_openings(tmp_path / "nowhere")


@pytest.mark.skipif(not SHARED.exists(), reason="the names of lichess.org are not beside the project")
def test_the_names_of_lichess_can_be_read() -> None:
    names = read_openings(SHARED)
    assert len(names) > 3000
    assert names.find(["e4", "e5", "Nf3", "Nc6", "Bc4", "Bc5", "b4"]) == Opening(
        "C51", "Italian Game: Evans Gambit"
    )
