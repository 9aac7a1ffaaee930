"""The classical evaluation, tapered between middle game and end game.

This is the evaluator interface of the search: `refresh` when a position is set, `evaluate` for the side to
move's score in centipawns; what is carried from node to node (here the pawn cache) lives in the evaluator's
record.

`trace` is either None, and Numba compiles the bookkeeping away, or an array to which every term's count is
added: the tuner and `krait eval` see exactly what the search adds up.

One file, because it is one sum: a function a group of terms, all sharing the attacks found on the way.
"""

from typing import Any

import numpy as np

from engine.core.attacks import bishop_attacks, rook_attacks
from engine.core.bits import (
    EIGHT,
    FILE_A,
    I64,
    LIGHT,
    NINE,
    NOT_A,
    NOT_H,
    RANK_3,
    RANK_6,
    SEVEN,
    U64,
    ZERO,
    bit,
    count,
    drop_lowest,
    highest,
    lowest,
)
from engine.core.endgame import FULL_SCALE, mop_up, scale
from engine.core.jit import Record, inlined, kernel
from engine.core.layout import (
    BISHOP,
    EVALUATOR,
    KING,
    KNIGHT,
    PAWN,
    PAWN_CACHE,
    QUEEN,
    ROOK,
    WHITE,
    aligned,
)
from engine.core.terms import OFFSET, SIZE

MATERIAL, SQUARES = OFFSET["material"], OFFSET["squares"]
KNIGHT_MOBILITY, BISHOP_MOBILITY = OFFSET["knight mobility"], OFFSET["bishop mobility"]
ROOK_MOBILITY, QUEEN_MOBILITY = OFFSET["rook mobility"], OFFSET["queen mobility"]
BISHOP_PAIR, DOUBLED = OFFSET["bishop pair"], OFFSET["doubled pawn"]
ISOLATED, BACKWARD = OFFSET["isolated pawn"], OFFSET["backward pawn"]
PHALANX, SUPPORTED = OFFSET["phalanx"], OFFSET["supported pawn"]
PASSED, PASSED_STOPPED = OFFSET["passed pawn"], OFFSET["passed, square ahead taken"]
PASSED_SAFE = OFFSET["passed, road safe"]
PASSED_OURS, PASSED_THEIRS = OFFSET["passed, own king's distance"], OFFSET["passed, their king's distance"]
ROOK_FILE, ROOK_BEHIND = OFFSET["rook on a file"], OFFSET["rook behind passed pawn"]
OUTPOST, SCREENED, BAD_BISHOP = (
    OFFSET["outpost"],
    OFFSET["minor behind pawn"],
    OFFSET["bishop and pawns of its colour"],
)
SHELTER, STORM = OFFSET["shelter"], OFFSET["storm"]
DANGER, RING = OFFSET["king danger"], OFFSET["king ring attacked"]
BY_PAWN, BY_MINOR, BY_ROOK = OFFSET["threat by pawn"], OFFSET["threat by minor"], OFFSET["threat by rook"]
BY_KING, HANGING, PUSH = OFFSET["threat by king"], OFFSET["hanging"], OFFSET["pawn push threat"]
SPACE, TEMPO = OFFSET["space"], OFFSET["tempo"]

Trace = Any  # None, or counts to add to: (2, WEIGHTS) by colour and weight
FULL_PHASE = 24
HALF = 1 << 31
# Units of attack on a king: one for each attacker by sort, then squares next to the king and checks.
UNIT_KNIGHT, UNIT_BISHOP, UNIT_ROOK, UNIT_QUEEN = 3, 2, 3, 5
UNIT_WEAK, UNIT_CHECK, UNIT_NO_QUEEN = 2, 5, 10
OUTPOST_RANKS = (U64(0x0000_FFFF_FF00_0000), U64(0x0000_00FF_FFFF_0000))
CENTRE_FILES = (FILE_A << U64(2)) | (FILE_A << U64(3)) | (FILE_A << U64(4)) | (FILE_A << U64(5))
SPACE_RANKS = (U64(0x0000_0000_FFFF_FF00), U64(0x00FF_FFFF_0000_0000))


