"""What each room gets of the configuration. The defaults of the rooms and of the file are the same."""

import sys
from typing import Any

from bot.config.model import Config
from bot.config.slices import (
    book_rules_of,
    capacity_of,
    clock_rules_of,
    engine_specs_of,
    manners_of,
    policy_of,
)
from bot.game.clockwork import ClockRules
from bot.game.manners import Manners
from bot.game.nouns import Speed, TimeControl
from bot.game.policy import Kind
from bot.game.timecontrol import accepts
from bot.sources.book import BookRules


def made(**tree: Any) -> Config:
    return Config.model_validate(tree)


def test_without_a_word_the_rooms_keep_their_own_defaults() -> None:
    assert manners_of(made()) == Manners()
    assert clock_rules_of(made()) == ClockRules()
    assert book_rules_of(made()) == BookRules()


def test_without_a_word_a_bot_plays_humans_and_bots_at_usual_clocks() -> None:
    policy = policy_of(made())
    assert policy.kinds == frozenset(Kind)
    for control in (TimeControl(30), TimeControl(180, 2), TimeControl(900, 10), TimeControl(days=3)):
        assert accepts(policy.human.time_controls, control)
    assert not accepts(policy.human.time_controls, TimeControl(10_800, 60))
    assert policy.human.rated
    assert policy.human.casual
    assert (policy.human.min_rating, policy.human.max_rating, policy.human.max_weaker) == (None, None, None)
    assert (policy.human.games_an_hour, policy.bot.games_an_hour, policy.bot.games_a_day) == (None, 5, 20)


def test_the_policy_takes_each_rule_of_its_kind() -> None:
    rules = {"modes": ["rated"], "rating_min": 1500, "below_ours": 200, "rematches": 0, "titles": ["gm"]}
    policy = policy_of(
        made(
            challenges={
                "human": rules,
                "only": ["@Ann", "file:list.txt"],
                "hours": ["sat,sun"],
                "teams": ["x"],
            }
        )
    )
    human = policy.human
    assert (human.rated, human.casual, human.min_rating, human.max_weaker) == (True, False, 1500, 200)
    assert (human.rematches, human.titles) == (0, frozenset({"GM"}))
    assert (policy.bot.casual, policy.bot.rematches) == (True, None)
    assert (policy.only, policy.teams_only, len(policy.hours)) == (frozenset({"ann"}), True, 1)


def test_the_lobby_gets_its_numbers() -> None:
    config = made(games={"max_games": 8, "reserved_for_humans": 2}, challenges={"sort": "humans", "queue": 3})
    capacity = capacity_of(config)
    assert (capacity.max_games, capacity.reserved_for_humans, capacity.queue_length) == (8, 2, 3)
    assert capacity.sort == "humans"


def test_nothing_and_zero_mean_never_where_a_rule_can_be_off() -> None:
    manners = manners_of(made(games={"abort_after_human_s": 0}, draw={"max_pieces": 12}))
    assert (manners.abort_after_human_s, manners.abort_after_bot_s, manners.draw.pieces) == (None, 30.0, 12)


def test_the_engine_of_the_house_needs_no_path() -> None:
    (spec,) = engine_specs_of(made())
    assert (spec.name, spec.command) == ("Krait", (sys.executable, "-m", "engine"))
    assert spec.speeds is None
    assert spec.processes >= 1


def test_the_textbook_plays_what_the_engine_of_the_house_cannot() -> None:
    _, spec = engine_specs_of(made(engines=[{}, {"name": "textbook", "variants": ["atomic", "horde"]}]))
    assert spec.command == (sys.executable, "-m", "engine.classic")


def test_another_engine_gets_its_command_and_its_options() -> None:
    engine = {
        "name": "sf",
        "command": "/opt/my engine/sf".replace(" ", "\\ "),
        "options": {"Hash": 64, "Ponder": True, "Contempt": 0.5},
        "speeds": ["bullet"],
        "processes": 3,
        "cwd": "/srv/x",
    }
    (spec,) = engine_specs_of(made(engines=[engine]))
    assert spec.command == ("/opt/my engine/sf",)
    assert spec.options == {"Hash": 64, "Ponder": True, "Contempt": "0.5"}
    assert (spec.speeds, spec.processes, spec.cwd) == (frozenset({Speed.BULLET}), 3, "/srv/x")


def test_there_are_never_more_processes_of_themselves_than_games() -> None:
    assert engine_specs_of(made(games={"max_games": 1}))[0].processes == 1
