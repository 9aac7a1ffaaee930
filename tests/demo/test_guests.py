"""Guests and the strength they ask for."""

import asyncio
from typing import Any

import pytest

from bot.demo.guests import ELO_MAX, ELO_MIN, LEVELS, Guests, read_elo
from bot.game.nouns import GameId, GameInfo, Player, Speed, TimeControl
from bot.sandbox.embed import sandbox


def game(name: str, opponent: str) -> GameInfo:
    us, them = Player("krait", "Krait", "BOT"), Player(opponent, opponent)
    control = TimeControl(600, 5)
    return GameInfo(GameId(name), them, us, "standard", Speed.RAPID, False, control, we_are_white=False)


def test_a_game_keeps_the_strength_it_began_with() -> None:
    guests = Guests()
    guests.ask("Guest1", 1000)
    assert guests.strength(game("first", "guest1")) == {"UCI_LimitStrength": True, "UCI_Elo": 1000}
    guests.ask("Guest1", 2000)
    assert guests.strength(game("first", "guest1"))["UCI_Elo"] == 1000
    assert guests.strength(game("second", "guest1"))["UCI_Elo"] == 2000


def test_full_strength_is_no_option_at_all() -> None:
    guests = Guests()
    guests.ask("Guest1", None)
    assert guests.strength(game("first", "guest1")) == {}
    assert guests.strength(game("second", "stranger")) == {}


@pytest.mark.parametrize("value", [ELO_MIN - 1, ELO_MAX + 1, 1500.5, "1500", True, [1500]])
def test_a_strength_the_engine_does_not_offer_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match=f"{ELO_MIN} to {ELO_MAX}"):
        read_elo(value)


def test_levels_rise_within_what_the_engine_offers_and_end_without_a_limit() -> None:
    limits = [level.elo for level in LEVELS[:-1]]
    assert limits == sorted(set(limits), key=lambda elo: elo or 0)
    assert [read_elo(elo) for elo in limits] == limits
    assert LEVELS[-1].elo is None


def test_every_guest_has_a_name_and_a_token_of_its_own() -> None:
    async def story() -> None:
        async with sandbox() as box:
            box.account("Guest2")  # somebody else was here
            guests = Guests()
            made = [guests.welcome(box) for _ in range(3)]
            assert [name for name, _ in made] == ["Guest1", "Guest3", "Guest4"]
            assert len({token for _, token in made}) == 3

    asyncio.run(story())
