"""Attack tables: leapers by square, sliders by magic multiplication, and the geometry of lines.

A slider's attacks depend only on the occupied squares of its mask; (occupied & mask) * multiplier >> shift
numbers each of those patterns without a harmful collision. The multipliers were found by random trial (sparse
words from xorshift64* seeded with 0x4B726169742D3031); `new_tables` would raise if one of them did not
separate.
"""

import numpy as np

from engine.core.bits import FILE_A, FILE_H, ONE, RANK_1, RANK_8, U64, ZERO
from engine.core.jit import Record, kernel
from engine.core.layout import BISHOP, BLACK, KNIGHT, QUEEN, ROOK, TABLES, WHITE
from engine.core.zobrist import fill_keys

ROOK_MULTIPLIERS = (
    0x008002E08010C001,
    0x0140100120014001,
    0x4080100080082002,
    0x0180080180100004,
    0x2A00082002000490,
    0x2880010400020080,
    0x0C80020007805100,
    0x0A00002204008041,
    0x1082800080400020,
    0x0000808040002000,
    0x1000802000100080,
    0x0000801000080082,
    0x0040800400800800,
    0x0002002410420128,
    0x8091000E00030064,
    0x9102000841049412,
    0x0120008080004000,
    0x40004A4000201000,
    0x4000410011002002,
    0x0004090010002104,
    0x10011100080100C4,
    0x0000808004000200,
    0x0016030100020004,
    0x0110020000410084,
    0x1040400080208000,
    0x8001020200208048,
    0x0400200080801000,
    0x0010100080080080,
    0x0080080080040081,
    0x0001000900040002,
    0x4041002100440200,
    0x0800801880064100,
    0x28400082448000A0,
    0x4600802202004100,
    0x0000100080802000,
    0x8000100080800800,
    0x210A080080800400,
    0x8100800400800200,
    0x00004218A4000910,
    0x0208800040800100,
    0x0040008060418000,
    0x0100400081010031,
    0x0002420620820010,
    0x000100100021000A,
    0x2460040008008080,
    0x022C008002008004,
    0x0001000200010004,
    0x0100071880420024,
    0x0020210080004100,
    0xA040005080200080,
    0x8000410020001100,
    0x2A1C100008008080,
    0x0080800400080080,
    0x9281800201040080,
    0x0020800200010080,
    0x90080300A5540200,
    0x0081002010448001,
    0x1C40284011008202,
    0x00D1084020011301,
    0xA010000488211101,
    0x2082000420091002,
    0x0141000804000201,
    0x8280170810228204,
    0x08200B0026840042,
)
BISHOP_MULTIPLIERS = (
    0x4003040418020221,
    0x02020822088E0090,
    0x401020808710C000,
    0x0404040090000840,
    0x0014102804010200,
    0x0002080308122000,
    0x902206092049C000,
    0x0809140118080410,
    0x380821081020A081,
    0x0004650102040900,
    0x122A101400802192,
    0x81C8040410804884,
    0x0002020211000000,
    0x8010010442404040,
    0x8000008084104008,
    0x0484008218220201,
    0x2008202002100668,
    0xC020405001020080,
    0x0121180208020080,
    0x01410010240080A0,
    0x2002001012100120,
    0x2001000A10020100,
    0x0806044402060B28,
    0x2010C00124220829,
    0x0948480006B01008,
    0x004802C029101100,
    0x1602300102008204,
    0x004004020A020808,
    0x0204840020822000,
    0x0004004028080200,
    0x08030C2015140500,
    0x20408080050400A0,
    0x90014450022020C0,
    0x0002022280210800,
    0x0408109000080040,
    0x0903020080080081,
    0x00200A0020020480,
    0x2110020088821004,
    0x000E180200344220,
    0x60084C4042018201,
    0x080084100823C020,
    0x20008230100A0201,
    0x0886001402010402,
    0x0102204200800801,
    0x2201811024000080,
    0x0008100080230200,
    0x0060020220500204,
    0x0290010204284080,
    0x0012080208448000,
    0x0040210110100010,
    0x000A008048081068,
    0x0000000220A80861,
    0x1086000410440802,
    0x50000820A8088000,
    0x00040450022A0000,
    0x80108182008A0000,
    0x6002010041108808,
    0xC470104402080268,
    0x0808000200420821,
    0x8800480082460810,
    0x00024200C0104100,
    0x040200C150020080,
    0x4000182A28182100,
    0x08C8202084084080,
)
ROOK_STEPS = ((1, 0), (-1, 0), (0, 1), (0, -1))
BISHOP_STEPS = ((1, 1), (-1, 1), (1, -1), (-1, -1))
KNIGHT_STEPS = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))
KING_STEPS = ROOK_STEPS + BISHOP_STEPS


