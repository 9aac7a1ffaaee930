"""The stream of one game, through as many connections as it takes: the end of one does not end the game."""

import asyncio
import random
from collections.abc import Callable
from contextlib import aclosing

from bot.errors import LichessError, Refused
from bot.game.events import Event, StreamLost
from bot.game.nouns import GameId
from bot.lichess.backoff import Backoff
from bot.lichess.client import Lichess
from bot.lichess.lines import Ended, Unknown

NOT_OURS = frozenset({400, 403, 404})  # how Lichess says that there is no such game for us
HEALTHY_S = 5.0  # a connection that lived so long was no failure: the next one is opened at once


async def follow(
    lichess: Lichess, game: GameId, put: Callable[[Event], None], unread: Callable[[Unknown], None]
) -> None:
    """Until cancelled; returns only when Lichess knows no such running game of ours any more."""
    backoff, rng, loop = Backoff(free=1), random.Random(), asyncio.get_running_loop()
    while True:
        ended = await _one_connection(lichess, game, put, unread)
        put(StreamLost(str(ended.error or "it ended politely"), loop.time()))
        if _says_no(ended) and await _is_gone(lichess, game):
            return
        backoff = (backoff.succeeded() if ended.lived_s > HEALTHY_S else backoff).failed()
        await asyncio.sleep(backoff.pause_s(rng))


async def _one_connection(
    lichess: Lichess, game: GameId, put: Callable[[Event], None], unread: Callable[[Unknown], None]
) -> Ended:
    async with aclosing(lichess.game(game)) as lines:
        async for line in lines:
            match line:
                case Ended():
                    return line
                case Unknown():
                    unread(line)
                case _:
                    put(line)
    raise AssertionError("a stream says when it ends")


def _says_no(ended: Ended) -> bool:
    return isinstance(ended.error, Refused) and ended.error.status in NOT_OURS


async def _is_gone(lichess: Lichess, game: GameId) -> bool:
    """Whether Lichess does not list this game any more; an answer that cannot be had is a no."""
    try:
        return all(brief.id != game for brief in await lichess.playing())
    except LichessError:
        return False
