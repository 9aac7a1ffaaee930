"""The tuner counts what the engine adds up, finds known weights again, and writes what the engine reads."""

from pathlib import Path
from random import Random

import chess
import numpy as np
import pytest
from rich.console import Console
from typer.testing import CliRunner

from engine import evaluation
from engine.core import endgame, evaluate
from engine.core.board import new_board
from engine.core.packed import POSITION, pack
from engine.core.terms import OFFSET, SIZE
from engine.lab import logistic, shaping, tune_eval
from engine.lab.cli import lab
from engine.lab.counts import Matrix, matrix_of
from engine.lab.games import Positions
from engine.lab.logistic import Lesson, Settings
from engine.notation import TABLES, set_fen
from tests.lab.test_games import random_game, written

PAIRS = np.zeros((0, 2), np.int64)
FREE = Settings(epochs=40, batch=250, rate=0.03, decay=0.0, smooth=0.0)
FEW = 12  # weights of the made-up regression


def silent(epoch: int, mean: float, weights: logistic.Weights) -> None:
    """Nobody watches."""


def some_positions(games: int = 8) -> tuple[list[str], Positions]:
    """Positions without check of random games, as text and packed."""
    fens: list[str] = []
    for seed in range(games):
        board = chess.Board()
        for text in random_game(seed):
            board.push_uci(text)
            if not board.is_check() and all(chess.popcount(men) > 1 for men in board.occupied_co):
                fens.append(f"{board.board_fen()} {'w' if board.turn else 'b'} - - 0 1")
    positions = np.zeros(len(fens), POSITION)
    board_record = new_board()
    for fen, row in zip(fens, positions, strict=True):
        set_fen(board_record, fen)
        pack(board_record, row)
    return fens, positions


def made_up(rows: int, weights: logistic.Weights) -> Lesson:
    """A lesson whose targets are exactly what `weights` say."""
    rng = np.random.default_rng(5)
    entries = np.sort(rng.permuted(np.tile(np.arange(FEW), (rows, 1)), axis=1)[:, :5], axis=1)
    scales = np.full((rows, 2), endgame.FULL_SCALE, np.int8)
    matrix = Matrix(
        np.arange(rows + 1) * 5,
        entries.ravel().astype(np.int16),
        rng.choice([-2, -1, 1, 2], rows * 5).astype(np.int8),
        rng.integers(0, evaluate.FULL_PHASE + 1, rows).astype(np.int8),
        scales,
        np.arange(rows),
    )
    return Lesson(matrix, logistic.chance(logistic.predict(matrix, weights)).astype(np.float32))


def hidden_weights() -> logistic.Weights:
    weights = np.zeros((SIZE, 2))
    weights[:FEW] = np.random.default_rng(3).normal(0, 0.5, (FEW, 2))
    return weights


def test_counts_times_weights_is_the_evaluation() -> None:
    fens, positions = some_positions()
    matrix, evaluator = matrix_of(positions), evaluation.new_evaluator()
    board = new_board()
    predicted = logistic.predict(matrix, evaluation.load_weights().astype(np.float64))
    assert len(matrix) == len(fens) > 300
    for fen, value in zip(fens, predicted, strict=True):
        set_fen(board, fen)
        said = int(evaluate.evaluate(TABLES, board, evaluator)) * (1 if " w " in fen else -1)
        assert said == pytest.approx(value, abs=2), fen


def test_a_bare_king_is_no_lesson() -> None:
    positions = np.zeros(2, POSITION)
    board = new_board()
    for row, fen in zip(
        positions, ("4k3/8/8/8/8/8/8/R3K3 w - -", "4k3/p7/8/8/8/8/8/R3K3 w - -"), strict=True
    ):
        set_fen(board, fen)
        pack(board, row)
    assert matrix_of(positions).origins.tolist() == [1]


def test_known_weights_are_found_again() -> None:
    lesson = made_up(4_000, hidden_weights())
    found = logistic.fit(lesson, np.zeros((SIZE, 2)), PAIRS, FREE, silent)
    assert np.abs(found - hidden_weights()).max() < 0.02


def test_the_same_seed_gives_the_same_bits_and_another_does_not() -> None:
    lesson, start = made_up(2_000, hidden_weights()), np.zeros((SIZE, 2))
    brief = FREE._replace(epochs=2)
    first, again, other = (
        logistic.fit(lesson, start, PAIRS, brief._replace(seed=seed), silent) for seed in (1, 1, 2)
    )
    assert (first == again).all()
    assert (first != other).any()


def test_the_loss_seen_falls_from_epoch_to_epoch() -> None:
    told: list[float] = []
    logistic.fit(
        made_up(2_000, hidden_weights()),
        np.zeros((SIZE, 2)),
        PAIRS,
        FREE,
        lambda _, mean, __: told.append(mean),
    )
    assert told[0] > told[1] > told[-1]


