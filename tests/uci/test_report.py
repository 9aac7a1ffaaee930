"""What the lines about a search look like."""

import pytest

from engine.driver import MATE, Info
from engine.meaning import Meaning
from engine.player import info_text, score_text

PLAIN = Meaning(half=100, spread=60)  # shows scores as they are
LINE = Info(12, 19, 1, 34, "", 81_000, 2_000_000, 17, 0, 41, ("e2e4", "e7e5"))


@pytest.mark.parametrize(
    ("score", "text"),
    [
        (0, "cp 0"),
        (-7, "cp -7"),
        (MATE - 1, "mate 1"),
        (MATE - 2, "mate 1"),
        (MATE - 3, "mate 2"),
        (MATE - 100, "mate 50"),
        (-MATE, "mate 0"),
        (-MATE + 1, "mate -1"),
        (-MATE + 2, "mate -1"),
        (-MATE + 3, "mate -2"),
        (-MATE + 4, "mate -2"),
    ],
)
def test_a_mate_is_counted_in_moves_with_the_sign_of_who_mates(score: int, text: str) -> None:
    assert score_text(score) == text


def test_an_info_line_has_every_field_in_order() -> None:
    assert info_text(LINE, PLAIN, show_wdl=False) == (
        "info depth 12 seldepth 19 multipv 1 score cp 34"
        " nodes 81000 nps 2000000 hashfull 17 tbhits 0 time 41 pv e2e4 e7e5"
    )


def test_a_bound_follows_its_score() -> None:
    assert " score cp 34 upperbound nodes " in info_text(
        LINE._replace(bound="upperbound"), PLAIN, show_wdl=False
    )


def test_a_line_without_moves_has_no_pv() -> None:
    assert info_text(LINE._replace(pv=()), PLAIN, show_wdl=False).endswith("time 41")


def test_a_score_is_shown_by_what_it_means() -> None:
    means = Meaning(half=68, spread=60)
    assert " score cp 50 wdl " in info_text(LINE, means, show_wdl=True)
    words = info_text(LINE._replace(score=68), means, show_wdl=True).split()
    assert words[words.index("cp") + 1] == "100"
    assert words[words.index("wdl") + 1] == "500"


@pytest.mark.parametrize("score", [0, 35, -400, MATE - 5, -MATE + 2])
def test_the_odds_are_shown_per_mille(score: int) -> None:
    words = info_text(LINE._replace(score=score), PLAIN, show_wdl=True).split()
    odds = [int(word) for word in words[words.index("wdl") + 1 :][:3]]
    assert sum(odds) == 1000
    assert min(odds) >= 0
