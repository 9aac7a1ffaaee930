"""Quantising: the nearest whole numbers, proof before writing, and a file that says what the floats said."""

import json
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from typer.testing import CliRunner

from engine import net
from engine.core.layout import QA, QB, SQUARE
from engine.lab import quantise
from engine.lab.aim import Floats
from engine.lab.cli import lab
from engine.lab.perceptron import Crew, Weights
from engine.lab.runfolder import Options
from engine.lab.shape import FEATURES, OUT_LIMIT, ROW_LIMIT, Shape
from tests.lab.test_perceptron import packed, some_boards

SHAPE = Shape(32, "four", 8)


def likely_weights(shape: Shape = SHAPE) -> Weights:
    """Of the size training leaves."""
    rng = np.random.default_rng(1)

    def some(spread: float, *size: int) -> Floats:
        return rng.normal(0, spread, size).astype(np.float32)

    rows, hidden = shape.king_buckets * FEATURES, shape.hidden
    weight = some(0.12, shape.outputs, 2 * hidden).clip(-OUT_LIMIT, OUT_LIMIT)
    return Weights(some(0.1, rows, hidden), some(0.2, hidden), weight, some(0.1, shape.outputs))


def test_every_number_is_off_by_half_a_step_at_most() -> None:
    weights = likely_weights()
    back = quantise.as_floats(quantise.rounded(weights, SHAPE))
    steps = (1 / QA, 1 / QA, 1 / QB, 1 / (SQUARE * QB))
    for before, after, step in zip(weights, back, steps, strict=True):
        assert before.shape == after.shape
        assert np.abs(before - after).max() <= step / 2 + 1e-6


def test_the_whole_net_says_what_its_floats_say() -> None:
    whole = quantise.rounded(likely_weights(), SHAPE)
    weights = quantise.as_floats(whole)
    boards = some_boards(21, 60)
    outputs = Crew(weights, 2).predict(packed(boards), SHAPE.king_table(), weights) * quantise.CENTIPAWNS
    for board, output in zip(boards, outputs, strict=True):
        men = [(int(not man.color), man.piece_type - 1, at) for at, man in board.piece_map().items()]
        assert net.evaluate(whole, men, int(not board.turn)) == pytest.approx(output, abs=1.1)


def test_the_difference_is_what_rounding_did() -> None:
    weights, positions = likely_weights(), packed(some_boards(22, 100))
    options = Options((), Path("none"), SHAPE)
    found = quantise.compare(weights, quantise.rounded(weights, SHAPE), positions, options)
    assert 0 < found.mean_cp <= found.root_mean_square_cp <= found.max_cp < 60
    coarse = quantise.as_floats(quantise.rounded(weights, SHAPE))
    same = quantise.compare(coarse, quantise.rounded(coarse, SHAPE), positions, options)
    assert (same.max_cp, same.float_loss) == (0, same.whole_loss)
    assert same.whole_loss == found.whole_loss


def test_weights_at_the_limits_of_training_are_safe_and_the_proof_says_so() -> None:
    weights = likely_weights()
    extreme = Weights(
        np.full_like(weights.rows, ROW_LIMIT), np.full_like(weights.bias, ROW_LIMIT),
        np.full_like(weights.out_weight, OUT_LIMIT), weights.out_bias,
    )  # fmt: skip
    whole = quantise.rounded(extreme, SHAPE)
    net.check(whole)
    accumulator, activation, output = quantise.arithmetic(whole)
    assert f"{33 * round(ROW_LIMIT * QA):,} <= 32,767" in accumulator
    assert "16,320 <= 32,767" in activation
    assert f"{SQUARE * 64 * round(OUT_LIMIT * QB):,} < 2^31" in output


@pytest.mark.parametrize("bad", [200.0, np.nan, np.inf])
def test_a_weight_too_large_for_its_place_is_refused(bad: float) -> None:
    weights = likely_weights()
    weights.rows[5, 5] = bad
    with pytest.raises(ValueError, match="rows: a weight of"):
        quantise.rounded(weights, SHAPE)


def trained(tmp_path: Path) -> Path:
    pytest.importorskip("torch")
    from engine.lab import train
    from tests.lab.test_train import CONSOLE, small_options

    options = small_options(tmp_path)._replace(epochs=1)
    train.run(options, False, CONSOLE)
    return options.out


def test_the_command_writes_a_net_the_engine_reads(tmp_path: Path) -> None:
    run, out = trained(tmp_path), tmp_path / "small.nnue"
    answer = CliRunner().invoke(lab, ["quantise", str(run / "checkpoint.pt"), "--out", str(out)])
    assert answer.exit_code == 0
    assert net.load(out).shape == (4, 16, 2)
    for word in ("accumulator", "activation", "output", "validation", "test", "difference mean", "sha256"):
        assert word in answer.stderr
    report = json.loads((run / "quantised.json").read_text())
    assert report["test"]["whole_loss"] == pytest.approx(report["test"]["float_loss"], rel=0.02)


def test_a_net_that_could_overflow_is_refused_and_not_written(tmp_path: Path) -> None:
    run = trained(tmp_path)
    import torch

    state = torch.load(run / "checkpoint.pt", weights_only=True)
    state["network"]["shared"][:, 3] = 10.0
    torch.save(state, run / "checkpoint.pt")
    answer = CliRunner().invoke(lab, ["quantise", str(run), "--out", str(tmp_path / "net.nnue")])
    assert answer.exit_code == 2
    assert "accumulator 3 may reach" in answer.stderr
    assert not (tmp_path / "net.nnue").exists()


def test_what_is_no_run_is_refused_with_the_reason(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    with pytest.raises(ValueError, match=r"config\.json: no training run"):
        quantise.run(tmp_path, tmp_path / "net.nnue", Console(quiet=True))
    (tmp_path / "config.json").write_text('{"options": {}}')
    with pytest.raises(ValueError, match=r"config\.json: not the config of a training run"):
        quantise.run(tmp_path, tmp_path / "net.nnue", Console(quiet=True))
