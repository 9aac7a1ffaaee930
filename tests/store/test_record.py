"""Facts folded into the record of a game."""

from dataclasses import replace

import chess.pgn
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.game.facts import GameRated, MovePlayed, PliesSeen, TakebackGiven
from bot.game.nouns import NO_CLOCK_MS, State, TimeControl
from bot.store.openings import own_openings
from bot.store.record import Record, position_key
from bot.store.rows import GameRow, game_row, game_values, move_row, move_values
from tests.store.telling import FOOLS_MATE, KRAIT, START_MS, VARIANTS, Teller, game_info, random_game, thought

NAMES = own_openings()


def record_of(teller: Teller) -> Record:
    record = Record(GameRow(teller.info, START_MS), NAMES)
    record.tell(teller.opened())
    return record


def told(teller: Teller, *ucis: str) -> Record:
    record = record_of(teller)
    for fact in teller.plies(*ucis):
        record.tell(fact)
    return record


def test_both_sides_have_san_clock_and_time_spent() -> None:
    moves = told(Teller(), "e2e4", "e7e5", "g1f3", "b8c6").moves
    assert [move.san for move in moves] == ["e4", "e5", "Nf3", "Nc6"]
    assert [move.ours for move in moves] == [True, False, True, False]
    assert [move.clock_ms for move in moves] == [181_000, 181_000, 182_000, 182_000]
    assert [move.spent_ms for move in moves][2:] == [1000, 1000]


def test_what_we_thought_stands_beside_our_move_and_only_there() -> None:
    ours, theirs = told(Teller(), "e2e4", "e7e5").moves
    assert (ours.cp, ours.depth, ours.nodes, ours.source, ours.lag_ms) == (25, 10, 2**40, "krait", 30)
    assert ours.pv == "e2e4 e7e5"
    assert theirs.source is None
    assert theirs.cp is None


def test_a_thought_may_arrive_after_the_reply_to_it() -> None:
    teller = Teller()
    record = record_of(teller)
    played, *seen = teller.plies("e2e4", "e7e5")
    for fact in (*seen, played):
        record.tell(fact)
    assert record.moves[0].depth == 10
    assert record.unsaved_from == 0


def test_a_thought_about_another_move_is_not_believed() -> None:
    teller = Teller()
    record = told(teller, "e2e4")
    stale = MovePlayed(teller.info.id, 0, replace(thought("d2d4", 5)), 1, 1, 1, False, START_MS)
    record.tell(stale)
    assert record.moves[0].depth == 10


def test_castling_is_the_same_move_in_either_notation() -> None:
    teller = Teller(game_info(variant="crazyhouse"))
    record = told(teller, "e2e4", "e7e5", "g1f3", "g8f6", "f1c4", "f8c5", "e1h1")
    teller.thoughts.clear()
    record.tell(MovePlayed(teller.info.id, 6, thought("e1g1", 30), 1, 1, 1, False, START_MS))
    assert (record.moves[6].san, record.moves[6].uci, record.moves[6].depth) == ("O-O", "e1h1", 40)


def test_a_state_told_twice_changes_nothing() -> None:
    teller = Teller()
    record = told(teller, "e2e4", "e7e5")
    before = list(record.moves)
    record.mark_saved()
    record.tell(PliesSeen(teller.info.id, teller.state, START_MS + 99))
    assert record.moves == before
    assert record.unsaved_from is None


def test_a_takeback_removes_the_later_plies_and_their_opening() -> None:
    teller = Teller()
    record = told(teller, "e2e4", "c7c5")
    assert record.game.opening == "Sicilian Defense"
    record.tell(teller.taken_back(1))
    assert [move.uci for move in record.moves] == ["e2e4"]
    assert (record.game.opening, record.game.plies) == ("King's Pawn Game", 1)
    for fact in teller.plies("e7e5"):
        record.tell(fact)
    assert [move.san for move in record.moves] == ["e4", "e5"]
    record.tell(teller.taken_back(2))
    assert record.game.opening is None


def test_a_takeback_and_the_move_after_it_may_be_seen_at_once() -> None:
    teller = Teller()
    record = told(teller, "e2e4", "c7c5")
    record.tell(PliesSeen(teller.info.id, replace(teller.state, moves=("e2e4", "e7e6", "d2d4")), START_MS))
    assert [move.san for move in record.moves] == ["e4", "e6", "d4"]
    assert record.moves[0].depth == 10


