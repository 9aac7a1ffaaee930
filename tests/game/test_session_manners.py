"""A game, told as a story: draws, takebacks, chat, and an opponent who is not there."""

from dataclasses import replace

import pytest

from bot.game.commands import (
    Abort,
    AnswerChat,
    AnswerDraw,
    AnswerTakeback,
    ClaimDraw,
    ClaimVictory,
    Command,
    PlayMove,
    Reconnect,
    Resign,
    Say,
    StopThinking,
)
from bot.game.events import (
    ChatSeen,
    Event,
    Failure,
    MoveFailed,
    OpponentCameBack,
    OpponentLeft,
    StreamLost,
    TimePassed,
)
from bot.game.manners import DrawRule, Manners, ResignRule, TakebackRule
from bot.game.nouns import GameInfo, Player, TimeControl
from bot.game.session import open_game, step, wake_at
from tests.game.stories import (
    AI,
    BOT,
    HUMAN,
    QUIET,
    after,
    an_info,
    first_line,
    found,
    kinds,
    seen,
    story,
    tell,
)

BLACK = an_info(white=False)
SENT = (first_line(), found(1, "e2e4", 1.0))  # our move is under way


# --- resigning and drawing

TIRED = replace(QUIET, resign=ResignRule(enabled=True, score_cp=900, moves=2))
DRAWISH = replace(QUIET, draw=DrawRule(score_cp=20, moves=2, from_move=1))
FOUR = "g1f3 g8f6 f3g1 f6g8"


def shuffles(plies: int) -> str:
    return " ".join((FOUR.split() * 30)[:plies])


def test_hopeless_scores_in_a_row_resign_instead_of_moving() -> None:
    events = (first_line(), found(1, "g1f3", cp=-950), seen("g1f3 g8f6"), found(2, "f3g1", 5.0, cp=-990))
    game, said = tell(open_game(TIRED), *events)
    assert kinds(said) == ["Think", "PlayMove", "Think", "Resign"]
    assert tell(game, first_line("g1f3 g8f6", at=6.0))[1] == [Resign()]
    assert tell(game, TimePassed(10.0))[1] == [Reconnect()]


def hopeless(first: Event, then: Event, *ucis: str) -> list[Command]:
    return story(first, found(1, ucis[0], cp=-950), then, found(2, ucis[1], cp=-990), manners=TIRED)


def test_it_is_the_clock_of_the_opponent_that_keeps_us_playing() -> None:
    for left_ms, last in (((180_000, 3000), "PlayMove"), ((3000, 180_000), "Resign")):
        then = seen("g1f3 g8f6", left_ms=left_ms, inc_ms=0)
        assert kinds(hopeless(first_line(), then, "g1f3", "f3g1"))[-1] == last


def test_a_bare_king_is_not_resigned_to() -> None:
    info = an_info(variant="fromPosition", fen="4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")
    said = hopeless(first_line(info=info), seen("e2e3 e8d8"), "e2e3", "e3e4")
    assert kinds(said)[-1] == "PlayMove"


def test_a_takeback_forgets_what_was_thought_of_the_moves_taken_back() -> None:
    events = (first_line(), found(1, "g1f3", cp=-950), seen("g1f3 g8f6"), seen(""), found(3, "e2e4", cp=-950))
    assert kinds(story(*events, manners=TIRED))[-1] == "PlayMove"


def test_an_offer_after_a_takeback_is_not_judged_by_what_was_taken_back() -> None:
    events = (first_line(), found(1, "g1f3", wdl=0), seen("g1f3 g8f6"), seen("", draw=(False, True)))
    assert story(*events, manners=DRAWISH)[-1] == AnswerDraw(accept=False)


def test_a_position_that_is_thought_about_twice_counts_once() -> None:
    refused = MoveFailed(1, Failure.REFUSED, "", 0.0)
    events = (first_line(), found(1, "g1f3", cp=-950), refused, first_line(), found(2, "e2e4", cp=-950))
    assert story(*events, manners=TIRED)[-1] == PlayMove(2, "e2e4")


