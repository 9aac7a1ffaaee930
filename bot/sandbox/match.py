"""The truth of one game: board, clocks, status, and who may do what when. Pure; the time is always handed in.

What holds whatever is asked of a match, in any order:
* its status only moves forward (started, then one ending), and after the end nothing changes but the rematch;
* sides move in turn, a clock never shows less than nothing, and none runs before the second ply;
* it can be aborted only while fewer than two plies are played;
* the board is always the fold of `moves` over the first position.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import chess

from bot.sandbox.clock import GameClock
from bot.sandbox.refusal import refuse
from bot.sandbox.seats import Offers, Seat
from bot.sandbox.speeds import DAY_S, TimeControl, first_move_ms, perf_key
from bot.sandbox.variants import (
    Ending,
    Status,
    Variant,
    can_win,
    check_uci,
    ending_on_board,
    new_board,
    read_move,
    shown_move,
)

NO_CLOCK_MS = 2_147_483_647  # what the stream shows where nobody is timed
MAX_PLIES = 600  # a longer game is drawn
GRACE_MS = 1000  # beyond the time a first move is waited for


@dataclass
class Match:
    """One game. Others read it; only its own methods and `offers.py` change it."""

    id: str
    variant: Variant
    control: TimeControl
    seats: dict[chess.Color, Seat]
    created_at_ms: int
    initial_fen: str | None = None
    rated: bool = False
    source: str = "friend"
    rules: frozenset[str] = frozenset()
    tournament_id: str | None = None
    board: chess.Board = field(init=False)
    clock: GameClock | None = field(init=False)
    moves: list[str] = field(default_factory=list)
    clock_log: list[int] = field(default_factory=list)  # what the mover had left after each ply, with a clock
    status: Status = Status.STARTED
    winner: chess.Color | None = None
    last_move_at_ms: int = field(init=False)
    offers: Offers = field(default_factory=Offers)
    rematch_id: str | None = None

    def __post_init__(self) -> None:
        self.board = new_board(self.variant, self.initial_fen)
        timed = self.control.is_clock
        self.clock = GameClock(self.control.initial_ms, self.control.increment_ms) if timed else None
        self.last_move_at_ms = self.created_at_ms

    @property
    def ply(self) -> int:
        """How many moves have been played, whatever number the first position carries."""
        return len(self.moves)

    @property
    def turn(self) -> chess.Color:
        return self.board.turn

    @property
    def is_over(self) -> bool:
        return self.status.is_finished

    @property
    def perf(self) -> str:
        return perf_key(self.variant.key, self.control.speed)

    @property
    def is_mandatory(self) -> bool:
        """Part of a tournament: it cannot be aborted, and nothing is given away in it."""
        return self.source in {"arena", "swiss"}

    @property
    def has_ai(self) -> bool:
        return any(seat.ai_level is not None for seat in self.seats.values())

    @property
    def ai_to_move(self) -> bool:
        return not self.is_over and self.seats[self.turn].ai_level is not None

    @property
    def is_abortable(self) -> bool:
        return not self.is_over and self.ply < 2 and not self.is_mandatory

    @property
    def is_abortable_by_player(self) -> bool:
        return self.is_abortable and "noAbort" not in self.rules

    @property
    def is_drawable(self) -> bool:
        too_early = "noEarlyDraw" in self.rules and self.ply < 60
        return not self.is_over and not self.is_abortable and not too_early

    @property
    def is_forfeitable(self) -> bool:
        """Whether a player who walks away may be made to lose."""
        ruled_out = self.is_over or self.is_abortable or self.has_ai or self.clock is None
        return not ruled_out and self.source != "swiss" and "noClaimWin" not in self.rules

    def color_of(self, user_id: str) -> chess.Color | None:
        return next((side for side, seat in self.seats.items() if seat.user_id == user_id), None)

    def has_moved(self, side: chess.Color) -> bool:
        began = self.turn if self.ply % 2 == 0 else not self.turn
        return self.ply > (0 if side is began else 1)

    def left_ms(self, side: chess.Color, now_ms: int) -> int:
        """What `side` has left: on its clock, of its days a turn, or all the time in the world."""
        if self.clock is not None:
            return self.clock.left_ms(side, now_ms)
        if self.control.days is None:
            return NO_CLOCK_MS
        waits = side is self.turn and not self.is_over
        waited_s = max(0, now_ms - self.last_move_at_ms) // 1000 if waits else 0
        return max(0, self.control.days * DAY_S - waited_s) * 1000

    @property
    def first_move_ms(self) -> int | None:
        """How long the first move of the side to move is waited for; None where nobody holds a watch."""
        if self.ply > 1 or self.is_over:
            return None
        return first_move_ms(self.source, self.control.speed, self.variant.key)

    @property
    def deadline_ms(self) -> int | None:
        """When time alone will end this game, if nobody does anything."""
        if self.is_over:
            return None
        if self.first_move_ms is not None:
            return self.last_move_at_ms + self.first_move_ms + GRACE_MS
        if self.clock is not None:
            return self.clock.flag_at_ms
        if self.control.days is not None:
            return self.last_move_at_ms + self.control.days * DAY_S * 1000
        return None

    def expire(self, now_ms: int) -> bool:
        """End the game if its time has come; True when it did."""
        if self.deadline_ms is None or now_ms < self.deadline_ms:
            return False
        waiting = not self.turn
        if self.first_move_ms is not None:
            held = self.is_mandatory or "noAbort" in self.rules
            self.finish(Status.NO_START if held else Status.ABORTED, waiting if held else None, now_ms)
        elif waiting in self.offers.draw:  # a flag that falls under a standing offer accepts it
            self.finish(Status.DRAW, None, now_ms)
        else:
            self.finish(Status.OUT_OF_TIME, waiting if can_win(self.board, waiting) else None, now_ms)
        return True

    def play(self, side: chess.Color, uci: str, now_ms: int) -> None:
        """`side` moves. After the flag has fallen a move is not refused: the game is lost on time."""
        check_uci(uci)
        if self.is_over or side is not self.turn:
            raise refuse("Not your turn, or game already over")
        if self.expire(now_ms):
            return
        move = read_move(self.variant, self.board, uci)
        if self.ply >= MAX_PLIES:
            self.finish(Status.DRAW, None, now_ms)
            return
        self.moves.append(shown_move(self.variant, self.board, move))
        self.board.push(move)
        ending = ending_on_board(self.board)
        self._press_clock(side, now_ms, ending)
        self.last_move_at_ms = now_ms
        if ending is not None:
            self.finish(ending.status, ending.winner, now_ms)

    def _press_clock(self, side: chess.Color, now_ms: int, ending: Ending | None) -> None:
        if self.clock is None:
            return
        self.clock.press(side, now_ms, adds=ending is None)
        self.clock_log.append(self.clock.left[side])
        if self.ply == 2 and self.clock.ticking is None:
            self.clock.run(self.turn, now_ms)

    def finish(self, status: Status, winner: chess.Color | None, now_ms: int) -> None:
        """The only way a match ends. One that is over stays as it is."""
        if self.is_over:
            return
        self.status, self.winner = status, winner
        self.offers = Offers(draw_ply=self.offers.draw_ply)
        if self.clock is not None:
            self.clock.stop(now_ms)

    def abort(self, now_ms: int) -> None:
        if not self.is_abortable_by_player:
            raise refuse("This game can no longer be aborted")
        self.finish(Status.ABORTED, None, now_ms)

    def resign(self, side: chess.Color, now_ms: int) -> None:
        """`side` gives up; while the game can still be aborted, that is what happens."""
        if self.is_abortable_by_player:
            self.finish(Status.ABORTED, None, now_ms)
        elif self.is_over or self.is_abortable:
            raise refuse("This game cannot be resigned")
        else:
            self.finish(Status.RESIGN, not side, now_ms)


class AiTurn(NamedTuple):
    """The built-in AI is asked for a move."""

    game_id: str
    level: int
    ply: int
    variant: str
    initial_fen: str | None
    moves: list[str]
    left_ms: int | None
    increment_ms: int


def ai_turn(match: Match, now_ms: int) -> AiTurn | None:
    """What the AI is asked in `match`; None when it is not to move."""
    level = match.seats[match.turn].ai_level
    if not match.ai_to_move or level is None:
        return None
    left_ms = match.clock.left_ms(match.turn, now_ms) if match.clock else None
    increment_ms = match.clock.increment_ms if match.clock else 0
    fen, moves = match.initial_fen, list(match.moves)
    return AiTurn(match.id, level, match.ply, match.variant.key, fen, moves, left_ms, increment_ms)
