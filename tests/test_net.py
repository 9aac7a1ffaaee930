"""Net files: what is saved is loaded, what is damaged or unsafe is refused with its reason."""

from pathlib import Path

import chess
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import net
from engine.core.layout import HIDDEN, QA, SQUARE
from engine.net import Net, NetError

TINY = Net(
    np.zeros(64, np.uint8),
    np.arange(768 * 16, dtype=np.int16).reshape(1, 768, 16) % 50,
    np.full(16, 3, np.int16),
    np.arange(32, dtype=np.int16).reshape(1, 32),
    np.array([9], np.int32),
    400,
)


def test_a_saved_net_is_loaded_as_it_was(tmp_path: Path) -> None:
    net.save(tmp_path / "a.nnue", TINY)
    loaded = net.load(tmp_path / "a.nnue")
    assert [np.array(part).tolist() for part in loaded] == [np.array(part).tolist() for part in TINY]


@given(st.data())
def test_one_changed_byte_is_refused(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    path = tmp_path_factory.getbasetemp() / "whole.nnue"
    if not path.exists():
        net.save(path, TINY)
    whole = bytearray(path.read_bytes())
    spot = data.draw(st.integers(0, len(whole) - 1).filter(lambda i: not 32 <= i < 40))
    whole[spot] ^= data.draw(st.integers(1, 255))
    with pytest.raises(NetError, match=r"x\.nnue: "):
        net.parse(bytes(whole), "x.nnue")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "not a Krait net"),
        (b"KRAITNET", "not a Krait net"),
        (b"\x00" * 4096, "not a Krait net"),
        (b"KRAITNET" + b"\x02" + b"\x00" * 200, "version 2"),
    ],
)
def test_what_is_no_net_is_refused_by_name_and_reason(tmp_path: Path, data: bytes, reason: str) -> None:
    path = tmp_path / "b.nnue"
    path.write_bytes(data)
    with pytest.raises(NetError, match=f"b.nnue.*{reason}"):
        net.load(path)


def test_a_file_cut_short_says_how_long_it_should_be(tmp_path: Path) -> None:
    path = tmp_path / "c.nnue"
    net.save(path, TINY)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(NetError, match="cut short"):
        net.load(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(NetError, match=r"gone\.nnue: No such file"):
        net.load(tmp_path / "gone.nnue")


def test_an_accumulator_that_could_overflow_is_refused() -> None:
    heavy = TINY._replace(rows=np.full((1, 768, 16), 1_024, np.int16))  # 32 men of 1,024 and the bias of 3
    with pytest.raises(NetError, match="may reach 32771"):
        net.check(heavy)
    net.check(heavy._replace(bias=np.full(16, -1, np.int16)))


def test_an_output_that_could_overflow_is_refused() -> None:
    most = (2**31 - 1) // SQUARE
    weights = np.zeros((1, 32), np.int16)
    weights[0, :5] = most // 5
    net.check(TINY._replace(out_weight=weights))
    weights[0, 5:7] = most % 5, 1
    with pytest.raises(NetError, match="output bucket 0"):
        net.check(TINY._replace(out_weight=weights))


@given(st.integers(0, 2**32 - 1))
def test_no_position_goes_beyond_the_worst_sum(seed: int) -> None:
    random = np.random.default_rng(seed)
    rows = random.integers(-1_000, 1_001, (1, 768, 4)).astype(np.int16)
    trial = TINY._replace(rows=rows, bias=random.integers(-900, 901, 4).astype(np.int16))
    squares = random.permutation(64)[:32]
    men = [(i % 2, int(random.integers(0, 5)) if i > 1 else 5, int(squares[i])) for i in range(32)]
    _, found = net.features(trial, men, 0)
    sums = trial.bias.astype(np.int64) + rows[0, found].astype(np.int64).sum(axis=0)
    assert np.abs(sums).max() <= net.worst_sum(trial)[0]


def test_a_net_larger_than_the_engine_s_shape_is_refused_with_both_shapes() -> None:
    wide = 2 * HIDDEN
    large = Net(
        np.zeros(64, np.uint8),
        np.zeros((1, 768, wide), np.int16),
        np.zeros(wide, np.int16),
        np.zeros((1, 2 * wide), np.int16),
        np.zeros(1, np.int32),
        400,
    )
    with pytest.raises(NetError, match=f"{wide}x2->1x1.*up to .*{HIDDEN}x2"):
        net.compiled(large, "large")


def test_the_net_shipped_is_whole_small_and_safe() -> None:
    assert net.NET_FILE.stat().st_size <= 4 * 1024 * 1024
    net.load(net.NET_FILE)


def test_the_net_shipped_knows_what_a_queen_is_worth() -> None:
    shipped = net.load(net.NET_FILE)

    def score(fen: str) -> int:
        men = [
            (int(not man.color), man.piece_type - 1, square)
            for square, man in chess.Board(fen).piece_map().items()
        ]
        return net.evaluate(shipped, men, 0)

    level = score(chess.STARTING_FEN)
    ahead = score("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")
    assert abs(level) < 100
    assert ahead > 500


def test_the_activation_of_one_is_square() -> None:
    assert (QA << 6) ** 2 >> 16 == SQUARE <= 32_767
