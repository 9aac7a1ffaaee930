"""Whole matches through the command line, between engines that misbehave on request."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import chess.pgn
import pytest
from typer.testing import CliRunner

from engine.lab.cli import lab

ROOT = Path(__file__).parents[2]
SCRIPT = Path(__file__).parent / "engines" / "scripted.py"
BOOK = """4k3/8/8/8/8/8/4P3/4K3 w - - 0 1
4k3/4p3/8/8/8/8/8/4K3 w - - 0 1
"""


def words(*behaviours: str) -> list[str]:
    engines = [f"name={each.split()[0]} cmd='{sys.executable} {SCRIPT} {each}'" for each in behaviours]
    return ["match", "--engine", engines[0], "--engine", engines[1]]


def play(folder: Path, engines: tuple[str, str], *options: str) -> tuple[dict[str, Any], str]:
    """The JSON result and what was printed."""
    out = folder / "result.json"
    limit = () if "--tc" in options or "--movetime" in options else ("--nodes", "1")
    run = CliRunner().invoke(lab, [*words(*engines), *limit, *options, "--json", str(out)])
    assert run.exit_code == 0, run.output
    return json.loads(out.read_text()), run.output


def refused(*arguments: str) -> str:
    run = CliRunner().invoke(lab, arguments)
    assert run.exit_code == 2
    return " ".join(run.output.split())


def games(path: Path) -> list[chess.pgn.Game]:
    read = []
    with path.open() as stream:
        while (game := chess.pgn.read_game(stream)) is not None:
            assert not game.errors
            read.append(game)
    return read


def test_two_engines_play_and_everything_agrees(tmp_path: Path) -> None:
    pgn = tmp_path / "games.pgn"
    result, output = play(
        tmp_path, ("random", "wordless"), "--games", "6", "-c", "2", "--max-plies", "60", "--pgn", str(pgn)
    )
    played = games(pgn)
    assert len(played) == result["games"] == 6
    assert result["wins"] + result["draws"] + result["losses"] == 6
    assert sum(result["pairs"]) == 3
    assert sum(result["endings"].values()) == 6
    assert result["ended_by"] == "all games played"
    assert f"+{result['wins']} ={result['draws']} -{result['losses']}" in output.splitlines()[-1]
    for engine in result["engines"]:
        assert (engine["faults"], engine["warnings"]) == ({}, {})


def test_every_opening_is_played_with_both_colours(tmp_path: Path) -> None:
    (tmp_path / "book.epd").write_text(BOOK)
    pgn = tmp_path / "games.pgn"
    play(
        tmp_path, ("random", "wordless"), "--games", "4", "--max-plies", "8", "--order", "sequential",
        "--openings", str(tmp_path / "book.epd"), "--pgn", str(pgn),
    )  # fmt: skip
    seen = [(game.headers["Round"], game.headers["White"], game.headers["FEN"]) for game in games(pgn)]
    first, second = BOOK.splitlines()
    assert seen == [
        ("1.1", "random", first),
        ("1.2", "wordless", first),
        ("2.1", "random", second),
        ("2.2", "wordless", second),
    ]


def test_the_moves_of_a_pgn_opening_are_played_first(tmp_path: Path) -> None:
    (tmp_path / "book.pgn").write_text('[Event "x"]\n\n1. e4 c5 2. Nf3 *\n')
    pgn = tmp_path / "games.pgn"
    play(
        tmp_path, ("random", "random"), "--games", "2", "--max-plies", "7", "--pgn", str(pgn),
        "--openings", str(tmp_path / "book.pgn"),
    )  # fmt: skip
    for game in games(pgn):
        moves = [move.uci() for move in game.mainline_moves()]
        assert moves[:3] == ["e2e4", "c7c5", "g1f3"]
        assert len(moves) == 7
        assert [bool(node.comment) for node in game.mainline()] == [False] * 3 + [True] * 4


def test_two_engines_of_one_name_are_told_apart(tmp_path: Path) -> None:
    result, _ = play(tmp_path, ("random", "random"), "--games", "1", "--max-plies", "2")
    assert [engine["name"] for engine in result["engines"]] == ["random-1", "random-2"]


@pytest.mark.parametrize(
    ("behaviour", "kind"),
    [
        ("crash", "crash"),
        ("leave", "disconnect"),
        ("close", "disconnect"),
        ("illegal", "illegal move"),
        ("silent", "illegal move"),
    ],
)
def test_a_fault_loses_is_named_and_the_engine_comes_back(tmp_path: Path, behaviour: str, kind: str) -> None:
    result, output = play(tmp_path, (behaviour, "random"), "--games", "2")
    assert (result["wins"], result["draws"], result["losses"]) == (0, 0, 2)
    assert [engine["faults"] for engine in result["engines"]] == [{kind: 2}, {}]
    assert f"{behaviour}: faults {kind} 2" in output
    assert f"game 1: {behaviour} loses by {kind}" in output


def test_an_engine_that_hangs_loses_and_is_killed(tmp_path: Path) -> None:
    options = ("--games", "1", "--grace", "0.2", "--search-patience", "0.1")
    result, _ = play(tmp_path, ("hang", "random"), *options)
    assert result["losses"] == 1
    assert result["engines"][0]["faults"] == {"hang": 1}


@pytest.mark.parametrize("limit", [("--tc", "0.05+0"), ("--movetime", "50")])
def test_an_engine_that_answers_late_loses_on_time(tmp_path: Path, limit: tuple[str, str]) -> None:
    pgn = tmp_path / "games.pgn"
    options = (*limit, "--games", "1", "--margin", "1", "--pgn", str(pgn))
    result, _ = play(tmp_path, ("late", "random"), *options)
    assert result["losses"] == 1
    assert result["engines"][0]["faults"] == {"time forfeit": 1}
    assert games(pgn)[0].headers["Termination"] == "time forfeit"


def test_a_search_without_a_clock_that_does_not_end_by_itself_is_a_hang(tmp_path: Path) -> None:
    result, _ = play(tmp_path, ("late", "random"), "--games", "1", "--search-patience", "0.05")
    assert result["engines"][0]["faults"] == {"hang": 1}


@pytest.mark.parametrize(
    ("behaviour", "warning"),
    [("liar", "illegal move in pv"), ("babbler", "bestmove without go"), ("mumbler", "unreadable info")],
)
def test_small_sins_are_counted_and_cost_nothing(tmp_path: Path, behaviour: str, warning: str) -> None:
    result, output = play(tmp_path, ("random", behaviour), "--games", "1", "--max-plies", "6")
    assert result["draws"] == 1
    assert list(result["engines"][1]["warnings"]) == [warning]
    assert f"{behaviour}: faults none; warnings {warning}" in output


def test_scores_both_agree_on_end_the_game(tmp_path: Path) -> None:
    result, _ = play(
        tmp_path, ("random 900", "wordless"), "--games", "1", "--max-plies", "40", "--resign", "moves=1"
    )
    assert result["endings"] == {"adjudication: too long": 1}
    result, _ = play(tmp_path, ("random 900", "slow -900"), "--games", "2", "--resign", "moves=2,score=900")
    assert (result["wins"], result["as_white"], result["as_black"]) == (2, [1, 0, 0], [1, 0, 0])


def test_quiet_scores_end_the_game_as_a_draw(tmp_path: Path) -> None:
    result, _ = play(tmp_path, ("random", "slow"), "--games", "2", "--draw", "after=3,moves=2,score=0")
    assert result["endings"] == {"adjudication: both see a draw": 2}


@pytest.mark.parametrize(("engines", "verdict"), [(("random", "crash"), "H1"), (("crash", "random"), "H0")])
def test_a_sprt_stops_the_match_when_it_is_decided(
    tmp_path: Path, engines: tuple[str, str], verdict: str
) -> None:
    options = ("--games", "1000", "--sprt", "elo0=-200,elo1=200,alpha=0.2,beta=0.2")
    result, output = play(tmp_path, engines, *options)
    assert result["games"] < 100
    assert result["sprt"]["verdict"] == verdict
    assert f"SPRT accepts {verdict}" in output


def test_fischer_random_games_castle_and_are_read_back(tmp_path: Path) -> None:
    (tmp_path / "book.epd").write_text("4k3/8/8/8/8/8/8/1R3KR1 w GB - 0 1\n")
    pgn = tmp_path / "games.pgn"
    options = (
        "--games",
        "2",
        "--max-plies",
        "30",
        "--openings",
        str(tmp_path / "book.epd"),
        "--pgn",
        str(pgn),
    )
    result, _ = play(tmp_path, ("random", "wordless"), *options, "--chess960")
    assert result["games"] == 2
    assert {game.headers["Variant"] for game in games(pgn)} == {"Chess960"}


def test_tablebases_end_a_game_that_they_know(tmp_path: Path) -> None:
    tables = ROOT.parent / "shared" / "data" / "syzygy"
    if not tables.is_dir():
        pytest.skip("the shared tables are not on this machine")
    (tmp_path / "book.epd").write_text("7k/8/8/8/8/8/8/KQ6 w - - 0 1\n")
    options = ("--games", "2", "--openings", str(tmp_path / "book.epd"), "--tablebases", str(tables))
    result, _ = play(tmp_path, ("random", "wordless"), *options)
    assert result["endings"] == {"adjudication: tablebase": 2}
    assert (result["as_white"], result["as_black"]) == ([1, 0, 0], [0, 0, 1])


def test_an_engine_that_cannot_be_started_ends_the_match(tmp_path: Path) -> None:
    run = CliRunner().invoke(lab, ["match", "-e", "cmd=./no-such-engine", "-e", "cmd=x", "--nodes", "1"])
    assert run.exit_code == 1
    assert "no-such-engine" in run.output


def test_a_bad_opening_ends_the_match_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "book.epd").write_text("nonsense\n")
    run = CliRunner().invoke(
        lab, [*words("random", "random"), "--nodes", "1", "--openings", str(tmp_path / "book.epd")]
    )
    assert run.exit_code == 1
    assert "book.epd:1" in run.output


def test_words_that_make_no_match_are_refused() -> None:
    two = words("random", "random")
    assert "given twice" in refused("match", "-e", "cmd=x", "--nodes", "1")
    assert "no limit" in refused(*two)
    assert "time control 'x'" in refused(*two, "--tc", "x")
    assert "--order" in refused(*two, "--nodes", "1", "--order", "sideways")
    assert "below elo1" in refused(*two, "--nodes", "1", "--sprt", "elo0=5,elo1=0")
    assert "unknown key 'elo'" in refused(*two, "--nodes", "1", "--sprt", "elo=5")
    assert "no-such-book.epd" in refused(*two, "--nodes", "1", "--openings", "no-such-book.epd")
    assert "no Syzygy tables" in refused(*two, "--nodes", "1", "--tablebases", str(SCRIPT.parent))


@pytest.mark.e2e
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_match_prints_the_result_so_far(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    pgn, out = tmp_path / "games.pgn", tmp_path / "result.json"
    options = ["--nodes", "1", "--games", "100000", "--max-plies", "4", "--report", "1", "-c", "2"]
    command = [sys.executable, "-m", "engine.lab", *words("random", "wordless"), *options]
    with subprocess.Popen(
        [*command, "--pgn", str(pgn), "--json", str(out)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as match:
        assert match.stdout
        while not match.stdout.readline().startswith("3/100000"):
            assert match.poll() is None
        match.send_signal(number)
        rest = match.stdout.read()
    assert match.returncode == code
    result = json.loads(out.read_text())
    assert result["ended_by"] == "interrupted"
    assert f"{result['games']} games, interrupted" in rest
    assert len(games(pgn)) == result["games"] >= 3
    for engine in result["engines"]:
        assert engine["faults"] == {}
