"""The shapes the kernels share: records of arrays. Who owns them is the driver's business.

A record crosses into compiled code as one pointer, needs no reference counting (which, being atomic, would
tie search threads together) and is part of Numba's type, so that the machine code can be cached. A NamedTuple
of arrays costs seven words an array at every call of a recursive search.

Move, 16 bits: from | to << 6 | kind << 12. Castling is the king's move onto its own rook, in every variant.
Piece: 0 pawn … 5 king; on the mailbox board +6 for Black, EMPTY for nothing.
"""

from typing import Any

import numpy as np

PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING = range(6)
EMPTY = 12
WHITE, BLACK = 0, 1

NORMAL, CASTLE, EN_PASSANT = 0, 1, 2
PROMOTION = 4  # kinds 4..7: to knight, bishop, rook, queen
NO_MOVE = 0

MAX_PLY = 128  # deepest line of a search
LEVELS = MAX_PLY + 8
MAX_MOVES = 256  # no position has more than 218
STACK = 1024  # undo rows: the reversible part of the game and the line under search

MATE = 32_000
INFINITE = 32_500
MATE_BOUND = 31_000  # scores beyond are mates
NO_SCORE = 32_700

# Columns of an undo row
U_KEY, U_PAWN_KEY, U_WHITE_KEY, U_BLACK_KEY, U_CHECKERS, U_PINNED = 0, 1, 2, 3, 4, 5
U_CASTLING, U_EP, U_RULE50, U_CAPTURED, U_NULLS = 6, 7, 8, 9, 11
U_MOVE = 10  # the move, and in the bits above its 16 the piece that moved

TABLES = np.dtype(
    [
        ("knight", "u8", (64,)),
        ("king", "u8", (64,)),
        ("pawn", "u8", (2, 64)),  # squares a pawn of that colour attacks
        ("rook_magic", "u8", (64, 4)),  # mask, multiplier, shift, offset into `sliders`
        ("bishop_magic", "u8", (64, 4)),
        ("between", "u8", (64, 64)),  # open segment of a rank, file or diagonal
        ("line", "u8", (64, 64)),  # the whole rank, file or diagonal through both
        ("passed_span", "u8", (2, 64)),  # squares before a pawn on its own and the two next files
        ("forward", "u8", (2, 64)),  # squares before a pawn on its own file
        ("beside", "u8", (64,)),  # the two next files of the square's file
        ("distance", "i8", (64, 64)),
        ("z_piece", "u8", (12, 64)),
        ("z_castling", "u8", (16,)),  # colour * 8 + file of the rook
        ("z_ep", "u8", (8,)),
        ("z_side", "u8"),
        ("sliders", "u8", (107_648,)),
    ],
    align=True,
)

BOARD = np.dtype(
    [
        ("pieces", "u8", (6,)),
        ("colours", "u8", (2,)),
        ("squares", "i1", (64,)),
        ("side", "i8"),
        ("castling", "i8"),  # 1 White short, 2 White long, 4 Black short, 8 Black long
        ("ep", "i8"),  # square behind a pawn that a legal en-passant move can take, else -1
        ("rule50", "i8"),
        ("nulls", "i8"),  # plies since the last null move
        ("key", "u8"),
        ("pawn_key", "u8"),
        ("side_keys", "u8", (2,)),  # pieces other than pawns, by colour
        ("checkers", "u8"),
        ("pinned", "u8"),  # pieces of the side to move that shield their king
        ("height", "i8"),  # rows used of `undo`
        ("ply", "i8"),  # half-moves since the start of the game
        ("rook_home", "i8", (4,)),  # by right, in the order of its bit
        ("rights_lost", "i8", (64,)),  # rights that end when this square is touched
        ("castle_empty", "u8", (4,)),  # must be free of others
        ("castle_safe", "u8", (4,)),  # must not be attacked
        ("undo", "u8", (STACK, 12)),
        ("moves", "i4", (LEVELS, MAX_MOVES)),  # scratch of the generators, a row a level
    ],
    align=True,
)

# The net's shape. Smaller nets are embedded in it (`engine/net.py`); loops of a fixed length become vectors.
FEATURES = 768  # colour, sort and square of a piece
HIDDEN = 256
KING_BUCKETS = 4
OUTPUT_BUCKETS = 8
QA, QB = 511, 256  # one, in units of the accumulator and of the output weights
SQUARE = QA * QA // 16  # one, in units of the activation
NET = np.dtype(
    [
        ("rows", "i2", (KING_BUCKETS * FEATURES, HIDDEN)),
        ("bias", "i2", (HIDDEN,)),
        ("out_weight", "i2", (OUTPUT_BUCKETS, 2, HIDDEN)),  # side to move, then the other
        ("out_bias", "i8", (OUTPUT_BUCKETS,)),
        ("king_bucket", "i8", (64,)),
        ("scale", "i8"),
        ("used", "i8"),  # 0: the classical evaluation plays
    ],
    align=True,
)

