"""Pairs of games between two settings of the search, both played by this engine in this process.

Without pipes and text a game of 10,000 nodes a move costs hardly more than its searches. With a limit of
nodes the same arguments give the same games.
"""

import time
from collections.abc import Sequence
from typing import NamedTuple

import chess

from engine import params, timeman
from engine.driver import Answer, Engine, Limits
from engine.lab import adjudicate
from engine.lab.adjudicate import BLACK, DRAW, WHITE, Ending, Rules
from engine.lab.game import Clock
from engine.lab.openings import Opening
from engine.lab.settings import Limit

Values = dict[str, int]  # search parameters by name; what is not named is as shipped

HALF_POINTS = {WHITE: 2, DRAW: 1, BLACK: 0}  # White's
MARGIN_MS = 20  # over the clock that is forgiven: a busy machine, not a bad choice


class Terms(NamedTuple):
    """What holds for every game."""

    limit: Limit
    rules: Rules
    hash_mb: int


class Score(NamedTuple):
    """Of the first setting, over both games of a pair."""

    half_points: int  # 0 to 4
    plies: int
    endings: tuple[str, str]  # reasons


class Arena:
    """Two engines that are used from pair to pair; nothing of one game is left in the next."""

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        self._engines = Engine(hash_mb=terms.hash_mb), Engine(hash_mb=terms.hash_mb)

    def pair(self, first: Values, second: Values, opening: Opening) -> Score:
        """One opening, the first setting with White and then with Black."""
        one, other = self._engines
        one.numbers, other.numbers = params.record(first), params.record(second)
        games = Game((one, other), opening, self._terms), Game((other, one), opening, self._terms)
        endings = games[0].play(), games[1].play()
        half_points = HALF_POINTS[endings[0].result] + 2 - HALF_POINTS[endings[1].result]
        plies = sum(len(game.white_scores) for game in games)
        return Score(half_points, plies, (endings[0].reason, endings[1].reason))


class Game:
    """White is index 0 in every pair of this class."""

    def __init__(self, engines: tuple[Engine, Engine], opening: Opening, terms: Terms) -> None:
        self._engines, self._terms = engines, terms
        self._clocks = Clock(terms.limit), Clock(terms.limit)
        self._board = chess.Board(opening.fen)
        self._start, self._moves = opening.fen, list[str]()
        self.white_scores: list[int] = []
        for text in opening.moves:
            self._push(text)

    def play(self) -> Ending:
        for engine in self._engines:
            engine.new_game()
        while (ending := self._ending()) is None:
            side = int(not self._board.turn)
            began = time.perf_counter()
            answer = self._ask(side)
            elapsed_ms = (time.perf_counter() - began) * 1000
            allowed_ms = self._clocks[side].allowed_ms(MARGIN_MS)
            if allowed_ms is not None and elapsed_ms > allowed_ms:
                return Ending(WHITE if side else BLACK, "time forfeit")
            self._clocks[side].spend(elapsed_ms)
            assert answer.move, "a game with no legal move is over"
            self.white_scores.append(-answer.score if side else answer.score)
            self._push(answer.move)
        return ending

    def _ask(self, side: int) -> Answer:
        self._engines[side].set_position(self._start, self._moves)
        limit, clock = self._terms.limit, self._clocks[side]
        timed = limit.base_ms is not None
        left = timeman.Clock(max(int(clock.left_ms), 1), limit.inc_ms, clock.moves_to_go) if timed else None
        limits = Limits(depth=limit.depth, nodes=limit.nodes, movetime_ms=limit.movetime_ms, clock=left)
        return self._engines[side].search(limits)

    def _push(self, text: str) -> None:
        """Nothing before a capture or a pawn's move can come again: the engine need not replay it."""
        self._board.push_uci(text)
        self._moves.append(text)
        if self._board.halfmove_clock == 0:
            self._start, self._moves = self._board.fen(), []

    def _ending(self) -> Ending | None:
        board = self._board
        outcome = board.outcome()
        if outcome:
            return Ending(outcome.result(), outcome.termination.name.lower().replace("_", " "))
        if board.is_repetition():
            return Ending(DRAW, "threefold repetition")
        if board.halfmove_clock >= 100:
            return Ending(DRAW, "fifty moves")
        return adjudicate.verdict(self._terms.rules, self.white_scores, board.ply())


def difference(scores: Sequence[Score]) -> float:
    """What the first setting scored more than the second, a game: from -1 to 1."""
    return sum(score.half_points - 2 for score in scores) / (2 * len(scores))
