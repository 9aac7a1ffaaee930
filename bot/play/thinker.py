"""Where our move comes from: the sources in their order, then an engine. There is always an answer."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

from bot.engines.orders import Order
from bot.game.boards import board_of
from bot.game.clockwork import allowance
from bot.game.commands import Think
from bot.game.facts import Trouble
from bot.game.nouns import GameInfo, Thought
from bot.play.table import Table
from bot.play.walltime import wall_ms
from bot.sources.source import Question

SOURCE_PATIENCE_S = 0.25  # a source that takes longer costs more than it brings


class Thinker:
    """Of one game. `grew` hears of the best so far."""

    def __init__(self, table: Table, grew: Callable[[Thought], None]) -> None:
        self._table = table
        self._grew = grew

    async def find(self, think: Think, info: GameInfo, lag_ms: int) -> Thought:
        """A move for the question; what an endgame table knows of the position is in it."""
        thought = await self._from_sources(think, info) or await self._from_engine(think, info, lag_ms)
        if thought.tablebase_wdl is not None or self._table.wdl is None:
            return thought
        return replace(thought, tablebase_wdl=self._table.wdl(board_of(think.position)))

    async def _from_sources(self, think: Think, info: GameInfo) -> Thought | None:
        if not self._table.sources:
            return None
        left_ms = think.state.left_ms(think.we_are_white) if info.control.is_clock else None
        question = Question(info, think.position, board_of(think.position), left_ms)
        for source in self._table.sources:
            try:
                async with asyncio.timeout(SOURCE_PATIENCE_S):
                    found = await source.find(question)
            except Exception as error:  # noqa: BLE001  anybody's plug-in: told, and the next one is asked
                detail = f"{source.name}: {type(error).__name__}: {error}"
                self._table.tell(Trouble("source_failed", detail, wall_ms(), info.id))
                continue
            if found is not None:
                return found
        return None

    async def _from_engine(self, think: Think, info: GameInfo, lag_ms: int) -> Thought:
        now = asyncio.get_running_loop().time()
        order = Order(
            game=info.id,
            position=think.position,
            we_are_white=think.we_are_white,
            speed=info.speed,
            allowance=allowance(think, info, now, lag_ms, self._table.clock),
            asked_at=now,
            ponder=self._table.ponder and info.control.is_clock,
            opponent=info.opponent,
            options=self._table.strength(info),
        )
        return await self._table.pool.think(order, self._grew)
