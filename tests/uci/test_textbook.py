"""The textbook as a UCI program: every variant of Lichess through one pipe."""

import io
import subprocess
import sys

import chess
import chess.variant
import pytest

from engine.classic.uci import VARIANTS, Textbook


def told(*lines: str) -> list[str]:
    """What it answers to these lines; the end of input ends a search that still runs."""
    out = io.StringIO()
    Textbook(out).run(lines)
    return out.getvalue().splitlines()


def best(answers: list[str]) -> str:
    (line,) = (line for line in answers if line.startswith("bestmove"))
    return line.split()[1]


@pytest.mark.parametrize("variant", VARIANTS)
def test_it_answers_with_a_legal_move_in_every_variant(variant: str) -> None:
    answers = told(f"setoption name UCI_Variant value {variant}", "position startpos", "go depth 1")
    board = chess.variant.find_variant(variant)()
    assert board.is_legal(board.parse_uci(best(answers)))


def test_it_finds_a_mate_in_one() -> None:
    done = subprocess.run(
        [sys.executable, "-c", MATE_IN_ONE], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split() == ["a1a8", "#+1"]


MATE_IN_ONE = """
import sys, chess, chess.engine
with chess.engine.SimpleEngine.popen_uci([sys.executable, "-m", "engine.classic"]) as engine:
    board = chess.Board("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1")
    played = engine.play(board, chess.engine.Limit(depth=3), info=chess.engine.INFO_SCORE)
    print(played.move, played.info["score"].relative)
"""


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("setoption name UCI_Variant value tactics", "tactics"),
        ("setoption name Hash value 64", "Hash"),
        ("setoption name MoveOverhead value soon", "soon"),
        ("position startpos moves e2e5", "e2e5"),
        ("position fen nonsense", "nonsense"),
    ],
)
def test_what_it_does_not_understand_is_named(line: str, named: str) -> None:
    (answer,) = told(line)
    assert answer.startswith("info string")
    assert named in answer


def test_a_finished_game_has_no_move() -> None:
    answers = told("position startpos moves f2f3 e7e5 g2g4 d8h4", "go depth 2")
    assert best(answers) == "0000"
