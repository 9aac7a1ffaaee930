"""Games told as facts: what the shell would say of them, move by move."""

import asyncio
import random
import sqlite3
from collections.abc import Coroutine, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import chess

from bot.game.boards import start_board
from bot.game.facts import GameClosed, GameOpened, MovePlayed, PliesSeen
from bot.game.nouns import GameId, GameInfo, Player, Score, Speed, State, Thought, TimeControl

T = TypeVar("T")
START_MS = 1_790_000_000_000
PATIENCE_S = 60.0
KRAIT = Player("krait", "Krait", "BOT", 2500)
ANNA = Player("anna", "Anna", None, 1900)
FOOLS_MATE = ("f2f3", "e7e5", "g2g4", "d8h4")
VARIANTS = (
    "standard",
    "chess960",
    "fromPosition",
    "crazyhouse",
    "antichess",
    "atomic",
    "horde",
    "kingOfTheHill",
    "racingKings",
    "threeCheck",
)


def run(story: Coroutine[Any, Any, T]) -> T:
    """A test's story on a loop of its own; nothing waits for ever."""

    async def patiently() -> T:
        async with asyncio.timeout(PATIENCE_S):
            return await story

    return asyncio.run(patiently())


def url_of(folder: Path) -> str:
    return f"sqlite:///{folder}/data/krait.db"


def rows(folder: Path, statement: str) -> list[tuple[Any, ...]]:
    """What another program reads in the file."""
    connection = sqlite3.connect(folder / "data" / "krait.db")
    try:
        return connection.execute(statement).fetchall()
    finally:
        connection.close()


def game_info(
    game: str = "game0001", *, opponent: Player = ANNA, white: bool = True, **more: Any
) -> GameInfo:
    usual: dict[str, Any] = {
        "id": GameId(game),
        "white": KRAIT if white else opponent,
        "black": opponent if white else KRAIT,
        "variant": "standard",
        "speed": Speed.BLITZ,
        "rated": True,
        "control": TimeControl(180, 2),
        "we_are_white": white,
        "created_at_ms": START_MS,
    }
    return GameInfo(**(usual | more))


@dataclass
class Teller:
    """Tells a game; the clocks lose a second a move and gain two."""

    info: GameInfo = field(default_factory=game_info)
    state: State = field(default_factory=lambda: State((), 180_000, 180_000, 2000, 2000))
    now_ms: int = START_MS
    thoughts: dict[int, Thought] = field(default_factory=dict)

    def opened(self, *, resumed: bool = False) -> GameOpened:
        return GameOpened(self.info, self.state, resumed, self.now_ms)

    def plies(self, *ucis: str) -> list[PliesSeen | MovePlayed]:
        return [fact for uci in ucis for fact in self.ply(uci)]

    def ply(self, uci: str) -> Iterator[PliesSeen | MovePlayed]:
        ply, self.now_ms = self.state.ply, self.now_ms + 1000
        white = self.is_white(ply)
        left_ms = self.state.left_ms(white) + 1000
        clock: dict[str, Any] = {"white_ms" if white else "black_ms": left_ms}
        self.state = replace(self.state, moves=(*self.state.moves, uci), **clock)
        if white == self.info.we_are_white:
            self.thoughts[ply] = thought(uci, ply)
            yield MovePlayed(self.info.id, ply, self.thoughts[ply], 1000, left_ms, 30, False, self.now_ms)
        yield PliesSeen(self.info.id, self.state, self.now_ms)

    def taken_back(self, plies: int) -> PliesSeen:
        self.state = replace(self.state, moves=self.state.moves[:-plies])
        return PliesSeen(self.info.id, self.state, self.now_ms)

    def closed(self, result: str = "win", status: str = "mate") -> GameClosed:
        winner = {"win": self.info.we_are_white, "loss": not self.info.we_are_white}.get(result)
        self.state = replace(self.state, status=status, winner=winner)
        return GameClosed(self.info.id, self.state, result, self.now_ms)

    def is_white(self, ply: int) -> bool:
        return (start_board(self.info.variant, self.info.initial_fen).turn is chess.WHITE) == (ply % 2 == 0)


def thought(uci: str, ply: int) -> Thought:
    score = Score(mate=3) if ply % 7 == 6 else Score(cp=25 + ply)
    return Thought(uci, "krait", score, 10 + ply, 2**40, 1_000_000, 900, (uci, "e7e5"))


def random_game(seed: int, variant: str, plies: int) -> tuple[str | None, tuple[str, ...]]:
    """A first position (None: the usual one) and legal moves from it, as Lichess writes them."""
    dice = random.Random(seed)
    fen = None
    if variant == "chess960":
        fen = chess.Board.from_chess960_pos(dice.randrange(960)).fen()
    elif variant == "fromPosition":
        fen = "r3k2r/pppq1ppp/2np1n2/2b1p3/2B1P1b1/2NP1N2/PPPQ1PPP/R3K2R b KQkq - 4 8"
    board = start_board(variant, fen)
    moves: list[str] = []
    while len(moves) < plies and not board.is_game_over():
        move = dice.choice(list(board.legal_moves))
        moves.append(board.uci(move, chess960=variant != "standard"))
        board.push(move)
    return fen, tuple(moves)
