"""The account's stream, through as many connections as it takes: its end makes us deaf for a moment only."""

import asyncio
import random
from collections.abc import Callable
from contextlib import aclosing

from bot.errors import BadToken, LichessError
from bot.game.facts import ConnectionChanged, Trouble, Witness
from bot.lichess.client import Lichess
from bot.lichess.lines import AccountEvent, Ended
from bot.lichess.rivalry import Reopening
from bot.play.walltime import wall_ms


async def listen(lichess: Lichess, hear: Callable[[AccountEvent], None], tell: Witness) -> None:
    """Until cancelled; BadToken when Lichess does not know our token any more."""
    reopening, rng = Reopening(), random.Random()
    while True:
        tell(ConnectionChanged("connecting", "", wall_ms()))
        async with aclosing(lichess.events()) as events:
            async for event in events:
                _guarded(hear, event, tell)
                if isinstance(event, Ended):
                    reopening = reopening.after(event, rng)
                    await _lost(lichess, event, reopening, tell)
        await asyncio.sleep(reopening.pause_s)


def _guarded(hear: Callable[[AccountEvent], None], event: AccountEvent, tell: Witness) -> None:
    """One bad event never makes the bot deaf."""
    try:
        hear(event)
    except Exception as error:  # noqa: BLE001  the boundary: told, and the next event is heard
        detail = f"{type(event).__name__}: {type(error).__name__}: {error}"
        tell(Trouble("event_failed", detail, wall_ms()))


async def _lost(lichess: Lichess, ended: Ended, reopening: Reopening, tell: Witness) -> None:
    if reopening.is_contested:
        tell(ConnectionChanged("elsewhere", reopening.verdict, wall_ms()))
    else:
        tell(ConnectionChanged("lost", str(ended.error or "Lichess ended the stream"), wall_ms()))
    if isinstance(ended.error, BadToken):
        try:
            await lichess.test_token()
        except BadToken:
            raise
        except LichessError:
            return  # nobody knows; the next opening will tell
