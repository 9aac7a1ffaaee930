"""The trainer's kernels against slow twins: inputs by python-chess, loss by NumPy, slopes by small steps."""

from random import Random

import chess
import numpy as np
import pytest

from engine import net
from engine.core.board import new_board
from engine.core.packed import NO_RESULT, POSITION, pack
from engine.lab import aim as aims
from engine.lab.aim import Aim
from engine.lab.games import Positions
from engine.lab.perceptron import Crew, Weights, _find_rows
from engine.lab.shape import FEATURES, KING_LAYOUTS, Shape, checked
from engine.notation import set_fen
from tests.lab.test_games import random_game

PLAIN = Aim(0.7, 1 / 300, 2.0)
SHAPES = [Shape(16, "one", 8), Shape(48, "four", 2), Shape(32, "eight", 1)]


def some_boards(seed: int, count: int) -> list[chess.Board]:
    """Positions of random games, some with few men."""
    rng, found = Random(seed), list[chess.Board]()
    while len(found) < count:
        board = chess.Board()
        for text in random_game(rng.randrange(1_000_000), rng.randrange(1, 200)):
            board.push_uci(text)
        for square in [*board.piece_map()]:
            if board.piece_type_at(square) != chess.KING and rng.random() < 0.3:
                board.remove_piece_at(square)
        if board.is_valid():
            found.append(board)
    return found


def packed(boards: list[chess.Board]) -> Positions:
    """With scores and results made up."""
    positions, rng = np.zeros(len(boards), POSITION), np.random.default_rng(3)
    record = new_board()
    for board, row in zip(boards, positions, strict=True):
        set_fen(record, f"{board.board_fen()} {'w' if board.turn else 'b'} - - 0 1")
        pack(record, row)
    positions["score"] = rng.integers(-2500, 2501, len(boards))
    positions["result"] = rng.integers(0, NO_RESULT + 1, len(boards))
    return positions


def random_weights(shape: Shape, seed: int = 1) -> Weights:
    rng = np.random.default_rng(seed)

    def some(*size: int) -> aims.Floats:
        return rng.normal(0, 0.25, size).astype(np.float32)

    rows, hidden = shape.king_buckets * FEATURES, shape.hidden
    return Weights(some(rows, hidden), some(hidden), some(shape.outputs, 2 * hidden), some(shape.outputs))


def input_rows(board: chess.Board, view: chess.Color, shape: Shape) -> list[int]:
    """As the board looks to `view`: turned until it plays up, mirrored until its king is on files e to h."""
    seen = board if view == chess.WHITE else board.mirror()
    king = seen.king(chess.WHITE)
    assert king is not None
    if chess.square_file(king) < 4:
        seen = seen.transform(chess.flip_horizontal)
        king ^= 7
    base = int(shape.king_table()[king]) * FEATURES
    return sorted(
        base + ((0 if man.color else 6) + man.piece_type - 1) * 64 + square
        for square, man in seen.piece_map().items()
    )


def slow_output(board: chess.Board, weights: Weights, shape: Shape) -> float:
    """In double precision, one position at a time."""
    halves = [
        (weights.bias.astype(np.float64) + weights.rows[input_rows(board, view, shape)].sum(axis=0)).clip(
            0, 1
        )
        for view in (board.turn, not board.turn)
    ]
    bucket = (chess.popcount(board.occupied) - 2) * shape.outputs // 32
    return float(np.concatenate(halves) ** 2 @ weights.out_weight[bucket] + weights.out_bias[bucket])


@pytest.mark.parametrize("shape", SHAPES)
def test_the_inputs_are_those_of_the_board_turned_and_mirrored(shape: Shape) -> None:
    boards = some_boards(1, 80)
    rows = np.zeros((2, 32), np.int64)
    for board, position in zip(boards, packed(boards), strict=True):
        men = _find_rows(position, shape.king_table(), rows)
        assert men == chess.popcount(board.occupied)
        for view in chess.COLORS:
            assert sorted(rows[0 if view else 1, :men].tolist()) == input_rows(board, view, shape)


def test_the_trainer_and_the_engine_see_the_same_inputs() -> None:
    shape = Shape(16, "eight", 8)
    boards = some_boards(2, 40)
    table = net.Net(shape.king_table(), *(np.zeros(0),) * 4, 100)  # type: ignore[arg-type]
    rows = np.zeros((2, 32), np.int64)
    for board, position in zip(boards, packed(boards), strict=True):
        men = [(int(not man.color), man.piece_type - 1, at) for at, man in board.piece_map().items()]
        count = _find_rows(position, shape.king_table(), rows)
        for view in range(2):
            bucket, features = net.features(table, men, view)
            assert sorted(rows[view, :count]) == sorted(bucket * FEATURES + each for each in features)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("threads", [1, 3])
def test_outputs_are_those_of_the_slow_net(shape: Shape, threads: int) -> None:
    boards, weights = some_boards(4, 60), random_weights(shape)
    found = Crew(weights, threads).predict(packed(boards), shape.king_table(), weights)
    assert found == pytest.approx([slow_output(board, weights, shape) for board in boards], abs=1e-4)


