"""Training: PyTorch and the kernels agree, a stopped run ends like any other, bad input is named."""

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import chess
import numpy as np
import pytest
from rich.console import Console
from typer.testing import CliRunner

from engine.core.packed import NO_RESULT
from engine.lab import games, positions, runfolder, train
from engine.lab.aim import Aim
from engine.lab.cli import lab
from engine.lab.games import GamesError
from engine.lab.perceptron import Crew, _find_rows
from engine.lab.runfolder import Options
from engine.lab.shape import FEATURES, OUT_LIMIT, ROW_LIMIT, Shape
from tests.lab.test_games import random_game, stripping_game, written
from tests.lab.test_perceptron import packed, some_boards

torch = pytest.importorskip("torch")

SMALL = Shape(16, "four", 2)
CONSOLE = Console(quiet=True)


def some_games(folder: Path, count: int = 60) -> Path:
    rng = np.random.default_rng(4)
    path = folder / "games.bin"
    parts = []
    for seed in range(count):
        moves = random_game(seed, 40)
        parts.append(written(moves, seed % 3, scores=rng.integers(-400, 400, len(moves)).tolist()))
    path.write_bytes(b"".join(parts))
    return path


def small_options(folder: Path, name: str = "run") -> Options:
    return Options(
        (some_games(folder),), folder / name, SMALL, epochs=3, batch=100, rate=0.01, validation=0.2, test=0.2
    )


def nobody(done: int) -> None:
    """Nobody watches."""


def weights_of(folder: Path) -> list[object]:
    from engine.lab.learner import read_weights

    return [part.tolist() for part in read_weights(folder / runfolder.CHECKPOINT, SMALL)]


def plain_loss(network: Any, some: games.Positions, aim: Aim) -> Any:
    """The same net written in PyTorch alone, whose own gradient is the twin's."""
    rows, bias, out_weight, out_bias = network.merged()
    kings, found = SMALL.king_table(), np.zeros((2, 32), np.int64)
    total: Any = 0
    for position in some:
        men = _find_rows(position, kings, found)
        views = [bias + rows[torch.from_numpy(found[view, :men].copy())].sum(0) for view in range(2)]
        halves = views if position["side"] == 0 else views[::-1]
        bucket = (men - 2) // (32 // SMALL.outputs)
        output = torch.cat(halves).clamp(0, 1).square() @ out_weight[bucket] + out_bias[bucket]
        likely = torch.sigmoid(torch.tensor(aim.slope * position["score"].item(), dtype=torch.float32))
        share = 1.0 if position["result"] == NO_RESULT else aim.share
        white = share * likely + (1 - share) * position["result"].item() / 2
        target = white if position["side"] == 0 else 1 - white
        total = total + (torch.sigmoid(output) - target).abs() ** aim.power
    return total / len(some)


@pytest.mark.parametrize("power", [2.0, 2.5])
def test_loss_and_gradient_are_pytorchs_own(power: float) -> None:
    from engine.lab.learner import Batch, Network

    network, aim = Network(SMALL, 1), Aim(0.7, 1 / 300, power)
    some = packed(some_boards(11, 40))
    crew = Crew(network.weights(), 2)
    loss = network.loss(Batch(some, np.arange(40), SMALL.king_table(), aim, crew))
    (3 * loss).backward()  # what lies outside the function counts too
    ours = {name: part.grad.clone() for name, part in network.named_parameters()}
    network.zero_grad()
    twin = plain_loss(network, some, aim)
    (3 * twin).backward()
    assert float(loss.detach()) == pytest.approx(float(twin.detach()), rel=1e-5)
    for name, part in network.named_parameters():
        assert torch.allclose(ours[name], part.grad, rtol=1e-3, atol=1e-7), name


def test_weights_stay_where_they_can_be_quantised() -> None:
    from engine.lab.learner import Network

    network = Network(SMALL, 1)
    with torch.no_grad():
        for part in network.parameters():
            part.copy_(torch.randn(part.shape) * 10)
    network.clip()
    weights = network.weights()
    assert max(np.abs(weights.rows).max(), np.abs(weights.bias).max()) <= ROW_LIMIT + 1e-6
    assert np.abs(weights.out_weight).max() <= OUT_LIMIT


def test_all_king_buckets_begin_alike() -> None:
    from engine.lab.learner import Network

    rows = Network(SMALL, 1).weights().rows.reshape(4, FEATURES, 16)
    assert (rows == rows[0]).all()


def test_the_rate_rises_and_then_falls_along_half_a_cosine() -> None:
    from engine.lab.learner import Schedule

    schedule = Schedule(0.1, 110, 10, last=0.01)
    assert schedule.at(0) == pytest.approx(0.01)
    assert schedule.at(9) == schedule.at(10) == pytest.approx(0.1)
    assert schedule.at(60) == pytest.approx(0.1 * 0.505)
    assert schedule.at(110) == pytest.approx(0.001)


def test_a_run_learns_and_leaves_its_folder(tmp_path: Path) -> None:
    options = small_options(tmp_path)._replace(epochs=12)
    trainer = train.run(options, False, CONSOLE)
    losses = [row["training"] for row in trainer.history]
    assert losses[-1] < 0.7 * losses[0]
    assert {path.name for path in options.out.iterdir()} == {
        "config.json", "checkpoint.pt", "history.csv", "curves.png",
    }  # fmt: skip
    config = json.loads((options.out / "config.json").read_text())
    assert config["options"]["seed"] == 1
    assert config["data"][0]["sha256"] == runfolder.digest(options.files[0])
    assert set(config["versions"]) == {"python", "numpy", "numba", "torch"}
    assert len((options.out / "history.csv").read_text().splitlines()) == 13
    assert (options.out / "curves.png").read_bytes().startswith(b"\x89PNG")
    assert runfolder.read(options.out) == options


