"""Branches of games and their scores: legal, quiet, reproducible, and never torn."""

import struct
import sys
from pathlib import Path

import chess
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from engine.core.packed import NO_RESULT, POSITION
from engine.lab import games, label, positions
from engine.lab.branches import branch, offsets_of, write_fen
from engine.lab.games import GamesError
from engine.lab.label import LabelError, Options
from tests.core.positions import Game, board_of
from tests.core.positions import games as random_games

RECKONER = (sys.executable, str(Path(__file__).parent / "engines" / "reckoner.py"))
RUY = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f8e7 f1e1 b7b5 a4b3 d7d6"
LINE = RUY.split()


def encoded(line: list[str], result: int = 1, opening: int = 2) -> bytes:
    """A game in the lab's format, every scored move worth its ply."""
    body = b""
    for ply, text in enumerate(line):
        move = chess.Move.from_uci(text)
        score = games.NO_SCORE if ply < opening else ply
        body += struct.pack("<Hh", move.from_square | move.to_square << 6, score)
    return struct.pack("<HBB", len(line), result, opening) + body


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "games.bin"
    path.write_bytes(b"".join(encoded(LINE[: 6 + n % 8]) for n in range(900)))
    return path


def options(file: Path, out: str, **more: int) -> Options:
    return Options((file,), file.parent / out, RECKONER, **more)


def run(chosen: Options) -> bytes:
    label.run(chosen, Console(stderr=True, quiet=True))
    return chosen.out.read_bytes()


@given(random_games)
def test_a_written_fen_is_the_position(game: Game) -> None:
    board = game.slow()
    for _, text in game.walk():
        board.push_uci(text)
    if board.fen().split()[2] not in chess.Board(board.fen()).fen():
        return  # a castling right of Fischer's chess: games of the lab have none
    page = np.zeros(120, np.uint8)
    end = int(write_fen(board_of(board.fen(en_passant="legal")), page, 0))
    written = page[:end].tobytes().decode()
    assert written == " ".join(board.fen(en_passant="legal").split()[:4]) + "\n"


def test_a_branch_is_one_legal_move_away_that_was_not_played() -> None:
    data = np.frombuffer(encoded(LINE), np.uint8)
    found = branch(data, offsets_of(data), seed=3, share=1.0)
    near, board = set(), chess.Board()
    for ply, text in enumerate(LINE):
        for move in board.legal_moves:
            if ply >= 2 and move.uci() != text:
                board.push(move)
                near.add(" ".join(board.fen(en_passant="legal").split()[:4]))
                board.pop()
        board.push_uci(text)
    assert found.fens
    assert {fen.decode() for fen in found.fens} <= near
    assert set(found.positions["result"]) == {NO_RESULT}


def test_more_random_moves_lead_further_off() -> None:
    data = np.frombuffer(encoded(LINE) * 2, np.uint8)
    near = branch(data, offsets_of(data), 1, 1.0)
    far = branch(data, offsets_of(data), 1, 1.0, moves=2)
    assert set(far.fens) - set(near.fens)
    assert all(chess.Board(f"{fen.decode()} 0 1").is_valid() for fen in far.fens)


def test_branches_stay_with_their_game() -> None:
    data = np.frombuffer(encoded(LINE) + encoded(LINE[:8]), np.uint8)
    both = branch(data, offsets_of(data), 1, 1.0).positions
    assert len(set(both["game"])) == 2


def test_the_file_does_not_depend_on_the_number_of_processes(file: Path) -> None:
    assert run(options(file, "one.pos", processes=1)) == run(options(file, "two.pos", processes=2))


def test_the_folder_of_a_new_file_is_made(file: Path) -> None:
    assert run(options(file, "new/folder/1.pos"))


def test_a_run_that_was_cut_short_goes_on_to_the_same_file(file: Path) -> None:
    whole = run(options(file, "whole.pos"))
    part = options(file, "part.pos", positions=1)
    assert run(part) != whole
    with part.out.open("ab") as torn:
        torn.write(b"half a posit")
    assert run(part._replace(positions=None)) == whole


def test_other_settings_are_not_mixed_into_a_file(file: Path) -> None:
    run(options(file, "a.pos", positions=1))
    with pytest.raises(LabelError, match="other settings"):
        run(options(file, "a.pos", seed=2))


def test_only_quiet_positions_with_a_score_are_kept(file: Path) -> None:
    run(options(file, "a.pos"))
    found = positions.read(file.parent / "a.pos")
    assert len(found)
    assert np.abs(found["score"]).max() <= 90  # what the reckoner says


@pytest.mark.parametrize("behaviour", ["crash", "wordless"])
def test_an_engine_that_fails_is_named(file: Path, behaviour: str) -> None:
    with pytest.raises(LabelError, match=r"engine ended|no score for"):
        run(options(file, "a.pos")._replace(engine=(*RECKONER, behaviour)))


def test_a_file_of_positions_that_is_torn_is_refused_with_the_offset(tmp_path: Path) -> None:
    path = tmp_path / "torn.pos"
    positions.cut(path, 0)
    positions.append(path, np.zeros(2, POSITION))
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(GamesError, match=r"torn\.pos.*offset 48"):
        positions.read(path)


def test_what_is_no_file_of_positions_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.pos"
    path.write_bytes(b"something else altogether")
    with pytest.raises(GamesError, match="KRAITPOS"):
        positions.read(path)
    with pytest.raises(GamesError, match="not a file of positions"):
        positions.cut(path, 0)


@given(st.integers(2, 32), st.integers(0, 32))
def test_a_bare_king_is_known_by_the_colours_of_the_men(men: int, black: int) -> None:
    black = min(max(black, 1), men - 1)
    row = np.zeros(1, POSITION)
    row["occupied"] = (1 << men) - 1
    for n in range(men):
        row["men"][0, n >> 1] |= (11 if n < black else 5) << 4 * (n & 1)
    kept = positions._passes(row, games.QUIET._replace(bare=False))
    assert bool(kept[0]) == (black > 1 and men - black > 1)
