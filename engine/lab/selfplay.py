"""One game of an engine against itself, from a random opening to its record in the lab's format.

A game depends on (seed, index) and the recipe alone: its dice are its own, and the player forgets everything
before it. Moves are encoded as in the file (`engine.lab.games`); the rules are the engine's compiled ones.
"""

import re
import struct
from functools import cache
from random import Random
from typing import Any, NamedTuple, Protocol

from engine.core.bits import I64, ZERO
from engine.core.board import copy_board, is_bare, is_repetition, new_board, play
from engine.core.jit import Record, kernel
from engine.core.layout import CASTLE, PROMOTION
from engine.core.movegen import has_legal_move, legal
from engine.lab.adjudicate import BLACK, DRAW, WHITE, Ending, Rules, verdict
from engine.lab.games import NO_SCORE
from engine.lab.uci_client import Fault
from engine.notation import FILES, START_FEN, TABLES, set_fen, square_name

Number = Any  # a whole number inside a kernel, of whatever width

MATE, CP_MOST = 30_000, 28_000  # file scores: MATE - plies; what is not a mate stays well below
OPENING_TRIES = 1_000
PROMOTIONS = ("", "n", "b", "r", "q")
_NAME = re.compile("([a-h])([1-8])([a-h])([1-8])([nbrq]?)")
RESULTS = {BLACK: 0, DRAW: 1, WHITE: 2}
GOING_ON, ILLEGAL, CHECKMATE, STALEMATE, REPETITION, FIFTY, BARE = range(7)
REASONS = {
    STALEMATE: "stalemate",
    REPETITION: "threefold repetition",
    FIFTY: "fifty moves",
    BARE: "insufficient material",
}


class RecipeError(ValueError):
    """Games cannot be made like this by this engine; trying again would end the same."""


class Recipe(NamedTuple):
    """How games are made; one file holds games of one recipe."""

    nodes: int = 500
    jitter: float = 0.2  # each search gets nodes * (1 ± jitter), evenly spread
    opening_least: int = 5  # plies
    opening_most: int = 12
    balance_cp: int = 300  # what the first search may say of the opening
    wide_cp: int = 700  # the same, in `wide_share` of the games
    wide_share: float = 0.25
    rules: Rules = Rules(
        resign_moves=4, resign_cp=2_000, draw_moves=6, draw_cp=5, draw_after=40, max_plies=400
    )


class Thought(NamedTuple):
    move: int
    score: int | None  # of the file's scale, for the side to move; None: the engine did not say


class Player(Protocol):
    def new_game(self) -> None: ...

    def think(self, game: "Game", nodes: int) -> Thought:
        """Fault: the engine is of no more use; Stopped: nobody waits for the game any more."""

    def close(self) -> None: ...


@kernel
def file_move(move: Number) -> Number:
    """The file's encoding of an engine's move of standard chess."""
    source, onto, sort = move & 63, move >> 6 & 63, move >> 12
    if sort == CASTLE:
        onto = source + 2 if onto > source else source - 2
    return source | onto << 6 | (sort - PROMOTION + 1 if sort >= PROMOTION else 0) << 12


@kernel
def _state(tables: Record, board: Record) -> Number:
    if not has_legal_move(tables, board, 0):
        return CHECKMATE if board.checkers != ZERO else STALEMATE
    if is_bare(board):
        return BARE
    if is_repetition(board, 0):
        return REPETITION
    return FIFTY if board.rule50 >= 100 else GOING_ON


@kernel
def advance(tables: Record, board: Record, move: Number) -> Number:
    """Play a move of the file and say what the rules make of the position; ILLEGAL: nothing was played."""
    for i in range(legal(tables, board, 0)):
        found = I64(board.moves[0, i])
        if file_move(found) == move:
            play(tables, board, found)
            return _state(tables, board)
    return ILLEGAL


@kernel
def _list_moves(tables: Record, board: Record) -> Number:
    """Write the legal moves as the file has them; return how many."""
    found = legal(tables, board, 0)
    for i in range(found):
        board.moves[0, i] = file_move(I64(board.moves[0, i]))
    return found


