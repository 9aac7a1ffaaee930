"""`krait lab datagen` as a whole: one file whatever happens on the way to it."""

import os
import signal
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from engine.lab import games
from engine.lab.cli import lab
from engine.lab.games import Filter

ROOT = Path(__file__).parents[2]
SCRIPT = Path(__file__).parent / "engines" / "reckoner.py"
EVERYTHING = Filter(quiet=False, max_score=29_000)


def reckoner(*words: object) -> list[str]:
    return ["--engine", " ".join(map(str, [sys.executable, SCRIPT, *words]))]


def told(out: Path, *words: str) -> list[str]:
    return ["datagen", "--out", str(out), "--max-plies", "24", *words]


def made(out: Path, *words: str, code: int = 0) -> str:
    """What was printed, in one line."""
    run = CliRunner().invoke(lab, told(out, *words))
    assert run.exit_code == code, run.output
    return " ".join(run.output.split())


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Twenty games of the reckoner, made in one go by one process."""
    out = tmp_path_factory.mktemp("whole") / "games.bin"
    made(out, *reckoner(), "--games", "20")
    return out.read_bytes()


def prefix(data: bytes, count: int) -> bytes:
    """The first games of a file."""
    at = 0
    for _ in range(count):
        at += 4 + 4 * int(struct.unpack_from("<H", data, at)[0])
    return data[:at]


def test_the_reader_reads_what_was_made(tmp_path: Path) -> None:
    out = tmp_path / "deep" / "games.bin"
    said = made(out, *reckoner(), "--games", "5")
    found = games.read(out, EVERYTHING)
    assert f"5 games, {len(found)} positions" in said
    assert len(set(found["game"])) == 5
    assert set(found["result"]) <= {0, 1, 2}


def test_the_number_of_processes_does_not_show(tmp_path: Path, whole: bytes) -> None:
    out = tmp_path / "games.bin"
    made(out, *reckoner(), "--games", "20", "--processes", "3")
    assert out.read_bytes() == whole


def test_another_seed_makes_other_games(tmp_path: Path, whole: bytes) -> None:
    out = tmp_path / "games.bin"
    made(out, *reckoner(), "--games", "1", "--seed", "2")
    assert out.read_bytes() != prefix(whole, 1)


def test_positions_are_enough_and_not_a_game_more(tmp_path: Path, whole: bytes) -> None:
    out = tmp_path / "games.bin"
    made(out, *reckoner(), "--positions", "100", "--processes", "2")
    data = out.read_bytes()
    counts = [len(games.read(out, EVERYTHING))]
    last = next(count for count in range(20) if prefix(whole, count) == data)
    out.write_bytes(prefix(whole, last - 1))
    counts.append(len(games.read(out, EVERYTHING)))
    assert counts[0] >= 100 > counts[1]


def test_our_own_engine_plays_in_process(tmp_path: Path) -> None:
    outs = [tmp_path / f"{processes}.bin" for processes in (1, 2)]
    for processes, out in enumerate(outs, 1):
        made(out, "--games", "4", "--nodes", "20", "--hash", "1", "--processes", str(processes))
    assert outs[0].read_bytes() == outs[1].read_bytes()
    assert len(games.read(outs[0], EVERYTHING)) > 20


# Broken off and taken up again


def test_a_run_goes_on_and_may_be_given_a_further_aim(tmp_path: Path, whole: bytes) -> None:
    out = tmp_path / "games.bin"
    made(out, *reckoner(), "--games", "7")
    assert out.read_bytes() == prefix(whole, 7)
    out.write_bytes(out.read_bytes()[:-5])
    said = made(out, *reckoner(), "--games", "20", "--processes", "2")
    assert "bytes of an unfinished game cut off" in said
    assert "going on after 6 games" in said
    assert out.read_bytes() == whole


def test_a_full_file_is_left_alone(tmp_path: Path) -> None:
    out = tmp_path / "games.bin"
    made(out, *reckoner(), "--games", "3")
    before = out.read_bytes()
    made(out, *reckoner(), "--games", "3")
    made(out, *reckoner(), "--games", "2")
    assert out.read_bytes() == before


@pytest.mark.e2e
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_killed_run_leaves_nobody_behind_and_goes_on(
    tmp_path: Path, whole: bytes, number: signal.Signals
) -> None:
    """The engines hold a pipe open; its end is the end of the last of them."""
    out, pipe = tmp_path / "games.bin", tmp_path / "pipe"
    os.mkfifo(pipe)
    words = told(out, *reckoner("tell", pipe), "--games", "20", "--processes", "2")
    command = [sys.executable, "-m", "bot", "lab", *words]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, start_new_session=True) as run:
        with pipe.open("rb", buffering=0) as games_begun:  # the engine asked for its name leaves at once
            assert games_begun.read() == b""
        with pipe.open("rb", buffering=0) as games_begun:
            seen = 0
            while seen < 8:
                seen += len(games_begun.read(1))
            run.send_signal(number)
            games_begun.read()
        run.wait()
        assert run.returncode == (-9 if number == signal.SIGKILL else 128 + number)
    left = out.read_bytes()
    assert left == whole[: len(left)]
    assert len(left) < len(whole)
    made(out, *reckoner(), "--games", "20")
    assert out.read_bytes() == whole


# Engines that fail


def test_the_game_of_a_crashed_engine_is_played_again(tmp_path: Path, whole: bytes) -> None:
    out = tmp_path / "games.bin"
    said = made(out, *reckoner("stumble", tmp_path / "done"), "--games", "6", "--processes", "2")
    assert "crash: exit code 3; played again by an engine started anew" in said
    assert out.read_bytes() == prefix(whole, 6)


def test_an_engine_that_always_crashes_ends_the_run(tmp_path: Path) -> None:
    said = made(tmp_path / "games.bin", *reckoner("crash"), "--games", "6", code=1)
    assert "game 0: 3 times the engine failed: crash: exit code 3" in said


def test_the_game_of_a_killed_worker_is_played_again(tmp_path: Path, whole: bytes) -> None:
    out = tmp_path / "games.bin"
    made(out, *reckoner("murder", tmp_path / "done"), "--games", "6", "--processes", "2")
    assert (tmp_path / "done").exists()
    assert out.read_bytes() == prefix(whole, 6)


def test_an_engine_unfit_for_the_recipe_ends_the_run(tmp_path: Path) -> None:
    said = made(tmp_path / "games.bin", *reckoner("wordless"), "--games", "1", code=1)
    assert "game 0: the engine moves without saying what it thinks of the position" in said


# Words that mean nothing


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--games", "1", "--engine", "no-such-engine"], "there is no program 'no-such-engine'"),
        (["--games", "1", "--engine", "'"], "No closing quotation"),
        (["--games", "1", "--engine", f"{sys.executable} -c 0"], "exit code 0"),
        (["--games", "1", *reckoner(), "--option", "Hash"], "expected NAME=VALUE"),
        (["--games", "1", *reckoner(), "--option", "Nets=1"], "it has no option 'Nets'"),
        (["--games", "1", *reckoner(), "--option", "Hash=65"], "must be in 1..64"),
        (["--games", "1", *reckoner(), "--option", "MultiPV=2"], "would be of another line"),
        (["--games", "1", "--option", "Hash=2"], "--option is for UCI engines"),
        (["--games", "1", "--positions", "5"], "either --games or --positions"),
        ([], "either --games or --positions"),
    ],
)
def test_what_cannot_work_is_refused_before_a_file_is_touched(
    tmp_path: Path, words: list[str], complaint: str
) -> None:
    assert complaint in made(tmp_path / "games.bin", *words, code=2)
    assert not list(tmp_path.iterdir())


def test_a_compressed_file_cannot_be_appended_to(tmp_path: Path) -> None:
    assert "games are written plain" in made(tmp_path / "games.bin.xz", "--games", "1", code=2)


@pytest.mark.parametrize(
    ("words", "difference"),
    [
        (["--nodes", "501"], "recipe nodes 500 there, 501 here"),
        (["--seed", "2"], "seed 1 there, 2 here"),
        (["--hash", "8"], "engine options Hash 4 there, 8 here"),
        (["--max-plies", "30"], "recipe rules max_plies 24 there, 30 here"),
    ],
)
def test_a_file_is_not_continued_with_other_settings(
    tmp_path: Path, words: list[str], difference: str
) -> None:
    out = tmp_path / "games.bin"
    made(out, *reckoner(), "--games", "1")
    assert difference in made(out, *reckoner(), "--games", "2", *words, code=2)


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    said = made(tmp_path / "file" / "games.bin", *reckoner(), "--games", "1", code=1)
    assert "file" in said
