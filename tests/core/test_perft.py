"""Leaves of the legal tree, every move made and unmade: as many as published, or as python-chess counts."""

import pytest

from engine.core.movegen import perft
from engine.notation import START_FEN, TABLES
from tests.core.positions import DATA, SUITES, TRICKY, Counted, board_of, read_counted

# The six everybody counts (Chess Programming Wiki, Perft Results)
KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
ENDING = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"
MIRRORED = "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1"
TALKCHESS = "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8"
STEVEN = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10"
PUBLISHED = (
    Counted("start", START_FEN, {1: 20, 2: 400, 3: 8902, 4: 197_281, 5: 4_865_609, 6: 119_060_324}),
    Counted("kiwipete", KIWIPETE, {1: 48, 2: 2039, 3: 97_862, 4: 4_085_603, 5: 193_690_690}),
    Counted("ending", ENDING, {1: 14, 2: 191, 3: 2812, 4: 43_238, 5: 674_624, 6: 11_030_083}),
    Counted("mirrored", MIRRORED, {1: 6, 2: 264, 3: 9467, 4: 422_333, 5: 15_833_292}),
    Counted("talkchess", TALKCHESS, {1: 44, 2: 1486, 3: 62_379, 4: 2_103_487, 5: 89_941_194}),
    Counted("steven", STEVEN, {1: 46, 2: 2079, 3: 89_890, 4: 3_894_594, 5: 164_075_551}),
)
DEEPER = (
    Counted("ending", ENDING, {7: 178_633_661}),
    Counted("mirrored", MIRRORED, {6: 706_045_033}),
)
STARTS = read_counted(DATA / "starts.epd")
CHEAP_LEAVES = 200_000  # a line of a suite is counted this far in the everyday gate


def ours(position: Counted, most: int = 10**9) -> dict[int, int]:
    """Our counts at the depths that have at most `most` leaves."""
    board = board_of(position.fen)
    return {depth: perft(TABLES, board, depth) for depth, leaves in position.leaves.items() if leaves <= most}


@pytest.mark.parametrize("position", PUBLISHED, ids=[position.name for position in PUBLISHED])
def test_perft_equals_the_published_counts(position: Counted) -> None:
    assert ours(position) == position.leaves


@pytest.mark.parametrize("position", TRICKY, ids=[position.name for position in TRICKY])
def test_perft_is_right_where_it_is_tricky(position: Counted) -> None:
    assert ours(position) == position.leaves


@pytest.mark.parametrize("position", STARTS, ids=[position.fen[:8] for position in STARTS])
def test_perft_is_right_from_the_starts_of_chess960(position: Counted) -> None:
    assert ours(position) == position.leaves


def wrong_lines(suite: str, most: int) -> list[str]:
    path = SUITES / suite
    if not path.exists():
        pytest.skip(f"no {suite} here")
    return [
        position.fen
        for position in read_counted(path)
        if not ours(position, most).items() <= position.leaves.items()
    ]


@pytest.mark.parametrize("suite", ["standard_127.epd", "fischer_960.epd"])
def test_perft_equals_the_suites_as_far_as_is_cheap(suite: str) -> None:
    assert wrong_lines(suite, CHEAP_LEAVES) == []


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("suite", ["standard_127.epd", "fischer_960.epd"])
def test_perft_equals_the_suites_to_the_depth_that_takes_minutes(suite: str) -> None:
    assert wrong_lines(suite, 30_000_000) == []


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("position", DEEPER, ids=[position.name for position in DEEPER])
def test_perft_equals_the_published_counts_one_ply_deeper(position: Counted) -> None:
    assert ours(position) == position.leaves