SLOTS = 256  # of sums, by the height of the undo stack: a power of two beyond the deepest line
FAR_APART = 5  # moves to catch up with: beyond, repairing a sum of the same lens is quicker
LENSES = 2 * KING_BUCKETS
PAWN_CACHE = 8192
WEIGHTS = 1024
EVALUATOR = np.dtype(
    [
        # What the net carries from node to node
        ("sums", "i2", (SLOTS, 2, HIDDEN)),  # by height and by whose view
        ("lens_sums", "i2", (2, LENSES, HIDDEN)),
        ("lens_pieces", "u8", (2, LENSES, 12)),  # what is in those sums
        ("sum_keys", "u8", (SLOTS, 2)),  # whose position it is
        # The classical evaluation
        ("weights", "i8", (WEIGHTS,)),  # middle game in the low half, end game in the high half
        ("piece_square", "i8", (6, 64)),  # material and square together, from White's side of the board
        ("pawn_keys", "u8", (PAWN_CACHE,)),
        ("pawn_scores", "i8", (PAWN_CACHE,)),
        ("pawn_passed", "u8", (PAWN_CACHE,)),
        # What one call of the evaluation finds, by colour
        ("king", "i8", (2,)),
        ("ring", "u8", (2,)),  # squares around the king
        ("units", "i8", (2,)),  # of attack on the king
        ("passed", "u8", (2,)),
        ("attacks", "u8", (2, 6)),
        ("attacked", "u8", (2,)),
        ("twice", "u8", (2,)),
    ],
    align=True,
)

CORRECTIONS = 16_384
HISTORY_PLIES = 4  # how far back a move's history looks
NO_ROW = 768  # the row of a null move and of what was before the root: never written
WORKER = np.dtype(
    [
        ("ticket", "i8"),  # number of the search under way, counted up from 1
        ("stop", "i8"),  # searches with ticket <= stop unwind; written by any thread
        ("nodes", "i8"),
        ("node_limit", "i8"),
        ("seldepth", "i8"),
        ("null_ply", "i8"),  # no null move before this ply: verification is under way
        ("tt_address", "u8"),
        ("tt_buckets", "u8"),
        ("tt_age", "i8"),
        ("root_depth", "i8"),
        ("root_line", "i8"),  # which line of MultiPV is searched, from 0
        ("root_count", "i8"),
        ("root_moves", "i4", (MAX_MOVES,)),
        ("root_done", "i1", (MAX_MOVES,)),  # taken by an earlier line of MultiPV
        ("root_nodes", "i8", (MAX_MOVES,)),
        ("root_best", "i8"),
        ("pv", "i4", (LEVELS, LEVELS)),
        ("pv_length", "i8", (LEVELS,)),
        ("evals", "i8", (LEVELS,)),
        (
            "played",
            "i8",
            (LEVELS,),
        ),  # at ply + HISTORY_PLIES: row of `continuation` of the move made, or NO_ROW
        ("excluded", "i8", (LEVELS,)),
        ("killers", "i8", (LEVELS, 2)),
        ("cut_count", "i8", (LEVELS,)),  # fail-highs among the children of that ply
        ("doubled", "i8", (LEVELS,)),  # double extensions on the way here
        ("checks", "u8", (LEVELS, 6)),  # squares from which a piece of ours, by sort, would check
        ("shields", "u8", (LEVELS,)),  # pieces of ours that uncover a check when they leave their line
        ("stage", "i8", (LEVELS,)),  # state of the move picker
        ("cursor", "i8", (LEVELS,)),
        ("filled", "i8", (LEVELS,)),
        ("bad", "i8", (LEVELS,)),  # captures put back, at the head of the list
        ("scores", "i4", (LEVELS, MAX_MOVES)),
        ("tried", "i4", (LEVELS, MAX_MOVES)),  # quiet moves from the left, noisy ones from the right
        ("butterfly", "i2", (2, 4096)),
        ("captures", "i2", (12, 64, 6)),
        ("continuation", "i2", (NO_ROW + 1, 768)),  # piece and square of an earlier move, then of this one
        ("pawn_history", "i2", (512, 12, 64)),
        ("pawn_correction", "i2", (2, CORRECTIONS)),
        ("white_correction", "i2", (2, CORRECTIONS)),
        ("black_correction", "i2", (2, CORRECTIONS)),
    ],
    align=True,
)

CACHE_LINE = 64


def aligned(dtype: np.dtype[np.void]) -> Any:
    """A record of zeros that begins with a cache line: a vector of 64 bytes never lies across two."""
    memory = np.zeros(dtype.itemsize + CACHE_LINE, np.uint8)
    start = -memory.ctypes.data % CACHE_LINE
    return memory[start : start + dtype.itemsize].view(dtype)[0]
