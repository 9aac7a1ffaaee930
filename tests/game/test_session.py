"""A game, told as a story: given what happened, what does the bot do next?"""

import chess
import chess.variant
import pytest

from bot.game.commands import (
    PlayMove,
    Reconnect,
    StopThinking,
    Think,
)
from bot.game.events import (
    Event,
    Failure,
    MoveFailed,
    MoveSent,
    StreamLost,
    TimePassed,
)
from bot.game.manners import Manners
from bot.game.nouns import Position
from bot.game.session import Phase, open_game, step, wake_at
from tests.game.stories import (
    QUIET,
    a_state,
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
E4 = PlayMove(1, "e2e4")
BLACK_TO_MOVE = "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1"


def unsure(at: float, ticket: int = 1) -> MoveFailed:
    return MoveFailed(ticket, Failure.UNSURE, "timeout", at)


def refused(at: float, ticket: int = 1) -> MoveFailed:
    return MoveFailed(ticket, Failure.REFUSED, "400", at)


def limited(at: float, ticket: int = 1) -> MoveFailed:
    return MoveFailed(ticket, Failure.LIMITED, "429", at)


# --- whose turn it is


def test_white_thinks_at_the_first_line() -> None:
    state = a_state()
    assert story(first_line(at=7.0)) == [Think(1, Position("standard", None, ()), state, 7.0, True)]


def test_black_waits_for_the_first_move() -> None:
    assert story(first_line(info=BLACK)) == []
    assert kinds(story(first_line(info=BLACK), seen("e2e4"))) == ["Think"]


def test_a_resumed_game_is_thought_about_at_its_first_line() -> None:
    assert kinds(story(first_line("e2e4 e7e5"), resumed=True)) == ["Think"]


def test_who_begins_is_said_by_the_start_position() -> None:
    white, black = (an_info(white=side, variant="fromPosition", fen=BLACK_TO_MOVE) for side in (True, False))
    assert story(first_line(info=white)) == []
    assert kinds(story(first_line(info=black))) == ["Think"]
    assert kinds(story(first_line("e8d8", info=white))) == ["Think"]


@pytest.mark.parametrize(
    "variant", ["crazyhouse", "antichess", "atomic", "horde", "kingOfTheHill", "threeCheck"]
)
def test_every_variant_is_played_by_its_own_rules(variant: str) -> None:
    info = an_info(white=False, variant=variant)
    opening = chess.variant.find_variant("3check" if variant == "threeCheck" else variant)()
    first = next(iter(opening.legal_moves)).uci()
    opening.push_uci(first)
    reply = next(iter(opening.legal_moves)).uci()
    assert story(first_line(first, info=info), found(1, reply))[1:] == [PlayMove(1, reply)]


def test_a_replayed_state_never_starts_a_second_search() -> None:
    assert kinds(story(first_line(), seen(), seen(), first_line())) == ["Think"]


def test_fresher_clocks_are_remembered_while_we_think() -> None:
    game = after(first_line(at=1.0), seen(at=4.0, left_ms=(170_000, 180_000)))
    assert game.state == a_state(left_ms=(170_000, 180_000))
    assert game.seen_at == 4.0


def test_two_states_in_one_are_one_step() -> None:
    said = story(*SENT, seen("e2e4 e7e5"))
    assert kinds(said) == ["Think", "PlayMove", "Think"]


def test_other_moves_stop_a_search_and_start_another() -> None:
    said = story(first_line("e2e4 e7e5"), seen("e2e4 c7c5"))
    assert kinds(said) == ["Think", "StopThinking", "Think"]
    assert isinstance(said[-1], Think)
    assert said[-1].position.moves == ("e2e4", "c7c5")


def test_a_takeback_while_we_think_stops_the_search() -> None:
    assert kinds(story(first_line("e2e4 e7e5"), seen("e2e4"))) == ["Think", "StopThinking"]


def test_a_takeback_while_we_wait_ends_pondering_and_is_thought_about() -> None:
    assert kinds(story(first_line("e2e4"), seen(""))) == ["StopThinking", "Think"]


def test_a_move_of_the_opponent_does_not_end_pondering() -> None:
    assert kinds(story(first_line("e2e4"), seen("e2e4 e7e5"))) == ["Think"]


def test_a_state_before_the_first_line_is_not_played_on() -> None:
    assert story(seen("e2e4 e7e5")) == []


@pytest.mark.parametrize("moves", ["e2e5", "f2f3 e7e5 g2g4 d8h4"], ids=["against the rules", "mated"])
def test_where_there_is_nothing_to_think_about_we_look_again(moves: str) -> None:
    game, said = tell(open_game(QUIET), first_line(moves, at=0.0))
    assert said == []
    assert wake_at(game) == 5.0
    assert step(game, TimePassed(5.0))[1] == (Reconnect(),)


# --- our move


def test_an_answer_is_sent() -> None:
    game, said = tell(open_game(QUIET), *SENT)
    assert said[-1] == E4
    assert game.phase is Phase.SENDING


@pytest.mark.parametrize("stale", [found(0, "d2d4"), found(2, "d2d4")])
def test_an_answer_of_another_ticket_is_dropped(stale: Event) -> None:
    assert kinds(story(first_line(), stale)) == ["Think"]


def test_an_answer_to_a_question_that_was_taken_back_is_dropped() -> None:
    said = story(first_line("e2e4 e7e5"), seen(""), found(1, "g1f3"))
    assert kinds(said) == ["Think", "StopThinking", "Think"]


def test_the_stream_shows_that_our_move_was_played() -> None:
    game, said = tell(open_game(QUIET), *SENT, MoveSent(1, 1.1), seen("e2e4", at=1.2))
    assert kinds(said) == ["Think", "PlayMove"]
    assert (game.phase, game.errand) == (Phase.WAITING, None)


def test_a_confirmation_after_the_stream_changes_nothing() -> None:
    game = after(*SENT, seen("e2e4", at=1.1))
    assert step(game, MoveSent(1, 1.2)) == (game, ())


@pytest.mark.parametrize("late", [MoveSent(1, 9.0), refused(9.0), unsure(9.0), limited(9.0)])
def test_what_became_of_an_older_move_does_not_matter(late: Event) -> None:
    game = after(*SENT, seen("e2e4 e7e5", at=2.0), found(2, "g1f3", 3.0))
    assert step(game, late) == (game, ())


@pytest.mark.parametrize("late", [MoveSent(1, 2.1), refused(2.1), limited(2.1)])
def test_one_attempt_has_one_outcome(late: Event) -> None:
    game = after(*SENT, unsure(2.0))
    assert step(game, late) == (game, ())


def test_what_a_game_is_does_not_change() -> None:
    game = after(first_line(), first_line(info=BLACK))
    assert game.info == an_info()


@pytest.mark.parametrize("wrong", ["e2e5", "0000", "", "castle", "e7e5"])
def test_an_impossible_move_is_never_sent_but_asked_for_again(wrong: str) -> None:
    said = story(first_line(), found(1, wrong), found(2, "d2d4"))
    assert kinds(said) == ["Think", "Think", "PlayMove"]
    assert said[-1] == PlayMove(2, "d2d4")


def test_impossible_moves_do_not_go_on_for_ever() -> None:
    game, said = tell(
        open_game(QUIET), first_line(), found(1, "x"), found(2, "x"), first_line(at=1.0), found(3, "x")
    )
    assert kinds(said) == ["Think", "Think", "Reconnect", "Think", "Reconnect"]
    assert kinds(tell(game, first_line(at=2.0), TimePassed(7.0), first_line(at=7.0))[1]) == ["Reconnect"]


def test_castling_is_spelt_as_the_variant_wants_it() -> None:
    line = "e2e4 e7e5 g1f3 g8f6 f1c4 f8c5"
    fen = chess.STARTING_FEN
    assert story(first_line(line), found(1, "e1h1"))[-1] == PlayMove(1, "e1g1")
    info = an_info(variant="chess960", fen=fen)
    assert story(first_line(line, info=info), found(1, "e1g1"))[-1] == PlayMove(1, "e1h1")


# --- a move that got lost


def test_an_unsure_move_is_sent_again_after_half_a_second() -> None:
    game, said = tell(open_game(QUIET), *SENT, unsure(2.0))
    assert wake_at(game) == 2.5
    assert step(game, TimePassed(2.4)) == (game, ())
    assert step(game, TimePassed(2.5))[1] == (E4,)
    assert said.count(E4) == 1


def test_the_waits_between_attempts_grow() -> None:
    game, waits, at = after(*SENT), [], 10.0
    for _ in range(7):
        game, _ = step(game, unsure(at))
        woken = wake_at(game)
        assert woken is not None
        waits.append(woken - at)
        game, said = step(game, TimePassed(woken))
        assert said == (E4,)
        at = woken
    assert waits == [0.5, 0.5, 1.0, 1.0, 2.0, 2.0, 2.0]


def test_a_limited_move_waits_longer_and_is_never_dropped() -> None:
    game, waits, at = after(*SENT), [], 10.0
    for _ in range(5):
        game, _ = step(game, limited(at))
        woken = wake_at(game)
        assert woken is not None
        waits.append(woken - at)
        game, said = step(game, TimePassed(woken))
        assert said == (E4,)
        at = woken
    assert waits == [1.0, 2.0, 4.0, 4.0, 4.0]


def test_a_lost_answer_is_found_in_the_stream() -> None:
    assert kinds(story(*SENT, unsure(2.0), seen("e2e4", at=2.1), TimePassed(2.5))) == ["Think", "PlayMove"]


def test_a_refusal_after_doubt_waits_for_the_stream_and_then_looks() -> None:
    events = (*SENT, unsure(2.0), TimePassed(2.5), refused(2.6))
    game, said = tell(open_game(QUIET), *events)
    assert kinds(said) == ["Think", "PlayMove", "PlayMove"]
    assert wake_at(game) == pytest.approx(3.6)
    assert kinds(tell(game, seen("e2e4", at=2.7), TimePassed(3.7))[1]) == []
    assert kinds(tell(game, TimePassed(3.7))[1]) == ["Reconnect"]


def test_a_refusal_out_of_nothing_looks_at_once_and_thinks_anew() -> None:
    game, said = tell(open_game(QUIET), *SENT, refused(1.1))
    assert said[-1] == Reconnect()
    assert kinds(tell(game, seen(at=1.2))[1]) == []
    game, said = tell(game, first_line(at=1.3), found(2, "d2d4", 1.4))
    assert kinds(said) == ["Think", "PlayMove"]
    assert said[-1] == PlayMove(2, "d2d4")


def test_after_three_refusals_a_position_is_only_looked_at() -> None:
    game = after(*SENT)
    for ticket in (1, 2):
        game, said = tell(game, refused(1.0, ticket), first_line(at=1.0), found(ticket + 1, "e2e4", 1.0))
        assert kinds(said) == ["Reconnect", "Think", "PlayMove"]
    game, said = tell(game, refused(1.0, 3), first_line(at=1.1), TimePassed(6.0), TimePassed(11.0))
    assert kinds(said) == ["Reconnect"] * 3
    assert kinds(tell(game, first_line("e2e4 e7e5", at=12.0))[1]) == ["Think"]


def test_a_confirmed_move_that_the_stream_does_not_show_makes_us_look() -> None:
    game, said = tell(
        open_game(QUIET), *SENT, MoveSent(1, 2.0), TimePassed(6.9), TimePassed(7.0), TimePassed(11.9)
    )
    assert kinds(said) == ["Think", "PlayMove", "Reconnect"]
    assert wake_at(game) == 12.0


def test_a_new_stream_without_our_move_makes_us_send_it_again() -> None:
    assert story(*SENT, MoveSent(1, 2.0), StreamLost("eof", 2.1), first_line(at=2.2))[-1] == E4
    assert story(*SENT, unsure(2.0), first_line(at=2.2))[-1] == E4


def test_a_new_stream_without_our_move_ends_all_doubt() -> None:
    said = story(*SENT, unsure(2.0), first_line(at=2.2), refused(2.3), first_line(at=2.4))
    assert kinds(said) == ["Think", "PlayMove", "PlayMove", "Reconnect", "Think"]


def test_a_move_under_way_is_not_sent_beside_itself() -> None:
    assert kinds(story(*SENT, StreamLost("eof", 2.0), first_line(at=2.1))) == ["Think", "PlayMove"]


def test_a_new_stream_does_not_shorten_the_rest_that_lichess_asked_for() -> None:
    game, said = tell(open_game(QUIET), *SENT, limited(2.0), first_line(at=2.1))
    assert kinds(said) == ["Think", "PlayMove"]
    assert wake_at(game) == 3.0


def test_losing_the_stream_is_not_losing_the_game() -> None:
    """sunfish, 2026-08-19: every stream died at once and both bots logged «game over»."""
    game = after(first_line())
    assert step(game, StreamLost("502", 1.0)) == (game, ())
    assert kinds(story(first_line(), StreamLost("502", 1.0), first_line(at=2.0))) == ["Think"]


# --- the end


@pytest.mark.parametrize(
    "late",
    [seen("e2e4"), first_line(), found(1, "e2e4"), StreamLost("eof", 9.0), TimePassed(99.0), unsure(3.0)],
)
def test_nothing_happens_after_the_end(late: Event) -> None:
    game = after(first_line(), seen(status="resign"))
    assert step(game, late) == (game, ())
    assert wake_at(game) is None


@pytest.mark.parametrize("events", [(first_line(),), SENT, (first_line("e2e4"),), (*SENT, unsure(2.0))])
def test_the_end_stops_whatever_may_be_searched(events: tuple[Event, ...]) -> None:
    game, said = tell(after(*events), seen("e2e4", status="outoftime", at=3.0))
    assert said == [StopThinking()]
    assert (game.phase, wake_at(game)) == (Phase.OVER, None)


def test_a_game_that_ended_before_we_looked_is_left_alone() -> None:
    game, said = tell(open_game(Manners()), first_line("e2e4 e7e5", status="resign"))
    assert (game.phase, said) == (Phase.OVER, [])