@kernel
def rook_attacks(tables: Record, square: int, occupied: np.uint64) -> np.uint64:
    mask, multiplier = tables.rook_magic[square, 0], tables.rook_magic[square, 1]
    shift, offset = tables.rook_magic[square, 2], tables.rook_magic[square, 3]
    return tables.sliders[(((occupied & mask) * multiplier) >> shift) + offset]


@kernel
def bishop_attacks(tables: Record, square: int, occupied: np.uint64) -> np.uint64:
    mask, multiplier = tables.bishop_magic[square, 0], tables.bishop_magic[square, 1]
    shift, offset = tables.bishop_magic[square, 2], tables.bishop_magic[square, 3]
    return tables.sliders[(((occupied & mask) * multiplier) >> shift) + offset]


@kernel
def piece_attacks(tables: Record, piece: int, square: int, occupied: np.uint64) -> np.uint64:
    """Attacks of a piece that is not a pawn."""
    if piece == KNIGHT:
        return tables.knight[square]
    if piece == BISHOP:
        return bishop_attacks(tables, square, occupied)
    if piece == ROOK:
        return rook_attacks(tables, square, occupied)
    if piece == QUEEN:
        return bishop_attacks(tables, square, occupied) | rook_attacks(tables, square, occupied)
    return tables.king[square]


@kernel
def attackers(tables: Record, board: Record, square: int, occupied: np.uint64) -> np.uint64:
    """Pieces of both colours that attack `square` when `occupied` stands in the way."""
    straight = board.pieces[ROOK] | board.pieces[QUEEN]
    diagonal = board.pieces[BISHOP] | board.pieces[QUEEN]
    return (
        (tables.pawn[BLACK, square] & board.pieces[0] & board.colours[WHITE])
        | (tables.pawn[WHITE, square] & board.pieces[0] & board.colours[BLACK])
        | (tables.knight[square] & board.pieces[KNIGHT])
        | (tables.king[square] & board.pieces[5])
        | (rook_attacks(tables, square, occupied) & straight)
        | (bishop_attacks(tables, square, occupied) & diagonal)
    )


@kernel
def walk(square: int, steps: tuple[tuple[int, int], ...], occupied: np.uint64, far: int) -> np.uint64:
    """The slow twin of a look-up: squares reached by at most `far` steps, up to the first occupied one."""
    reached = ZERO
    for file_step, rank_step in steps:
        file, rank = square % 8 + file_step, square // 8 + rank_step
        for _ in range(far):
            if not (0 <= file < 8 and 0 <= rank < 8):
                break
            target = ONE << U64(rank * 8 + file)
            reached |= target
            if occupied & target:
                break
            file, rank = file + file_step, rank + rank_step
    return reached


@kernel
def _fill_slider(
    tables: Record, magics: np.ndarray, steps: tuple[tuple[int, int], ...], square: int, offset: int
) -> int:
    """Write one square's patterns; return how many, or -1 if the multiplier mixes two of them up."""
    mask, multiplier, shift = magics[square, 0], magics[square, 1], magics[square, 2]
    size = 1 << (64 - int(shift))
    pattern = ZERO
    for _ in range(size):
        reached = walk(square, steps, pattern, 7)
        index = int((pattern * multiplier) >> shift) + offset
        if tables.sliders[index] != ZERO and tables.sliders[index] != reached:
            return -1
        tables.sliders[index] = reached
        pattern = (pattern - mask) & mask
    return size


