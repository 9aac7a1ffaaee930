"""Who is there and who has left: online, the countdown the other side hears, and claims."""

import chess
import pytest

from bot.sandbox.match import Match
from bot.sandbox.presence import timeout_ms
from bot.sandbox.seats import Seat
from bot.sandbox.speeds import TimeControl
from bot.sandbox.variants import Status
from tests.sandbox.scene import Line, Scene, a_match, error_of


def countdown(lines: list[Line | None]) -> list[int | None]:
    """Seconds to the claim in each word about the opponent; None: it is back."""
    return [line.get("claimWinInSeconds") for line in lines if line and line["type"] == "opponentGone"]


def begun(scene: Scene, *, limit_s: int = 600) -> Match:
    """Both have come and moved; Opal, who is White, is to move. In ten minutes a claim takes 120 s."""
    match = scene.game(**{"clock.limit": limit_s, "clock.increment": 0})
    scene.world.stream_opened("opal", match.id)
    scene.play(match, "e2e4", "e7e5")
    return match


# Online


def test_online_is_having_a_stream_and_ten_seconds_more() -> None:
    scene = Scene()
    world = scene.world
    assert not world.is_online("opal")
    world.stream_opened("opal")
    world.stream_opened("opal")
    world.stream_closed("opal")
    scene.wait(60_000)
    assert world.is_online("Opal")
    world.stream_closed("opal")
    scene.wait(9_999)
    assert world.is_online("opal")
    scene.wait(1)
    assert not world.is_online("opal")


def test_closing_what_is_not_open_changes_nothing() -> None:
    scene = Scene()
    scene.world.stream_closed("opal")
    scene.world.stream_closed("opal", "unknown1")
    scene.world.stream_opened("opal")
    assert scene.world.is_online("opal")


# The countdown


def test_the_other_side_hears_every_five_seconds_how_long_an_absence_may_last() -> None:
    scene = Scene()
    match = begun(scene)
    heard = scene.game_stream(match)
    scene.world.stream_closed("opal", match.id)
    scene.wait(4_999)
    assert countdown(heard) == []
    scene.wait(10_001)
    assert countdown(heard) == [115, 110, 105]
    scene.wait(110_000)
    assert countdown(heard)[-2:] == [0, 0]


def test_a_person_who_comes_back_is_announced() -> None:
    scene = Scene()
    match = begun(scene)
    heard = scene.game_stream(match)
    scene.world.stream_closed("opal", match.id)
    scene.wait(5_000)
    scene.world.stream_opened("opal", match.id)
    scene.wait(60_000)
    assert countdown(heard) == [115, None]
    assert heard[-1] == {"type": "opponentGone", "gone": False}


def test_a_short_absence_is_nobodys_business() -> None:
    scene = Scene()
    match = begun(scene)
    heard = scene.game_stream(match)
    scene.world.stream_closed("opal", match.id)
    scene.wait(4_000)
    scene.world.stream_opened("opal", match.id)
    scene.wait(10_000)
    assert countdown(heard) == []


def test_a_bot_is_absent_a_second_after_its_stream_and_then_since_the_game_began() -> None:
    scene = Scene()
    match = begun(scene)
    scene.game_stream(match)
    heard = scene.game_stream(match, "opal")
    scene.play(match, "g1f3", each_ms=119_000)
    scene.world.stream_closed("numbarine", match.id)
    scene.wait(999)
    assert countdown(heard) == []
    scene.wait(1)
    assert countdown(heard) == [0]  # two minutes after the start it may be claimed at once
    scene.world.stream_opened("numbarine", match.id)
    scene.wait(20_000)
    assert countdown(heard) == [0]  # and nobody says that it is back


def test_nobody_is_gone_before_both_have_moved_or_when_nobody_is_there_to_hear() -> None:
    scene = Scene()
    match = scene.game()
    heard = scene.game_stream(match)
    scene.wait(60_000)
    assert countdown(heard) == []
    scene.play(match, "e2e4", "e7e5")
    scene.world.stream_closed("numbarine", match.id)
    scene.wait(60_000)
    assert countdown(heard) == []


