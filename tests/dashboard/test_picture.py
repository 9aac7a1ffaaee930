"""What the page shows is a fold of what was told: nothing more, nothing less, in whatever order games mix."""

import random
from collections import Counter

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.dashboard.picture import CHALLENGES_KEPT, CLOSED_KEPT, RECENT_KEPT, TROUBLES_KEPT, Picture
from bot.dashboard.results import DECIDED, Key, Results, Score
from bot.dashboard.snapshot import Snapshot
from bot.game.boards import start_board
from bot.game.facts import ChallengeGone, Fact, GameClosed, GameRated, PliesSeen, ThoughtGrew, Trouble
from bot.game.nouns import ChallengeId, GameId, Player, State
from bot.store.openings import own_openings
from bot.store.rows import kind_of
from tests.dashboard.shown import ONLINE, Tale, interleaved, judged
from tests.store.telling import START_MS, Teller, game_info, thought

SEEDS = st.lists(st.integers(0, 400), min_size=1, max_size=5)
NAMES = own_openings()
DAY_MS = 86_400_000


def seen(facts: list[Fact]) -> Snapshot:
    picture = Picture(NAMES)
    for fact in facts:
        picture.tell(fact)
    return picture.snapshot()


def last_state(facts: list[Fact], game: GameId) -> State:
    states = [fact for fact in facts if isinstance(fact, PliesSeen | GameClosed) and fact.game == game]
    return states[-1].state if states else State((), 180_000, 180_000, 2000, 2000)


@given(SEEDS, st.randoms(use_true_random=False))
def test_a_game_stands_as_its_last_state_says(seeds: list[int], order: random.Random) -> None:
    facts, tales = interleaved(seeds, order)
    snapshot = seen(facts)
    for tale in tales:
        info = tale.teller.info
        view = {**snapshot.games, **snapshot.closed}[info.id]
        state = last_state(facts, info.id)
        board = start_board(info.variant, info.initial_fen)
        fens, sans = [board.fen()], []
        for uci in state.moves:
            sans.append(board.san_and_push(board.parse_uci(uci)))
            fens.append(board.fen())
        assert view.fens == tuple(fens)
        assert [move.san for move in view.moves] == sans
        assert view.check == board.is_check()
        assert (view.state.white_ms, view.state.black_ms) == (state.white_ms, state.black_ms)


@given(SEEDS, st.randoms(use_true_random=False))
def test_beside_each_move_of_ours_stands_what_we_thought_of_it(
    seeds: list[int], order: random.Random
) -> None:
    facts, tales = interleaved(seeds, order)
    snapshot = seen(facts)
    for tale in tales:
        view = {**snapshot.games, **snapshot.closed}[tale.teller.info.id]
        for move in view.moves:
            wanted = tale.teller.thoughts.get(move.ply)
            assert (move.source, move.depth) == ((wanted.source, wanted.depth) if wanted else (None, None))
            assert move.ours == (wanted is not None)


@given(SEEDS, st.randoms(use_true_random=False))
def test_games_that_run_are_those_that_began_and_did_not_end(seeds: list[int], order: random.Random) -> None:
    facts, tales = interleaved(seeds, order)
    over = [fact.game for fact in facts if isinstance(fact, GameClosed)]
    snapshot = seen(facts)
    assert set(snapshot.games) == {tale.teller.info.id for tale in tales} - set(over)
    assert list(snapshot.closed) == over
    assert [row.id for row in snapshot.recent] == over[::-1]


@given(SEEDS, st.randoms(use_true_random=False), st.booleans())
def test_results_are_the_sum_of_what_ended(seeds: list[int], order: random.Random, twice: bool) -> None:
    facts, tales = interleaved(seeds, order)
    infos = {tale.teller.info.id: tale.teller.info for tale in tales}
    ends = [fact for fact in facts if isinstance(fact, GameClosed) and fact.result in DECIDED]
    count = Counter((infos[end.game].speed, kind_of(infos[end.game].opponent), end.result) for end in ends)
    again: list[Fact] = []
    over = {fact.game for fact in facts if isinstance(fact, GameClosed)}
    for teller in (tale.teller for tale in tales if twice and tale.teller.info.id in over):
        again += [teller.opened(), GameClosed(teller.info.id, teller.state, "win", START_MS)]
    ever = seen(facts + again).results.ever
    assert {
        (key.speed, key.kind, result): number
        for key, score in ever.items()
        for result, number in zip(("win", "draw", "loss"), score, strict=True)
        if number
    } == dict(count)


@given(SEEDS, st.randoms(use_true_random=False), st.integers(0, 200))
def test_a_snapshot_is_what_it_was_when_it_was_made(
    seeds: list[int], order: random.Random, upto: int
) -> None:
    facts, _ = interleaved(seeds, order)
    picture = Picture(NAMES)
    for fact in facts[:upto]:
        picture.tell(fact)
    early, then = picture.snapshot(), repr(picture.snapshot())
    for fact in facts[upto:]:
        picture.tell(fact)
    assert repr(early) == then == repr(seen(facts[:upto]))


