"""What a `go` line means."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.golimits import HUGE, Asked
from engine.timeman import Clock


def limits(line: str, *, white: bool = True) -> dict[str, object]:
    """Only what was asked for."""
    asked = Asked(line.split()).limits(white=white)._asdict()
    return {name: value for name, value in asked.items() if value not in (None, False, ())}


@pytest.mark.parametrize(
    ("line", "meaning"),
    [
        ("", {}),
        ("infinite", {"infinite": True}),
        ("depth 7", {"depth": 7}),
        ("nodes 5000 depth 3", {"nodes": 5000, "depth": 3}),
        ("movetime 250", {"movetime_ms": 250}),
        ("mate 3", {"mate": 3}),
        ("searchmoves e2e4 e7e8q infinite", {"searchmoves": ("e2e4", "e7e8q"), "infinite": True}),
        ("wtime 9 btime 8 winc 2 binc 1", {"clock": Clock(9, 2, None)}),
        ("ponder wtime 9 btime 8 movestogo 5", {"ponder": True, "clock": Clock(9, 0, 5)}),
        ("wtime -40 btime 8 winc 2", {"clock": Clock(-40, 2, None)}),
        ("wtime 9 btime 8 movestogo 0", {"clock": Clock(9, 0, None)}),
        ("btime 8 binc 3", {"clock": Clock(8, 0, None)}),
        ("depth 0 nodes -5 movetime 0", {"depth": 1, "nodes": 1, "movetime_ms": 1}),
        ("depth 3 depth 4", {"depth": 4}),
        ("nodes 999999999999999999", {"nodes": HUGE}),
    ],
)
def test_a_go_line_means_what_it_says(line: str, meaning: dict[str, object]) -> None:
    assert limits(line) == meaning
    assert Asked(line.split()).complaints == []


def test_black_reads_its_own_clock() -> None:
    assert limits("wtime 9 btime 8 winc 2 binc 1", white=False) == {"clock": Clock(8, 1, None)}


@pytest.mark.parametrize(
    ("line", "meaning", "named"),
    [
        ("depth x movetime 5", {"movetime_ms": 5}, "depth"),
        ("depth", {}, "depth"),
        ("depth nodes 8", {"nodes": 8}, "depth"),
        ("nodes 1e6 depth 2", {"depth": 2}, "nodes"),
        ("nodes 1_000", {}, "nodes"),
        ("depth ٣", {}, "depth"),
        (f"depth {'9' * 5000}", {}, "depth"),
        ("deep 4", {}, "deep"),
        ("searchmoves e2e4 castle depth 2", {"searchmoves": ("e2e4",), "depth": 2}, "castle"),
    ],
)
def test_a_word_that_makes_no_sense_is_named_and_the_rest_counts(
    line: str, meaning: dict[str, object], named: str
) -> None:
    assert limits(line) == meaning
    assert named in Asked(line.split()).complaints[0]


VOCABULARY = "wtime btime winc movestogo depth nodes mate ponder searchmoves e2e4 -7 9 x"
WORDS = VOCABULARY.split()


@given(st.lists(st.sampled_from(WORDS) | st.text(max_size=8)), st.booleans())
def test_no_go_line_is_too_strange(words: list[str], white: bool) -> None:
    asked = Asked(words).limits(white=white)
    for limit in (asked.depth, asked.nodes, asked.movetime_ms, asked.mate):
        assert limit is None or 1 <= limit <= HUGE
