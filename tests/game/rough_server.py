"""A Lichess without manners, in simulated time: it loses answers, refuses, limits, and drops its streams.

It holds the truth of one game against a random mover. What it was asked and what it did is written down.
"""

import heapq
import random
from collections.abc import Callable
from dataclasses import dataclass, replace

import chess

from bot.game.commands import PlayMove, Reconnect, StopThinking, Think
from bot.game.events import (
    Event,
    Failure,
    GameSeen,
    MoveFailed,
    MoveFound,
    MoveSent,
    StateSeen,
    StreamLost,
    TimePassed,
)
from bot.game.nouns import GameInfo, State, Thought
from bot.game.session import Phase, open_game, step, wake_at
from tests.game.stories import QUIET, an_info

PLIES = 16
STEPS = 20_000
HARD_FAULTS = 2  # at one position: the session gives a position up after three moves in vain


@dataclass(frozen=True, slots=True)
class Chances:
    """Of trouble, from 0 to 1, at each occasion."""

    move: float
    stream: float
    engine: float


def void(_: object) -> None:
    """Nobody hears the answer."""


class RoughServer:
    def __init__(self, seed: int, chances: Chances, *, white: bool) -> None:
        self.dice, self.chances = random.Random(seed), chances
        self.info: GameInfo = an_info(white=white)
        self.board = chess.Board()
        self.status = "started"
        self.thoughts: dict[tuple[str, ...], set[str]] = {}  # what our engine found, by position
        self.played: list[tuple[tuple[str, ...], str]] = []  # what was taken from us: position and move
        self.now, self.stream, self.alarm = 0.0, 0, 0
        self._agenda: list[tuple[float, int, Callable[[], None]]] = []
        self._vain: dict[tuple[str, ...], int] = {}
        self._count = 0
        self.game = open_game(QUIET)

    def run(self) -> int:
        """How many steps it took until our side knew that the game was over; STEPS: it never did."""
        self._open_stream()
        self._opponent_thinks()
        for count in range(STEPS):
            if self.game.phase is Phase.OVER or not self._agenda:
                return count if self.game.phase is Phase.OVER else STEPS
            self.now, _, action = heapq.heappop(self._agenda)
            action()
        return STEPS

    # --- time

    def _soon(self, least: float, most: float, action: Callable[[], None]) -> None:
        self._count += 1
        at = self.now + self.dice.uniform(least, most)
        heapq.heappush(self._agenda, (at, self._count, action))

    def _happens(self, chance: float) -> bool:
        return self.dice.random() < chance

    # --- our side

    def _hear(self, event: Event) -> None:
        self.game, commands = step(self.game, event)
        for command in commands:
            match command:
                case Think():
                    self._think(command)
                case PlayMove():
                    self._carry(command)
                case Reconnect():
                    self._open_stream()
                case StopThinking():
                    pass  # its answer comes nevertheless, and is stale
                case other:
                    raise AssertionError(f"nobody asked for {other}")
        self._set_alarm()

    def _set_alarm(self) -> None:
        self.alarm += 1
        at, alarm = wake_at(self.game), self.alarm
        if at is not None:
            assert at > self.now

            def ring() -> None:
                if alarm == self.alarm:
                    self._hear(TimePassed(self.now))

            self._soon(at - self.now, at - self.now, ring)

    def _think(self, think: Think) -> None:
        board, moves = chess.Board(), think.position.moves
        for uci in moves:
            board.push_uci(uci)
        found = self.dice.choice([move.uci() for move in board.legal_moves])
        if self._happens(self.chances.engine) and self._in_vain(moves):
            found = "a1a1"
        self.thoughts.setdefault(moves, set()).add(found)
        thought = Thought(found, "dice")
        self._soon(0.0, 0.5, lambda: self._hear(MoveFound(think.ticket, thought, self.now)))

    def _in_vain(self, moves: tuple[str, ...]) -> bool:
        self._vain[moves] = self._vain.get(moves, 0) + 1
        return self._vain[moves] <= HARD_FAULTS

    # --- moves

    @property
    def moves(self) -> tuple[str, ...]:
        return tuple(move.uci() for move in self.board.move_stack)

    def _carry(self, move: PlayMove) -> None:
        def sent() -> None:
            self._hear(MoveSent(move.ticket, self.now) if self._take(move.uci) else failed(Failure.REFUSED))

        def failed(failure: Failure) -> MoveFailed:
            return MoveFailed(move.ticket, failure, "", self.now)

        def fails(failure: Failure) -> Callable[[], None]:
            return lambda: self._hear(failed(failure))

        if not self._happens(self.chances.move):
            return self._soon(0.01, 0.1, sent)
        trouble = self.dice.choice(["lost", "answer lost", "late", "limited", "refused"])
        if trouble in {"answer lost", "late"}:  # late: it arrives after we were told that it failed
            self._soon(0.01 if trouble == "answer lost" else 0.5, 1.0, lambda: void(self._take(move.uci)))
        if trouble == "refused" and self._in_vain(self.moves):
            return self._soon(0.01, 0.1, fails(Failure.REFUSED))
        failure = Failure.LIMITED if trouble == "limited" else Failure.UNSURE
        return self._soon(0.01, 0.5 if trouble == "late" else 4.0, fails(failure))

    def _take(self, uci: str) -> bool:
        """Whether our move is legal now; then it is played."""
        ours = self.board.turn is self.info.we_are_white and self.status == "started"
        if not ours or chess.Move.from_uci(uci) not in self.board.legal_moves:
            return False
        self.played.append((self.moves, uci))
        self._push(uci)
        self._opponent_thinks()
        return True

    def _opponent_thinks(self) -> None:
        if self.board.turn is self.info.we_are_white or self.status != "started":
            return
        uci = self.dice.choice([move.uci() for move in self.board.legal_moves])
        self._soon(1.0, 2.0, lambda: self._push(uci))

    def _push(self, uci: str) -> None:
        self.board.push_uci(uci)
        if self.board.is_game_over() or self.board.ply() >= PLIES:
            self.status = "draw"
        self._write()

    # --- streams

    def _state(self) -> State:
        return State(self.moves, 180_000, 180_000, status=self.status)

    def _write(self) -> None:
        """A line to the open stream; or the stream dies before it, with a word or in silence."""
        stream, state = self.stream, self._state()
        if not self._happens(self.chances.stream):
            return self._soon(0.0, 0.2, lambda: self._deliver(stream, StateSeen(state, self.now)))
        self.stream += 1
        silence = self.dice.choice([0.0, 12.0])
        lost = self.stream
        return self._soon(silence, silence + 0.5, lambda: self._lose(lost))

    def _deliver(self, stream: int, event: GameSeen | StateSeen) -> None:
        if stream == self.stream:  # what a dead stream still held is lost
            self._hear(replace(event, at=self.now))

    def _lose(self, stream: int) -> None:
        if stream == self.stream:
            self._hear(StreamLost("rough", self.now))
            self._open_stream()

    def _open_stream(self) -> None:
        self.stream += 1
        stream = self.stream

        def opened() -> None:
            if stream == self.stream:
                state = self._state()
                self._soon(0.0, 0.1, lambda: self._deliver(stream, GameSeen(self.info, state, self.now)))

        self._soon(0.01, 0.5, opened)
