"""The net inside Stockfish 15's program, read from it and asked directly: a teacher for ours.

A search of twenty nodes through files costs a tenth of a millisecond and is little more than this net's word;
asked by a kernel of ours it costs a few microseconds, so that positions are no longer what a net of ours is
short of. The program is the one Debian packages; nothing of it is kept in this project.

The net, as its authors describe it: 22,528 inputs (32 places of one's own king, on the files e to h, times 11
sorts of men times 64 squares) feed 1,024 neurons and 8 numbers of material for each side; the halves of the
neurons are multiplied with each other; then one of eight small nets, by the number of men: 1,024 -> 16 -> 30
-> 32 -> 1, where the sixteenth goes straight to the output.
"""

import shutil
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from engine.core.bits import I64, ZERO, drop_lowest, lowest
from engine.core.jit import Record, kernel
from engine.core.layout import KING
from engine.lab.games import Positions
from engine.lab.selfplay import CP_MOST

Shorts = npt.NDArray[np.int16]
Ints = npt.NDArray[np.int32]
Small = npt.NDArray[np.int8]
Number = Any  # a whole number inside a kernel, of whatever width

VERSION, HASH = 0x7AF3_2F20, 0x1C10_2EF2  # of the format, and of this very shape
INPUTS, NEURONS, BUCKETS = 22_528, 1024, 8
PLACES, MEN = 704, 32
FIRST, SECOND = 16, 32  # neurons of the small nets
OUTPUT_SCALE, WEIGHT_BITS = 16, 6
PAWN = 361  # of the net's units to a hundred centipawns
FRESH = (195, 211)  # the share of a score that Stockfish believes when the fifty moves begin
PIECE_VALUES = np.array((0, 781, 825, 1276, 2538, 0), np.int64)  # the more of them, the larger a score


class TeacherError(ValueError):
    """No such net in the file; the message says what was found instead."""


class Teacher(NamedTuple):
    bias: Shorts  # (1024,)
    rows: Shorts  # (22528, 1024)
    material: Ints  # (22528, 8)
    first_bias: Ints  # (8, 16)
    first: Small  # (8, 16, 1024)
    second_bias: Ints  # (8, 32)
    second: Small  # (8, 32, 32), of which the last two columns are padding
    third_bias: Ints  # (8,)
    third: Small  # (8, 32)


class _Reader:
    def __init__(self, data: bytes, at: int) -> None:
        self._data, self._at = data, at

    def take(self, kind: str, *shape: int) -> npt.NDArray[Any]:
        count = int(np.prod(shape, dtype=np.int64))
        found = np.frombuffer(self._data, np.dtype(kind), count, self._at).reshape(shape)
        self._at += found.nbytes
        return found


