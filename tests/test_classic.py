"""The textbook engine: its ideas agree with each other, it finds mates, and it plays every variant."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from random import Random

import chess
import chess.variant
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.classic.alphabeta import alphabeta
from engine.classic.deepening import Limits, Searcher
from engine.classic.evaluation import evaluate
from engine.classic.minimax import minimax
from engine.classic.ordering import by_capture
from engine.classic.quiescence import quiescence
from engine.classic.rules import DRAW, INFINITE, MATE, Line
from tests.core.positions import MATES

BOARDS: list[type[chess.Board]] = [chess.Board, *chess.variant.VARIANTS[1:]]
LICHESS_VARIANTS = {"antichess", "atomic", "crazyhouse", "horde", "kingofthehill", "racingkings", "3check"}


@st.composite
def wandered(draw: st.DrawFn, boards: Sequence[type[chess.Board]] = (chess.Board,)) -> chess.Board:
    """A board, history and all, after some random moves from the start."""
    board = draw(st.sampled_from(boards))()
    for choice in draw(st.integers(0, 60).flatmap(lambda plies: st.binary(min_size=plies, max_size=plies))):
        moves = sorted(board.legal_moves, key=str)
        if not moves or board.is_variant_end():
            break
        board.push(moves[choice % len(moves)])
    return board


def shuffled(seed: int) -> Callable[[chess.Board, Iterable[chess.Move]], list[chess.Move]]:
    choose = Random(seed)

    def order(_: chess.Board, moves: Iterable[chess.Move]) -> list[chess.Move]:
        mixed = list(moves)
        choose.shuffle(mixed)
        return mixed

    return order


def affordable(board: chess.Board) -> int:
    """A depth that minimax can search in a moment: a full pocket in Crazyhouse has hundreds of moves."""
    return 3 if board.legal_moves.count() <= 10 else 2 if board.legal_moves.count() <= 30 else 1


@settings(max_examples=40)
@given(wandered(BOARDS))
def test_alpha_beta_says_what_minimax_says(board: chess.Board) -> None:
    depth = affordable(board)
    assert alphabeta(board, depth, evaluate, by_capture) == minimax(board, depth, evaluate)


@settings(max_examples=40)
@given(wandered(BOARDS), st.integers(0, 99))
def test_no_order_of_moves_changes_a_score(board: chess.Board, seed: int) -> None:
    depth = affordable(board)
    assert alphabeta(board, depth, evaluate, shuffled(seed)) == alphabeta(board, depth, evaluate, by_capture)


@settings(max_examples=30)
@given(wandered(), st.integers(0, 99))
def test_no_order_of_captures_changes_a_quiet_score(board: chess.Board, seed: int) -> None:
    scores = {
        quiescence(Line(board), -INFINITE, INFINITE, evaluate, order, 6)
        for order in (shuffled(seed), by_capture)
    }
    assert len(scores) == 1


@given(wandered(BOARDS))
def test_a_search_leaves_the_board_as_it_was(board: chess.Board) -> None:
    before = board.copy()
    Searcher().search(board, Limits(nodes=20))
    assert board == before
    assert board.move_stack == before.move_stack


@given(wandered())
def test_the_evaluation_is_fair_to_both_colours(board: chess.Board) -> None:
    assert evaluate(board.mirror()) == evaluate(board)


# Quiescence

HANGING = "4k3/8/8/3p4/8/8/3Q4/4K3 w - - 0 1"  # a pawn for nothing
GUARDED = "4k3/8/2p5/3p4/8/8/3Q4/4K3 w - - 0 1"  # the queen for a pawn


def quiet(fen: str) -> int:
    return quiescence(Line(chess.Board(fen)), -INFINITE, INFINITE, evaluate)


def test_quiescence_takes_what_hangs_and_leaves_what_is_guarded() -> None:
    assert quiet(HANGING) >= evaluate(chess.Board(HANGING)) + 90
    assert quiet(GUARDED) == evaluate(chess.Board(GUARDED))


def test_quiescence_looks_at_every_way_out_of_check() -> None:
    """White is in check and may take the queen; standing pat would call it lost."""
    assert quiet("4k3/8/8/8/8/8/3q4/4K3 w - - 0 1") == DRAW
    assert quiet("7k/8/8/8/8/8/5PPP/r5K1 w - - 0 1") == -MATE


def test_in_antichess_nobody_may_decline_a_capture() -> None:
    """White must take on d4, Black must take back, and White has got rid of everything."""
    board = chess.variant.AntichessBoard("8/8/8/4p3/3p4/4P3/8/8 w - - 0 1")
    assert quiescence(Line(board), -INFINITE, INFINITE, evaluate) == MATE - 2


# Mates


@pytest.mark.parametrize(("moves", "fen"), MATES)
def test_mates_are_found_at_their_distance(moves: int, fen: str) -> None:
    found = Searcher().find(chess.Board(fen), Limits(depth=2 * moves))
    assert found.score == MATE - (2 * moves - 1)


def test_being_mated_later_is_better_and_sooner_is_worse() -> None:
    """On c8 the king is mated at once, on e8 a move later."""
    found = Searcher().find(chess.Board("3k4/R7/8/8/8/8/5Q1K/8 b - - 0 1"), Limits(depth=5))
    assert (found.move, found.score) == (chess.Move.from_uci("d8e8"), -MATE + 4)


# Draws


def test_stalemate_bare_kings_and_fifty_moves_are_draws() -> None:
    assert minimax(chess.Board("7k/5Q2/8/8/8/8/8/K7 b - - 0 1"), 3, evaluate) == DRAW
    assert minimax(chess.Board("8/8/3k4/8/3K4/8/8/8 w - - 0 1"), 1, evaluate) == DRAW
    assert minimax(chess.Board("7k/8/8/8/8/8/8/KQ6 w - - 99 80"), 1, evaluate) == DRAW
    assert minimax(chess.Board("6k1/5ppp/8/8/8/8/8/K2R4 w - - 99 80"), 1, evaluate) == MATE - 1


def test_a_repetition_inside_the_tree_is_a_draw_and_one_of_the_game_takes_two() -> None:
    line = Line(chess.Board())
    for text in ("g1f3", "g8f6", "f3g1", "f6g8"):
        line.push(chess.Move.from_uci(text))
        assert not line.is_repeated()  # the fourth move meets the root, which is of the game
    line.push(chess.Move.from_uci("g1f3"))
    assert line.is_repeated()
    line.pop()
    game = line.board
    for text in ("g1f3", "g8f6", "f3g1"):
        game.push_uci(text)
    line = Line(game)
    line.push(chess.Move.from_uci("f6g8"))
    assert line.is_repeated()


def test_the_side_that_is_losing_repeats() -> None:
    """Black mates next. White's queen has gone from h5 to e8 and back twice, and the third time is a draw."""
    board = chess.Board("6k1/6p1/8/7Q/8/8/1qr5/7K w - - 0 1")
    for text in ("h5e8", "g8h7", "e8h5", "h7g8") * 2:
        board.push_uci(text)
    found = Searcher().find(board, Limits(depth=2))
    assert (found.move, found.score) == (chess.Move.from_uci("h5e8"), DRAW)


