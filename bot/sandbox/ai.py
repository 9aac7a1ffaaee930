"""The built-in AI of `/api/challenge/ai`: eight levels of the best engine found, else of chance."""

import asyncio
import random
from collections.abc import Sequence

import chess

from bot.sandbox.movers import Mover, RandomMover, Turn, think_ms
from bot.sandbox.player import board_of
from bot.sandbox.uci_engine import ELO, NoEngineError, Options, Tell, UciEngine, find_engine
from bot.sandbox.world import AiTurn, World

CANDIDATES = ("stockfish", "fairy-stockfish", "krait-engine", "ethereal-chess", "toga2")  # the best first
LEVEL_ELO = (800, 1100, 1400, 1700, 2000, 2300, 2600, None)  # None: all it can
UNTOLD_ELO = 2600  # what an engine is taken for that cannot be told a strength
MOST_RANDOM = 0.75


class BuiltInAi:
    """Plays all games against the AI, in one world at a time. Engines start when first needed."""

    def __init__(self, rng: random.Random, tell: Tell, candidates: Sequence[str] = CANDIDATES) -> None:
        self._rng = rng
        self._tell = tell
        self._chance: Mover = RandomMover(rng)
        self._left = list(candidates)  # not looked for yet
        self._engines: list[UciEngine] = []
        self._introduced: set[str] = set()
        self._looking = asyncio.Lock()

    async def run(self, world: World) -> None:
        """Until cancelled."""
        turns: asyncio.Queue[AiTurn] = asyncio.Queue()
        unsubscribe = world.subscribe_ai(turns.put_nowait)
        try:
            async with asyncio.TaskGroup() as tasks:
                while True:
                    tasks.create_task(self._answer(world, await turns.get()))
        finally:
            unsubscribe()

    async def _answer(self, world: World, turn: AiTurn) -> None:
        board = board_of(turn.variant, turn.initial_fen, turn.moves)
        move = await self.choose(board, turn.level, turn.game_id, turn.left_ms)
        world.games.ai_move(turn.game_id, board.uci(move), ply=turn.ply)  # too late is not an error there

    async def choose(self, board: chess.Board, level: int, game_id: str, left_ms: int | None) -> chess.Move:
        """A legal move of a board that is not over, as a player of this level would find it."""
        engine = await self._engine_for(board)
        if engine is not None and self._rng.random() >= random_share(engine.elo_range(), level):
            try:
                options = level_options(engine.elo_range(), level)
                return (await engine.think(board, think_ms(left_ms), game_id, options)).move
            except NoEngineError as error:
                self._tell(f"{game_id}: a random move, because {error}")
        return (await self._chance.choose(Turn(game_id, board, left_ms))).move

    async def _engine_for(self, board: chess.Board) -> UciEngine | None:
        """The best that knows this variant; None where nobody does."""
        async with self._looking:
            while True:
                known = next((engine for engine in self._engines if engine.can_play(board)), None)
                if known is not None or not self._left:
                    self._introduce(known)
                    return known
                await self._try(self._left.pop(0))

    async def _try(self, name: str) -> None:
        try:
            engine = UciEngine(find_engine(name), self._tell)
            await engine.start()
        except NoEngineError:
            return  # the next best will do
        self._engines.append(engine)

    def _introduce(self, engine: UciEngine | None) -> None:
        if engine is not None and engine.name not in self._introduced:
            self._introduced.add(engine.name)
            self._tell(f"the AI plays with {engine.name}")

    async def close(self) -> None:
        for engine in self._engines:
            await engine.close()


def level_options(offered: tuple[int, int] | None, level: int) -> Options:
    elo = LEVEL_ELO[level - 1]
    if elo is None or offered is None:
        return {}
    return {"UCI_LimitStrength": True, ELO: min(max(elo, offered[0]), offered[1])}


def random_share(offered: tuple[int, int] | None, level: int) -> float:
    """The share of moves left to chance: a tenth for each 100 points a level is below what is offered."""
    elo = LEVEL_ELO[level - 1]
    weakest = UNTOLD_ELO if offered is None else offered[0]
    return 0.0 if elo is None else min(MOST_RANDOM, max(0, weakest - elo) / 1000)