@inlined
def _term(evaluator: Record, trace: Trace, colour: int, index: int, times: int) -> int:
    if trace is not None:
        trace[colour, index] += times
    return evaluator.weights[index] * times


@kernel
def middle(pair: int) -> int:
    return ((pair + HALF) & 0xFFFF_FFFF) - HALF


@kernel
def end(pair: int) -> int:
    return (pair + HALF) >> 32


@kernel
def _pawn_attacks(pawns: np.uint64, colour: int) -> np.uint64:
    if colour == WHITE:
        return ((pawns & NOT_A) << SEVEN) | ((pawns & NOT_H) << NINE)
    return ((pawns & NOT_A) >> NINE) | ((pawns & NOT_H) >> SEVEN)


@kernel
def _pawn_side(tables: Record, board: Record, evaluator: Record, trace: Trace, us: int) -> int:
    """Pawn structure of one colour, without kings; the passed pawns are left in `evaluator.passed`."""
    ours = board.pieces[PAWN] & board.colours[us]
    theirs = board.pieces[PAWN] & board.colours[1 - us]
    covered = _pawn_attacks(ours, us)
    their_cover = _pawn_attacks(theirs, 1 - us)
    flip, up = 56 * us, 8 - 16 * us
    score = 0
    passed = ZERO
    rest = ours
    while rest != ZERO:
        square = lowest(rest)
        rest = drop_lowest(rest)
        rank = (square ^ flip) >> 3
        score += _term(evaluator, trace, us, MATERIAL + PAWN, 1)
        score += _term(evaluator, trace, us, SQUARES + (square ^ flip), 1)
        half_open = 1 if tables.forward[us, square] & theirs == ZERO else 0
        neighbours = tables.beside[square] & ours
        if tables.forward[us, square] & ours != ZERO:
            score += _term(evaluator, trace, us, DOUBLED, 1)
        elif tables.passed_span[us, square] & theirs == ZERO:
            passed |= bit(square)
            score += _term(evaluator, trace, us, PASSED + rank, 1)
        if neighbours == ZERO:
            score += _term(evaluator, trace, us, ISOLATED + half_open, 1)
        elif neighbours & ~tables.passed_span[us, square] == ZERO and their_cover & bit(square + up) != ZERO:
            score += _term(evaluator, trace, us, BACKWARD + half_open, 1)
        if neighbours & (U64(0xFF) << U64(square & 56)) != ZERO:
            score += _term(evaluator, trace, us, PHALANX + rank, 1)
        if covered & bit(square) != ZERO:
            score += _term(evaluator, trace, us, SUPPORTED + rank, 1)
    evaluator.passed[us] = passed
    return score


@kernel
def _pawns(tables: Record, board: Record, evaluator: Record, trace: Trace) -> int:
    """White's pawn structure less Black's, remembered by the pawns' key."""
    if trace is not None:
        return _pawn_side(tables, board, evaluator, trace, 0) - _pawn_side(tables, board, evaluator, trace, 1)
    slot = I64(board.pawn_key & U64(PAWN_CACHE - 1))
    if evaluator.pawn_keys[slot] == board.pawn_key:
        passed = evaluator.pawn_passed[slot]
        evaluator.passed[0] = passed & board.colours[0]
        evaluator.passed[1] = passed & board.colours[1]
        return evaluator.pawn_scores[slot]
    score = _pawn_side(tables, board, evaluator, trace, 0) - _pawn_side(tables, board, evaluator, trace, 1)
    evaluator.pawn_keys[slot] = board.pawn_key
    evaluator.pawn_scores[slot] = score
    evaluator.pawn_passed[slot] = evaluator.passed[0] | evaluator.passed[1]
    return score


@kernel
def _note_attacks(evaluator: Record, us: int, sort: int, reached: np.uint64) -> None:
    evaluator.twice[us] |= evaluator.attacked[us] & reached
    evaluator.attacked[us] |= reached
    evaluator.attacks[us, sort] |= reached