def stop_at(trainer: Any, step: int) -> Callable[[int], None]:
    def watch(done: int) -> None:
        if done == step:
            trainer.stopped = True

    return watch


@pytest.mark.parametrize("step", [1, 7, "end of an epoch"])
def test_a_stopped_run_goes_on_to_the_same_net(tmp_path: Path, step: int | str) -> None:
    from engine.lab.trainer import Trainer

    whole, broken = small_options(tmp_path), small_options(tmp_path, "broken")
    uninterrupted = train.run(whole, False, CONSOLE)
    first = Trainer(broken, train.gather(broken))
    runfolder.create(broken)
    first.run(stop_at(first, step if isinstance(step, int) else first.steps_an_epoch), lambda _: None)
    assert first.done < first.steps
    second = train.run(broken, True, CONSOLE)
    assert weights_of(broken.out) == weights_of(whole.out)
    for ours, theirs in zip(second.history, uninterrupted.history, strict=True):
        assert (ours["training"], ours["validation"]) == (theirs["training"], theirs["validation"])


def test_an_interrupt_ends_the_batch_and_leaves_a_checkpoint(tmp_path: Path) -> None:
    from engine.lab.trainer import Trainer

    options = small_options(tmp_path)
    trainer = Trainer(options, train.gather(options))
    runfolder.create(options)

    def watch(done: int) -> None:
        if done == 2:
            os.kill(os.getpid(), signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    with train._stoppable(trainer):
        trainer.run(watch, lambda _: None)
    assert signal.getsignal(signal.SIGINT) is before
    assert (trainer.stopped, trainer.done) == (True, 2)
    assert (options.out / runfolder.CHECKPOINT).exists()


def test_a_second_run_does_not_overwrite_the_first(tmp_path: Path) -> None:
    options = small_options(tmp_path)._replace(epochs=1)
    train.run(options, False, CONSOLE)
    with pytest.raises(ValueError, match="a run is there already"):
        train.run(options, False, CONSOLE)


def test_only_the_same_run_is_resumed(tmp_path: Path) -> None:
    options = small_options(tmp_path)._replace(epochs=1)
    with pytest.raises(ValueError, match="no training run"):
        train.run(options, True, CONSOLE)
    train.run(options, False, CONSOLE)
    with pytest.raises(ValueError, match=r"not the same run: rate 0.01 then, 0.5 now"):
        train.run(options._replace(rate=0.5), True, CONSOLE)
    options.files[0].write_bytes(written(random_game(5)))
    with pytest.raises(ValueError, match="not the same run: other games"):
        train.run(options, True, CONSOLE)


def test_a_damaged_checkpoint_is_named(tmp_path: Path) -> None:
    options = small_options(tmp_path)._replace(epochs=1)
    train.run(options, False, CONSOLE)
    path = options.out / runfolder.CHECKPOINT
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(ValueError, match=r"checkpoint\.pt: not a checkpoint of this run"):
        train.run(options, True, CONSOLE)


def test_damaged_games_are_named_with_their_offset(tmp_path: Path) -> None:
    options = small_options(tmp_path)
    options.files[0].write_bytes(options.files[0].read_bytes()[:-1])
    with pytest.raises(GamesError, match=r"games\.bin: the file ends inside a game at offset"):
        train.run(options, False, CONSOLE)
    assert not options.out.exists()


def test_noisy_positions_are_for_training_only(tmp_path: Path) -> None:
    plain = small_options(tmp_path)
    quiet, noisy = train.gather(plain), train.gather(plain._replace(noisy=True))
    assert len(noisy.training) > len(quiet.training)
    assert (noisy.validation == quiet.validation).all()
    assert (noisy.test == quiet.test).all()


def games_against_a_bare_king(count: int) -> bytes:
    """That begin alike, and go on at random once the king is bare."""
    rng, parts = Random(1), []
    for _ in range(count):
        board, moves = chess.Board(), stripping_game(chess.BLACK)
        for text in moves:
            board.push_uci(text)
        while len(moves) < 130 and not board.is_game_over():
            moves.append(rng.choice(list(board.legal_moves)).uci())
            board.push_uci(moves[-1])
        parts.append(written(moves))
    return b"".join(parts)


def test_the_net_learns_from_bare_kings_but_is_not_measured_by_them(tmp_path: Path) -> None:
    path = tmp_path / "bare.bin"
    path.write_bytes(games_against_a_bare_king(40))
    data = train.gather(Options((path,), tmp_path / "run", SMALL, validation=0.3, test=0.3))
    assert positions._is_bare(data.training).any()
    assert not positions._is_bare(data.validation).any()
    assert not positions._is_bare(data.test).any()


def test_too_few_games_are_refused(tmp_path: Path) -> None:
    options = small_options(tmp_path)._replace(test=0.0001)
    with pytest.raises(ValueError, match="0 for test: too few games"):
        train.run(options, False, CONSOLE)


def test_the_command_trains_and_a_bad_shape_is_one_line(tmp_path: Path) -> None:
    words = ["train", str(some_games(tmp_path)), "--out", str(tmp_path / "run"), "--hidden", "16"]
    more = ["--epochs", "1", "--batch", "500", "--validation", "0.2", "--test", "0.2"]
    assert CliRunner().invoke(lab, [*words, *more]).exit_code == 0
    assert (tmp_path / "run" / "curves.png").exists()
    refused = CliRunner().invoke(lab, [*words, *more, "--king-buckets", "nine"])
    assert refused.exit_code == 2
    assert refused.stderr == "krait: no king buckets called 'nine'; there are one, two, four, eight\n"
