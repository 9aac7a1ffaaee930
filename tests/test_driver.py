"""The driver: limits, lines, threads, and what a stop or a ponderhit does."""

import threading
from collections.abc import Callable
from pathlib import Path
from random import Random

import chess
import pytest
from hypothesis import given, settings

from engine import strength, syzygy, timeman
from engine.driver import MATE, MATE_BOUND, Answer, Engine, Info, Limits
from engine.notation import START_FEN, NotationError
from tests.core.positions import Game, games

SYZYGY = Path(__file__).parents[2] / "shared" / "data" / "syzygy"
MIDDLE_GAME = "r1bq1rk1/ppp2ppp/2np1n2/2b1p3/2B1P3/2PP1N2/PP1N1PPP/R1BQ1RK1 w - - 0 8"
PATIENCE_S = 60.0


@pytest.fixture
def engine() -> Engine:
    return Engine(hash_mb=1)


def at(engine: Engine, fen: str, *moves: str) -> Engine:
    engine.set_position(fen, moves)
    return engine


def listen(engine: Engine, limits: Limits) -> tuple[Answer, list[Info]]:
    heard: list[Info] = []
    return engine.search(limits, heard.append), heard


class Running:
    """A search in a thread of its own, which has reported at least once."""

    def __init__(self, engine: Engine, limits: Limits) -> None:
        self.answer: Answer | None = None
        self._begun = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(engine, limits), daemon=True)
        self._thread.start()
        assert self._begun.wait(PATIENCE_S)

    def _run(self, engine: Engine, limits: Limits) -> None:
        self.answer = engine.search(limits, lambda _: self._begun.set())

    def end(self) -> Answer:
        self._thread.join(PATIENCE_S)
        assert self.answer is not None
        return self.answer


@settings(max_examples=25)
@given(games)
def test_the_move_and_the_line_are_legal_wherever_a_game_has_come_to(game: Game) -> None:
    board = game.slow()
    texts = [text for _, text in game.walk()]
    for text in texts:
        board.push_uci(text)
    engine = Engine(hash_mb=1)
    engine.chess960 = True
    engine.set_position(game.fen, texts)
    answer, heard = listen(engine, Limits(depth=4))
    assert (answer.move is None) == (not any(board.legal_moves))
    for text in heard[-1].pv if heard else ():
        board.push(board.parse_uci(text))


def test_a_depth_is_searched_and_no_further(engine: Engine) -> None:
    _, heard = listen(engine, Limits(depth=6))
    assert [info.depth for info in heard] == [1, 2, 3, 4, 5, 6]
    assert [info.nodes for info in heard] == sorted(info.nodes for info in heard)


def test_a_node_limit_is_kept_to_the_node(engine: Engine) -> None:
    assert at(engine, MIDDLE_GAME).search(Limits(nodes=20_000)).nodes == 20_000


def test_one_node_is_enough_for_a_legal_move(engine: Engine) -> None:
    assert at(engine, MIDDLE_GAME).search(Limits(nodes=1)).move


@pytest.mark.parametrize("left_ms", [-5_000, 0, 1, 500])
def test_a_clock_that_is_nearly_out_still_gets_a_move(engine: Engine, left_ms: int) -> None:
    assert at(engine, MIDDLE_GAME).search(Limits(clock=timeman.Clock(left_ms, 0, None))).move


def test_searchmoves_restrict_the_root_in_both_castling_notations(engine: Engine) -> None:
    fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
    for texts in (("e1g1",), ("e1h1",)):
        assert at(engine, fen).search(Limits(depth=3, searchmoves=texts)).move == "e1g1"


def test_searchmoves_that_are_all_illegal_restrict_nothing(engine: Engine) -> None:
    assert at(engine, START_FEN).search(Limits(depth=2, searchmoves=("a1a8",))).move