@kernel
def _begin(tables: Record, board: Record, evaluator: Record) -> None:
    for us in range(2):
        pawns = board.pieces[PAWN] & board.colours[us]
        king = lowest(board.pieces[KING] & board.colours[us])
        evaluator.king[us] = king
        by_pawns = _pawn_attacks(pawns, us)
        by_king = tables.king[king]
        evaluator.attacks[us, PAWN] = by_pawns
        evaluator.attacks[us, KING] = by_king
        for sort in range(KNIGHT, KING):
            evaluator.attacks[us, sort] = ZERO
        evaluator.attacked[us] = by_pawns | by_king
        evaluator.twice[us] = by_pawns & by_king
        # The ring is the king's neighbourhood and the three squares before it
        evaluator.ring[us] = by_king | bit(king) | (by_king << EIGHT if us == WHITE else by_king >> EIGHT)
        evaluator.units[us] = 0


@kernel
def _minor_terms(board: Record, evaluator: Record, trace: Trace, us: int, square: int, sort: int) -> int:
    score = 0
    our_pawns = board.pieces[PAWN] & board.colours[us]
    where = bit(square)
    if where & OUTPOST_RANKS[us] & evaluator.attacks[us, PAWN] & ~evaluator.attacks[1 - us, PAWN] != ZERO:
        score += _term(evaluator, trace, us, OUTPOST + sort - KNIGHT, 1)
    ahead = where << EIGHT if us == WHITE else where >> EIGHT
    if ahead & our_pawns != ZERO:
        score += _term(evaluator, trace, us, SCREENED, 1)
    if sort == BISHOP:
        colour = LIGHT if where & LIGHT != ZERO else ~LIGHT
        score += _term(evaluator, trace, us, BAD_BISHOP + min(count(our_pawns & colour), 8), 1)
    return score


@kernel
def _minors(tables: Record, board: Record, evaluator: Record, trace: Trace, us: int) -> int:
    them, flip = 1 - us, 56 * us
    ours = board.colours[us]
    occupied = ours | board.colours[them]
    area = ~(evaluator.attacks[them, PAWN] | (ours & (board.pieces[PAWN] | board.pieces[KING])))
    ring = evaluator.ring[them]
    score = 0
    rest = board.pieces[KNIGHT] & ours
    while rest != ZERO:
        square = lowest(rest)
        rest = drop_lowest(rest)
        reached = ZERO if board.side == us and board.pinned & bit(square) != ZERO else tables.knight[square]
        _note_attacks(evaluator, us, KNIGHT, reached)
        score += _placed(evaluator, trace, us, KNIGHT, square ^ flip)
        score += _term(evaluator, trace, us, KNIGHT_MOBILITY + count(reached & area), 1)
        score += _minor_terms(board, evaluator, trace, us, square, KNIGHT)
        if reached & ring != ZERO:
            evaluator.units[them] += UNIT_KNIGHT
            score += _term(evaluator, trace, us, RING, count(reached & ring))
    rest = board.pieces[BISHOP] & ours
    if rest & LIGHT != ZERO and rest & ~LIGHT != ZERO:
        score += _term(evaluator, trace, us, BISHOP_PAIR, 1)
    through = occupied ^ (board.pieces[QUEEN] & ours)
    while rest != ZERO:
        square = lowest(rest)
        rest = drop_lowest(rest)
        reached = bishop_attacks(tables, square, through)
        _note_attacks(evaluator, us, BISHOP, reached)
        score += _placed(evaluator, trace, us, BISHOP, square ^ flip)
        score += _term(evaluator, trace, us, BISHOP_MOBILITY + count(reached & area), 1)
        score += _minor_terms(board, evaluator, trace, us, square, BISHOP)
        if reached & ring != ZERO:
            evaluator.units[them] += UNIT_BISHOP
            score += _term(evaluator, trace, us, RING + 1, count(reached & ring))
    return score


@kernel
def _placed(evaluator: Record, trace: Trace, us: int, sort: int, relative: int) -> int:
    if trace is not None:
        if sort != KING:
            trace[us, MATERIAL + sort] += 1
        trace[us, SQUARES + sort * 64 + relative] += 1
    return evaluator.piece_square[sort, relative]


