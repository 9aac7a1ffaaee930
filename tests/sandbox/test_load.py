"""The load test itself: what it plays, what it counts, and how `krait bench` shows it."""

import asyncio
import subprocess
import sys

import chess
import pytest

from bot import measure
from bot.sandbox.load import PLIES, Job, Report, _goes_on, long_line
from bot.sandbox.load import measure as play
from bot.sandbox.load_client import Bot, Meter
from tests.sandbox.serving import Box, run

TINY = Job(games=3, plies=12, flat_out_s=60, paced_s=60, think_s=0, keep_alive_s=3600)


def test_every_move_of_every_game_reaches_both_players() -> None:
    report = asyncio.run(play(TINY))
    assert report.moves == 3 * 12
    assert len(report.flat_out_ms) == 2 * report.moves
    assert report.lines_lost == 0


def test_a_run_ends_with_its_time_in_the_middle_of_its_games() -> None:
    job = Job(games=2, plies=300, flat_out_s=0.0, paced_s=0.0, think_s=3600, keep_alive_s=3600)
    report = asyncio.run(play(job))
    assert report.lines_lost == 0


def test_a_keep_alive_is_counted_with_the_gap_before_it() -> None:
    job = Job(games=1, plies=40, flat_out_s=60, paced_s=0.0, think_s=0, keep_alive_s=0.001)
    report = asyncio.run(play(job))
    assert report.keep_alives > 0
    assert report.longest_gap_s > 0


def test_a_line_that_was_never_read_is_found() -> None:
    async def story(box: Box) -> None:
        meter = Meter(box.world)
        white, black = (Bot(name, box.url, box.http, meter) for name in ("White0", "Black0"))
        white.game_id = black.game_id = box.start("White0", "Black0")
        box.play(white.game_id, "e2e4", "e7e5")
        white._seen = {0, 2}
        assert white.lines_lost() == 1
        assert meter.moves == 2

    run(story)


@pytest.mark.parametrize("seed", [0, 1])
def test_a_line_is_legal_and_no_game_is_over_on_the_way(seed: int) -> None:
    board = chess.Board()
    for uci in long_line(seed, PLIES):
        board.push_uci(uci)
        assert not board.is_game_over()
        assert not board.is_fifty_moves()


def test_a_move_that_ends_the_game_or_brings_it_round_again_is_not_in_a_line() -> None:
    board = chess.Board()
    for san in ("f3", "e5", "g4"):
        board.push_san(san)
    assert not _goes_on(board, chess.Move.from_uci("d8h4"))
    assert _goes_on(board, chess.Move.from_uci("d8g5"))
    for uci in ("d8e7", "g1h3", "e7d8", "h3g1") * 2:
        board.push_uci(uci)
    assert not _goes_on(board, chess.Move.from_uci("d8e7"))


def test_the_figures_are_told_in_few_lines() -> None:
    report = Report(2, 100, 50.0, 0.5, [1.0, 2.0], [0.5], 4.0, 8, 0, 7.01, 0)
    text = "\n".join(report.text())
    for figure in ("50 moves/s", "50% of", "p50 1.0 ms", "p99 2.0", "8, 0 late", "7.01 s", "lost: 0"):
        assert figure in text


def test_what_was_not_measured_is_not_made_up() -> None:
    assert "not measured" in "\n".join(Report(0).text())


def test_the_bench_tells_why_the_sandbox_could_not_be_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    failed = subprocess.CompletedProcess([sys.executable], 1, "", "Traceback\nOSError: no sockets\n")
    monkeypatch.setattr(subprocess, "run", lambda *_args, **_kwargs: failed)
    told = measure._measured("bot.sandbox.load", "sandbox")
    assert told == ["sandbox could not be measured: OSError: no sockets"]
