"""What is answered in a chat, and what is not."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.game.chatter import BUILT_IN, ChatContext, answer
from bot.game.manners import LINE_LENGTH
from bot.game.nouns import Score, Thought
from tests.game.stories import an_info

THOUGHT = Thought("e2e4", "krait", Score(35), depth=18, nodes=1_234_567, nps=900_000)
SPECTATOR = ChatContext("spectator", "bob", False, an_info(), "Krait 2", "1.0", THOUGHT)
PLAYER = replace(SPECTATOR, room="player", asker="Anna", is_player=True)


@dataclass(frozen=True)
class Shout:
    """A plug-in."""

    name: str = "Shout"
    help: str = "louder"

    def answer(self, context: ChatContext, words: Sequence[str]) -> str | None:
        return (context.asker + " " + " ".join(words)).upper() * (100 if "long" in words else 1)


def test_help_names_every_command() -> None:
    assert answer("!help", PLAYER) == "I understand !help !eval !depth !engine !motor !name !queue !ping"
    assert "!shout" in (answer("!commands", PLAYER, (*BUILT_IN, Shout())) or "")


@pytest.mark.parametrize("asked", ["!help eval", "!help !eval", "!HELP Eval"])
def test_help_explains_one_command(asked: str) -> None:
    assert answer(asked, PLAYER) == "!eval: what I think of the position"


def test_spectators_are_told_the_score() -> None:
    assert answer("!eval", SPECTATOR) == "+0.35 for me (White), depth 18, from krait."


@pytest.mark.parametrize("room", ["player", "spectator"])
def test_a_player_is_not_told_the_score_during_the_game_in_any_room(room: str) -> None:
    said = answer("!eval", replace(PLAYER, room=room)) or ""
    assert "after the game" in said
    assert "0.35" not in said


@pytest.mark.parametrize("allowed", [{"is_over": True}, {"players_may_see_eval": True}])
def test_a_player_is_told_the_score_after_the_game_or_by_the_rules(allowed: dict[str, bool]) -> None:
    assert "+0.35" in (answer("!eval", replace(PLAYER, **allowed)) or "")  # type: ignore[arg-type]  # flags


def test_a_move_without_a_search_says_where_it_came_from() -> None:
    book = replace(SPECTATOR, thought=Thought("e2e4", "book"))
    assert answer("!eval", book) == "My last move came from book, without a score."
    assert answer("!depth", book) == "My last move came from book: no search was needed."


@pytest.mark.parametrize("command", ["!eval", "!depth"])
def test_nothing_thought_is_nothing_told(command: str) -> None:
    assert answer(command, replace(SPECTATOR, thought=None)) == "I have not thought yet."


def test_the_other_commands_tell_one_thing_each() -> None:
    said = replace(PLAYER, queue_length=3, lag_ms=42, uptime_s=7300)
    assert answer("!depth", said) == "Depth 18, 1,234,567 nodes at 900,000 a second."
    assert answer("!engine", said) == answer("!motor", said) == "Krait 2 plays this game."
    assert answer("!name", said) == "Krait, a bot run by Krait 1.0 with Krait 2."
    assert answer("!queue", said) == "1 game now; 3 challenges wait."
    assert answer("!queue", replace(said, queue_position=2)) == "1 game now; your challenge is number 2 of 3."
    assert answer("!ping", said) == "42 ms is what I reserve for the way; I have run for 2 h."


@pytest.mark.parametrize("text", ["", "!", "hello", "eval", "!unknown", "! eval!", "!!eval"])
def test_what_is_no_command_is_not_answered(text: str) -> None:
    assert answer(text, SPECTATOR) is None


def test_without_any_command_there_is_no_help() -> None:
    assert answer("!help", PLAYER, ()) is None


def test_a_plug_in_is_asked_with_the_words_that_follow_its_name() -> None:
    assert answer("!shout Hello there", PLAYER, (*BUILT_IN, Shout())) == "ANNA HELLO THERE"


def test_the_first_of_two_commands_with_one_name_is_asked() -> None:
    assert answer("!eval", PLAYER, (Shout("eval"), *BUILT_IN)) == "ANNA"


@given(
    st.sampled_from(["!help", "!shout", "!shout long", *(f"!{one.name}" for one in BUILT_IN)]),
    st.text(max_size=200),
    st.floats(0, 1e9),
)
def test_no_answer_is_longer_than_a_line(command: str, text: str, uptime_s: float) -> None:
    context = replace(SPECTATOR, engine=text, version=text, asker=text, uptime_s=uptime_s)
    said = answer(f"{command} {text}", context, (*BUILT_IN, Shout()))
    assert said is None or 0 < len(said) <= LINE_LENGTH