def test_a_level_game_is_offered_as_a_draw_with_the_move() -> None:
    events = (first_line(), found(1, "g1f3", cp=0), seen("g1f3 g8f6"), found(2, "f3g1", cp=5))
    assert story(*events, manners=DRAWISH)[-1] == PlayMove(2, "f3g1", offer_draw=True)


def test_a_draw_is_offered_once_in_twenty_plies() -> None:
    game, offers = after(first_line(), manners=DRAWISH), []
    for ply in range(0, 60, 2):
        uci = shuffles(ply + 1).split()[-1]
        game, said = tell(game, found(game.ticket, uci, cp=0), seen(shuffles(ply + 2)))
        offers += [ply for command in said if isinstance(command, PlayMove) and command.offer_draw]
    assert offers == [2, 22, 42]


def test_a_first_move_offers_nothing() -> None:
    assert story(first_line(), found(1, "g1f3", wdl=0), manners=DRAWISH)[-1] == PlayMove(1, "g1f3")


def test_the_built_in_ai_is_offered_nothing() -> None:
    info = an_info(opponent=AI)
    events = (first_line("g1f3 g8f6", info=info), found(1, "f3g1", wdl=0))
    assert story(*events, manners=DRAWISH)[-1] == PlayMove(1, "f3g1")


def test_a_repeated_attempt_repeats_its_offer() -> None:
    events = (
        first_line("g1f3 g8f6"),
        found(1, "f3g1", wdl=0),
        MoveFailed(1, Failure.UNSURE, "", 1.0),
        TimePassed(1.5),
    )
    assert story(*events, manners=DRAWISH)[-2:] == [PlayMove(1, "f3g1", offer_draw=True)] * 2


def test_an_offer_is_answered_once() -> None:
    offer = seen("g1f3", draw=(False, True))
    said = story(first_line(), found(1, "g1f3", wdl=0), offer, offer, first_line("g1f3", draw=(False, True)))
    assert [one for one in said if isinstance(one, AnswerDraw)] == [AnswerDraw(accept=True)]


def test_a_second_offer_is_answered_again() -> None:
    offer = seen(draw=(False, True))
    assert story(first_line(), offer, seen(), offer)[1:] == [AnswerDraw(accept=False)] * 2


def test_an_offer_is_declined_while_we_have_no_opinion() -> None:
    assert story(first_line(draw=(False, True)))[1:] == [AnswerDraw(accept=False)]


def test_our_own_offer_is_not_answered() -> None:
    assert story(first_line(draw=(True, False)))[1:] == []


# --- takebacks


def test_takebacks_are_given_while_we_think_until_the_number_is_reached() -> None:
    wish = seen(takeback=(False, True))
    manners = replace(QUIET, takeback=TakebackRule(most=2))
    answers = story(first_line(), wish, wish, seen(), wish, seen(), wish, manners=manners)[1:]
    assert answers == [AnswerTakeback(True), AnswerTakeback(True), AnswerTakeback(False)]


def test_takebacks_of_an_earlier_life_count() -> None:
    game = open_game(replace(QUIET, takeback=TakebackRule(most=2)), resumed=True, takebacks_given=2)
    assert tell(game, first_line(takeback=(False, True)))[1][1:] == [AnswerTakeback(False)]


# --- an opponent who is not there


def test_victory_is_claimed_when_the_countdown_has_run_out() -> None:
    game = after(first_line("e2e4"), OpponentLeft(10, 5.0))
    assert wake_at(game) == 15.0
    assert step(game, TimePassed(14.9)) == (game, ())
    game, said = tell(game, TimePassed(15.0), OpponentLeft(0, 16.0), TimePassed(19.9))
    assert said == [ClaimVictory()]
    assert step(game, TimePassed(20.0))[1] == (ClaimVictory(),)


def test_nothing_is_claimed_on_our_own_turn() -> None:
    game, said = tell(open_game(QUIET), first_line(), OpponentLeft(0, 1.0), TimePassed(2.0))
    assert (kinds(said), wake_at(game)) == (["Think"], None)
    assert kinds(tell(game, seen("e2e4", at=3.0))[1]) == ["StopThinking", "ClaimVictory"]


def test_a_side_that_cannot_mate_claims_a_draw() -> None:
    info = an_info(variant="fromPosition", fen="4k2r/8/8/8/8/8/8/4K3 b k - 0 1")
    assert story(first_line(info=info), OpponentLeft(0, 1.0))[-1] == ClaimDraw()