@cache
def move_name(move: int) -> str:
    """The move in UCI."""
    return f"{square_name(move & 63)}{square_name(move >> 6 & 63)}{PROMOTIONS[move >> 12]}"


@cache
def move_named(text: str) -> int:
    """The move UCI calls so, legal or not. Fault: not a move's name."""
    parts = _NAME.fullmatch(text)
    if not parts:
        raise Fault("illegal move", repr(text))
    files, ranks, promotion = (parts[1], parts[3]), (parts[2], parts[4]), parts[5]
    source, onto = (FILES.index(file) + 8 * int(rank) - 8 for file, rank in zip(files, ranks, strict=True))
    return source | onto << 6 | PROMOTIONS.index(promotion) << 12


START = new_board()
set_fen(START, START_FEN)


class Game:
    """A game under way; everything in it is of the file's encoding."""

    def __init__(self) -> None:
        self.board = new_board()
        copy_board(START, self.board)
        self.moves: list[int] = []
        self.state = GOING_ON
        self._scores: list[int] = []  # one a move, for its side
        self._white: list[int | None] = []  # those of searches, for White

    def push(self, thought: Thought) -> None:
        state = int(advance(TABLES, self.board, thought.move))
        if state == ILLEGAL:
            played = " ".join(map(move_name, self.moves))
            raise Fault("illegal move", f"{move_name(thought.move)} after {played or 'the start'}")
        own = thought.score
        self._white.append(own if own is None or len(self.moves) % 2 == 0 else -own)
        self._scores.append(NO_SCORE if own is None else own)
        self.moves.append(thought.move)
        self.state = state

    def ending(self, rules: Rules) -> Ending | None:
        """By the rules of chess, then by adjudication."""
        if self.state == GOING_ON:
            return verdict(rules, self._white, len(self.moves))
        if self.state == CHECKMATE:
            return Ending(WHITE if len(self.moves) % 2 else BLACK, "checkmate")
        return Ending(DRAW, REASONS[self.state])

    def record(self, result: str, opening: int) -> bytes:
        pairs = [number for pair in zip(self.moves, self._scores, strict=True) for number in pair]
        head = struct.pack("<HBB", len(self.moves), RESULTS[result], opening)
        return head + struct.pack("<" + "Hh" * len(self.moves), *pairs)


def play_game(player: Player, recipe: Recipe, seed: int, index: int) -> bytes:
    """The record of game `index` of the run `seed`."""
    dice = Random(f"{seed}/{index}")
    player.new_game()
    game, thought = _balanced(player, recipe, dice)
    opening = len(game.moves)
    while True:
        game.push(thought)
        ending = game.ending(recipe.rules)
        if ending:
            return game.record(ending.result, opening)
        thought = player.think(game, _nodes(recipe, dice))


def _nodes(recipe: Recipe, dice: Random) -> int:
    return max(round(recipe.nodes * dice.uniform(1 - recipe.jitter, 1 + recipe.jitter)), 1)


def _balanced(player: Player, recipe: Recipe, dice: Random) -> tuple[Game, Thought]:
    """A random opening, and the first search of its end: within the limit drawn for this game."""
    limit = recipe.wide_cp if dice.random() < recipe.wide_share else recipe.balance_cp
    for _ in range(OPENING_TRIES):
        game = _opening(dice.randint(recipe.opening_least, recipe.opening_most), dice)
        if game.state != GOING_ON:
            continue
        thought = player.think(game, _nodes(recipe, dice))
        if thought.score is None:
            raise RecipeError("the engine moves without saying what it thinks of the position")
        if abs(thought.score) <= limit:
            return game, thought
    raise RecipeError(f"none of {OPENING_TRIES} random openings is within {limit} cp")


def _opening(plies: int, dice: Random) -> Game:
    """Random legal moves; shorter if they end the game."""
    game = Game()
    while len(game.moves) < plies and game.state == GOING_ON:
        found = _list_moves(TABLES, game.board)
        # Sorted, so that the order in which the engine generates moves is no part of the recipe
        game.push(Thought(dice.choice(sorted(game.board["moves"][0, :found].tolist())), None))
    return game
