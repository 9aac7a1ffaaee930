"""How an opponent behaves, and one game as it plays it: it reads its stream and acts through the world."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

import chess

from bot.sandbox.match import NO_CLOCK_MS
from bot.sandbox.movers import GoneAway, Mover, Turn
from bot.sandbox.refusal import Refusal
from bot.sandbox.variants import VARIANTS, new_board
from bot.sandbox.world import World

DRAW_FROM_PLY = 20  # an earlier offer is not a serious one
TAKEBACKS_A_GAME = 2
LONGEST_PAUSE_MS = 8_000
UNTIMED_PAUSE_MS = 2_000
VALUES = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9}
Json = dict[str, Any]
Lines = asyncio.Queue[Json | None]
GREETING = "Hello, and have fun!"
RUNNING = frozenset({"created", "started"})


class Pace(StrEnum):
    INSTANT = "instant"
    HUMAN = "human"


class Habits(NamedTuple):
    pace: Pace = Pace.INSTANT
    most_games: int = 8  # at once; a further challenge is declined with `later`
    greets: bool = True
    patience_s: float = 60.0  # a game whose first move does not come is aborted


def pause_ms(pace: Pace, left_ms: int | None, increment_ms: int, rng: random.Random) -> int:
    """How long to sit before moving: a human's share of the clock, at most a quarter of what is left."""
    if pace is Pace.INSTANT:
        return 0
    usual_ms = UNTIMED_PAUSE_MS if left_ms is None else left_ms / 60 + increment_ms * 0.6
    wished_ms = min(LONGEST_PAUSE_MS, usual_ms * rng.triangular(0.2, 2.5, 0.7))
    return round(wished_ms if left_ms is None else min(wished_ms, left_ms / 4))


def takes_draw(board: chess.Board, me: chess.Color, score_cp: int | None) -> bool:
    """Welcome from move 11 on when I stand no better: by the engine's word, else by counting pieces.

    Where pieces do not count as in chess (antichess, racing kings …), only the engine's word counts.
    """
    if board.ply() < DRAW_FROM_PLY:
        return False
    if score_cp is not None:
        return score_cp <= 0
    return board.uci_variant == "chess" and material(board, me) <= material(board, not me)


def material(board: chess.Board, color: chess.Color) -> int:
    return sum(len(board.pieces(kind, color)) * value for kind, value in VALUES.items())


def grants_takeback(granted: int) -> bool:
    """The first two of a game are a courtesy."""
    return granted < TAKEBACKS_A_GAME


def reason_to_decline(*, knows_variant: bool, games: int, most_games: int) -> str | None:
    """The key lila knows a reason by; None: accept."""
    if not knows_variant:
        return "variant"
    return "later" if games >= most_games else None


@dataclass(frozen=True)
class Character:
    """Who an opponent is, whatever game it plays."""

    world: World
    user_id: str
    mover: Mover
    habits: Habits
    rng: random.Random
    sleep: Callable[[float], Awaitable[None]] = field(default=asyncio.sleep)


@contextmanager
def listening(world: World, user_id: str, game_id: str | None = None) -> Iterator[Lines]:
    """An open stream, of a game or of the account's events, as a queue; presence is told as by the server."""
    lines: Lines = asyncio.Queue()
    world.stream_opened(user_id, game_id)
    try:
        if game_id is None:
            unsubscribe = world.subscribe_events(user_id, lines.put_nowait)
        else:
            unsubscribe = world.subscribe_game(game_id, user_id, lines.put_nowait)
        try:
            yield lines
        finally:
            unsubscribe()
    finally:
        world.stream_closed(user_id, game_id)


def board_of(variant_key: str, initial_fen: str | None, moves: Sequence[str]) -> chess.Board:
    """The position after `moves`; as Chess960 only where it must be, for not every engine knows that."""
    start = new_board(VARIANTS[variant_key], None if initial_fen == "startpos" else initial_fen)
    if variant_key != "chess960" and not start.has_chess960_castling_rights():
        start.chess960 = False
    for move in moves:
        start.push_uci(move)
    return start