@pytest.mark.parametrize("back", [OpponentCameBack(2.0), StreamLost("eof", 2.0), seen("e2e4 e7e5", at=2.0)])
def test_an_opponent_who_may_be_back_is_not_claimed_against(back: Event) -> None:
    said = story(first_line("e2e4"), OpponentLeft(5, 1.0), back, TimePassed(6.0))
    assert not {"ClaimVictory", "ClaimDraw"} & set(kinds(said))


def test_a_countdown_without_a_number_claims_nothing() -> None:
    assert wake_at(after(first_line("e2e4 e7e5 g1f3"), OpponentLeft(None, 1.0))) is None


@pytest.mark.parametrize(("opponent", "patience"), [(HUMAN, 60.0), (BOT, 30.0), (AI, 30.0)])
def test_a_game_that_does_not_begin_is_aborted(opponent: Player, patience: float) -> None:
    info = an_info(white=False, opponent=opponent)
    game = after(first_line(info=info, at=1.0), seen(at=20.0))
    assert wake_at(game) == 1.0 + patience
    game, said = tell(game, TimePassed(1.0 + patience), TimePassed(30.0 + patience))
    assert said == [Abort()]
    assert step(game, TimePassed(31.0 + patience))[1] == (Abort(),)


def test_a_reply_to_our_first_move_is_waited_for_from_when_it_was_shown() -> None:
    assert wake_at(after(*SENT, seen("e2e4", at=7.0))) == 67.0
    assert wake_at(after(*SENT, seen("e2e4", at=7.0), seen("e2e4 e7e5", at=8.0))) is None


@pytest.mark.parametrize(
    "info",
    [an_info(white=False, tournament="arena"), an_info(white=False, control=TimeControl(days=3)), an_info()],
)
def test_tournaments_slow_games_and_our_own_turn_are_not_aborted(info: GameInfo) -> None:
    assert wake_at(after(first_line(info=info))) is None


def test_patience_may_be_endless() -> None:
    assert wake_at(after(first_line(info=BLACK), manners=replace(QUIET, abort_after_human_s=None))) is None


# --- chat

CHATTY = Manners("Hi {opponent}", "Hi all", "Bye {opponent}", "Hi all")


def test_a_new_game_is_greeted_after_thinking_has_begun() -> None:
    said = story(first_line(), first_line(), manners=CHATTY)
    assert kinds(said) == ["Think", "Say", "Say"]
    assert said[1:] == [Say("player", "Hi Anna"), Say("spectator", "Hi all")]


@pytest.mark.parametrize(("moves", "resumed"), [("", True), ("e2e4 e7e5", False)])
def test_a_game_under_way_is_not_greeted(moves: str, resumed: bool) -> None:
    assert kinds(story(first_line(moves), manners=CHATTY, resumed=resumed)) == ["Think"]


def test_no_line_is_said_twice_in_a_room() -> None:
    said = story(first_line(), seen("e2e4 e7e5", status="resign"), manners=CHATTY)
    assert said[3:] == [StopThinking(), Say("player", "Bye Anna")]


def test_a_game_that_never_began_is_not_thanked_for() -> None:
    assert story(first_line(info=BLACK), seen(status="aborted"), manners=CHATTY)[2:] == [StopThinking()]


def test_the_built_in_ai_and_tournaments_are_not_talked_to() -> None:
    assert story(first_line(info=an_info(opponent=AI)), manners=CHATTY)[1:] == [Say("spectator", "Hi all")]
    assert story(first_line(info=an_info(tournament="arena")), manners=CHATTY)[1:] == []


@pytest.mark.parametrize(
    ("name", "text", "answered"),
    [
        ("Anna", "!eval", True),
        ("Anna", "eval", False),
        ("krait", "!eval", False),
        ("lichess", "!eval", False),
    ],
)
def test_only_commands_of_others_are_answered(name: str, text: str, answered: bool) -> None:
    said = story(first_line(), ChatSeen("player", name, text, 1.0))[1:]
    assert said == ([AnswerChat("player", name, text)] if answered else [])
