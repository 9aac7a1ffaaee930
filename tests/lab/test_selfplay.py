"""One game of self-play: its rules, its adjudication, its dice, and what both sorts of player say."""

import struct
from collections.abc import Callable
from pathlib import Path
from random import Random
from zlib import crc32

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.lab import games, players, selfplay
from engine.lab.games import NO_SCORE, Filter
from engine.lab.players import OwnPlayer
from engine.lab.selfplay import (
    GOING_ON,
    Game,
    Recipe,
    RecipeError,
    Thought,
    file_move,
    move_name,
    move_named,
    play_game,
)
from engine.lab.uci_client import Fault
from engine.notation import legal_moves, set_fen, to_fen

SHORT = Recipe(nodes=40)
RULES = Recipe().rules


class Decided:
    """Plays as chance has it, and thinks of a position what it is told to."""

    def __init__(self, opinion: Callable[[Game], int | None]) -> None:
        self.opinion = opinion
        self.nodes: list[int] = []
        self.said: list[int | None] = []  # in the last game

    def new_game(self) -> None:
        self.said.clear()

    def think(self, game: Game, nodes: int) -> Thought:
        self.nodes.append(nodes)
        score = self.opinion(game)
        self.said.append(score)
        moves = sorted(file_move(move) for move in legal_moves(game.board))
        return Thought(moves[crc32(str(game.moves).encode()) % len(moves)], score)

    def close(self) -> None: ...


def for_white(score: int) -> Callable[[Game], int]:
    return lambda game: score if len(game.moves) % 2 == 0 else -score


def pieces(record: bytes) -> tuple[int, int, int, list[int]]:
    """Plies, result, opening, scores."""
    plies, result, opening = struct.unpack_from("<HBB", record)
    return plies, result, opening, list(struct.unpack_from("<" + "Hh" * plies, record, 4)[1::2])


def pushed(fen: str, *moves: str) -> Game:
    game = Game()
    set_fen(game.board, fen)
    for move in moves:
        game.push(Thought(move_named(move), None))
    return game


def ending(game: Game) -> tuple[str, str] | None:
    return game.ending(RULES)


# Rules of chess


def test_mate_wins_for_who_gives_it() -> None:
    moves = ["f2f3", "e7e5", "g2g4", "d8h4"]
    assert ending(pushed(chess.STARTING_FEN, *moves)) == ("0-1", "checkmate")
    assert ending(pushed("6k1/5ppp/8/8/8/8/8/R6K w - - 0 1", "a1a8")) == ("1-0", "checkmate")


@pytest.mark.parametrize(
    ("fen", "moves", "reason"),
    [
        ("7k/8/5K2/6Q1/8/8/8/8 w - - 0 1", ["g5g6"], "stalemate"),
        ("7k/8/8/8/8/8/1p6/K7 w - - 0 1", ["a1b2"], "insufficient material"),
        ("7k/8/8/8/8/8/r7/7K w - - 99 80", ["h1g1"], "fifty moves"),
        (chess.STARTING_FEN, ["g1f3", "g8f6", "f3g1", "f6g8"] * 2, "threefold repetition"),
        (chess.STARTING_FEN, ["g1f3", "g8f6", "f3g1", "f6g8"], None),
    ],
)
def test_the_rules_end_a_game_drawn(fen: str, moves: list[str], reason: str | None) -> None:
    assert ending(pushed(fen, *moves)) == (("1/2-1/2", reason) if reason else None)


def test_mate_on_the_hundredth_quiet_ply_is_mate() -> None:
    assert ending(pushed("6k1/5ppp/8/8/8/8/8/R6K w - - 99 90", "a1a8")) == ("1-0", "checkmate")


@settings(max_examples=25)
@given(st.integers(0, 1 << 32))
def test_the_compiled_rules_are_those_of_python_chess(seed: int) -> None:
    dice, board, game = Random(seed), chess.Board(), Game()
    while game.state == GOING_ON and len(game.moves) < 300:
        # Captures more often than not, so that bare boards are reached
        legal = sorted(board.legal_moves, key=lambda move: (not board.is_capture(move), move.uci()))
        move = legal[0] if dice.random() < 0.5 else dice.choice(legal)
        board.push(move)
        game.push(Thought(move_named(move.uci()), None))
        over = board.is_game_over() or board.is_repetition(3) or board.halfmove_clock >= 100
        assert (game.state != GOING_ON) == over
        if board.is_checkmate():
            assert ending(game) == ("0-1" if board.turn else "1-0", "checkmate")