@pytest.mark.parametrize(
    ("fen", "score"),
    [("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", 0), ("R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1", -MATE)],
    ids=["stalemate", "mate"],
)
def test_without_a_legal_move_there_is_no_answer(engine: Engine, fen: str, score: int) -> None:
    assert at(engine, fen).search(Limits(depth=3)) == Answer(None, None, score, 0)


def test_several_lines_begin_with_different_moves_the_best_first(engine: Engine) -> None:
    engine.multipv = 4
    _, heard = listen(at(engine, MIDDLE_GAME), Limits(depth=6))
    last = heard[-4:]
    assert [info.multipv for info in last] == [1, 2, 3, 4]
    assert len({info.pv[0] for info in last}) == 4
    assert [info.score for info in last] == sorted((info.score for info in last), reverse=True)


def test_more_lines_than_moves_are_as_many_as_there_are_moves(engine: Engine) -> None:
    engine.multipv = 256
    _, heard = listen(at(engine, "7k/8/8/8/8/8/8/K7 w - - 0 1"), Limits(depth=2))
    assert max(info.multipv for info in heard) == 3


def test_a_search_for_a_mate_ends_when_it_is_found(engine: Engine) -> None:
    fen = "5rk1/5Npp/8/8/8/1Q6/8/K7 w - - 0 1"
    answer = at(engine, fen).search(Limits(mate=3))
    assert answer.score == MATE - 5


def test_the_third_occurrence_in_the_game_is_worth_a_draw(engine: Engine) -> None:
    """Black, a queen down, has only to repeat once more."""
    shuffle = ("g8h8", "f3e3", "h8g8", "e3f3")
    fen = "6k1/5ppp/8/8/8/5Q2/5PPP/6K1 b - - 0 1"
    engine.set_position(fen, [*shuffle, *shuffle[:3]])
    answer = engine.search(Limits(depth=2, searchmoves=("e3f3",)))
    assert answer.score == 0


def test_a_won_game_is_not_thrown_away_by_repeating(engine: Engine) -> None:
    shuffle = ("f3e3", "g8h8", "e3f3", "h8g8")
    fen = "6k1/5ppp/8/8/8/5Q2/5PPP/6K1 w - - 0 1"
    engine.set_position(fen, [*shuffle, "f3e3", "g8h8"])
    answer = engine.search(Limits(depth=8))
    assert answer.move != "e3f3"
    assert answer.score > 300


def test_a_bad_move_in_a_list_is_named_and_the_position_kept(engine: Engine) -> None:
    at(engine, START_FEN, "e2e4")
    before = engine.fen()
    with pytest.raises(NotationError, match="move 2: 'e2e4' is not a legal move"):
        engine.set_position(START_FEN, ["e2e4", "e2e4"])
    assert engine.fen() == before


def test_a_stop_without_a_search_is_ignored(engine: Engine) -> None:
    engine.stop()
    engine.ponderhit()
    assert engine.search(Limits(depth=3)).move


def test_an_infinite_search_ends_when_it_is_stopped(engine: Engine) -> None:
    search = Running(at(engine, MIDDLE_GAME), Limits(infinite=True))
    engine.stop()
    assert search.end().move


def test_an_infinite_search_waits_for_the_stop_even_when_all_is_known(engine: Engine) -> None:
    search = Running(at(engine, "6k1/8/6K1/8/8/8/8/Q7 w - - 0 1"), Limits(infinite=True, depth=2))
    engine.stop()
    assert search.end().score >= MATE_BOUND


def test_pondering_ends_by_ponderhit_and_the_clock(engine: Engine) -> None:
    search = Running(at(engine, MIDDLE_GAME), Limits(ponder=True, clock=timeman.Clock(1_000, 0, None)))
    engine.ponderhit()
    assert search.end().move


def test_pondering_ends_by_a_stop(engine: Engine) -> None:
    search = Running(at(engine, MIDDLE_GAME), Limits(ponder=True, clock=timeman.Clock(60_000, 0, None)))
    engine.stop()
    assert search.end().move


