"""The position: what make carries along, what unmake gives back, and when a game is drawn."""

from collections import Counter
from random import Random

import chess
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engine.core.board import (
    copy_board,
    has_pieces,
    is_bare,
    is_repetition,
    make,
    make_null,
    new_board,
    play,
    set_checks,
    unmake,
    unmake_null,
)
from engine.core.jit import Record
from engine.core.layout import LEVELS, STACK
from engine.core.zobrist import rebuild
from engine.notation import START_FEN, TABLES, find_move, legal_moves, set_fen, to_fen
from tests.core.positions import Game, board_of, games, positions, state

DERIVED = ("key", "pawn_key", "side_keys", "checkers", "pinned")
ROOKS_AND_KINGS = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
PAWN_WALLS = "4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1"
BARE_ROOKS = "r3k3/8/8/8/8/8/8/R3K3 w - - 0 1"
LONG_PAST = 200  # plies: twice what the fifty-move rule leaves a game
KNIGHT_ROUND = ("g1f3", "g8f6", "f3g1", "f6g8")


def derived_anew(board: Record) -> Record:
    anew = new_board()
    copy_board(board, anew)
    for name in DERIVED:
        anew[name] = 0
    rebuild(TABLES, anew)
    set_checks(TABLES, anew)
    return anew


def played(fen: str, *texts: str) -> Record:
    """A board on which the moves were played as those of a game are."""
    board = board_of(fen)
    for text in texts:
        play(TABLES, board, find_move(board, text))
    return board


@given(games)
def test_what_make_carries_is_what_the_position_alone_says(game: Game) -> None:
    ours = board_of(game.fen)
    for theirs, text in game.walk():
        assert state(ours) == state(derived_anew(ours))
        assert to_fen(ours, chess960=True) == theirs.shredder_fen()
        make(TABLES, ours, find_move(ours, text))


@given(positions)
def test_unmake_gives_back_every_bit(position: chess.Board) -> None:
    board = board_of(position.fen())
    before = state(board)
    for move in legal_moves(board):
        make(TABLES, board, move)
        assert state(board) != before
        unmake(board)
        assert state(board) == before


@given(games)
def test_a_whole_game_can_be_taken_back(game: Game) -> None:
    board = board_of(game.fen)
    states = []
    for _, text in game.walk():
        states.append(state(board))
        make(TABLES, board, find_move(board, text))
    for before in reversed(states):
        unmake(board)
        assert state(board) == before


@given(positions.filter(lambda position: not position.is_check()))
def test_a_null_move_only_passes_the_move(position: chess.Board) -> None:
    board = board_of(position.fen())
    before = state(board)
    make_null(TABLES, board)
    assert state(board) == state(derived_anew(board))
    position.push(chess.Move.null())
    assert to_fen(board, chess960=True) == position.shredder_fen()
    unmake_null(board)
    assert state(board) == before


@given(positions)
def test_a_copy_is_the_same_and_lives_its_own_life(position: chess.Board) -> None:
    board, copy = board_of(position.fen()), new_board()
    copy_board(board, copy)
    assert state(copy) == state(board)
    before = state(board)
    for move in legal_moves(copy)[:1]:
        make(TABLES, copy, move)
    assert state(board) == before


# Repetition


def repeats(keys: list[object], ply: int) -> bool:
    """The slow twin: once since the root of the search, or twice in the whole game."""
    earlier = [back for back in range(1, len(keys)) if keys[-1 - back] == keys[-1]]
    return any(back < ply for back in earlier) or len(earlier) >= 2


CORNERS = {chess.D1, chess.D2, chess.E1, chess.D7, chess.D8, chess.E8}


@given(
    st.sampled_from([ROOKS_AND_KINGS, "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"]),
    st.lists(st.integers(0, 1), min_size=4, max_size=30),
    st.integers(0, 12),
)
def test_repetition_is_seen_as_by_comparing_all_positions(fen: str, choices: list[int], ply: int) -> None:
    """Kings on three squares each come back to where they were again and again."""
    board, theirs = board_of(fen), chess.Board(fen)
    keys = [theirs._transposition_key()]
    for choice in choices:
        texts = sorted(m.uci() for m in theirs.legal_moves if {m.from_square, m.to_square} <= CORNERS)
        text = texts[choice % len(texts)]
        play(TABLES, board, find_move(board, text))
        theirs.push_uci(text)
        keys.append(theirs._transposition_key())
        assert is_repetition(board, ply) == repeats(keys, ply)


def test_in_the_tree_the_second_time_is_a_draw_and_in_the_game_the_third() -> None:
    once, twice = played(START_FEN, *KNIGHT_ROUND), played(START_FEN, *KNIGHT_ROUND * 2)
    assert not is_repetition(once, 0)
    assert is_repetition(once, 5)  # the root lies before the first occurrence
    assert not is_repetition(once, 4)  # the root itself is the first occurrence: a repetition of the game
    assert is_repetition(twice, 0)


def test_a_lost_castling_right_makes_another_position() -> None:
    shuffle = ("h1g1", "h8g8", "g1h1", "g8h8")
    assert not is_repetition(played(ROOKS_AND_KINGS, *shuffle), 100)
    assert is_repetition(played(ROOKS_AND_KINGS, *shuffle * 2), 100)