def read(path: Path) -> Teacher:
    """The net in a program or in a file of its own; TeacherError when there is none of the known shape."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise TeacherError(f"{path}: {error.strerror or error}") from error
    at = data.find(VERSION.to_bytes(4, "little") + HASH.to_bytes(4, "little"))
    if at < 0:
        raise TeacherError(f"{path}: no net of Stockfish 15 in it (Debian's package stockfish has one)")
    words = int.from_bytes(data[at + 8 : at + 12], "little")
    reader = _Reader(data, at + 12 + words)
    try:
        return _read(reader)
    except ValueError as error:
        raise TeacherError(f"{path}: the net at offset {at} is cut short") from error


def _read(reader: _Reader) -> Teacher:
    reader.take("<u4", 1)  # a hash of the part that follows; the eight small nets have one too
    bias, rows = reader.take("<i2", NEURONS), reader.take("<i2", INPUTS, NEURONS)
    material = reader.take("<i4", INPUTS, BUCKETS)
    layers = [
        (
            reader.take("<u4", 1),
            reader.take("<i4", FIRST),
            reader.take("i1", FIRST, NEURONS),
            reader.take("<i4", SECOND),
            reader.take("i1", SECOND, 32),
            reader.take("<i4", 1),
            reader.take("i1", SECOND),
        )
        for _ in range(BUCKETS)
    ]
    _, first_bias, first, second_bias, second, third_bias, third = (
        np.stack(part) for part in zip(*layers, strict=True)
    )
    return Teacher(
        bias.copy(), rows.copy(), material.copy(),
        first_bias, first, second_bias, second, third_bias.ravel(), third,
    )  # fmt: skip


def find(name: str) -> Teacher:
    """The net of a program by its name or path."""
    return read(Path(shutil.which(name) or name))


@kernel
def _accumulate(
    position: Record, bucket: Number, view: int, teacher: Teacher, king: int, sums: Shorts, heads: Ints
) -> None:
    """Neurons and material of one side, from nothing."""
    bias, rows, material = teacher[0], teacher[1], teacher[2]
    turn = 56 * view ^ (7 if king & 4 == 0 else 0)
    home = king ^ turn
    base = (31 - (home >> 3) * 4 - ((home & 7) - 4)) * PLACES
    sums[:] = bias
    heads[view] = 0
    rest, n = position.occupied, 0
    while rest != ZERO:
        square = I64(lowest(rest))
        rest = drop_lowest(rest)
        piece = I64(position.men[n >> 1] >> 4 * (n & 1) & 15)
        n += 1
        sort, theirs = piece % 6, (piece // 6) ^ view
        place = 640 if sort == KING else 128 * sort + 64 * theirs
        row = base + place + (square ^ turn)
        heads[view] += material[row, bucket]
        for i in range(NEURONS):
            sums[i] += rows[row, i]


@kernel
def _layers(teacher: Teacher, bucket: Number, pairs: Shorts) -> Number:
    """The small net."""
    first_bias, first, second_bias, second, third_bias, third = (
        teacher[3], teacher[4], teacher[5], teacher[6], teacher[7], teacher[8],
    )  # fmt: skip
    one, two = np.zeros(FIRST, np.int32), np.zeros(32, np.int32)
    for k in range(FIRST):
        total = np.int32(0)
        for i in range(NEURONS):
            total += np.int32(pairs[i]) * np.int32(first[bucket, k, i])
        one[k] = total + first_bias[bucket, k]
    for k in range(FIRST - 1):
        x = I64(one[k])
        two[k] = min(127, (x * x >> 2 * WEIGHT_BITS) // 128)
        two[FIRST - 1 + k] = min(127, max(0, x >> WEIGHT_BITS))
    output = I64(third_bias[bucket])
    for k in range(SECOND):
        total = second_bias[bucket, k]
        for i in range(32):
            total += two[i] * np.int32(second[bucket, k, i])
        output += min(127, max(0, total >> WEIGHT_BITS)) * I64(third[bucket, k])
    straight = I64(one[FIRST - 1]) * (600 * OUTPUT_SCALE)
    unit = 127 * (1 << WEIGHT_BITS)
    return output + (straight // unit if straight >= 0 else -(-straight // unit))


@kernel
def _output(
    position: Record, teacher: Teacher, sums: Shorts, pairs: Shorts, heads: Ints
) -> tuple[Number, Number]:
    """For the side to move, in units of which PAWN are a pawn; and the value of all pieces but pawns."""
    kings, men, pieces = np.zeros(2, np.int64), 0, 0
    rest = position.occupied
    while rest != ZERO:
        square = I64(lowest(rest))
        rest = drop_lowest(rest)
        piece = I64(position.men[men >> 1] >> 4 * (men & 1) & 15)
        men += 1
        if piece % 6 == KING:
            kings[piece // 6] = square
        pieces += PIECE_VALUES[piece % 6]
    bucket, side = (men - 1) // 4, I64(position.side)
    for half in range(2):
        view = side ^ half
        _accumulate(position, bucket, view, teacher, kings[view], sums, heads)
        for i in range(NEURONS // 2):
            a = np.int32(min(max(sums[i], np.int16(0)), np.int16(127)))
            b = np.int32(min(max(sums[i + NEURONS // 2], np.int16(0)), np.int16(127)))
            pairs[half * (NEURONS // 2) + i] = np.int16(a * b >> 7)
    material = (I64(heads[side]) - I64(heads[1 - side])) // 2
    return (material + _layers(teacher, bucket, pairs)) // OUTPUT_SCALE, pieces


@kernel
def _score(positions: Positions, teacher: Teacher, raw: Number, out: Shorts) -> None:
    sums, pairs, heads = np.empty(NEURONS, np.int16), np.empty(NEURONS, np.int16), np.zeros(2, np.int32)
    for k in range(out.size):
        value, pieces = _output(positions[k], teacher, sums, pairs, heads)
        if raw == 0:
            value = value * (1076 + 96 * pieces // 5120) // 1024 * FRESH[0] // FRESH[1]
        value = max(-CP_MOST, min(CP_MOST, value * 100 // PAWN))
        out[k] = value if positions[k].side == 0 else -value


def scores(positions: Positions, teacher: Teacher, raw: bool = False) -> Shorts:
    """Centipawns, White's view; `raw` leaves out what Stockfish makes of its net's word."""
    out = np.empty(len(positions), np.int16)
    _score(positions, teacher, I64(raw), out)
    return out