@kernel
def _majors(tables: Record, board: Record, evaluator: Record, trace: Trace, us: int) -> int:
    them, flip = 1 - us, 56 * us
    ours = board.colours[us]
    pawns = board.pieces[PAWN]
    occupied = ours | board.colours[them]
    area = ~(evaluator.attacks[them, PAWN] | (ours & (pawns | board.pieces[KING])))
    ring = evaluator.ring[them]
    score = 0
    rest = board.pieces[ROOK] & ours
    through = occupied ^ ((board.pieces[ROOK] | board.pieces[QUEEN]) & ours)
    while rest != ZERO:
        square = lowest(rest)
        rest = drop_lowest(rest)
        reached = rook_attacks(tables, square, through)
        _note_attacks(evaluator, us, ROOK, reached)
        score += _placed(evaluator, trace, us, ROOK, square ^ flip)
        score += _term(evaluator, trace, us, ROOK_MOBILITY + count(reached & area), 1)
        file = FILE_A << U64(square & 7)
        if file & pawns & ours == ZERO:
            score += _term(evaluator, trace, us, ROOK_FILE + (1 if file & pawns == ZERO else 0), 1)
        if tables.forward[us, square] & evaluator.passed[us] != ZERO:
            score += _term(evaluator, trace, us, ROOK_BEHIND, 1)
        if reached & ring != ZERO:
            evaluator.units[them] += UNIT_ROOK
            score += _term(evaluator, trace, us, RING + 2, count(reached & ring))
    rest = board.pieces[QUEEN] & ours
    while rest != ZERO:
        square = lowest(rest)
        rest = drop_lowest(rest)
        reached = rook_attacks(tables, square, occupied) | bishop_attacks(tables, square, occupied)
        _note_attacks(evaluator, us, QUEEN, reached)
        score += _placed(evaluator, trace, us, QUEEN, square ^ flip)
        score += _term(evaluator, trace, us, QUEEN_MOBILITY + count(reached & area), 1)
        if reached & ring != ZERO:
            evaluator.units[them] += UNIT_QUEEN
            score += _term(evaluator, trace, us, RING + 3, count(reached & ring))
    return score


@kernel
def _king(tables: Record, board: Record, evaluator: Record, trace: Trace, us: int) -> int:
    """Shelter before our king, their pawns that storm it, and the danger it is in."""
    them, flip = 1 - us, 56 * us
    king = evaluator.king[us]
    score = _placed(evaluator, trace, us, KING, king ^ flip)
    our_pawns = board.pieces[PAWN] & board.colours[us]
    their_pawns = board.pieces[PAWN] & board.colours[them]
    centre = min(max(king & 7, 1), 6)
    for file in range(centre - 1, centre + 2):
        column = FILE_A << U64(file)
        edge = min(file, 7 - file)
        before = column & (tables.passed_span[us, king] | tables.king[king] | (U64(0xFF) << U64(king & 56)))
        mine, other = our_pawns & before, their_pawns & before
        shield = (_rearmost(mine, us) ^ flip) >> 3 if mine != ZERO else 0
        storm = (_rearmost(other, us) ^ flip) >> 3 if other != ZERO else 0
        score += _term(evaluator, trace, us, SHELTER + edge * 8 + shield, 1)
        score += _term(evaluator, trace, us, STORM + edge * 8 + storm, 1)
    units = evaluator.units[us]
    if units > 0:
        units = _danger(tables, board, evaluator, us, king, units)
        score += _term(evaluator, trace, us, DANGER + units, 1)
    return score


@kernel
def _rearmost(pawns: np.uint64, colour: int) -> int:
    return lowest(pawns) if colour == WHITE else highest(pawns)