def test_a_weight_never_counted_follows_its_neighbour() -> None:
    pairs = np.array([[FEW - 1, FEW]])
    settings = FREE._replace(smooth=1e-4)
    found = logistic.fit(made_up(2_000, hidden_weights()), np.zeros((SIZE, 2)), pairs, settings, silent)
    assert found[FEW] == pytest.approx(found[FEW - 1], abs=0.05)


def test_a_weight_never_counted_and_without_neighbours_stays_zero() -> None:
    found = logistic.fit(made_up(2_000, hidden_weights()), np.zeros((SIZE, 2)), PAIRS, FREE, silent)
    assert (found[FEW:] == 0).all()


def test_neighbours_are_different_weights_of_one_table() -> None:
    pairs = shaping.neighbours()
    gaps = pairs[:, 1] - pairs[:, 0]
    assert set(gaps.tolist()) == {1, 8}
    assert pairs.min() >= OFFSET["squares"]
    assert pairs.max() < SIZE


def test_normalising_changes_no_evaluation() -> None:
    matrix = matrix_of(some_positions()[1])
    used = tune_eval.usage(matrix)
    weights = np.random.default_rng(2).normal(0, 1, (SIZE, 2))
    plain = shaping.normalised(weights, used)
    assert logistic.predict(matrix, plain) == pytest.approx(logistic.predict(matrix, weights))


def test_normalised_squares_have_no_mean() -> None:
    used = np.random.default_rng(1).uniform(0, 9, SIZE)
    plain = shaping.normalised(np.random.default_rng(2).normal(0, 1, (SIZE, 2)), used)
    first = OFFSET["squares"]
    means = [
        np.average(plain[first + 64 * sort :][:64], axis=0, weights=used[first + 64 * sort :][:64])
        for sort in range(6)
    ]
    assert np.abs(means).max() < 1e-12


def test_a_falling_table_never_rises_and_goes_on_where_nothing_is_known() -> None:
    values = np.array([5.0, 6.0, 3.0, 1.0, 2.0, -3.0, 0.0, 0.0])
    used = np.array([1, 1, 1, 1, 1, 1, 0, 0]) * 1_000.0
    fallen = shaping.falling(values, used)
    assert (np.diff(fallen) <= 0).all()
    assert fallen[:6].tolist() == [5.5, 5.5, 3.0, 1.5, 1.5, -3.0]
    assert fallen[7] < fallen[6] < fallen[5]


def test_a_table_nobody_used_is_left_alone() -> None:
    assert shaping.falling(np.array([1.0, 2.0]), np.zeros(2)).tolist() == [1.0, 2.0]


def test_the_scale_of_the_scores_is_found_from_the_results() -> None:
    rng = np.random.default_rng(4)
    positions = np.zeros(200_000, POSITION)
    positions["score"] = rng.integers(-600, 600, len(positions))
    positions["result"] = 2 * (rng.random(len(positions)) < logistic.chance(positions["score"] / 170.0))
    assert tune_eval.score_scale(positions) == pytest.approx(170, rel=0.03)


def small_file(folder: Path, games: int) -> Path:
    rng = Random(8)
    path = folder / "small.bin"
    path.write_bytes(b"".join(written(random_game(seed), rng.randrange(3)) for seed in range(games)))
    return path


def test_the_whole_command_writes_weights_that_the_engine_reads(tmp_path: Path) -> None:
    options = tune_eval.Options(
        (small_file(tmp_path, 60),), tmp_path / "out.txt", validation=0.2, settings=Settings(epochs=2)
    )
    with Path("/dev/null").open("w") as nowhere:
        tuned = tune_eval.run(options, Console(file=nowhere))
    assert (evaluation.load_weights(options.out) == tuned.weights).all()
    assert tuned.weights[0].mean() == pytest.approx(shaping.PAWN_CP, abs=1)
    assert "small.bin" in options.out.read_text()


def test_the_command_line_names_what_is_wrong_with_a_file(tmp_path: Path) -> None:
    path = small_file(tmp_path, 3)
    path.write_bytes(path.read_bytes()[:-1])
    answer = CliRunner().invoke(lab, ["tune-eval", str(path), "--out", str(tmp_path / "out.txt")])
    assert answer.exit_code == 2
    assert "small.bin: the file ends inside a game at offset" in answer.output
    assert not (tmp_path / "out.txt").exists()


def test_too_few_games_are_refused(tmp_path: Path) -> None:
    answer = CliRunner().invoke(lab, ["tune-eval", str(small_file(tmp_path, 1))])
    assert answer.exit_code == 2
    assert "too few games" in answer.output