def test_a_position_and_its_colour_flipped_twin_give_the_same_output() -> None:
    shape = Shape(32, "four", 8)
    boards, weights = some_boards(5, 60), random_weights(shape)
    crew = Crew(weights, 2)
    seen = crew.predict(packed(boards), shape.king_table(), weights)
    flipped = crew.predict(packed([board.mirror() for board in boards]), shape.king_table(), weights)
    assert flipped == pytest.approx(seen, abs=1e-5)


def test_left_and_right_give_the_same_output() -> None:
    shape = Shape(32, "four", 8)
    boards, weights = some_boards(6, 60), random_weights(shape)
    mirrored = [board.transform(chess.flip_horizontal) for board in boards]
    crew = Crew(weights, 2)
    seen, twin = (crew.predict(packed(each), shape.king_table(), weights) for each in (boards, mirrored))
    assert twin == pytest.approx(seen, abs=1e-5)


def test_without_a_result_the_score_is_the_whole_target() -> None:
    positions = packed([chess.Board(), chess.Board()])
    positions["score"], positions["result"] = 300, [NO_RESULT, 2]
    assert aims.targets(positions, PLAIN) == pytest.approx(
        [1 / (1 + np.exp(-1)), 0.7 / (1 + np.exp(-1)) + 0.3]
    )


@pytest.mark.parametrize("power", [2.0, 2.5])
def test_the_kernels_loss_is_the_twins(power: float) -> None:
    shape, aim = SHAPES[0], PLAIN._replace(power=power)
    positions, weights = packed(some_boards(7, 100)), random_weights(SHAPES[0])
    crew, kings = Crew(weights, 2), shape.king_table()
    total, _ = crew.gradient(positions, np.arange(100), kings, aim, weights)
    expected = aims.mean_loss(crew.predict(positions, kings, weights), positions, aim)
    assert total / 100 == pytest.approx(expected, rel=1e-5)


def test_a_target_blends_score_and_result_for_the_side_to_move() -> None:
    positions = packed([chess.Board(), chess.Board("8/8/4k3/8/8/4K3/8/8 b - - 0 1")])
    positions["score"], positions["result"] = [300, 300], [2, 2]
    likely = 1 / (1 + np.exp(-1))
    white = 0.7 * likely + 0.3
    assert aims.targets(positions, PLAIN) == pytest.approx([white, 1 - white])


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("power", [2.0, 2.5])
def test_the_gradient_is_that_of_small_steps(shape: Shape, power: float) -> None:
    aim = PLAIN._replace(power=power)
    boards, weights = some_boards(8, 30), random_weights(shape)
    positions, kings = packed(boards), shape.king_table()
    aimed = aims.targets(positions, aim)
    _, gradient = Crew(weights, 2).gradient(positions, np.arange(30), kings, aim, weights)
    rng = np.random.default_rng(2)

    def total(changed: Weights) -> float:
        outputs = np.array([slow_output(board, changed, shape) for board in boards])
        return float((np.abs(1 / (1 + np.exp(-outputs)) - aimed) ** power).sum())

    for name in Weights._fields:
        part = getattr(weights, name).astype(np.float64)
        slope = getattr(gradient, name)
        direction = rng.normal(size=part.shape) * (slope != 0)
        up, down = (total(weights._replace(**{name: part + h * direction})) for h in (1e-6, -1e-6))
        assert (slope * direction).sum() == pytest.approx((up - down) / 2e-6, rel=1e-3, abs=1e-4), name


def test_a_batch_counts_each_position_as_often_as_it_is_named() -> None:
    shape = SHAPES[0]
    positions, weights = packed(some_boards(9, 10)), random_weights(shape)
    crew, kings = Crew(weights, 2), shape.king_table()
    once, _ = crew.gradient(positions, np.array([3]), kings, PLAIN, weights)
    thrice, _ = crew.gradient(positions, np.array([3, 3, 3]), kings, PLAIN, weights)
    nothing, gradient = crew.gradient(positions, np.array([], np.int64), kings, PLAIN, weights)
    assert thrice == pytest.approx(3 * once)
    assert nothing == 0
    assert not any(part.any() for part in gradient)


@pytest.mark.parametrize("name", KING_LAYOUTS)
def test_a_layout_numbers_its_buckets_from_nought_and_leaves_files_a_to_d_alone(name: str) -> None:
    table = Shape(kings=name).king_table().reshape(8, 8)
    assert sorted(set(table[:, 4:].ravel().tolist())) == list(range(Shape(kings=name).king_buckets))
    assert not table[:, :4].any()


@pytest.mark.parametrize("shape", [Shape(100), Shape(kings="nine"), Shape(outputs=3)])
def test_a_shape_that_cannot_be_is_refused(shape: Shape) -> None:
    with pytest.raises(ValueError, match=r"hidden|king buckets|output buckets"):
        checked(shape)
