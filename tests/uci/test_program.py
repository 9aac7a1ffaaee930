"""The real program over real pipes, and under python-chess's driver."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import PIPE
from typing import TYPE_CHECKING

import chess
import chess.engine
import pytest

from engine.options import OPTIONS

if TYPE_CHECKING:
    from tests.uci.conftest import Program

pytestmark = pytest.mark.e2e

COMMAND = [sys.executable, "-m", "engine"]
ROOT = Path(__file__).parents[2]
PATIENCE_S = 100.0  # the first start on a machine compiles
SWIFT = chess.engine.Limit(nodes=3_000)
CHESS960 = "nqbnrkrb/pppppppp/8/8/8/8/PPPPPPPP/NQBNRKRB w KQkq - 0 1"
CASTLES = "4k3/pppppppp/8/8/8/8/PPPPPPPP/4K2R w K - 0 1"


def run(*arguments: str, said: str = "", cache: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments],
        input=said,
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=PATIENCE_S,
        check=True,
        env=os.environ | ({"KRAIT_CACHE_DIR": str(cache)} if cache else {}),
    )


def play(driver: chess.engine.SimpleEngine, board: chess.Board, limit: chess.engine.Limit) -> chess.Move:
    move = driver.play(board, limit).move
    assert move
    assert move in board.legal_moves
    return move


@pytest.fixture
def driver() -> Iterator[chess.engine.SimpleEngine]:
    with chess.engine.SimpleEngine.popen_uci(COMMAND, timeout=PATIENCE_S, cwd=ROOT) as driver:
        yield driver


def test_a_game_can_be_played_through_python_chess(driver: chess.engine.SimpleEngine) -> None:
    board = chess.Board()
    for _ in range(12):
        played = driver.play(board, SWIFT, game="first", info=chess.engine.INFO_ALL)
        assert played.move
        assert played.move in board.legal_moves
        assert played.info["depth"] >= 1
        assert played.info["pv"][0] == played.move
        board.push(played.move)


def test_clocks_are_obeyed_down_to_nothing(driver: chess.engine.SimpleEngine) -> None:
    for left_s in (1.0, 0.05, 0.0):
        limit = chess.engine.Limit(white_clock=left_s, black_clock=left_s, white_inc=0.01, black_inc=0.01)
        assert play(driver, chess.Board(), limit) in chess.Board().legal_moves


def test_python_chess_reads_every_option(driver: chess.engine.SimpleEngine) -> None:
    assert set(driver.options) == {option.name for option in OPTIONS}
    for ours in OPTIONS:
        theirs = driver.options[ours.name]
        if theirs.type == "spin":
            assert (theirs.default, theirs.min, theirs.max) == (ours.default, ours.low, ours.high)
    driver.configure({"Hash": 8, "Threads": 2, "MoveOverhead": 30, "Clear Hash": None})
    assert driver.play(chess.Board(), SWIFT).move


def test_several_lines_have_several_first_moves(driver: chess.engine.SimpleEngine) -> None:
    lines = driver.analyse(chess.Board(), SWIFT, multipv=4)
    assert len({line["pv"][0] for line in lines}) == 4
    scores = [line["score"].relative for line in lines]
    assert scores == sorted(scores, reverse=True)


def test_more_lines_than_moves_are_as_many_as_there_are_moves(driver: chess.engine.SimpleEngine) -> None:
    board = chess.Board("7k/8/8/8/8/8/6q1/K7 w - - 0 1")
    assert len(driver.analyse(board, chess.engine.Limit(depth=3), multipv=250)) == board.legal_moves.count()


def test_a_mate_is_announced_in_moves(driver: chess.engine.SimpleEngine) -> None:
    board = chess.Board("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1")
    found = driver.analyse(board, chess.engine.Limit(depth=4))
    assert found["score"].relative == chess.engine.Mate(1)
    board.push_uci("a1b1")
    board.push_uci("h7h6")
    assert driver.analyse(board, chess.engine.Limit(depth=4))["score"].relative < chess.engine.Mate(1)


def test_a_mate_is_searched_for_by_number(driver: chess.engine.SimpleEngine) -> None:
    board = chess.Board("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1")
    assert driver.play(board, chess.engine.Limit(mate=2)).move == chess.Move.from_uci("a1a6")


def test_only_the_moves_asked_for_are_searched(driver: chess.engine.SimpleEngine) -> None:
    only = chess.Move.from_uci("a2a3")
    assert driver.play(chess.Board(), SWIFT, root_moves=[only]).move == only


def test_odds_are_shown_when_asked_for(driver: chess.engine.SimpleEngine) -> None:
    driver.configure({"UCI_ShowWDL": True})
    assert driver.analyse(chess.Board(), SWIFT)["wdl"].relative.total() == 1000


def test_a_weaker_engine_plays_legal_moves(driver: chess.engine.SimpleEngine) -> None:
    driver.configure({"UCI_LimitStrength": True, "UCI_Elo": 1000})
    board = chess.Board()
    for _ in range(10):
        board.push(play(driver, board, chess.engine.Limit(time=1.0)))


def test_an_endless_analysis_goes_on_until_it_is_stopped(driver: chess.engine.SimpleEngine) -> None:
    with driver.analysis(chess.Board()) as analysis:
        for info in analysis:
            if info.get("depth", 0) >= 5:
                break
    assert driver.play(chess.Board(), SWIFT).move


def test_the_same_process_serves_chess_and_chess960(driver: chess.engine.SimpleEngine) -> None:
    for board in (chess.Board(CHESS960, chess960=True), chess.Board(), chess.Board(CHESS960, chess960=True)):
        for _ in range(6):
            board.push(play(driver, board, SWIFT))


def test_a_game_that_is_over_has_no_move(driver: chess.engine.SimpleEngine) -> None:
    mated = chess.Board("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3")
    assert driver.play(mated, SWIFT).move is None
    with driver.analysis(mated) as analysis:
        analysis.stop()
        assert analysis.wait().move is None


def test_pondering_through_python_chess() -> None:
    async def story() -> None:
        transport, driver = await chess.engine.popen_uci(COMMAND, cwd=ROOT)
        board = chess.Board()
        async with asyncio.timeout(PATIENCE_S):
            for surprise in (False, True, False):
                played = await driver.play(board, SWIFT, ponder=True)
                assert played.move
                board.push(played.move)
                expected = played.ponder if played.ponder and not surprise else next(iter(board.legal_moves))
                board.push(expected)
            await driver.quit()
        transport.close()

    asyncio.run(story())


def test_both_castling_notations_are_read_and_the_chosen_one_is_written(
    program: "Callable[..., Program]",
) -> None:
    talk = program()
    for chess960, written in (("false", "e1g1"), ("true", "e1h1")):
        talk.say(f"setoption name UCI_Chess960 value {chess960}")
        for read in ("e1g1", "e1h1"):
            talk.say(f"position fen {CASTLES} moves {read}")
            assert talk.sync() == []
        talk.say(f"position fen {CASTLES}", "go perft 1")
        assert f"{written}: 1" in talk.until("Nodes searched")


def test_perft_counts(program: "Callable[..., Program]") -> None:
    talk = program()
    talk.say("position startpos moves e2e4", "go perft 3")
    lines = talk.until("Nodes searched")
    assert lines[-2:] == ["", "Nodes searched: 13160"]
    assert len(lines) == 22


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("position startpos moves e2e4 e7e5 e4e5 g1f3", "e4e5"),
        ("position startpos moves e2e4 rubbish", "rubbish"),
        ("position fen 8/8/8/8/8/8/8/8 w - - 0 1", "king"),
        ("position fen rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", ""),
        ("position fen", ""),
        (b"position fen \xff\x00 w", ""),
    ],
)
def test_a_position_that_is_refused_is_explained_and_changes_nothing(
    program: "Callable[..., Program]", line: str | bytes, named: str
) -> None:
    talk = program()
    talk.say("position startpos moves d2d4", "d")
    before = talk.sync()
    talk.say(line, "d")
    remark, *after = talk.sync()
    assert remark.startswith("info string position")
    assert named in remark
    assert after == before


def test_an_illegal_move_is_named_with_its_place(program: "Callable[..., Program]") -> None:
    talk = program()
    talk.say("position startpos moves e2e4 e7e5 e4e5")
    (remark,) = talk.sync()
    assert "e4e5" in remark
    assert "3" in remark


@pytest.mark.parametrize("leave", ["quit", "hang up"])
def test_the_program_leaves_in_the_middle_of_a_search(program: "Callable[..., Program]", leave: str) -> None:
    talk = program()
    talk.say("go infinite")
    talk.until("info depth")
    if leave == "quit":
        talk.say("quit")
    else:
        talk.hang_up()
    assert talk.rest()[-1].startswith("bestmove ")
    assert talk.exit_code() == 0


def test_the_program_leaves_while_it_compiles(program: "Callable[..., Program]", tmp_path: Path) -> None:
    talk = program(KRAIT_CACHE_DIR=str(tmp_path))
    talk.say("uci", "isready", "go infinite")
    talk.until("uciok")
    talk.hang_up()
    assert talk.rest() == []
    assert talk.exit_code() == 0


def test_an_interrupt_ends_the_program_without_a_traceback() -> None:
    with subprocess.Popen(COMMAND, cwd=ROOT, stdin=PIPE, stdout=PIPE, stderr=PIPE) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdin.write(b"isready\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"readyok\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_S) == 130
        assert process.stderr.read() == b""


def test_a_listener_who_has_gone_ends_the_program_quietly() -> None:
    with subprocess.Popen(COMMAND, cwd=ROOT, stdin=PIPE, stdout=PIPE, stderr=PIPE) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdin.write(b"isready\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"readyok\n"
        process.stdout.close()
        process.stdin.write(b"go infinite\n")
        process.stdin.flush()
        assert process.wait(PATIENCE_S) == 0
        assert process.stderr.read() == b""


def test_a_long_game_of_shuffling_is_no_trouble(program: "Callable[..., Program]") -> None:
    talk = program()
    talk.say("position startpos moves" + " g1f3 g8f6 f3g1 f6g8" * 2_000)
    talk.sync()
    assert talk.ask("go depth 2", "bestmove") != "bestmove (none)"


def test_megabytes_and_bytes_of_all_kinds_are_survived(program: "Callable[..., Program]") -> None:
    talk = program()
    for line in (b"x" * 2_000_000, bytes(range(11, 256)) * 4, b"\0" * 1000, b"go " * 300_000):
        talk.say(line)
    talk.say(b"position startpos moves " + b"e2e4 " * 200_000, "stop")
    talk.sync()
    talk.until("bestmove")


def test_a_second_process_starts_from_the_compiled_code_of_the_first(
    program: "Callable[..., Program]",
) -> None:
    """A literal in a recursive call compiled well, and the next process that loaded the code aborted."""
    first = program("warm")
    assert first.exit_code() == 0
    for _ in range(2):
        talk = program()
        assert talk.ask("go depth 4", "bestmove") != "bestmove (none)"
        talk.say("quit")
        assert talk.exit_code() == 0


@pytest.mark.slow
def test_a_cold_start_reports_on_stderr_and_a_warm_one_is_silent(tmp_path: Path) -> None:
    cold = run("warm", cache=tmp_path)
    assert cold.stdout == ""
    assert "krait: compiling" in cold.stderr
    assert len(cold.stderr.splitlines()) <= 6
    warm = run(cache=tmp_path, said="uci\nisready\ngo depth 3\n")
    assert warm.stderr == ""
    assert warm.stdout.splitlines()[-1].startswith("bestmove ")


@pytest.mark.parametrize(("flag", "said"), [("--help", "warm"), ("--version", "Krait ")])
def test_the_command_line_explains_itself(flag: str, said: str) -> None:
    assert said in run(flag).stdout