@kernel
def _fill_leapers(tables: Record) -> None:
    for square in range(64):
        tables.knight[square] = walk(square, KNIGHT_STEPS, ZERO, 1)
        tables.king[square] = walk(square, KING_STEPS, ZERO, 1)
        tables.pawn[WHITE, square] = walk(square, ((1, 1), (-1, 1)), ZERO, 1)
        tables.pawn[BLACK, square] = walk(square, ((1, -1), (-1, -1)), ZERO, 1)


@kernel
def _fill_lines(tables: Record) -> None:
    for a in range(64):
        for b in range(64):
            files, ranks = abs(a % 8 - b % 8), abs(a // 8 - b // 8)
            tables.distance[a, b] = max(files, ranks)
            if a == b or not (files == 0 or ranks in (0, files)):
                continue
            ends = (ONE << U64(a)) | (ONE << U64(b))
            steps_a, steps_b = walk(a, KING_STEPS, ends, 7), walk(b, KING_STEPS, ends, 7)
            for c in range(64):
                if _collinear(a, b, c):
                    tables.line[a, b] |= ONE << U64(c)
            tables.between[a, b] = steps_a & steps_b & tables.line[a, b] & ~ends


@kernel
def _collinear(a: int, b: int, c: int) -> bool:
    return (b % 8 - a % 8) * (c // 8 - a // 8) == (b // 8 - a // 8) * (c % 8 - a % 8)


@kernel
def _fill_pawn_spans(tables: Record) -> None:
    for square in range(64):
        file = U64(square % 8)
        own = FILE_A << file
        beside = ZERO
        if square % 8 > 0:
            beside |= FILE_A << (file - ONE)
        if square % 8 < 7:
            beside |= FILE_A << (file + ONE)
        tables.beside[square] = beside
        for colour in range(2):
            ahead = ZERO
            for rank in range(8):
                if (rank > square // 8) if colour == WHITE else (rank < square // 8):
                    ahead |= RANK_1 << U64(8 * rank)
            tables.forward[colour, square] = own & ahead
            tables.passed_span[colour, square] = (own | beside) & ahead


@kernel
def relevant(square: int, steps: tuple[tuple[int, int], ...]) -> np.uint64:
    """Squares whose occupation can change a slider's attacks: its rays without the board's far edges."""
    edges = ZERO
    if square // 8 != 0:
        edges |= RANK_1
    if square // 8 != 7:
        edges |= RANK_8
    if square % 8 != 0:
        edges |= FILE_A
    if square % 8 != 7:
        edges |= FILE_H
    return walk(square, steps, ZERO, 7) & ~edges


@kernel
def _fill(tables: Record, rooks: np.ndarray, bishops: np.ndarray) -> int:
    """Build everything; return the entries used of `sliders`, or -1 on a bad multiplier."""
    offset = 0
    for square in range(64):
        mask = relevant(square, ROOK_STEPS)
        _set_magic(tables.rook_magic, square, mask, rooks[square], offset)
        size = _fill_slider(tables, tables.rook_magic, ROOK_STEPS, square, offset)
        if size < 0:
            return -1
        offset += size
    for square in range(64):
        mask = relevant(square, BISHOP_STEPS)
        _set_magic(tables.bishop_magic, square, mask, bishops[square], offset)
        size = _fill_slider(tables, tables.bishop_magic, BISHOP_STEPS, square, offset)
        if size < 0:
            return -1
        offset += size
    _fill_leapers(tables)
    _fill_lines(tables)
    _fill_pawn_spans(tables)
    fill_keys(tables)
    return offset


@kernel
def _set_magic(magics: np.ndarray, square: int, mask: np.uint64, multiplier: np.uint64, offset: int) -> None:
    bits = 0
    rest = mask
    while rest != ZERO:
        rest &= rest - ONE
        bits += 1
    magics[square, 0] = mask
    magics[square, 1] = multiplier
    magics[square, 2] = U64(64 - bits)
    magics[square, 3] = U64(offset)


def new_tables() -> Record:
    """The tables every search of this process shares; built in some milliseconds."""
    tables = np.zeros(1, TABLES)[0]
    used = _fill(tables, np.array(ROOK_MULTIPLIERS, U64), np.array(BISHOP_MULTIPLIERS, U64))
    if used != len(tables["sliders"]):
        message = f"a magic multiplier does not separate its patterns (filled {used})"
        raise AssertionError(message)
    return tables