def test_a_new_day_begins_with_nothing() -> None:
    key = Key("blitz", "human")
    results = Results().counted(key, "win", START_MS).counted(key, "loss", START_MS + DAY_MS)
    assert results.today == {key: Score(0, 0, 1)}
    assert results.ever == {key: Score(1, 0, 1)}
    assert results.at(START_MS + 2 * DAY_MS).today == {}


def test_a_thought_of_another_position_is_not_shown() -> None:
    teller, picture = Teller(), Picture(NAMES)
    picture.tell(teller.opened())
    picture.tell(ThoughtGrew(teller.info.id, 0, thought("e2e4", 0), START_MS))
    assert picture.snapshot().games[teller.info.id].thought is not None
    for fact in teller.plies("e2e4"):
        picture.tell(fact)
    assert picture.snapshot().games[teller.info.id].thought is None
    picture.tell(ThoughtGrew(teller.info.id, 0, thought("d2d4", 0), START_MS))  # it comes too late
    assert picture.snapshot().games[teller.info.id].thought is None


def test_the_end_of_a_game_takes_no_move_back() -> None:
    teller, picture = Teller(), Picture(NAMES)
    picture.tell(teller.opened())
    for fact in teller.plies("e2e4", "e7e5"):
        picture.tell(fact)
    empty = State((), 1, 1, status="aborted")
    picture.tell(GameClosed(teller.info.id, empty, "aborted", START_MS))
    view = picture.snapshot().closed[teller.info.id]
    assert [move.san for move in view.moves] == ["e4", "e5"]
    assert (len(view.fens), view.state.ply) == (3, 2)
    assert view.row.result == "aborted"


def test_a_rated_game_changes_our_rating() -> None:
    teller, picture = Teller(), Picture(NAMES)
    for fact in (teller.opened(), teller.closed(), GameRated(teller.info.id, 7, START_MS)):
        picture.tell(fact)
    assert picture.snapshot().ratings == {"blitz": 2507}
    assert picture.snapshot().recent[0].rating_diff == 7


def test_a_game_that_lichess_forgot_is_not_shown_for_ever() -> None:
    teller, picture = Teller(), Picture(NAMES)
    picture.tell(teller.opened())
    picture.tell(Trouble("game_vanished", "", START_MS, teller.info.id))
    assert not picture.snapshot().games


def test_the_same_trouble_in_a_row_is_one_line() -> None:
    picture = Picture(NAMES)
    for when in range(5):
        picture.tell(Trouble("list_of_games_failed", "no answer", START_MS + when))
    picture.tell(Trouble("decline_refused", "", START_MS))
    assert [(each.what, each.times) for each in picture.snapshot().troubles] == [
        ("decline_refused", 1),
        ("list_of_games_failed", 5),
    ]


def test_a_challenge_shows_its_latest_answer_and_why() -> None:
    picture = Picture(NAMES)
    picture.tell(judged(1, "queued", "all games are taken"))
    picture.tell(judged(2))
    picture.tell(judged(1, "accepted", ""))
    assert [(each.id, each.verdict) for each in picture.snapshot().challenges] == [
        ("ask00001", "accepted"),
        ("ask00002", "declined"),
    ]
    picture.tell(judged(3, "queued", ""))
    picture.tell(ChallengeGone(ChallengeId("ask00003"), "withdrawn", START_MS))
    assert picture.snapshot().challenges[0].why == "withdrawn"


def test_the_connection_is_the_last_that_was_told() -> None:
    assert seen([ONLINE]).connection == ONLINE


def test_memory_is_bounded_however_much_is_told() -> None:
    picture = Picture(NAMES)
    for number in range(60):
        teller = Teller(game_info(f"game{number:04d}", opponent=Player("anna", "Anna")))
        picture.tell(teller.opened())
        picture.tell(teller.closed())
        picture.tell(judged(number))
        picture.tell(Trouble(f"trouble_{number}", "", START_MS))
    snapshot = picture.snapshot()
    assert len(snapshot.closed) == CLOSED_KEPT
    assert len(snapshot.recent) == RECENT_KEPT
    assert len(snapshot.challenges) == CHALLENGES_KEPT
    assert len(snapshot.troubles) == TROUBLES_KEPT


@pytest.mark.parametrize("variant", ["orda", "standard"])
def test_a_game_whose_rules_we_do_not_know_is_shown_as_far_as_we_do(variant: str) -> None:
    teller = Teller(game_info(variant="standard"))
    facts = [teller.opened(), *teller.plies("e2e4")]
    if variant == "orda":
        teller.info = game_info(variant="orda")
        facts[0] = teller.opened()
    view = seen(list(facts)).games[teller.info.id]
    known = chess.Board()
    known.push_uci("e2e4")
    assert view.fens[-1] == ("" if variant == "orda" else known.fen())
    assert view.moves[0].uci == "e2e4"


def test_tales_tell_of_everything() -> None:
    """Else the properties above would hold of nothing."""
    facts = [fact for seed in range(60) for fact in Tale(seed).facts()]
    kinds = Counter(type(fact).__name__ for fact in facts)
    assert (
        min(kinds[name] for name in ("ThoughtGrew", "MovePlayed", "ChatHeard", "GameClosed", "GameRated")) > 5
    )