def test_an_en_passant_right_makes_another_position() -> None:
    able = "4k3/8/8/8/3p4/8/4P3/4K1N1 w - - 0 1"
    shuffle = ("e8d8", "g1f3", "d8e8", "f3g1")
    assert not is_repetition(played(able, "e2e4", *shuffle), 100)
    assert is_repetition(played(able.replace("3p4", "2p5"), "e2e4", *shuffle), 100)


def test_a_pawn_move_or_a_capture_ends_the_search_for_a_repetition() -> None:
    board = played(START_FEN, *KNIGHT_ROUND, "e2e4")
    assert board["height"] == 0
    assert not is_repetition(board, 100)


def test_no_repetition_is_seen_across_a_null_move() -> None:
    board = board_of(START_FEN)
    for text in KNIGHT_ROUND[:2]:
        make(TABLES, board, find_move(board, text))
    make_null(TABLES, board)
    make(TABLES, board, find_move(board, "f6g8"))
    make(TABLES, board, find_move(board, "f3g1"))
    make_null(TABLES, board)
    assert not is_repetition(board, 100)


def test_a_game_of_three_thousand_plies_keeps_its_repetitions_right() -> None:
    theirs, board, choose = chess.Board(PAWN_WALLS), board_of(PAWN_WALLS), Random(5)
    seen = Counter([theirs._transposition_key()])
    repetitions = 0
    while theirs.ply() < 3000:
        moves = sorted(theirs.legal_moves, key=str)
        wanted = [move for move in moves if theirs.is_zeroing(move) == (theirs.halfmove_clock > 140)] or moves
        move = choose.choice(wanted[:3])
        play(TABLES, board, find_move(board, move.uci()))
        if theirs.is_zeroing(move):
            seen.clear()
        theirs.push(move)
        seen[theirs._transposition_key()] += 1
        assert is_repetition(board, 0) == (seen[theirs._transposition_key()] >= 3)
        assert board["height"] <= STACK - LEVELS
        repetitions += seen[theirs._transposition_key()] >= 3
    assert repetitions > 100
    assert to_fen(board) == theirs.fen()


def test_a_game_without_end_forgets_only_what_is_long_past() -> None:
    """No pawn moves, nothing is taken: undo rows must be dropped, but none that a drawn game could need."""
    theirs, board, choose = chess.Board(BARE_ROOKS), board_of(BARE_ROOKS), Random(8)
    keys = [theirs._transposition_key()]
    seen = 0
    for _ in range(2000):
        lasting = sorted((move for move in theirs.legal_moves if not theirs.is_zeroing(move)), key=str)
        move = choose.choice(lasting[:2])
        play(TABLES, board, find_move(board, move.uci()))
        theirs.push(move)
        keys.append(theirs._transposition_key())
        lately, ever = keys[-LONG_PAST:-1].count(keys[-1]), keys[:-1].count(keys[-1])
        assert lately < 2 or is_repetition(board, 0)
        assert ever >= 2 or not is_repetition(board, 0)
        assert board["height"] <= STACK - LEVELS
        seen += lately >= 2
    assert 200 < seen < 1800
    assert to_fen(board) == theirs.fen()


# Material


@st.composite
def bare_positions(draw: st.DrawFn) -> chess.Board:
    """Two kings and at most four other men."""
    board = chess.Board(None)
    squares = draw(st.lists(st.integers(0, 63), min_size=2, max_size=6, unique=True))
    men = [chess.Piece(chess.KING, chess.WHITE), chess.Piece(chess.KING, chess.BLACK)]
    kinds = st.sampled_from([chess.BISHOP] * 3 + [chess.KNIGHT, chess.PAWN, chess.ROOK, chess.QUEEN])
    men += [chess.Piece(draw(kinds), draw(st.booleans())) for _ in squares[2:]]
    for square, man in zip(squares, men, strict=True):
        board.set_piece_at(square, man)
    assume(not board.status() & ~chess.STATUS_TOO_MANY_CHECKERS & ~chess.STATUS_IMPOSSIBLE_CHECK)
    return board


@given(bare_positions())
def test_a_board_is_bare_when_neither_side_could_mate_by_any_play(position: chess.Board) -> None:
    board = board_of(position.fen())
    assert is_bare(board) == position.is_insufficient_material()
    for colour in (0, 1):
        men = position.occupied_co[1 - colour] & ~position.pawns & ~position.kings
        assert has_pieces(board, colour) == bool(men)


@pytest.mark.parametrize(
    ("fen", "bare"),
    [
        ("8/8/3k4/8/3K4/8/8/8 w - - 0 1", True),
        ("8/8/3k4/8/3K4/8/8/N7 w - - 0 1", True),
        ("8/8/3k4/8/3K4/8/8/NN6 w - - 0 1", False),
        ("8/8/3k4/8/3K4/8/8/Nn6 w - - 0 1", False),
        ("8/8/3k4/8/3K4/8/8/B1b1B3 w - - 0 1", True),
        ("8/8/3k4/8/3K4/8/8/Bb6 w - - 0 1", False),
        ("8/8/3k4/8/3K4/8/7P/8 w - - 0 1", False),
    ],
)
def test_bare_boards_by_name(fen: str, bare: bool) -> None:
    assert is_bare(board_of(fen)) is bare


def test_a_new_board_can_be_set_again_and_again() -> None:
    board = played(START_FEN, *KNIGHT_ROUND)
    set_fen(board, ROOKS_AND_KINGS)
    assert state(board) == state(board_of(ROOKS_AND_KINGS))