def test_a_stop_names_its_search_and_cannot_end_the_next(engine: Engine) -> None:
    search = Running(at(engine, MIDDLE_GAME), Limits(infinite=True))
    engine.stop()
    search.end()
    worker = engine.workers[0]
    worker.stop(engine._ticket)  # a timer of the search that has ended, too late
    assert listen(engine, Limits(depth=5))[1][-1].depth == 5


def test_two_threads_on_one_table_play_legal_moves() -> None:
    """Every move read from the shared table is verified, while both threads write to it all the time."""
    engine = Engine(hash_mb=1, threads=2)
    board = chess.Board()
    moves: list[str] = []
    while len(moves) < 40 and not board.is_game_over():
        engine.set_position(START_FEN, moves)
        answer, heard = listen(engine, Limits(nodes=6_000))
        line = board.copy()
        for text in heard[-1].pv:
            line.push(line.parse_uci(text))
        assert answer.move
        board.push(board.parse_uci(answer.move))
        moves.append(answer.move)


def test_threads_can_be_added_and_taken_away(engine: Engine) -> None:
    for count in (3, 1, 2):
        engine.set_threads(count)
        assert at(engine, MIDDLE_GAME).search(Limits(depth=4)).move


def test_a_table_of_another_size_is_empty(engine: Engine) -> None:
    _, heard = listen(at(engine, MIDDLE_GAME), Limits(depth=8))
    engine.resize(2)
    _, again = listen(engine, Limits(depth=8))
    assert heard[-1].hashfull > 0
    assert again[0].hashfull < heard[-1].hashfull


def test_a_new_game_plays_as_a_new_engine_does(engine: Engine) -> None:
    first = at(engine, MIDDLE_GAME).search(Limits(depth=8)).nodes
    engine.search(Limits(depth=9))
    engine.new_game()
    assert engine.search(Limits(depth=8)).nodes == first


def test_a_weak_player_is_weak_and_legal(engine: Engine) -> None:
    engine.strength = strength.Strength(strength.ELO_MIN)
    engine.random = Random(1)
    at(engine, MIDDLE_GAME)
    answers = [engine.search(Limits(depth=30)) for _ in range(30)]
    legal = {move.uci() for move in chess.Board(MIDDLE_GAME).legal_moves}
    assert {answer.move for answer in answers} <= legal
    assert len({answer.move for answer in answers}) > 1
    assert all(answer.nodes < 2_000 for answer in answers)  # the first depth, and no second


def test_castling_is_named_as_the_variant_names_it(engine: Engine) -> None:
    fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1"
    for chess960, name in ((False, "e1g1"), (True, "e1h1")):
        engine.chess960 = chess960
        assert at(engine, fen).search(Limits(depth=2, searchmoves=("e1h1",))).move == name


@pytest.mark.skipif(not SYZYGY.exists(), reason="no endgame tables here")
def test_endgame_tables_choose_the_root_s_moves(engine: Engine) -> None:
    engine.tables = syzygy.Tables(str(SYZYGY))
    answer, heard = listen(at(engine, "8/8/8/3k4/8/8/4K3/Q7 w - - 0 1"), Limits(depth=4))
    assert answer.score > syzygy.TABLE_WIN - 200
    assert heard[-1].tbhits > 0


@pytest.mark.parametrize(
    "show", [Engine.describe, Engine.breakdown, Engine.fen], ids=["describe", "breakdown", "fen"]
)
def test_the_position_can_be_shown(engine: Engine, show: Callable[[Engine], str]) -> None:
    assert show(at(engine, MIDDLE_GAME))


def test_perft_is_told_by_root_move(engine: Engine) -> None:
    counts = engine.perft(3)
    assert len(counts) == 20
    assert sum(counts.values()) == 8902
    assert engine.perft(1) == dict.fromkeys(counts, 1)
