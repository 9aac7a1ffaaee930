"""One game as it is written down: facts are folded in, rows come out. Pure.

A state is the whole truth about the moves, so a state told twice changes nothing; `MovePlayed` only adds what
we thought, whichever comes first.
"""

import hashlib
from dataclasses import replace
from typing import Self

import chess

from bot.game.boards import start_board
from bot.game.facts import ChatHeard, GameClosed, GameOpened, GameRated, MovePlayed, PliesSeen, TakebackGiven
from bot.game.nouns import NO_CLOCK_MS, GameInfo, State
from bot.store.openings import Openings
from bot.store.rows import GameRow, MoveRow

GameFact = PliesSeen | MovePlayed | ChatHeard | TakebackGiven | GameClosed | GameRated
_KEYED_PLIES = 60  # no book is deeper
_TOLD = ("clock_ms", "spent_ms", "cp", "mate", "depth", "nodes", "nps", "think_ms", "lag_ms", "source", "pv")


class Record:
    """`unsaved_from`: the first ply whose row is not written yet, None if all are."""

    def __init__(self, game: GameRow, names: Openings) -> None:
        self.game = game
        self.moves: list[MoveRow] = []
        self.chats: list[ChatHeard] = []  # unsaved, as is `rated`
        self.rated: GameRated | None = None
        self.unsaved_from: int | None = 0
        self.is_fresh = True  # what the database has of it has not been recalled
        self._names = names
        self._heard: MovePlayed | None = None  # of a ply that no state has shown yet
        self._start_turn = _turn(game.info.initial_fen)
        self._board = _start(game.info)

    @classmethod
    def read(cls, game: GameRow, moves: tuple[MoveRow, ...], names: Openings) -> Self:
        """The record as it was written."""
        record = cls(game, names)
        for move in moves:
            record._add(move.uci, move.when_ms)
            record._put(move)
        record.game, record.is_fresh = game, False
        record.mark_saved()
        return record

    @property
    def is_over(self) -> bool:
        return self.game.result is not None

    @property
    def lacks_thought(self) -> bool:
        """The last move is ours, and what we thought of it has not been told."""
        return bool(self.moves) and self.moves[-1].ours and self.moves[-1].source is None

    def mark_saved(self) -> None:
        """Everything is written."""
        self.unsaved_from, self.rated = None, None
        self.chats.clear()

    def tell(self, fact: GameFact | GameOpened) -> None:
        match fact:
            case GameOpened(state=state, when_ms=when_ms):
                self._see(state, when_ms, clocks=1)
            case PliesSeen(state=state, when_ms=when_ms):
                self._see(state, when_ms, clocks=2)
            case MovePlayed():
                self._heard = fact
                self._attach()
            case ChatHeard():
                self.chats.append(fact)
            case TakebackGiven():
                self.game = replace(self.game, takebacks=self.game.takebacks + 1)
            case GameClosed(state=state, when_ms=when_ms):
                if state.moves:  # who only heard of the end knows no moves, which takes none back
                    self._see(state, when_ms, clocks=1)
                over = replace(self.game, status=state.status, winner=state.winner, result=fact.result)
                self.game = replace(over, ended_ms=self.game.ended_ms or when_ms)
            case GameRated(rating_diff=diff):
                self.rated, self.game = fact, replace(self.game, rating_diff=diff)

    def recall(self, game: GameRow, moves: tuple[MoveRow, ...]) -> None:
        """Take over what an earlier life wrote of this game, where it is still true."""
        self.is_fresh = False
        kept = _shared([move.uci for move in moves], tuple(move.uci for move in self.moves))
        for ply, old in enumerate(moves[:kept]):
            new = self.moves[ply]
            gaps = {name: getattr(old, name) for name in _TOLD if getattr(new, name) is None}
            self._put(replace(new, when_ms=old.when_ms, **gaps))
        diff = game.rating_diff if self.game.rating_diff is None else self.game.rating_diff
        takebacks = game.takebacks + self.game.takebacks
        self.game = replace(self.game, takebacks=takebacks, began_ms=game.began_ms, rating_diff=diff)

    def _see(self, state: State, when_ms: int, *, clocks: int) -> None:
        """`clocks`: of how many of the last plies the state's clocks are those after the move.

        Two, because the clock of the side to move has only just started; not in the first line of a
        stream nor in the last, which show it after it has run.
        """
        kept = _shared([move.uci for move in self.moves], state.moves)
        if kept < len(self.moves):
            self._forget(kept)
        for uci in state.moves[kept:]:
            self._add(uci, when_ms)
        for ply in range(max(kept, len(self.moves) - clocks), len(self.moves)):
            self._clock(ply, state)
        self._attach()
        self.game = replace(self.game, plies=len(self.moves))

    def _forget(self, kept: int) -> None:
        if self._board is not None:
            for _ in self.moves[kept:]:
                self._board.pop()
        del self.moves[kept:]
        self._unsaved(kept)
        if kept <= self._names.longest:
            self.game = replace(self.game, eco=None, opening=None)
            self._name()

    def _add(self, uci: str, when_ms: int) -> None:
        ply = len(self.moves)
        turn = self._start_turn if ply % 2 == 0 else not self._start_turn
        ours, san, key = turn == self.game.info.we_are_white, uci, None
        if self._board is not None:
            try:
                move = self._board.parse_uci(uci)
                key = position_key(self._board) if ours and ply < _KEYED_PLIES else None
                san = self._board.san_and_push(move)
            except ValueError:
                self._board = None  # not chess as we know it: from here on a move is its own name
        self.moves.append(MoveRow(ply=ply, uci=uci, san=san, ours=ours, when_ms=when_ms, position=key))
        self._unsaved(ply)
        self._name()

    def _name(self) -> None:
        info = self.game.info
        if info.variant == "standard" and info.initial_fen is None and len(self.moves) <= self._names.longest:
            found = self._names.find([move.san for move in self.moves])
            if found is not None:
                self.game = replace(self.game, eco=found.eco, opening=found.name)

    def _clock(self, ply: int, state: State) -> None:
        move = self.moves[ply]
        white = move.ours == self.game.info.we_are_white
        left_ms = state.left_ms(white)
        if self.game.info.control.is_unlimited or left_ms == NO_CLOCK_MS:
            return
        before_ms = self.moves[ply - 2].clock_ms if ply >= 2 else None
        spent_ms = None
        if self.game.info.control.is_clock and before_ms is not None:
            spent_ms = max(0, before_ms + state.inc_ms(white) - left_ms)
        self._put(replace(move, clock_ms=left_ms, spent_ms=spent_ms))

    def _attach(self) -> None:
        """Add what we thought to the ply it was about, once both are known."""
        heard = self._heard
        if heard is None or heard.ply >= len(self.moves):
            return
        self._heard = None
        move, thought = self.moves[heard.ply], heard.thought
        if not move.ours or not _same(move, thought.uci):
            return
        score, is_timed = thought.score, not self.game.info.control.is_unlimited
        self._put(
            replace(
                move,
                clock_ms=heard.left_ms if move.clock_ms is None and is_timed else move.clock_ms,
                spent_ms=heard.spent_ms,
                cp=score.cp if score else None,
                mate=score.mate if score else None,
                depth=thought.depth,
                nodes=thought.nodes,
                nps=thought.nps,
                think_ms=thought.time_ms,
                lag_ms=heard.lag_ms,
                source=thought.source,
                pv=" ".join(thought.pv),
            )
        )

    def _put(self, move: MoveRow) -> None:
        if self.moves[move.ply] != move:
            self.moves[move.ply] = move
            self._unsaved(move.ply)

    def _unsaved(self, ply: int) -> None:
        self.unsaved_from = ply if self.unsaved_from is None else min(self.unsaved_from, ply)


def position_key(board: chess.Board) -> int:
    """The same for the same position of the same rules, and a whole number that any database can hold."""
    words = f"{board.uci_variant} {board.epd()}"
    return int.from_bytes(hashlib.blake2b(words.encode(), digest_size=8).digest(), signed=True)


def _start(info: GameInfo) -> chess.Board | None:
    try:
        return start_board(info.variant, info.initial_fen)
    except ValueError:
        return None  # a variant of tomorrow: its moves are kept as Lichess writes them


def _turn(fen: str | None) -> bool:
    return fen is None or fen.split()[1:2] != ["b"]


def _shared(known: list[str], moves: tuple[str, ...]) -> int:
    """How many moves both begin with."""
    pairs = enumerate(zip(known, moves, strict=False))
    return next((ply for ply, (old, new) in pairs if old != new), min(len(known), len(moves)))


def _same(move: MoveRow, uci: str) -> bool:
    """Castling is written in two ways: the king's two squares, or king takes rook."""
    return move.uci == uci or (move.san.startswith("O-O") and move.uci[:2] == uci[:2])