@pytest.mark.parametrize("text", ["", "(none)", "0000", "e2e9", "e7e8k", "e2e4qq", "i2i4"])
def test_what_is_no_move_is_a_fault_of_the_engine(text: str) -> None:
    with pytest.raises(Fault, match="illegal move"):
        move_named(text)


def test_an_illegal_move_is_named_with_the_moves_before_it() -> None:
    with pytest.raises(Fault, match="illegal move: e2e4 after e2e4 e7e5"):
        pushed(chess.STARTING_FEN, "e2e4", "e7e5", "e2e4")


@pytest.mark.parametrize("text", ["e2e4", "a7a8q", "h2g1n", "e1c1"])
def test_names_of_moves_come_back(text: str) -> None:
    assert move_name(move_named(text)) == text


# Adjudication


def test_eight_plies_of_two_thousand_are_a_win() -> None:
    def opinion(game: Game) -> int:
        return 0 if len(game.moves) < 20 else for_white(-2_000)(game)

    plies, result, _, scores = pieces(play_game(Decided(opinion), SHORT, 1, 0))
    assert (plies, result) == (28, 0)
    assert scores[-8:] == [-2_000, 2_000] * 4


def test_one_doubt_within_the_eight_plies_goes_on() -> None:
    def opinion(game: Game) -> int:
        return for_white(1_999 if len(game.moves) == 24 else 2_000)(game) if len(game.moves) >= 20 else 0

    plies, result, *_ = pieces(play_game(Decided(opinion), SHORT, 1, 0))
    assert (plies, result) == (25 + 8, 2)


def long_game(game: Game) -> int:
    """Of no interest to any rule: neither decided nor level."""
    return for_white(50)(game)


def test_twelve_level_plies_are_a_draw_but_not_before_ply_eighty() -> None:
    recipe = SHORT._replace(rules=RULES._replace(max_plies=200))
    level_soon = pieces(play_game(Decided(for_white(5)), recipe, 3, 0))
    level_late = pieces(
        play_game(Decided(lambda game: 5 if len(game.moves) >= 90 else long_game(game)), recipe, 3, 0)
    )
    assert level_soon[:2] == (80, 1)
    assert level_late[:2] == (102, 1)


def test_a_game_ends_drawn_at_the_cap() -> None:
    recipe = SHORT._replace(rules=RULES._replace(max_plies=60))
    assert pieces(play_game(Decided(long_game), recipe, 3, 0))[:2] == (60, 1)


# Openings and dice


