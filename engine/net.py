"""Net files: reading, writing, what a net must keep to, and the slow twin of the compiled net.

A file, little endian: magic, version, shape (king buckets K, hidden N, output buckets O), QA, QB, scale and a
zero; SHA-256 of all that follows; then

    king_bucket u8[64]   bias i16[N]   rows i16[K][768][N]   out_bias i32[O]   out_weight i16[O][2N]

Why no number of any legal position leaves its width, with v a clipped accumulator, 0 <= v <= QA = 511:

    accumulator   |bias| + the worst sum of rows, a man a square, 16 a side      <= 32,767   (`worst_sum`)
    v << 6        511 * 64 = 32,704                                              <= 32,767
    activation    (v << 6)^2 >> 16 = v^2 >> 4, at most SQUARE = 16,320           <= 32,767
    output        SQUARE * sum of |w| of a bucket                                <  2^31     (`worst_output`)

A net that breaks one of them is refused, here as in `krait lab quantise`.
"""

import functools
import struct
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from engine.core import layout
from engine.core.jit import Record
from engine.core.layout import FEATURES, HIDDEN, KING_BUCKETS, OUTPUT_BUCKETS, QA, QB, SQUARE

Shorts = npt.NDArray[np.int16]

NET_FILE = Path(__file__).parent / "nets" / "krait.nnue"
MAGIC, VERSION = b"KRAITNET", 1
_HEAD = struct.Struct("<8s8I32s")
MEN_A_SIDE = 16
_SHORT, _LONG = 1 << 15, 1 << 31


class NetError(ValueError):
    """A net that cannot be played; the message says which and why."""


class Net(NamedTuple):
    king_bucket: npt.NDArray[np.uint8]  # (64,)  by the king's square as its own side sees it
    rows: Shorts  # (K, 768, N)
    bias: Shorts  # (N,)
    out_weight: Shorts  # (O, 2N)
    out_bias: npt.NDArray[np.int32]  # (O,)
    scale: int  # centipawns to a unit of the output

    @property
    def shape(self) -> tuple[int, int, int]:
        """King buckets, hidden, output buckets."""
        return self.rows.shape[0], self.rows.shape[2], self.out_weight.shape[0]

    def describe(self) -> str:
        buckets, hidden, outputs = self.shape
        return f"{buckets}x{FEATURES}->{hidden}x2->1x{outputs}"


def worst_sum(net: Net) -> tuple[int, int]:
    """No accumulator of any legal position is farther from zero; and the neuron for which this holds.

    Of each colour at most 16 men stand on the board, each on its own square: for each square the worst of the
    colour's pieces, and of those the 16 worst squares, is at least as bad as any placement.
    """
    by_colour = net.rows.reshape(-1, 2, 6, 64, net.rows.shape[2]).astype(np.int64)
    worst = np.zeros(net.rows.shape[2], np.int64)
    for sign in (1, -1):
        square = (sign * by_colour).max(axis=2).clip(min=0)  # (K, 2, 64, N)
        heaviest = np.sort(square, axis=2)[:, :, -MEN_A_SIDE:].sum(axis=(1, 2)).max(axis=0)
        worst = np.maximum(worst, (sign * net.bias.astype(np.int64)) + heaviest)
    return int(worst.max()), int(worst.argmax())


def worst_output(net: Net) -> tuple[int, int]:
    """No output sum is farther from zero; and the bucket for which this holds."""
    sums = SQUARE * np.abs(net.out_weight.astype(np.int64)).sum(axis=1)
    return int(sums.max()), int(sums.argmax())


def check(net: Net, name: str = "net") -> None:
    """NetError unless every sum of every legal position fits its width."""
    worst, neuron = worst_sum(net)
    if worst >= _SHORT:
        raise NetError(f"{name}: accumulator {neuron} may reach {worst}, and 16 bits end at {_SHORT - 1}")
    worst, bucket = worst_output(net)
    if worst >= _LONG:
        raise NetError(f"{name}: output bucket {bucket} may sum to {worst}, and 32 bits end at {_LONG - 1}")


def save(path: Path, net: Net) -> str:
    """Write a net that passes `check`; the result is the SHA-256 of its contents."""
    check(net, str(path))
    parts = (
        net.king_bucket.astype("u1"),
        net.bias.astype("<i2"),
        net.rows.astype("<i2"),
        net.out_bias.astype("<i4"),
        net.out_weight.astype("<i2"),
    )
    body = b"".join(part.tobytes() for part in parts)
    digest = sha256(body)
    path.write_bytes(_HEAD.pack(MAGIC, VERSION, *net.shape, QA, QB, net.scale, 0, digest.digest()) + body)
    return digest.hexdigest()


