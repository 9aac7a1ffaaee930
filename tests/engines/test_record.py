"""What engines say, read line by line."""

from hypothesis import given
from hypothesis import strategies as st

from bot.engines.record import PV_PLIES, Insight, Record, read_post, read_uci
from bot.game.nouns import Score

LINE = "info depth 12 seldepth 20 multipv 1 score cp -31 nodes 812344 nps 990000 time 840 pv e7e5 g1f3"


def heard(*lines: str) -> Insight:
    record = Record()
    for line in lines:
        record.hear(line)
    return record.read()


def test_a_line_is_read() -> None:
    assert heard(LINE) == Insight(Score(cp=-31), 12, 812_344, 990_000, 840, ("e7e5", "g1f3"))


def test_a_mate_is_read() -> None:
    assert heard("info depth 3 score mate -2 pv e7e5").score == Score(mate=-2)


def test_a_bound_never_replaces_an_exact_score() -> None:
    bound = "info depth 13 score cp 200 lowerbound nodes 9 pv a7a6"
    assert heard(LINE, bound).depth == 12
    assert heard(bound).depth == 13
    assert heard(bound, LINE).depth == 12


def test_only_the_first_of_several_variations_counts() -> None:
    assert heard(LINE, "info depth 12 multipv 2 score cp -50 pv d7d5").pv[0] == "e7e5"


def test_lines_without_a_variation_are_not_kept() -> None:
    assert heard(LINE, "info depth 13 currmove e7e5 currmovenumber 1", "info string pv of mine").depth == 12


def test_another_position_forgets_the_last() -> None:
    record = Record()
    record.hear(LINE)
    record.clear()
    assert record.read() == Insight()


def test_a_long_variation_is_cut_and_nonsense_ends_it() -> None:
    assert len(read_uci("info depth 1 pv " + "e2e4 " * 99).pv) == PV_PLIES
    assert read_uci("info depth 1 pv e2e4 P@e5 a7a8q O-O e7e5").pv == ("e2e4", "P@e5", "a7a8q")


def test_an_xboard_line_is_read() -> None:
    assert read_post("  9 156 1084 48000 e2e4") == Insight(Score(cp=156), 9, 48_000, 4428, 10_840, ("e2e4",))
    assert read_post("9 -100003 10 48 Kh1").score == Score(mate=-3)


@given(st.text(max_size=200))
def test_no_line_is_too_strange(text: str) -> None:
    record = Record()
    for line in (
        text,
        f"info {text} pv {text}",
        f"info depth {text} score cp {text} pv e2e4",
        f"1 2 3 4 {text}",
    ):
        record.hear(line)
        record.read()


def test_further_lines_are_kept_beside_the_best() -> None:
    record = Record()
    assert not record.hear("info depth 4 multipv 3 score cp 1 nodes 9 pv a2a3")
    assert not record.hear("info depth 4 multipv 2 score cp 2 nodes 9 pv b2b3 b7b6")
    assert record.hear("info depth 4 multipv 1 score cp 3 nodes 9 pv c2c3")
    assert [other.pv for other in record.read().others] == [("b2b3", "b7b6"), ("a2a3",)]
    thought = record.read().thought("c2c3", "engine")
    assert [(other.uci, other.score) for other in thought.others] == [
        ("b2b3", Score(cp=2)),
        ("a2a3", Score(cp=1)),
    ]
    record.clear()
    assert record.read().others == ()