class Record:
    """The board of a game. The whole list of moves decides; while it grows, only what is new is played."""

    def __init__(self, variant_key: str, initial_fen: str) -> None:
        self._start = board_of(variant_key, initial_fen, ())
        self._board = self._start.copy()
        self._moves: list[str] = []

    def after(self, moves: list[str]) -> chess.Board:
        """To be looked at until the next call."""
        if moves[: len(self._moves)] != self._moves:
            self._board, self._moves = self._start.copy(), []
        for move in moves[len(self._moves) :]:
            self._board.push_uci(move)
        self._moves = moves
        return self._board


class Player:
    """A game from the first line of its stream to the last."""

    def __init__(self, character: Character, game_id: str) -> None:
        self._who = character
        self._game_id = game_id
        self._me = chess.WHITE
        self._record = Record("standard", "startpos")
        self._moves: list[str] | None = None  # those last acted on
        self._score_cp: int | None = None
        self._granted = 0
        self._lines: Lines = asyncio.Queue()

    async def run(self) -> None:
        """Until the stream ends, or the mover goes. A game gone before it is read is no fault of ours."""
        with suppress(Refusal), listening(self._who.world, self._who.user_id, self._game_id) as lines:
            self._lines = lines
            async with asyncio.TaskGroup() as tasks:
                await self._follow(lines, tasks)

    async def _follow(self, lines: Lines, tasks: asyncio.TaskGroup) -> None:
        acting: asyncio.Task[None] | None = None
        while (line := await lines.get()) is not None:
            if line["type"] == "opponentGone":
                self._claim(line)
            if line["type"] == "gameFull":
                self._sit_down(line)
            state = line.get("state", line)
            if state["type"] != "gameState" or state["status"] not in RUNNING:
                continue  # after the last state comes the end of the stream
            moves = state["moves"].split()
            board = self._record.after(moves)
            self._answer_offers(state, board)
            if moves != self._moves:
                if acting is not None:
                    acting.cancel()  # the position it thought about is no more
                self._moves = moves
                acting = tasks.create_task(self._act(board.copy(), state))
        if acting is not None:
            acting.cancel()

    def _sit_down(self, full: Json) -> None:
        match = self._who.world.games.get(self._game_id)  # whoever is anonymous is not named in the line
        self._me = match.color_of(self._who.user_id) is chess.WHITE
        self._record = Record(full["variant"]["key"], full["initialFen"])
        if self._who.habits.greets and not full["state"]["moves"]:
            self._do(self._who.world.games.say, {"room": "player", "text": GREETING})

    def _answer_offers(self, state: Json, board: chess.Board) -> None:
        theirs = "b" if self._me else "w"
        if state.get(f"{theirs}draw"):
            self._do(self._who.world.games.draw, takes_draw(board, self._me, self._score_cp))
        if state.get(f"{theirs}takeback"):
            grants = grants_takeback(self._granted)
            self._granted += grants
            self._do(self._who.world.games.takeback, grants)

    async def _act(self, board: chess.Board, state: Json) -> None:
        """Move if it is my turn; else, before the game has begun, lose patience in the end."""
        if board.turn == self._me:
            await self._move(board, state)
        elif len(board.move_stack) < 2:
            await self._who.sleep(self._who.habits.patience_s)
            self._do(self._who.world.games.abort)

    async def _move(self, board: chess.Board, state: Json) -> None:
        letter = "w" if self._me else "b"
        timed = state[f"{letter}time"] != NO_CLOCK_MS
        left_ms = state[f"{letter}time"] if timed else None
        pause = pause_ms(self._who.habits.pace, left_ms, state[f"{letter}inc"], self._who.rng)
        await self._who.sleep(pause / 1000)
        try:
            thought = await self._who.mover.choose(Turn(self._game_id, board, left_ms))
        except GoneAway:
            self._lines.put_nowait(None)  # as if the stream had ended
            return
        self._score_cp = thought.score_cp
        self._do(self._who.world.games.move, board.uci(thought.move))

    def _claim(self, line: Json) -> None:
        if line["gone"] and line.get("claimWinInSeconds") == 0:
            self._do(self._who.world.games.claim_victory)

    def _do(self, deed: Callable[..., object], *what: object) -> None:
        """Act in this game; what the world refuses has come too late, and the stream will tell."""
        with suppress(Refusal):
            deed(self._game_id, self._who.user_id, *what)