# Budget


def test_a_move_is_in_hand_before_the_search_begins() -> None:
    found = Searcher().find(chess.Board(), Limits(nodes=0))
    assert found.depth == 0
    assert found.move in list(chess.Board().legal_moves)


def test_nodes_and_depth_bound_the_search() -> None:
    assert Searcher().find(chess.Board(), Limits(depth=2)).depth == 2
    found = Searcher().find(chess.Board(), Limits(nodes=2000))
    assert found.depth >= 2
    assert found.nodes <= 2000


def ticks() -> Iterator[float]:
    """A clock that goes on by a millisecond each time it is read."""
    return (read / 1000 for read in range(10**9))


def test_time_bounds_the_search() -> None:
    clock = ticks()
    found = Searcher(now=lambda: next(clock)).find(chess.Board(), Limits(time_ms=3000))
    assert found.nodes <= 3000
    assert 2 <= found.depth < 10


def test_a_finished_game_has_no_move() -> None:
    mated = Searcher().find(chess.Board("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"), Limits(depth=3))
    assert (mated.move, mated.score) == (None, -MATE)


def test_a_second_search_profits_from_the_first() -> None:
    searcher = Searcher()
    first = searcher.find(chess.Board(), Limits(depth=3))
    again = searcher.find(chess.Board(), Limits(depth=3))
    assert again.score == first.score
    assert again.nodes < first.nodes / 2


# Variants


def test_every_variant_of_lichess_is_there() -> None:
    assert {board.uci_variant for board in BOARDS} >= LICHESS_VARIANTS


@pytest.mark.parametrize("board_type", BOARDS, ids=lambda board: board.uci_variant)
def test_a_variant_is_played_with_legal_moves_only(board_type: type[chess.Board]) -> None:
    board, searcher = board_type(), Searcher()
    for _ in range(40):
        move = searcher.search(board, Limits(nodes=60))
        assert (move is None) == (board.is_variant_end() or not any(board.legal_moves))
        if move is None:
            break
        assert move in board.legal_moves
        board.push(move)


WON = (
    chess.variant.KingOfTheHillBoard("7k/8/8/8/8/3K4/8/q7 w - - 0 1"),
    chess.variant.ThreeCheckBoard("4k3/8/8/8/8/8/8/Q3K3 w - - 1+3 0 1"),
    chess.variant.AtomicBoard("4k3/3p4/8/8/8/8/8/3QK3 w - - 0 1"),
    chess.variant.RacingKingsBoard("8/2K5/8/8/8/8/k7/8 w - - 0 1"),
    chess.variant.HordeBoard("8/8/8/8/8/8/kP6/8 b - - 0 1"),
    chess.variant.AntichessBoard("8/8/8/1p6/8/P7/8/8 w - - 0 1"),
    chess.variant.CrazyhouseBoard("6k1/5ppp/8/8/8/8/8/K7[R] w - - 0 1"),
)


@pytest.mark.parametrize("board", WON, ids=lambda board: board.uci_variant)
def test_a_won_position_of_a_variant_is_won(board: chess.Board) -> None:
    assert Searcher().find(board, Limits(depth=2)).score >= MATE - 2