def test_a_tournament_game_is_not_claimed_before_both_have_moved_either() -> None:
    scene = Scene()
    seats = [scene.world.games.seat_for(account, "blitz") for account in (scene.opal, scene.bot)]
    match = scene.world.games.start(*seats, control=TimeControl(180, 2), source="arena")
    heard = scene.game_stream(match)
    scene.wait(20_000)
    assert countdown(heard) == []


def test_no_countdown_that_the_clock_would_win() -> None:
    scene = Scene()
    match = begun(scene, limit_s=60)
    heard = scene.game_stream(match)
    scene.wait(31_000)
    scene.world.stream_closed("opal", match.id)
    scene.wait(10_000)
    assert countdown(heard) == []


def test_a_player_who_never_came_is_gone() -> None:
    scene = Scene()
    match = scene.game(**{"clock.limit": 600})
    scene.play(match, "e2e4", "e7e5")
    heard = scene.game_stream(match)
    scene.wait(5_000)
    assert countdown(heard) == [115]


def test_the_end_of_a_game_ends_the_countdown() -> None:
    scene = Scene()
    match = begun(scene)
    heard = scene.game_stream(match)
    scene.world.stream_closed("opal", match.id)
    scene.wait(5_000)
    scene.world.games.resign(match.id, "opal")
    scene.wait(60_000)
    assert countdown(heard) == [115]
    assert scene.world.games.gone.next_ms is None


# Claims


def test_a_game_is_claimed_when_the_time_is_over_and_not_before() -> None:
    scene = Scene()
    match = begun(scene)
    scene.game_stream(match)
    claim = scene.world.games.claim_victory
    there = "You cannot claim victory in this game"
    assert error_of(claim, match.id, "numbarine") == there
    scene.world.stream_closed("opal", match.id)
    scene.wait(119_999)
    assert error_of(claim, match.id, "numbarine") == there
    scene.wait(1)
    claim(match.id, "numbarine")
    assert (match.status, match.winner) == (Status.TIMEOUT, chess.BLACK)


def test_a_claim_on_ones_own_turn_is_out_of_place() -> None:
    scene = Scene()
    match = begun(scene)
    assert (
        error_of(scene.world.games.claim_victory, match.id, "opal") == "This is not the time to claim victory"
    )
    assert error_of(scene.world.games.claim_draw, match.id, "opal") == "This is not the time to claim a draw"


def test_a_draw_is_claimed_likewise() -> None:
    scene = Scene()
    match = begun(scene)
    scene.world.stream_closed("opal", match.id)
    scene.wait(200_000)
    scene.world.games.claim_draw(match.id, "numbarine")
    assert (match.status, match.winner) == (Status.TIMEOUT, None)


@pytest.mark.parametrize(
    ("control", "seconds"),
    [
        (TimeControl(60, 0), 30),
        (TimeControl(180, 2), 60),
        (TimeControl(600, 0), 120),
        (TimeControl(1800, 0), 300),
    ],
)
def test_a_slow_game_is_waited_for_longer(control: TimeControl, seconds: int) -> None:
    assert timeout_ms(a_match(control=control), chess.WHITE) == seconds * 1000


def test_who_is_losing_or_has_no_name_is_waited_for_less() -> None:
    queen_up = "4k3/8/8/8/8/8/8/Q3K3 w - - 0 1"
    match = a_match("fromPosition", queen_up)
    assert timeout_ms(match, chess.WHITE) == 60_000
    assert timeout_ms(match, chess.BLACK) == 30_000
    match.seats[chess.BLACK] = Seat()
    assert timeout_ms(match, chess.BLACK) == 15_000
    fast = a_match("fromPosition", queen_up, control=TimeControl(60, 0))
    fast.seats[chess.BLACK] = Seat()
    assert timeout_ms(fast, chess.BLACK) == 10_000
    assert timeout_ms(a_match("horde"), chess.BLACK) == 60_000  # where fewer pieces prove nothing
