"""One game as the page shows it: facts are folded in, frozen views come out. Pure.

Moves, clocks and evaluations are those of the record that the database writes, by the same rules.
"""

from collections import deque
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from bot.game.boards import start_board
from bot.game.facts import ChatHeard, GameClosed, GameOpened, GameRated, MovePlayed, PliesSeen, ThoughtGrew
from bot.game.nouns import GameInfo, State, Thought
from bot.store.openings import Openings
from bot.store.record import Record
from bot.store.rows import GameRow, MoveRow

if TYPE_CHECKING:
    import chess

CHATS_KEPT = 100

GameFact = GameOpened | PliesSeen | ThoughtGrew | MovePlayed | ChatHeard | GameClosed | GameRated


class Said(NamedTuple):
    room: str
    name: str
    text: str
    when_ms: int


@dataclass(frozen=True, slots=True)
class GameView:
    """`fens` has the position before each ply and the one at hand; "" where we do not know the rules."""

    row: GameRow
    state: State
    seen_ms: int  # when the clocks of `state` were right
    moves: tuple[MoveRow, ...]
    fens: tuple[str, ...]
    check: bool = False
    thought: Thought | None = None  # the best so far, while we think
    lag_ms: int | None = None
    chat: tuple[Said, ...] = ()

    @property
    def info(self) -> GameInfo:
        return self.row.info


class Watched:
    """A game since we first heard of it. `view` is what is to be seen now, and does not change later."""

    def __init__(self, fact: GameOpened, names: Openings) -> None:
        info = fact.info
        self._record = Record(GameRow(info, info.created_at_ms or fact.when_ms), names)
        self._state, self._seen_ms = fact.state, fact.when_ms
        self._chat: deque[Said] = deque(maxlen=CHATS_KEPT)
        self._thought: Thought | None = None
        self._lag_ms: int | None = None
        self._trail = Trail(info)
        self.tell(fact)

    @property
    def is_over(self) -> bool:
        return self._record.is_over

    @property
    def row(self) -> GameRow:
        return self._record.game

    def tell(self, fact: GameFact) -> None:
        match fact:
            case ThoughtGrew(ply=ply, thought=thought):
                self._thought = thought if ply == self._state.ply and not self.is_over else self._thought
                return
            case ChatHeard(room=room, name=name, text=text, when_ms=when_ms):
                self._chat.append(Said(room, name, text, when_ms))
                return
            case GameOpened(state=state) | PliesSeen(state=state) | GameClosed(state=state):
                self._see(fact, state)
            case MovePlayed(lag_ms=lag_ms):
                self._lag_ms = lag_ms
            case GameRated():
                pass
        self._record.tell(fact)
        self._record.mark_saved()  # somebody else writes it

    def view(self) -> GameView:
        return GameView(
            row=self._record.game,
            state=self._state,
            seen_ms=self._seen_ms,
            moves=tuple(self._record.moves),
            fens=self._trail.fens,
            check=self._trail.is_check,
            thought=self._thought,
            lag_ms=self._lag_ms,
            chat=tuple(self._chat),
        )

    def _see(self, fact: GameOpened | PliesSeen | GameClosed, state: State) -> None:
        if isinstance(fact, GameClosed):
            self._thought = None
            if not state.moves:  # who only heard of the end knows no moves
                state = replace(state, moves=self._state.moves)
        if state.moves != self._state.moves:
            self._thought = None
        self._state, self._seen_ms = state, fact.when_ms
        self._trail.follow(state.moves)


class Trail:
    """The positions a game went through."""

    def __init__(self, info: GameInfo) -> None:
        self._moves: tuple[str, ...] = ()
        self._board: chess.Board | None = None
        with suppress(ValueError):  # a variant of tomorrow
            self._board = start_board(info.variant, info.initial_fen)
        self._fens = [self._board.fen() if self._board else ""]

    @property
    def fens(self) -> tuple[str, ...]:
        return tuple(self._fens)

    @property
    def is_check(self) -> bool:
        return self._board is not None and self._board.is_check()

    def follow(self, moves: tuple[str, ...]) -> None:
        """To the position after `moves`: forwards, or back where something was taken back."""
        pairs = enumerate(zip(self._moves, moves, strict=False))
        shorter = min(len(self._moves), len(moves))
        kept = next((ply for ply, (old, new) in pairs if old != new), shorter)
        for _ in self._moves[kept:]:
            self._fens.pop()
            if self._board is not None:
                self._board.pop()
        for uci in moves[kept:]:
            self._fens.append(self._after(uci))
        self._moves = moves

    def _after(self, uci: str) -> str:
        if self._board is None:
            return ""
        try:
            self._board.push_uci(uci)
        except ValueError:
            self._board = None  # not chess as we know it
            return ""
        return self._board.fen()