@kernel
def _danger(tables: Record, board: Record, evaluator: Record, us: int, king: int, units: int) -> int:
    them = 1 - us
    theirs = board.colours[them]
    occupied = board.colours[us] | theirs
    attacked, defended = evaluator.attacked[them], evaluator.attacked[us]
    # Squares of the ring they attack and we hold, if at all, only with king or queen
    held = evaluator.twice[us] | (defended & ~(evaluator.attacks[us, KING] | evaluator.attacks[us, QUEEN]))
    weak = attacked & ~held
    units += UNIT_WEAK * count(weak & evaluator.ring[us])
    safe = ~theirs & (~defended | (weak & evaluator.twice[them]))
    straight, diagonal = (
        rook_attacks(tables, king, occupied) & safe,
        bishop_attacks(tables, king, occupied) & safe,
    )
    checks = 0
    if tables.knight[king] & safe & evaluator.attacks[them, KNIGHT] != ZERO:
        checks += 1
    if diagonal & evaluator.attacks[them, BISHOP] != ZERO:
        checks += 1
    if straight & evaluator.attacks[them, ROOK] != ZERO:
        checks += 1
    if (straight | diagonal) & evaluator.attacks[them, QUEEN] != ZERO:
        checks += 1
    units += UNIT_CHECK * checks
    if board.pieces[QUEEN] & theirs == ZERO:
        units -= UNIT_NO_QUEEN
    return min(max(units, 0), 63)


@kernel
def _threats(board: Record, evaluator: Record, trace: Trace, us: int) -> int:
    them = 1 - us
    theirs = board.colours[them]
    score = 0
    defended = evaluator.attacked[them]
    by_minor = evaluator.attacks[us, KNIGHT] | evaluator.attacks[us, BISHOP]
    by_pawn, by_rook = evaluator.attacks[us, PAWN], evaluator.attacks[us, ROOK]
    for sort in range(PAWN, KING):
        victims = board.pieces[sort] & theirs
        if victims == ZERO:
            continue
        if sort != PAWN:
            hit = victims & by_pawn
            if hit != ZERO:
                score += _term(evaluator, trace, us, BY_PAWN + sort, count(hit))
        hit = victims & by_minor & ~evaluator.attacks[them, PAWN]
        if hit != ZERO:
            score += _term(evaluator, trace, us, BY_MINOR + sort, count(hit))
        hit = victims & by_rook & ~evaluator.attacks[them, PAWN]
        if hit != ZERO:
            score += _term(evaluator, trace, us, BY_ROOK + sort, count(hit))
    loose = theirs & ~defended & ~board.pieces[KING]
    hit = loose & evaluator.attacks[us, KING]
    if hit != ZERO:
        score += _term(evaluator, trace, us, BY_KING, 1)
    hit = loose & evaluator.attacked[us]
    if hit != ZERO:
        score += _term(evaluator, trace, us, HANGING, count(hit))
    # Pawns that can safely step forward to attack a piece
    empty = ~(board.colours[0] | board.colours[1])
    pawns = board.pieces[PAWN] & board.colours[us]
    if us == WHITE:
        steps = (pawns << EIGHT) & empty
        steps |= ((steps & RANK_3) << EIGHT) & empty
    else:
        steps = (pawns >> EIGHT) & empty
        steps |= ((steps & RANK_6) >> EIGHT) & empty
    steps &= ~evaluator.attacks[them, PAWN] & (evaluator.attacked[us] | ~defended)
    hit = _pawn_attacks(steps, us) & theirs & ~board.pieces[PAWN]
    if hit != ZERO:
        score += _term(evaluator, trace, us, PUSH, count(hit))
    behind = SPACE_RANKS[us] & CENTRE_FILES & ~pawns & ~evaluator.attacks[them, PAWN]
    return score + _term(evaluator, trace, us, SPACE, count(behind))


@kernel
def _passed(tables: Record, board: Record, evaluator: Record, trace: Trace, us: int) -> int:
    them, flip, up = 1 - us, 56 * us, 8 - 16 * us
    occupied = board.colours[0] | board.colours[1]
    score = 0
    rest = evaluator.passed[us]
    while rest != ZERO:
        square = lowest(rest)
        rest = drop_lowest(rest)
        rank = (square ^ flip) >> 3
        ahead = square + up
        if occupied & bit(ahead) != ZERO:
            score += _term(evaluator, trace, us, PASSED_STOPPED + rank, 1)
        road = tables.forward[us, square]
        if road & (evaluator.attacked[them] | board.colours[them]) == ZERO:
            score += _term(evaluator, trace, us, PASSED_SAFE + rank, 1)
        if rank >= 3:
            ours, theirs = (
                tables.distance[evaluator.king[us], ahead],
                tables.distance[evaluator.king[them], ahead],
            )
            score += _term(evaluator, trace, us, PASSED_OURS + ours, 1)
            score += _term(evaluator, trace, us, PASSED_THEIRS + theirs, 1)
    return score


