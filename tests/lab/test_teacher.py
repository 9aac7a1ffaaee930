"""The net inside Stockfish: our kernels say of a position what the program itself says."""

import re
import shutil
import subprocess
from pathlib import Path

import chess
import numpy as np
import pytest
from rich.console import Console

from engine.core.packed import POSITION, pack
from engine.lab import label, positions, teacher
from engine.lab.branches import branch, offsets_of, settle
from engine.lab.games import Positions
from engine.lab.label import Options
from engine.lab.teacher import Teacher, TeacherError
from engine.notation import TABLES
from tests.core.positions import board_of
from tests.lab.test_label import LINE, encoded

STOCKFISH = shutil.which("stockfish") or shutil.which("stockfish", path="/usr/games")
FENS = (
    "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "8/5k2/8/3K4/8/2P5/8/8 b - - 0 1",
    "2r3k1/5pp1/p3p2p/1p1bP3/3P4/PB3P2/1P4PP/2R3K1 b - - 0 1",
    "1k6/8/8/8/8/8/Q7/5K2 w - - 0 1",
)


def packed(*fens: str) -> Positions:
    rows = np.zeros(len(fens), POSITION)
    for row, fen in zip(rows, fens, strict=True):
        pack(board_of(fen), row)
    return rows


@pytest.fixture(scope="module")
def net() -> Teacher:
    if STOCKFISH is None:
        pytest.skip("no Stockfish here")
    try:
        return teacher.read(Path(STOCKFISH))
    except TeacherError as error:
        pytest.skip(f"another Stockfish: {error}")


def test_the_kernel_says_what_the_program_says(net: Teacher) -> None:
    asked = "".join(f"position fen {fen}\neval\n" for fen in FENS)
    said = subprocess.run(
        [str(STOCKFISH)], input=f"{asked}quit\n", capture_output=True, text=True, check=True
    ).stdout
    told = [float(number) for number in re.findall(r"NNUE evaluation +([-+.\d]+) ", said)]
    ours = teacher.scores(packed(*FENS), net, raw=True) / 100
    assert len(told) == len(FENS)
    assert np.abs(ours - told).max() <= 0.011  # both are rounded


def test_what_stockfish_makes_of_its_net_is_made_of_it_here_too(net: Teacher) -> None:
    """Small scores only: a large one is blended with the classical evaluation there."""
    asked = "".join(f"position fen {fen}\neval\n" for fen in FENS[:3])
    said = subprocess.run(
        [str(STOCKFISH)], input=f"{asked}quit\n", capture_output=True, text=True, check=True
    ).stdout
    told = [float(number) for number in re.findall(r"Final evaluation +([-+.\d]+) ", said)]
    assert np.abs(teacher.scores(packed(*FENS[:3]), net) / 100 - told).max() <= 0.03


def test_a_mirrored_position_has_the_negated_score(net: Teacher) -> None:
    mirrored = [chess.Board(fen).mirror().fen() for fen in FENS]
    assert (teacher.scores(packed(*FENS), net) + teacher.scores(packed(*mirrored), net) == 0).all()


def test_a_program_without_the_net_is_refused_by_name(tmp_path: Path) -> None:
    program = tmp_path / "other"
    program.write_bytes(b"no net here")
    with pytest.raises(TeacherError, match=r"other: no net of Stockfish 15"):
        teacher.read(program)
    program.write_bytes(
        teacher.VERSION.to_bytes(4, "little") + teacher.HASH.to_bytes(4, "little") + b"\0" * 99
    )
    with pytest.raises(TeacherError, match="offset 0 is cut short"):
        teacher.read(program)


@pytest.mark.parametrize(
    ("fen", "after"),
    [
        ("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1", "4k3/8/8/3P4/8/8/8/4K3 b - - 0 1"),  # a queen for nothing
        ("4k3/8/4p3/3p4/4P3/8/8/4K3 w - - 0 1", None),  # pawn for pawn gains nothing
        ("8/4P3/8/8/8/7k/8/K7 w - - 0 1", "4Q3/8/8/8/8/7k/8/K7 b - - 0 1"),
    ],
)
def test_exchanges_that_win_something_are_played_out(fen: str, after: str | None) -> None:
    board = board_of(fen)
    assert settle(TABLES, board) == (0 if after is None else 1)
    assert board["key"] == board_of(after or fen)["key"]


def test_what_ends_in_check_does_not_settle_and_is_taken_back() -> None:
    fen = "k6r/8/8/8/8/7Q/2K5/8 w - - 0 1"  # the rook is taken with check
    board = board_of(fen)
    assert settle(TABLES, board) == -1
    assert board["key"] == board_of(fen)["key"]


def test_settled_branches_are_no_checks_and_have_nothing_to_win() -> None:
    data = np.frombuffer(encoded(LINE) * 3, np.uint8)
    found = branch(data, offsets_of(data), 1, 1.0, 2, settled=True)
    assert len(found.positions)
    for fen in found.fens:
        assert not chess.Board(f"{fen.decode()} 0 1").is_check()
        assert settle(TABLES, board_of(f"{fen.decode()} 0 1")) == 0


def test_a_run_without_nodes_asks_the_net_whatever_the_number_of_threads(
    tmp_path: Path, net: Teacher
) -> None:
    games = tmp_path / "games.bin"
    games.write_bytes(encoded(LINE) * 900)
    files = []
    for threads in (1, 2):
        out = tmp_path / f"{threads}.pos"
        label.run(
            Options((games,), out, (str(STOCKFISH),), nodes=0, processes=threads),
            Console(stderr=True, quiet=True),
        )
        files.append(out.read_bytes())
    assert files[0] == files[1]
    found = positions.read(tmp_path / "1.pos")
    assert (found["score"] == teacher.scores(found, net)).all()