def load(path: Path) -> Net:
    """The net of a file; NetError with the reason when it is not whole, not ours or not safe."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise NetError(f"{path}: {error.strerror or error}") from error
    return parse(data, str(path))


def parse(data: bytes, name: str) -> Net:
    if len(data) < _HEAD.size or not data.startswith(MAGIC):
        raise NetError(f"{name}: not a Krait net (it does not begin with {MAGIC.decode()})")
    _, version, buckets, hidden, outputs, qa, qb, scale, _, digest = _HEAD.unpack_from(data)
    if version != VERSION:
        raise NetError(f"{name}: version {version} of the format; this engine reads version {VERSION}")
    if (qa, qb) != (QA, QB):
        raise NetError(f"{name}: quantised by {qa} and {qb}; this engine reads {QA} and {QB}")
    if (
        not 1 <= buckets <= 32
        or not 1 <= hidden <= 4096
        or outputs not in {1, 2, 4, 8}
        or not 1 <= scale <= 10_000
    ):
        raise NetError(
            f"{name}: a shape of {buckets}x{FEATURES}->{hidden}x2->1x{outputs}, scale {scale}, is none"
        )
    size = _HEAD.size + 64 + 2 * hidden + 2 * buckets * FEATURES * hidden + 4 * outputs + 4 * outputs * hidden
    if len(data) != size:
        raise NetError(
            f"{name}: {len(data)} bytes, and a net of its shape has {size}: it is cut short or damaged"
        )
    body = data[_HEAD.size :]
    if sha256(body).digest() != digest:
        raise NetError(f"{name}: the checksum does not match: the file is damaged")
    net = _cut(body, buckets, hidden, outputs, scale)
    if net.king_bucket.max() >= buckets:
        raise NetError(f"{name}: king bucket {net.king_bucket.max()} of {buckets}")
    check(net, name)
    return net


def _cut(body: bytes, buckets: int, hidden: int, outputs: int, scale: int) -> Net:
    offset = 0

    def take(kind: str, *shape: int) -> Any:
        nonlocal offset
        found = np.frombuffer(body, kind, int(np.prod(shape)), offset).reshape(shape)
        offset += found.nbytes
        return found

    king_bucket, bias = take("u1", 64), take("<i2", hidden)
    rows, out_bias = take("<i2", buckets, FEATURES, hidden), take("<i4", outputs)
    return Net(king_bucket, rows, bias, take("<i2", outputs, 2 * hidden), out_bias, scale)


def compiled(net: Net, name: str = "net") -> Record:
    """The record the kernels read. A net smaller than the engine's shape is embedded: it says the same."""
    buckets, hidden, outputs = net.shape
    if hidden > HIDDEN or buckets > KING_BUCKETS:
        most = f"{KING_BUCKETS}x{FEATURES}->{HIDDEN}x2->1x{OUTPUT_BUCKETS}"
        raise NetError(f"{name}: its shape is {net.describe()}, and this engine plays nets up to {most}")
    made = layout.aligned(layout.NET)
    made["king_bucket"] = net.king_bucket
    made["rows"].reshape(KING_BUCKETS, FEATURES, HIDDEN)[:buckets, :, :hidden] = net.rows
    made["bias"][:hidden] = net.bias
    weights = net.out_weight.reshape(outputs, 2, hidden)
    made["out_weight"][:, :, :hidden] = np.repeat(weights, OUTPUT_BUCKETS // outputs, axis=0)
    made["out_bias"] = np.repeat(net.out_bias, OUTPUT_BUCKETS // outputs)
    made["scale"], made["used"] = net.scale, 1
    return made


@functools.cache
def shipped() -> Record:
    """The net that plays unless another is asked for; read once, never written to."""
    return compiled(load(NET_FILE))


def without() -> Record:
    """A record that says: the classical evaluation plays."""
    return layout.aligned(layout.NET)


Men = list[tuple[int, int, int]]  # colour (0 White), sort (0 pawn … 5 king), square


def features(net: Net, men: Men, view: int) -> tuple[int, list[int]]:
    """King bucket and features of a position as `view` sees it."""
    (king,) = [square for colour, sort, square in men if (colour, sort) == (view, 5)]
    turn = (56 if view else 0) ^ (7 if king % 8 < 4 else 0)
    rows = [((colour != view) * 6 + sort) * 64 + (square ^ turn) for colour, sort, square in men]
    return int(net.king_bucket[king ^ turn]), rows


def evaluate(net: Net, men: Men, side: int) -> int:
    """What the compiled net must say, worked out from nothing with whole numbers of any size."""
    halves = []
    for view in (side, 1 - side):
        bucket, rows = features(net, men, view)
        sums = net.bias.astype(np.int64) + net.rows[bucket, rows].astype(np.int64).sum(axis=0)
        halves.append((sums.clip(0, QA) << 6) ** 2 >> 16)
    bucket = (len(men) - 2) // (32 // net.shape[2])
    total = int(np.concatenate(halves) @ net.out_weight[bucket].astype(np.int64))
    return (total + int(net.out_bias[bucket])) * net.scale // (SQUARE * QB)