def test_takebacks_are_counted_as_they_are_given() -> None:
    teller = Teller()
    record = told(teller, "e2e4", "c7c5")
    record.tell(TakebackGiven(teller.info.id, START_MS))
    record.tell(teller.taken_back(1))
    assert record.game.takebacks == 1


def test_hearing_only_of_the_end_takes_no_move_back() -> None:
    teller = Teller()
    record = told(teller, "e2e4", "c7c5")
    teller.state = State((), 0, 0)
    record.tell(teller.closed("win", "resign"))
    assert (record.game.plies, record.game.result, record.game.status) == (2, "win", "resign")


def test_the_clock_of_a_reopened_stream_is_believed_for_the_last_move_alone() -> None:
    """Lichess shows the clock of the side to move as it runs, not as it was when it started."""
    teller = Teller(state=State(("e2e4", "e7e5"), 100_000, 120_000, 2000, 2000))
    assert [move.clock_ms for move in record_of(teller).moves] == [None, 120_000]


def test_of_plies_seen_at_once_the_last_two_have_their_clocks() -> None:
    teller = Teller()
    record = record_of(teller)
    moves = ("e2e4", "e7e5", "g1f3", "b8c6")
    record.tell(PliesSeen(teller.info.id, State(moves, 170_000, 160_000, 2000, 2000), START_MS))
    assert [move.clock_ms for move in record.moves] == [None, None, 170_000, 160_000]


def test_a_game_without_clocks_has_none() -> None:
    unlimited = State((), NO_CLOCK_MS, NO_CLOCK_MS)
    record = told(Teller(game_info(control=TimeControl()), unlimited), "e2e4", "e7e5")
    assert [move.clock_ms for move in record.moves] == [None, None]


def test_a_variant_of_tomorrow_is_written_down_as_lichess_writes_it() -> None:
    teller = Teller(game_info(variant="duck"), State(("a1b1x", "c1d1y"), 1, 1))
    assert [(move.san, move.ours) for move in record_of(teller).moves] == [("a1b1x", True), ("c1d1y", False)]


def test_what_an_earlier_life_wrote_is_kept_where_it_is_still_true() -> None:
    first = Teller()
    old = told(first, "e2e4", "e7e5", "g1f3", "b8c6")
    old.tell(TakebackGiven(first.info.id, START_MS))
    later = Teller(
        state=replace(first.state, moves=("e2e4", "e7e5", "g1f3", "d7d6")), now_ms=START_MS + 10**6
    )
    new = record_of(later)
    new.recall(old.game, tuple(old.moves))
    assert [move.depth for move in new.moves] == [10, None, 12, None]
    assert new.moves[0].when_ms == START_MS + 1000
    assert new.moves[3].when_ms == later.now_ms
    assert new.game.takebacks == 1


def test_black_to_move_in_the_first_position_is_seen() -> None:
    fen = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
    teller = Teller(game_info(variant="fromPosition", initial_fen=fen))
    assert [move.ours for move in told(teller, "e7e5", "g1f3").moves] == [False, True]


def test_the_same_position_has_the_same_key_whatever_led_to_it() -> None:
    one, other = chess.Board(), chess.Board()
    for uci in ("g1f3", "g8f6", "b1c3"):
        one.push_uci(uci)
    for uci in ("b1c3", "g8f6", "g1f3"):
        other.push_uci(uci)
    assert position_key(one) == position_key(other) != position_key(chess.Board())
    assert -(2**63) <= position_key(one) < 2**63


@given(
    seed=st.integers(0, 2**32),
    variant=st.sampled_from(VARIANTS),
    plies=st.integers(0, 40),
    white=st.booleans(),
)
def test_rows_come_back_equal(seed: int, variant: str, plies: int, white: bool) -> None:
    fen, moves = random_game(seed, variant, plies)
    teller = Teller(game_info(variant=variant, initial_fen=fen, white=white))
    record = told(teller, *moves)
    record.tell(teller.closed("draw", "draw"))
    record.tell(GameRated(teller.info.id, -7, START_MS))
    assert tuple(move.uci for move in record.moves) == moves
    assert game_row(game_values(record.game)) == record.game
    assert [move_row(move_values(teller.info.id, move)) for move in record.moves] == record.moves


@pytest.mark.parametrize("name", ["Ünï♞", "a\0b", "\ud800"])
def test_any_name_can_be_written(name: str) -> None:
    values = game_values(GameRow(game_info(opponent=replace(KRAIT, name=name)), START_MS))
    assert "\0" not in values["black_name"]
    values["black_name"].encode()


def test_fools_mate_is_named() -> None:
    assert told(Teller(), *FOOLS_MATE).game.opening == "Barnes Opening"
