"""Who we are on Lichess, and whether that will do: the first thing a service asks."""

import asyncio
import random

from bot.errors import BadToken, ConfigError, RateLimited, Unreachable
from bot.game.facts import ConnectionChanged, Witness
from bot.lichess.backoff import Backoff
from bot.lichess.client import Lichess
from bot.lichess.lines import Account
from bot.play.walltime import wall_ms

WORRIED_S = 2.0  # after so long without an answer the operator hears that there is none


async def introduce(lichess: Lichess, url: str, tell: Witness) -> Account:
    """As soon as Lichess can be reached: the account, or what is wrong with it."""

    def lost(detail: str) -> None:
        tell(ConnectionChanged("lost", detail, wall_ms()))

    backoff, rng = Backoff(first_s=1.0, cap_s=60.0), random.Random()
    loop = asyncio.get_running_loop()
    worry = loop.call_later(WORRIED_S, lost, f"{url} has not answered yet; trying on")
    try:
        while True:
            try:
                return await check_account(lichess, url)
            except (Unreachable, RateLimited) as error:
                backoff = backoff.failed()
                pause_s = max(backoff.pause_s(rng), getattr(error, "seconds", 0.0))
                lost(f"{error}; next try in {pause_s:.0f} s")
                await asyncio.sleep(pause_s)
    finally:
        worry.cancel()


async def check_account(lichess: Lichess, url: str) -> Account:
    """The account behind the token. BadToken, ConfigError: what to do about it is in the message."""
    asked = asyncio.gather(lichess.test_token(), lichess.whoami(), return_exceptions=True)
    token, account = await asked
    if isinstance(token, BaseException):  # what is wrong with the token is what is wrong with the account
        raise token
    if isinstance(account, BaseException):
        raise account
    if "bot:play" not in token.scopes:
        has = ", ".join(sorted(token.scopes)) or "none"
        raise BadToken(
            403,
            f"the token lacks the scope bot:play (it has {has}): make another at {url}/account/oauth/token",
        )
    if account.disabled:
        raise ConfigError(f"the account {account.name} is closed: Lichess lets it play no more")
    if not account.is_bot:
        raise ConfigError(
            f"the account {account.name} is no bot: `krait upgrade` makes it one, before its first game only"
        )
    return account
