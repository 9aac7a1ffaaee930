"""The command line `krait`: answers on stdout, one line of complaint on stderr, no traceback for a typo."""

import subprocess
import sys
from pathlib import Path

import pytest

from bot import measure
from bot.__main__ import main
from engine.suite import Case, Result

ROOT = Path(__file__).parents[1]


def complaint(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """Run a command that must be refused; what it said on stderr, which is one line."""
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("krait: ")
    assert err.count("\n") == 1
    return err


def krait(*words: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    """Run the real program, from the real start."""
    command = [sys.executable, "-m", "bot", *words]
    return subprocess.run(
        command, input=typed, capture_output=True, text=True, encoding="utf-8", cwd=ROOT, check=False
    )


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in ("play", "eval", "bench", "suite", "lab"))


def test_no_command_is_answered_with_the_list_of_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert "play" in capsys.readouterr().out


def test_help_does_not_load_the_engine() -> None:
    code = "import sys; from bot.__main__ import main; main(['--help']); sys.exit('numba' in sys.modules)"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=ROOT, check=False).returncode
        == 0
    )


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("Krait ")


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("castle",), "castle"),
        (("play", "--elo", "9000"), "9000"),
        (("play", "--elo", "strong"), "--elo"),
        (("play", "--color", "green"), "green"),
        (("play", "--clock", "soon"), "5+3"),
        (("play", "--movetime", "0"), "--movetime"),
        (("play", "--fen", "rubbish"), "FEN"),
        (("play", "--fen", "8/8/8/8/8/8/8/8 w - - 0 1"), "no white king"),
        (("suite", "no-such-file.epd"), "no-such-file.epd"),
        (("suite",), "FILE.epd"),
        (("bench", "--fast"), "--fast"),
    ],
)
def test_what_the_user_got_wrong_is_one_line(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], reason: str
) -> None:
    assert reason in complaint(capsys, *words)


def test_a_suite_that_is_malformed_is_named_with_its_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "bad.epd"
    file.write_text("# a comment\nnonsense bm e4;\n", encoding="utf-8")
    assert "bad.epd:2" in complaint(capsys, "suite", str(file))


def test_an_illegal_position_is_not_judged(capsys: pytest.CaptureFixture[str]) -> None:
    assert complaint(capsys, "eval", "8/8/8/8/8/8/8/8", "w", "-", "-", "0", "1")


def test_eval_takes_a_position_quoted_or_not(capsys: pytest.CaptureFixture[str]) -> None:
    fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    assert main(["eval", fen]) == 0
    quoted = capsys.readouterr().out
    assert main(["eval", *fen.split()]) == 0
    assert capsys.readouterr().out == quoted
    assert main(["eval"]) == 0
    assert capsys.readouterr().out == quoted


def test_a_suite_is_counted_on_its_last_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "two.epd"
    file.write_text(
        '6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - bm Ra8#; id "mate";\n'
        '6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - am Ra8#; id "no mate";\n',
        encoding="utf-8",
    )
    assert main(["suite", str(file), "--nodes", "2000", "--hash", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "failed no mate: played a1a8, not a1a8"
    assert lines[-1] == "passed 1/2"


def test_a_failure_names_what_was_wanted() -> None:
    case = Case("WAC.1", "fen", frozenset({"a1a8", "a1a7"}), frozenset({"h2h4"}), 2)
    result = Result(1, 1, case, None, passed=False, settled_ms=None, score=0, nodes=1, seconds=1.0)
    assert measure.failure_text(result) == (
        "failed WAC.1: played nothing, wanted a1a7 or a1a8, not h2h4, wanted mate in 2"
    )


def test_stockfish_is_asked_for_the_same_positions(tmp_path: Path) -> None:
    stand_in = tmp_path / "stockfish"
    stand_in.write_text(
        f"#!{sys.executable}\nimport sys\nfens = open(sys.argv[5]).read().split(chr(10))\n"
        "sys.stderr.write(f'Nodes/second    : {len(fens) * 1000}')\n",
        encoding="utf-8",
    )
    stand_in.chmod(0o755)
    assert measure.stockfish_nps(str(stand_in), ("a", "b")) == 3000


def test_a_stockfish_that_says_nothing_is_not_believed(tmp_path: Path) -> None:
    stand_in = tmp_path / "stockfish"
    stand_in.write_text("#!/bin/sh\nexit 0\n", encoding="utf-8")
    stand_in.chmod(0o755)
    with pytest.raises(ValueError, match="no speed"):
        measure.stockfish_nps(str(stand_in), ())


@pytest.mark.e2e
def test_a_game_by_pipe_from_the_first_move_to_the_last_line() -> None:
    done = krait("play", "--movetime", "20", typed="e4\nrubbish\nundo\nd4\nresign\n")
    assert done.returncode == 0
    assert "Krait wins: resignation." in done.stdout
    assert done.stdout.rstrip().endswith("Good-bye.")
    assert "Traceback" not in done.stderr


@pytest.mark.e2e
def test_bytes_that_are_no_text_do_not_end_the_game() -> None:
    command = [sys.executable, "-m", "bot", "play", "--movetime", "20"]
    done = subprocess.run(command, input=b"\xff\xfe\x00\ne4\n", capture_output=True, cwd=ROOT, check=False)
    assert done.returncode == 0
    assert b"1. e4" in done.stdout


@pytest.mark.e2e
def test_krait_plays_chess960_by_the_clock_at_a_chosen_strength() -> None:
    done = krait("play", "--chess960", "--clock", "1+0", "--elo", "1200", "--color", "black", typed="moves\n")
    assert done.returncode == 0
    assert "Krait (1200) plays" in done.stdout
    assert 'Variant "Chess960"' in done.stdout


@pytest.mark.e2e
def test_the_lab_is_mounted() -> None:
    done = krait("lab", "--help")
    assert done.returncode == 0
    assert "match" in done.stdout


@pytest.mark.e2e
def test_a_wrong_word_for_the_lab_is_refused_as_anywhere_else() -> None:
    done = krait("lab", "mach")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