@kernel
def phase(board: Record) -> int:
    """24 with every piece on the board, 0 with pawns alone."""
    pieces = board.pieces
    total = count(pieces[KNIGHT] | pieces[BISHOP]) + 2 * count(pieces[ROOK]) + 4 * count(pieces[QUEEN])
    return min(total, FULL_PHASE)


@kernel
def _total(tables: Record, board: Record, evaluator: Record, trace: Trace) -> int:
    """White's sum less Black's, middle game and end game in one word."""
    _begin(tables, board, evaluator)
    score = _pawns(tables, board, evaluator, trace)
    score += _minors(tables, board, evaluator, trace, 0) - _minors(tables, board, evaluator, trace, 1)
    score += _majors(tables, board, evaluator, trace, 0) - _majors(tables, board, evaluator, trace, 1)
    score += _king(tables, board, evaluator, trace, 0) - _king(tables, board, evaluator, trace, 1)
    score += _threats(board, evaluator, trace, 0) - _threats(board, evaluator, trace, 1)
    score += _passed(tables, board, evaluator, trace, 0) - _passed(tables, board, evaluator, trace, 1)
    if board.side == 0:
        score += _term(evaluator, trace, 0, TEMPO, 1)
    else:
        score -= _term(evaluator, trace, 1, TEMPO, 1)
    return score


@kernel
def _tapered(tables: Record, board: Record, evaluator: Record, pair: int) -> int:
    """From White's pair of sums to centipawns for the side to move.

    The sign is turned before the divisions, which round down: the same position with colours swapped has the
    same value to the last centipawn.
    """
    us = board.side
    if us != WHITE:
        pair = -pair
    late = end(pair)
    strong = us if late > 0 else 1 - us
    part = phase(board)
    hope = scale(board, strong)
    value = (middle(pair) * part + late * (FULL_PHASE - part) * hope // FULL_SCALE) // FULL_PHASE
    if board.colours[1 - strong] == board.pieces[KING] & board.colours[1 - strong] and part > 0 and hope > 0:
        bonus = mop_up(tables, board, evaluator.king[strong], evaluator.king[1 - strong], strong)
        value += bonus if strong == us else -bonus
    return value


@kernel
def evaluate(tables: Record, board: Record, evaluator: Record) -> int:
    """Centipawns for the side to move; the position is not a check."""
    return _tapered(tables, board, evaluator, _total(tables, board, evaluator, None))


@kernel
def trace(tables: Record, board: Record, evaluator: Record, counts: np.ndarray) -> int:
    """As `evaluate`, and add to counts[colour, weight] how often each weight was used."""
    return _tapered(tables, board, evaluator, _total(tables, board, evaluator, counts))


@kernel
def refresh(evaluator: Record) -> None:
    """Rebuild what is derived from the weights and forget what is carried from node to node."""
    for slot in range(PAWN_CACHE):
        evaluator.pawn_keys[slot] = U64(slot + 1)  # a key that cannot live in this slot: it never matches
    for sort in range(6):
        for square in range(64):
            material = evaluator.weights[MATERIAL + sort] if sort != KING else 0
            evaluator.piece_square[sort, square] = material + evaluator.weights[SQUARES + sort * 64 + square]


def new_evaluator(pairs: np.ndarray) -> Record:
    """An evaluator with weights from an array (SIZE, 2) of middle-game and end-game centipawns."""
    evaluator = aligned(EVALUATOR)
    whole = pairs.astype(np.int64)
    evaluator["weights"][:SIZE] = (whole[:, 1] << 32) + whole[:, 0]
    refresh(evaluator)
    return evaluator
