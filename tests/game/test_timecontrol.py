"""Players' words for time controls."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.game.nouns import Speed, TimeControl
from bot.game.timecontrol import accepts, misfit, parse, parse_all, parse_control
from bot.game.verdict import DeclineReason

UNLIMITED = TimeControl()
DAYS = (1, 2, 3, 5, 7, 10, 14)
LIMITS_S = (0, 15, 30, 45, 60, 90, *(60 * minutes for minutes in range(2, 181)))
clocks = st.builds(TimeControl, limit_s=st.sampled_from(LIMITS_S), increment_s=st.integers(0, 60))
controls = st.one_of(clocks, st.builds(TimeControl, days=st.sampled_from(DAYS)), st.just(UNLIMITED))


def clock(minutes: float, increment: int = 0) -> TimeControl:
    return TimeControl(limit_s=round(minutes * 60), increment_s=increment)


def days(number: int) -> TimeControl:
    return TimeControl(days=number)


@pytest.mark.parametrize(
    ("words", "control"),
    [
        ("3+2", clock(3, 2)),
        (" 3 + 2 ", clock(3, 2)),
        ("1/2+0", clock(0.5)),
        ("½+0", clock(0.5)),
        ("0.5+0", clock(0.5)),
        ("1..10+0..5", clock(1, 0)),
        ("1..10+0..5", clock(10, 5)),
        ("1/2..1+0", clock(0.75)),
        ("5..+0..", clock(180, 60)),
        ("..3+..", clock(0, 1)),
        ("correspondence", days(14)),
        ("Correspondence 3", days(3)),
        ("correspondence 1..14", days(14)),
        ("unlimited", UNLIMITED),
        ("bullet", clock(0.5)),
        ("blitz", clock(3)),
        ("rapid", clock(10, 5)),
        ("Classical", clock(30, 30)),
    ],
)
def test_words_accept_what_they_say(words: str, control: TimeControl) -> None:
    assert accepts([parse(words)], control)


@pytest.mark.parametrize(
    ("words", "control"),
    [
        ("3+2", clock(3, 1)),
        ("3+2", clock(4, 2)),
        ("1..10+0..5", clock(10, 6)),
        ("5..+0..", clock(4, 60)),
        ("..+..", days(1)),
        ("correspondence", UNLIMITED),
        ("correspondence", clock(180, 60)),
        ("correspondence 3", days(2)),
        ("unlimited", days(14)),
        ("bullet", clock(3)),
        ("blitz", clock(2)),
        ("classical", days(1)),
    ],
)
def test_words_accept_nothing_else(words: str, control: TimeControl) -> None:
    assert not accepts([parse(words)], control)


def test_an_exclusion_beats_whatever_includes_it() -> None:
    bullet_with_increment = parse_all(("bullet", "blitz", "!0..2+0"))
    assert accepts(bullet_with_increment, clock(1, 1))
    assert not accepts(bullet_with_increment, clock(1))
    assert accepts(bullet_with_increment, clock(3))


def test_exclusions_alone_accept_the_rest() -> None:
    assert accepts(parse_all(["!bullet"]), days(3))
    assert not accepts(parse_all(["! bullet"]), clock(1))


def test_an_empty_list_accepts_nothing() -> None:
    assert not accepts((), clock(3, 2))


@pytest.mark.parametrize(
    ("accepted", "control", "reason"),
    [
        (["3+2", "10+0"], clock(1), "tooFast"),
        (["3+2", "10+0"], clock(30), "tooSlow"),
        (["3+2", "10+0"], clock(5), "timeControl"),
        (["blitz"], clock(1), "tooFast"),
        (["blitz"], clock(10), "tooSlow"),
        (["bullet", "blitz"], days(3), "tooSlow"),
        (["5..+0.."], days(3), "tooSlow"),
        (["correspondence 1..3"], days(14), "tooSlow"),
        (["correspondence"], clock(180, 60), "tooFast"),
        (["correspondence ..3"], clock(3), "tooFast"),
        (["correspondence"], UNLIMITED, "tooSlow"),
        (["unlimited"], days(14), "tooFast"),
        (["blitz", "unlimited"], days(3), "timeControl"),
        (["!bullet"], clock(1), "timeControl"),
        (["bullet", "!1+0"], clock(1), "timeControl"),
        ([], clock(1), "timeControl"),
    ],
)
def test_a_misfit_is_told_to_be_slower_or_faster_where_that_helps(
    accepted: list[str], control: TimeControl, reason: str
) -> None:
    ranges = parse_all(accepted)
    assert not accepts(ranges, control)
    assert misfit(ranges, control) == reason


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "neither minutes"),
        ("fast", "neither minutes"),
        ("3", "neither minutes"),
        ("3+2+1", "neither minutes"),
        ("+2", "the minutes are missing"),
        ("3+", "the seconds are missing"),
        ("3+x", "'x' is not a number"),
        ("-3+2", "'-3' is not a number"),
        ("1/0+2", "'1/0' is not a number"),
        ("3+0.5", "0.5 seconds is not a whole number"),
        ("1/7+0", "1/7 minutes is not a whole number of seconds"),
        ("10..1+0", "10..1 minutes runs backwards"),
        ("correspondence x", "'x' is not a number of days"),
        ("ultraBullet", "no bot"),
        ("blitz 3", "neither minutes"),
        ("٣+2", "not a number"),
    ],
)
def test_a_bad_word_is_named_with_what_is_wrong_and_an_example(text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match="write for example") as refusal:
        parse(text)
    assert repr(text) in str(refusal.value)
    assert complaint in str(refusal.value)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("1/3+2", "0, 1/4, 1/2"),
        ("181+0", "up to 180"),
        ("2.5+0", "whole minutes"),
        ("3+61", "0 to 60"),
        ("1/4+0", "ultraBullet"),
        ("0+0", "ultraBullet"),
        ("correspondence 4", "1, 2, 3, 5, 7, 10, 14"),
        ("correspondence", "not many"),
        ("1..3+2", "not many"),
        ("3+1..2", "not many"),
        ("blitz", "not many"),
        ("!3+2", "not many"),
        ("!unlimited", "not many"),
        ("quick", "neither minutes"),
    ],
)
def test_what_lichess_would_refuse_is_not_asked_for(text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match="write for example") as refusal:
        parse_control(text)
    assert str(refusal.value).count("time control") <= 2
    assert repr(text) in str(refusal.value)
    assert complaint in str(refusal.value)


@given(controls)
def test_what_a_control_calls_itself_is_understood(control: TimeControl) -> None:
    assert accepts([parse(str(control))], control)
    if control.speed is not Speed.ULTRA_BULLET:
        assert parse_control(str(control)) == control


@pytest.mark.parametrize("speed", [Speed.BULLET, Speed.BLITZ, Speed.RAPID, Speed.CLASSICAL])
def test_a_speed_covers_exactly_the_clocks_of_that_speed(speed: Speed) -> None:
    every_clock = [TimeControl(limit_s, increment_s) for limit_s in LIMITS_S for increment_s in range(61)]
    covered = [control for control in every_clock if accepts([parse(speed)], control)]
    assert covered == [control for control in every_clock if control.speed is speed]


@given(clocks, clocks)
def test_between_two_clocks_the_quicker_is_too_fast_and_the_slower_too_slow(
    wanted: TimeControl, sent: TimeControl
) -> None:
    def estimate(control: TimeControl) -> int:
        return (control.limit_s or 0) + 40 * control.increment_s

    reason = misfit([parse(str(wanted))], sent)
    assert (reason is DeclineReason.TOO_FAST) is (estimate(sent) < estimate(wanted))
    assert (reason is DeclineReason.TOO_SLOW) is (estimate(sent) > estimate(wanted))


@given(st.text(max_size=12))
def test_any_text_is_understood_or_refused_politely(text: str) -> None:
    try:
        words = parse(text).words
    except ValueError as refusal:
        words = str(refusal)
    assert words
