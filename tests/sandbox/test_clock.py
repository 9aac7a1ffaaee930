"""Time in the sandbox: the source everything reads, and the two clocks of a game."""

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.sandbox.clock import GameClock, SandboxClock, wall_ms
from bot.sandbox.speeds import TimeControl, first_move_ms, may_be_rated, perf_key
from tests.sandbox.scene import patient

W, B = chess.WHITE, chess.BLACK


class Wall:
    """A wall clock somebody else turns."""

    def __init__(self) -> None:
        self.ms = 5000

    def __call__(self) -> int:
        return self.ms


@pytest.fixture
def wall() -> Wall:
    return Wall()


# The source


def test_time_is_the_walls(wall: Wall) -> None:
    clock = SandboxClock(wall)
    wall.ms += 70
    assert clock() == 5070


def test_the_wall_is_read_unless_another_source_is_given() -> None:
    assert SandboxClock()() >= wall_ms() - 60_000


def test_time_can_jump_forward(wall: Wall) -> None:
    clock = SandboxClock(wall)
    clock.advance(1000)
    assert clock() == 6000


def test_time_does_not_jump_back(wall: Wall) -> None:
    with pytest.raises(ValueError, match="back"):
        SandboxClock(wall).advance(-1)


def test_frozen_time_stands_still_and_goes_on_from_there(wall: Wall) -> None:
    clock = SandboxClock(wall)
    clock.freeze()
    wall.ms += 900
    clock.freeze()  # once more changes nothing
    assert clock() == 5000
    assert clock.is_frozen
    clock.thaw()
    clock.thaw()
    wall.ms += 5
    assert clock() == 5005
    assert not clock.is_frozen


def test_frozen_time_can_be_pushed(wall: Wall) -> None:
    clock = SandboxClock(wall)
    clock.freeze()
    clock.advance(50)
    assert clock() == 5050
    clock.thaw()
    assert clock() == 5050


def test_time_stands_when_the_wall_is_set_back(wall: Wall) -> None:
    clock = SandboxClock(wall)
    assert clock() == 5000
    wall.ms -= 3000
    assert clock() == 5000


# The clocks of a game


def running(left_ms: int = 60_000, increment_ms: int = 1000) -> GameClock:
    clock = GameClock(left_ms, increment_ms)
    clock.run(W, 0)
    return clock


def test_nobody_is_timed_before_a_clock_runs() -> None:
    clock = GameClock(60_000, 1000)
    clock.press(W, 9999)
    assert clock.left == {W: 60_000, B: 60_000}
    assert clock.flag_at_ms is None


def test_time_is_counted_in_hundredths() -> None:
    clock = running()
    assert clock.left_ms(W, 1239) == 58_770
    assert clock.left_ms(B, 1239) == 60_000


def test_a_move_costs_its_time_and_earns_the_increment() -> None:
    clock = running()
    clock.press(W, 5000)
    assert clock.left_ms(W, 9000) == 56_000
    assert clock.left_ms(B, 9000) == 56_000
    assert clock.ticking is B


def test_a_move_that_ends_the_game_earns_nothing() -> None:
    clock = running()
    clock.press(W, 5000, adds=False)
    assert clock.left[W] == 55_000


def test_a_flag_falls_at_its_moment_and_not_before() -> None:
    clock = running(3000)
    assert clock.flag_at_ms == 3000
    assert not clock.is_flagged(2999)
    assert clock.is_flagged(3000)
    assert clock.left_ms(W, 99_999) == 0


def test_stopped_clocks_keep_what_they_show() -> None:
    clock = running()
    clock.stop(1500)
    clock.stop(9000)
    assert clock.left_ms(W, 9000) == 58_500


def test_time_can_be_given() -> None:
    clock = running()
    clock.give(B, 15_000)
    assert clock.left[B] == 75_000


@patient(50)
@given(st.lists(st.tuples(st.integers(0, 40_000), st.booleans()), max_size=30), st.integers(0, 5000))
def test_clocks_never_show_less_than_nothing_nor_half_a_step(
    thoughts: list[tuple[int, bool]], increment_ms: int
) -> None:
    clock, now_ms = running(60_000, increment_ms // 10 * 10), 0
    for spent_ms, moves in thoughts:
        now_ms += spent_ms
        for side in chess.COLORS:
            assert clock.left_ms(side, now_ms) >= 0
            assert clock.left_ms(side, now_ms) % 10 == 0
        assert clock.is_flagged(now_ms) == (now_ms >= (clock.flag_at_ms or 0))
        if moves and clock.ticking is not None:
            clock.press(clock.ticking, now_ms)


# Time controls


@pytest.mark.parametrize(
    ("control", "speed"),
    [
        (TimeControl(15, 0), "ultraBullet"),
        (TimeControl(30, 0), "bullet"),
        (TimeControl(0, 1), "bullet"),
        (TimeControl(180, 0), "blitz"),
        (TimeControl(480, 0), "rapid"),
        (TimeControl(1500, 0), "classical"),
        (TimeControl(10_800, 60), "classical"),
        (TimeControl(days=3), "correspondence"),
        (TimeControl(), "correspondence"),
    ],
)
def test_a_time_control_has_a_speed(control: TimeControl, speed: str) -> None:
    assert control.speed == speed


@pytest.mark.parametrize(
    ("seconds", "shown"), [(15, "¼+0"), (30, "½+0"), (45, "¾+0"), (90, "1.5+0"), (600, "10+0"), (0, "0+0")]
)
def test_a_time_control_is_shown_in_minutes(seconds: int, shown: str) -> None:
    assert TimeControl(seconds, 0).show == shown


def test_a_game_without_a_limit_starts_with_its_increment_or_three_seconds() -> None:
    assert TimeControl(0, 1).initial_ms == 3000
    assert TimeControl(0, 5).initial_ms == 5000
    assert TimeControl(60, 5).initial_ms == 60_000


def test_standard_games_count_by_speed_and_variants_by_themselves() -> None:
    assert perf_key("standard", "blitz") == "blitz"
    assert perf_key("fromPosition", "blitz") == "blitz"
    assert perf_key("atomic", "blitz") == "atomic"


def test_what_may_be_rated() -> None:
    assert may_be_rated("standard", TimeControl())
    assert not may_be_rated("fromPosition", TimeControl(60, 0))
    assert not may_be_rated("atomic", TimeControl())
    assert not may_be_rated("atomic", TimeControl(0, 1))
    assert may_be_rated("atomic", TimeControl(0, 2))
    assert may_be_rated("atomic", TimeControl(30, 0))


def test_first_moves_are_waited_for_with_a_watch_only_where_strangers_meet() -> None:
    assert first_move_ms("friend", "bullet", "standard") is None
    assert first_move_ms("lobby", "bullet", "standard") == 20_000
    assert first_move_ms("arena", "blitz", "standard") == 21_000
    assert first_move_ms("pool", "classical", "standard") == 35_000
    assert first_move_ms("lobby", "rapid", "chess960") == 45_000
