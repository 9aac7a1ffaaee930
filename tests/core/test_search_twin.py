"""The compiled search against the textbook: without its cuts it says the same, with them it still mates."""

from types import ModuleType

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import params
from engine.classic.ordering import by_capture
from engine.classic.quiescence import quiet_score
from engine.core import endgame, evaluate, nnue, node, order, quiesce, search, see, tt
from engine.core.board import complete, new_board, play
from engine.core.jit import Record
from engine.core.layout import EMPTY, INFINITE, MATE
from engine.driver import Engine, Limits
from engine.notation import TABLES, find_move, legal_moves
from engine.workers import Table, Worker, make_worker
from tests.core.positions import MATES, SUITES, UNSHRUNK, Game, board_of, compiled_twice, games

PLAIN = params.plain()
TICKET = 1
MOST_NODES = 8_000_000


class Fast:
    """The compiled search, alone: a worker and an empty table."""

    def __init__(self) -> None:
        self.worker: Worker = make_worker()
        self.scratch = new_board()
        self.table = Table(1)

    def score(self, board: Record, depth: int) -> int:
        """Of the deepest of depths 1 … `depth`, the shallower ones having filled the table."""
        self.table.clear()
        self.worker.prepare(board, self.table, TICKET, legal_moves(board))
        return [self.worker.search(PLAIN, d, -INFINITE, INFINITE) for d in range(1, depth + 1)][-1]

    def static(self, board: chess.Board) -> int:
        """The compiled evaluation of a python-chess board, with all that the search adds to it."""
        men = board.piece_map()
        scratch = self.scratch
        scratch["squares"][:] = EMPTY
        for square, man in men.items():
            scratch["squares"][square] = man.piece_type - 1 + (0 if man.color else 6)
        scratch["pieces"][:] = [
            board.pawns,
            board.knights,
            board.bishops,
            board.rooks,
            board.queens,
            board.kings,
        ]
        scratch["colours"][:] = board.occupied_co[::-1]
        scratch["side"], scratch["rule50"], scratch["ep"] = int(not board.turn), board.halfmove_clock, -1
        complete(TABLES, scratch)
        raw = nnue.evaluate(TABLES, scratch, self.worker.evaluator, self.worker.weights)
        return int(node.corrected(scratch, self.worker.state, PLAIN, raw))


@pytest.fixture(scope="module")
def fast() -> Fast:
    return Fast()


def both(game: Game) -> tuple[Record, chess.Board]:
    """The last position of a game on either board, with the history that repetitions need."""
    ours, theirs = board_of(game.fen), game.slow()
    for _, text in game.walk():
        play(TABLES, ours, find_move(ours, text))
        theirs.push_uci(text)
    return ours, theirs


def affordable(board: chess.Board) -> int:
    """A depth the textbook can search in a moment."""
    mobility = board.legal_moves.count()
    return 4 if mobility <= 4 else 3 if mobility <= 10 else 2 if mobility <= 32 else 1


@settings(UNSHRUNK, max_examples=40)
@given(games)
def test_without_its_cuts_the_search_says_what_the_textbook_says(fast: Fast, game: Game) -> None:
    ours, theirs = both(game)
    if any(theirs.legal_moves):
        depth = affordable(theirs)
        assert fast.score(ours, depth) == quiet_score(theirs, depth, fast.static, by_capture)


SHUFFLES = (
    "8/8/8/2p5/2P5/k7/8/K7 w - - 0 1",  # kings go round each other
    "7k/5R2/8/8/8/1q6/8/K7 w - - 96 90",  # checks until the fifty moves are over
    "6k1/5ppp/8/8/8/8/8/K2R4 w - - 97 90",  # mate on the hundredth half-move still counts
)


@settings(max_examples=40)
@given(st.sampled_from(SHUFFLES), st.lists(st.integers(0, 1), max_size=9))
def test_the_two_agree_where_games_repeat_or_run_out_of_moves(
    fast: Fast, fen: str, choices: list[int]
) -> None:
    ours, theirs = both(Game(fen, bytes(choices)))
    if any(theirs.legal_moves):
        assert fast.score(ours, 3) == quiet_score(theirs, 3, fast.static, by_capture)


@pytest.mark.slow
@settings(UNSHRUNK, max_examples=400)
@given(games)
def test_the_two_agree_one_ply_deeper(fast: Fast, game: Game) -> None:
    ours, theirs = both(game)
    if any(theirs.legal_moves):
        depth = affordable(theirs) + 1
        assert fast.score(ours, depth) == quiet_score(theirs, depth, fast.static, by_capture)


def node_counts(fen: str, depth: int) -> list[int]:
    engine = Engine(hash_mb=4)
    counts = []
    for _ in range(2):
        engine.new_game()
        engine.set_position(fen, [])
        counts.append(engine.search(Limits(depth=depth)).nodes)
    return counts


@settings(UNSHRUNK, max_examples=10)
@given(games)
def test_a_fixed_depth_searches_the_same_tree_every_time(game: Game) -> None:
    first, second = node_counts(both(game)[1].fen(), 7)
    assert first == second


@pytest.mark.parametrize(("moves", "fen"), MATES)
def test_a_mate_within_the_depth_is_never_overlooked_without_cuts(fast: Fast, moves: int, fen: str) -> None:
    assert fast.score(board_of(fen), 2 * moves) == MATE - (2 * moves - 1)


def search_for_mate(engine: Engine, fen: str, moves: int) -> int:
    engine.new_game()
    engine.set_position(fen, [])
    return engine.search(Limits(mate=moves, nodes=MOST_NODES)).score


@pytest.mark.parametrize(("moves", "fen"), MATES)
def test_a_search_for_a_mate_finds_the_shortest(moves: int, fen: str) -> None:
    assert search_for_mate(Engine(hash_mb=4), fen, moves) == MATE - (2 * moves - 1)


@pytest.mark.parametrize(("moves", "every"), [(2, 11), (3, 32)])
def test_mates_of_the_suites_are_found_at_their_distance(moves: int, every: int) -> None:
    path = SUITES / f"mate_in_{moves}.epd"
    if not path.exists():
        pytest.skip(f"no {path.name} here")
    engine = Engine(hash_mb=16)
    fens = [line.partition(" bm ")[0] for line in path.read_text(encoding="ascii").splitlines()[::every]]
    missed = [fen for fen in fens if search_for_mate(engine, fen, moves) != MATE - (2 * moves - 1)]
    assert missed == []


MODULES = (endgame, evaluate, nnue, node, order, quiesce, search, see, tt)


@pytest.mark.parametrize("module", MODULES, ids=lambda it: it.__name__)
def test_every_kernel_of_the_search_compiles_once(module: ModuleType) -> None:
    """A second signature is a second compilation, paid on the clock in the middle of a game."""
    Engine(hash_mb=1).search(Limits(depth=4))
    assert compiled_twice(module) == set()
