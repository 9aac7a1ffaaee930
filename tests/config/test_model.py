"""Rules over several settings, and the defaults."""

from typing import Any

import pytest
from pydantic import ValidationError

from bot.config.model import Config
from bot.config.settings import settings

EVERYWHERE = ".".join("0000")


def refusal(**tree: Any) -> str:
    with pytest.raises(ValidationError) as refused:
        Config.model_validate(tree)
    return str(refused.value)


def test_every_setting_is_described_in_a_sentence() -> None:
    assert not [setting.key for setting in settings() if not setting.description.strip()]


def test_nothing_can_be_changed_once_it_is_made() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        Config().games.max_games = 3


def test_a_configuration_is_what_it_was_made_with_whatever_the_environment_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("KRAIT_GAMES__MAX_GAMES", "7")
    assert Config().games.max_games == 2


def test_no_more_games_are_kept_for_humans_than_there_are() -> None:
    assert "reserved_for_humans (3) is more" in refusal(games={"max_games": 2, "reserved_for_humans": 3})


def test_a_variant_is_accepted_only_with_an_engine_for_it() -> None:
    assert "accepts atomic, which no engine plays" in refusal(challenges={"variants": ["atomic"]})
    assert "accepts horde" in refusal(challenges={"bot": {"variants": ["horde"]}})
    engines = [{}, {"name": "textbook", "variants": ["atomic"]}]
    assert Config.model_validate({"challenges": {"variants": ["atomic"]}, "engines": engines})


def test_a_variant_nobody_may_ask_for_needs_no_engine() -> None:
    assert Config.model_validate({"challenges": {"accept": ["human"], "bot": {"variants": ["horde"]}}})


def test_engines_have_names_of_their_own_and_there_is_one() -> None:
    assert "two engines are called Krait" in refusal(engines=[{}, {}])
    assert "at least 1 item" in refusal(engines=[])


def test_ratings_do_not_run_backwards() -> None:
    assert "rating_min (2000) is above" in refusal(challenges={"rating_min": 2000, "rating_max": 1000})
    assert "rating_min (2000) is above" in refusal(
        challenges={"rating_min": 2000, "human": {"rating_max": 1000}}
    )


def test_whoever_is_accepted_has_something_to_play() -> None:
    assert "nothing is left that a bot could play" in refusal(challenges={"bot": {"modes": []}})
    assert Config.model_validate({"challenges": {"accept": ["human"], "bot": {"modes": []}}})


def test_the_page_for_others_has_a_password() -> None:
    assert "set web.password" in refusal(web={"host": EVERYWHERE})
    assert Config.model_validate({"web": {"host": EVERYWHERE, "password": "x"}})
    assert Config.model_validate({"web": {"host": EVERYWHERE, "enabled": False}})


def test_a_line_of_chat_that_no_game_could_use_is_refused() -> None:
    assert "chat.goodbye: nobody knows {name}" in refusal(chat={"goodbye": "{name}"})
    assert "Lichess takes 140" in refusal(chat={"greeting": "x" * 141})
    assert "Lichess takes 140" in refusal(
        chat={"greeting": "x" * 120 + "{engine}"}, engines=[{"name": "y" * 40}]
    )


def test_one_kind_has_the_common_rules_but_for_its_own() -> None:
    rules = Config.model_validate(
        {"challenges": {"rating_min": 1000, "human": {"modes": ["casual"]}}}
    ).challenges
    human, bot = rules.rules_for("human"), rules.rules_for("bot")
    assert (human.rating_min, human.modes) == (1000, ("casual",))
    assert (bot.rating_min, bot.modes) == (1000, ("casual", "rated"))
    assert rules.rules_for("anonymous") == human


def test_bots_keep_their_caps_until_somebody_names_others() -> None:
    def hourly(**challenges: Any) -> int:
        return Config.model_validate({"challenges": challenges}).challenges.rules_for("bot").per_user_hour

    assert hourly() == hourly(bot={"modes": ["rated"]}) == 5
    assert hourly(per_user_hour=9) == 9
    assert hourly(per_user_hour=9, bot={"per_user_hour": 3}) == 3
    assert Config().challenges.rules_for("human").per_user_hour == 0