def test_opening_plies_have_no_score_and_are_five_to_twelve() -> None:
    lengths = set()
    for number in range(60):
        _, _, opening, scores = pieces(play_game(Decided(for_white(2_000 // 8)), cut(16), 5, number))
        assert scores[:opening] == [NO_SCORE] * opening
        assert NO_SCORE not in scores[opening:]
        lengths.add(opening)
    assert lengths == set(range(5, 13))


def cut(plies: int) -> Recipe:
    return SHORT._replace(rules=RULES._replace(max_plies=plies))


def test_an_opening_beyond_the_limit_is_drawn_anew() -> None:
    """The first score of a game is within 300, in a quarter of the games within 700."""

    def opinion(game: Game) -> int:
        return Random(str(game.moves)).randint(-1_500, 1_500)

    player, accepted = Decided(opinion), []
    for number in range(150):
        _, _, opening, scores = pieces(play_game(player, cut(13), 7, number))
        accepted.append(abs(scores[opening]))
        tried = [abs(score) for score in player.said[: player.said.index(scores[opening])] if score]
        assert all(score > 300 for score in tried)
    assert max(accepted) <= 700
    wide = sum(score > 300 for score in accepted) / len(accepted)
    assert 0.07 < wide < 0.21  # a quarter of 400 / 700


def test_an_engine_that_likes_no_opening_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selfplay, "OPENING_TRIES", 20)
    with pytest.raises(RecipeError, match="none of 20 random openings is within"):
        play_game(Decided(lambda _: 5_000), SHORT, 1, 0)


def test_an_engine_that_says_no_score_ends_the_run() -> None:
    with pytest.raises(RecipeError, match="without saying what it thinks"):
        play_game(Decided(lambda _: None), SHORT, 1, 0)


def test_a_score_missing_in_the_middle_is_written_as_none_and_decides_nothing() -> None:
    def opinion(game: Game) -> int | None:
        return None if len(game.moves) == 20 else for_white(2_000)(game) if len(game.moves) > 13 else 0

    plies, result, _, scores = pieces(play_game(Decided(opinion), SHORT, 1, 0))
    assert (plies, result, scores[20]) == (29, 2, NO_SCORE)


def test_nodes_are_spread_evenly_by_a_fifth() -> None:
    player = Decided(long_game)
    play_game(player, Recipe(nodes=500), 1, 0)
    assert len(player.nodes) > 100
    assert min(player.nodes) >= 400
    assert max(player.nodes) <= 600
    assert 480 < sum(player.nodes) / len(player.nodes) < 520


# Players


def test_our_own_games_follow_from_seed_and_number_whatever_was_played_before(tmp_path: Path) -> None:
    used, fresh = OwnPlayer(1), OwnPlayer(1)
    records = [play_game(used, SHORT, 9, number) for number in range(3)]
    assert play_game(fresh, SHORT, 9, 2) == records[2]
    assert play_game(used, SHORT, 9, 0) == records[0]
    assert len({*records, play_game(fresh, SHORT, 10, 0)}) == 4
    path = tmp_path / "games.bin"
    path.write_bytes(b"".join(records))
    found = games.read(path, Filter(quiet=False, max_score=29_000))
    assert len(found) == sum(
        abs(score) <= 29_000 for record in records for score in pieces(record)[3] if score != NO_SCORE
    )


def test_our_engine_sees_a_mate_on_the_files_scale() -> None:
    winning = pushed("6k1/5ppp/8/8/8/8/8/R6K w - - 0 1")
    assert OwnPlayer(1).think(winning, 200) == (move_named("a1a8"), 29_999)
    losing = pushed("k7/8/1K6/8/8/8/8/7R b - - 0 1")
    assert OwnPlayer(1).think(losing, 200) == (move_named("a8b8"), -29_998)


def test_even_one_node_gives_a_score() -> None:
    assert OwnPlayer(1).think(pushed("4k3/8/8/8/8/8/8/QQQQK3 w - - 0 1"), 1).score != 0


@settings(max_examples=25)
@given(st.integers(0, 1 << 32))
def test_the_short_way_to_a_fen_is_right(seed: int) -> None:
    dice, game = Random(seed), Game()
    for _ in range(dice.randint(0, 60)):
        if game.state == GOING_ON:
            move = dice.choice(legal_moves(game.board))
            game.push(Thought(int(file_move(move)), None))
    assert players.fen(game.board) == to_fen(game.board)


@pytest.mark.parametrize(
    ("said", "score"),
    [
        (b"info depth 1 score cp 12 nodes 3\n", 12),
        (b"info depth 1 score cp 12\ninfo depth 2 score cp -9 nodes 7\ninfo string done\n", -9),
        (b"info score mate 1\n", 29_999),
        (b"info score mate 3 pv e2e4\n", 29_995),
        (b"info score mate -1\n", -29_998),
        (b"info score mate -2\n", -29_996),
        (b"info score cp 31000\n", 28_000),
        (b"info score cp 100\ninfo score cp 40 upperbound nodes 5\n", 70),
        (b"info score cp 100\ninfo score cp 140 lowerbound nodes 5\n", 120),
        (b"info score cp 100\ninfo score cp 40 upperbound\ninfo score cp 20 upperbound\n", 60),
        (b"info score mate -4\ninfo score cp 40 upperbound\n", 40),
        (b"info score cp 40 upperbound\n", 40),
        (b"info score cp many\n", None),
        (b"info score cp 7\ninfo string no score is better than this\n", 7),
        (b"info score cp 7\ninfo score cp \n", 7),
        (b"info score \n", None),
        (b"info score wdl 1\n", None),
        (b"info depth 1\n", None),
    ],
)
def test_the_last_score_counts_and_a_bound_is_half_believed(said: bytes, score: int | None) -> None:
    assert players.score_said(said) == score
