"""What is asked of `krait sandbox`, and what the user is told about joining it."""

import pytest

from bot.sandbox.table import how_to_join
from bot.sandbox.wishes import Guest, Plan, WishError, Wishes, challenge_form, parse_every, parse_guests


@pytest.mark.parametrize(
    ("text", "seconds"), [("10s", 10), ("500ms", 0.5), ("2m", 120), ("7", 7), ("never", None)]
)
def test_the_time_between_challenges_is_read(text: str, seconds: float | None) -> None:
    assert parse_every(text) == seconds


def test_what_opponents_ask_for_is_what_a_challenge_takes() -> None:
    assert challenge_form(Wishes(time_control="1+1", rated=True)) == {
        "variant": "standard",
        "rated": True,
        "clock.limit": 60,
        "clock.increment": 1,
    }
    assert challenge_form(Wishes(time_control="2d"))["days"] == 2
    assert challenge_form(Wishes(time_control="unlimited")).keys() == {"variant", "rated"}


def test_every_token_is_a_bot_account_of_its_own() -> None:
    assert parse_guests(("abc", "Mine=def", "ghi")) == [
        Guest("SandboxBot", "abc"),
        Guest("Mine", "def"),
        Guest("SandboxBot3", "ghi"),
    ]


def test_without_a_token_there_is_one_that_never_changes() -> None:
    assert parse_guests(()) == parse_guests(())


def test_all_that_is_wrong_with_wishes_is_one_kind_of_error() -> None:
    with pytest.raises(WishError, match="no pace"):
        Plan.of(Wishes(pace="slow"))


def test_the_user_is_told_how_to_point_each_bot_at_it() -> None:
    guests = [Guest("Mine", "lip_x"), Guest("Other", "lip_y")]
    text = how_to_join("http://127.0.0.1:8080", guests, Wishes(control=True), ["RandomMover"])
    assert 'token: "lip_x"' in text
    assert "KRAIT_LICHESS_URL=http://127.0.0.1:8080 KRAIT_TOKEN=lip_x krait run" in text
    assert 'url: "http://127.0.0.1:8080/"' in text  # lichess-bot
    assert 'url: "http://127.0.0.1:8080"' in text  # BotLi
    assert 'base_url="http://127.0.0.1:8080"' in text
    assert "bot account Other, token lip_y" in text
    assert "RandomMover" in text
    assert "/sandbox" in text


def test_what_is_off_is_not_advertised() -> None:
    quiet = Wishes(challenge_every="never")
    assert "wait to be challenged" in how_to_join("u", [Guest("M", "t")], quiet, ["Ada"])
    text = how_to_join("u", [Guest("M", "t")], quiet, [])
    assert "no opponents" in text
    assert "/sandbox" not in text
