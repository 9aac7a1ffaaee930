"""Bitboards: one uint64, a1 = bit 0, h8 = bit 63; and the few machine instructions Numba has no name for.

Every literal that meets a bitboard is a typed constant: in Numba `uint64 - 1` is an int64, and a board whose
h8 bit is set turns negative.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils

from engine.core.jit import intrinsic, kernel

# To Numba these name machine words; to mypy they are Any, since a kernel's `int` is such a word and not
# Python's.
U64: Any = np.uint64
I64: Any = np.int64
ZERO, ONE = U64(0), U64(1)
FULL = U64(0xFFFF_FFFF_FFFF_FFFF)
FILE_A = U64(0x0101_0101_0101_0101)
FILE_H = U64(0x8080_8080_8080_8080)
NOT_A, NOT_H = ~FILE_A, ~FILE_H
RANK_1, RANK_2, RANK_3 = U64(0xFF), U64(0xFF00), U64(0xFF_0000)
RANK_6, RANK_7, RANK_8 = U64(0xFF << 40), U64(0xFF << 48), U64(0xFF << 56)
LIGHT = U64(0x55AA_55AA_55AA_55AA)
SEVEN, EIGHT, NINE = U64(7), U64(8), U64(9)


@intrinsic
def count(typing_context: Any, board: Any) -> Any:  # noqa: ARG001
    """How many squares are set."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
        return builder.ctpop(args[0])

    return types.int64(types.uint64), code


@intrinsic
def lowest(typing_context: Any, board: Any) -> Any:  # noqa: ARG001
    """The first square that is set; meaningless for an empty board."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), code


@intrinsic
def highest(typing_context: Any, board: Any) -> Any:  # noqa: ARG001
    """The last square that is set; meaningless for an empty board."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
        zeros = builder.ctlz(args[0], ir.Constant(ir.IntType(1), 1))
        return builder.sub(ir.Constant(ir.IntType(64), 63), zeros)

    return types.int64(types.uint64), code


@intrinsic
def load(typing_context: Any, address: Any) -> Any:  # noqa: ARG001
    """The word at `address`, in one indivisible read."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
        pointer = builder.inttoptr(args[0], ir.IntType(64).as_pointer())
        return builder.load_atomic(pointer, "monotonic", 8)

    return types.uint64(types.uint64), code


@intrinsic
def store(typing_context: Any, address: Any, word: Any) -> Any:  # noqa: ARG001
    """Write `word` at `address`, in one indivisible write."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
        pointer = builder.inttoptr(args[0], ir.IntType(64).as_pointer())
        builder.store_atomic(args[1], pointer, "monotonic", 8)
        return context.get_dummy_value()

    return types.void(types.uint64, types.uint64), code


@intrinsic
def prefetch(typing_context: Any, address: Any) -> Any:  # noqa: ARG001
    """Ask for the cache line at `address`: the search will want it some hundred instructions later."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
        word, byte_pointer = ir.IntType(32), ir.IntType(8).as_pointer()
        hint = cgutils.get_or_insert_function(
            builder.module,
            ir.FunctionType(ir.VoidType(), [byte_pointer, word, word, word]),
            "llvm.prefetch.p0",
        )
        pointer = builder.inttoptr(args[0], byte_pointer)
        builder.call(hint, [pointer, ir.Constant(word, 0), ir.Constant(word, 3), ir.Constant(word, 1)])
        return context.get_dummy_value()

    return types.void(types.uint64), code


@kernel
def bit(square: int) -> np.uint64:
    return ONE << U64(square)


@kernel
def drop_lowest(board: np.uint64) -> np.uint64:
    return board & (board - ONE)
