"""The file of self-play: whole games only, one run only, one writer only."""

import errno
import json
import struct
import tempfile
from pathlib import Path
from random import Random
from typing import Any

import chess
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.lab import gamefile, games
from engine.lab.gamefile import FileError, GameFile, notes_of, survey
from engine.lab.selfplay import GOING_ON, Game, Thought, move_named

SETTINGS: dict[str, Any] = {"seed": 1, "recipe": {"nodes": 500}}


def record(seed: int) -> bytes:
    """A random game of 5 to 40 plies, two of them without a score."""
    dice, board, game = Random(seed), chess.Board(), Game()
    for ply in range(dice.randint(5, 40)):
        move = dice.choice(list(board.legal_moves))
        board.push(move)
        game.push(Thought(move_named(move.uci()), None if ply < 2 else dice.randint(-900, 900)))
        if game.state != GOING_ON:
            break
    return game.record("1/2-1/2", 2)


RECORDS = [record(seed) for seed in range(8)]
WHOLE = b"".join(RECORDS)
ENDS = [sum(map(len, RECORDS[:count])) for count in range(len(RECORDS) + 1)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "games.bin"
    with GameFile(made, SETTINGS) as file:
        for each in RECORDS:
            file.append(each)
    return made


def surveyed(data: bytes) -> gamefile.Extent:
    return survey(np.frombuffer(data, np.uint8))


def test_what_is_appended_is_there_and_counted(path: Path) -> None:
    assert path.read_bytes() == WHOLE
    positions = sum((len(each) - 4) // 4 - 2 for each in RECORDS)
    with GameFile(path, SETTINGS) as file:
        assert (file.games, file.positions, file.cut) == (8, positions, 0)
    assert len(games.read(path, games.Filter(quiet=False))) == positions


@given(st.integers(0, len(WHOLE)))
def test_a_file_cut_at_any_byte_keeps_its_whole_games_and_no_other(size: int) -> None:
    kept = sum(end <= size for end in ENDS[1:])
    extent = surveyed(WHOLE[:size])
    assert (extent.games, extent.size) == (kept, ENDS[kept])


@settings(max_examples=40)
@given(st.integers(0, len(WHOLE) - 1))
def test_a_broken_run_goes_on_as_if_nothing_had_been(size: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "games.bin"
        GameFile(path, SETTINGS).close()
        path.write_bytes(WHOLE[:size])
        with GameFile(path, SETTINGS) as file:
            assert file.cut == size - ENDS[file.games]
            for each in RECORDS[file.games :]:
                file.append(each)
        assert path.read_bytes() == WHOLE


@pytest.mark.parametrize("zeros", [1, 3, 4, 8, 400])
def test_zeros_that_a_crash_of_the_machine_left_are_no_games(zeros: int) -> None:
    """The reader would take four zero bytes for a game without moves."""
    assert surveyed(WHOLE + bytes(zeros)) == surveyed(WHOLE)


def test_a_last_game_with_an_illegal_move_is_cut_off() -> None:
    broken = RECORDS[7][:4] + struct.pack("<Hh", move_named("a1a8"), 5) + RECORDS[7][8:]
    assert surveyed(WHOLE[: ENDS[7]] + broken).games == 7


def test_a_game_of_which_nothing_is_scored_ends_the_games() -> None:
    plies = (len(RECORDS[7]) - 4) // 4
    unscored = RECORDS[7][:3] + bytes([plies]) + RECORDS[7][4:]
    assert surveyed(WHOLE[: ENDS[7]] + unscored).games == 7


def test_a_result_that_cannot_be_ends_the_games() -> None:
    unknown = RECORDS[7][:2] + b"\x03" + RECORDS[7][3:]
    assert surveyed(WHOLE[: ENDS[7]] + unknown).games == 7


def test_damage_in_the_middle_is_not_cut_but_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gamefile, "REPAIR_MOST", 10)
    damaged = WHOLE[: ENDS[2]] + b"\xff" * 4 + WHOLE[ENDS[2] + 4 :]
    path.write_bytes(damaged)
    with pytest.raises(FileError, match=f"damaged at offset {ENDS[2]}, .*keeps the 2 games before"):
        GameFile(path, SETTINGS)
    assert path.read_bytes() == damaged


def test_other_settings_are_refused_and_named(path: Path) -> None:
    other = {"seed": 2, "recipe": {"nodes": 700}}
    with pytest.raises(FileError, match="recipe nodes 500 there, 700 here, seed 1 there, 2 here"):
        GameFile(path, other)
    assert path.read_bytes() == WHOLE
    assert json.loads(notes_of(path).read_text()) == SETTINGS


def test_games_of_unknown_origin_are_refused(path: Path) -> None:
    notes_of(path).unlink()
    with pytest.raises(FileError, match=r"it is not empty, and no games.bin.json says how it was made"):
        GameFile(path, SETTINGS)


def test_settings_that_cannot_be_read_are_refused(path: Path) -> None:
    notes_of(path).write_text("{")
    with pytest.raises(FileError, match=r"games.bin.json: not readable"):
        GameFile(path, SETTINGS)


def test_an_empty_file_takes_new_settings(tmp_path: Path) -> None:
    path = tmp_path / "games.bin"
    GameFile(path, SETTINGS).close()
    GameFile(path, {"seed": 2}).close()
    assert json.loads(notes_of(path).read_text()) == {"seed": 2}


def test_two_runs_do_not_write_to_one_file(path: Path) -> None:
    with GameFile(path, SETTINGS), pytest.raises(FileError, match="another run is writing to it"):
        GameFile(path, SETTINGS)


class FullDisk:
    """Takes so many bytes more, a few at a time."""

    def __init__(self, file: Any, room: int) -> None:
        self.file, self.room = file, room

    def write(self, data: bytes) -> int:
        if not self.room:
            raise OSError(errno.ENOSPC, "No space left on device")
        taken = min(7, self.room, len(data))
        self.room -= taken
        return int(self.file.write(data[:taken]))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.file, name)


def test_a_full_disk_leaves_whole_games_and_says_where(tmp_path: Path) -> None:
    path = tmp_path / "games.bin"
    with GameFile(path, SETTINGS) as file:
        file._file = FullDisk(file._file, ENDS[2] + 11)  # type: ignore[assignment]
        file.append(RECORDS[0])
        file.append(RECORDS[1])
        with pytest.raises(OSError, match=r"No space left on device: .*games.bin"):
            file.append(RECORDS[2])
        assert file.games == 2
    assert path.read_bytes() == WHOLE[: ENDS[2]]
