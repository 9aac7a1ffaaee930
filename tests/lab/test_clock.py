"""The runner's clocks and the `go` commands it makes of them."""

import pytest

from engine.lab.game import Clock, go_command, score_cp
from engine.lab.settings import Limit

BLITZ = Limit(base_ms=10_000, inc_ms=100)


def test_a_move_costs_its_time_and_earns_the_increment() -> None:
    clock = Clock(BLITZ)
    clock.spend(400.5)
    assert clock.left_ms == 9699.5


def test_a_forgiven_overrun_leaves_only_the_increment() -> None:
    clock = Clock(BLITZ)
    clock.spend(10_015)
    assert clock.left_ms == 100


def test_the_base_is_added_again_after_the_moves_of_a_period() -> None:
    clock = Clock(Limit(base_ms=1000, moves=2))
    assert clock.moves_to_go == 2
    clock.spend(300)
    assert (clock.left_ms, clock.moves_to_go) == (700, 1)
    clock.spend(300)
    assert (clock.left_ms, clock.moves_to_go) == (1400, 2)


def test_the_margin_is_allowed_on_top() -> None:
    assert Clock(BLITZ).allowed_ms(20) == 10_020
    assert Clock(Limit(movetime_ms=50)).allowed_ms(20) == 70
    assert Clock(Limit(nodes=1000)).allowed_ms(20) is None


def test_go_tells_both_clocks() -> None:
    limits = BLITZ, Limit(base_ms=60_000, moves=40)
    clocks = Clock(limits[0]), Clock(limits[1])
    assert go_command(limits, clocks, 0) == "go wtime 10000 btime 60000 winc 100 binc 0"
    assert go_command(limits, clocks, 1) == "go wtime 10000 btime 60000 winc 100 binc 0 movestogo 40"


def test_go_never_tells_a_clock_of_nothing() -> None:
    clock = Clock(Limit(base_ms=100))
    clock.spend(100)
    assert go_command((Limit(base_ms=100),) * 2, (clock, clock), 0) == "go wtime 1 btime 1 winc 0 binc 0"


def test_go_without_a_clock_names_the_other_limits() -> None:
    limit = Limit(nodes=5000, depth=9, movetime_ms=50)
    assert go_command((limit, limit), (Clock(limit), Clock(limit)), 0) == "go movetime 50 nodes 5000 depth 9"


def test_a_nearer_mate_is_worth_more() -> None:
    assert score_cp("mate", 1) > score_cp("mate", 2) > score_cp("cp", 9999)
    assert score_cp("mate", -1) < score_cp("mate", -2) < score_cp("cp", -9999)
    assert score_cp("mate", 0) < score_cp("mate", -1)
    with pytest.raises(ValueError, match="wdl"):
        score_cp("wdl", 1)
