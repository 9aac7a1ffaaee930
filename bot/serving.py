"""The commands that speak to Lichess: `run`, `upgrade`, `challenge`. What a user got wrong is a BotError."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from bot import log
from bot.app import Service
from bot.config.load import load
from bot.config.model import Config, require_token
from bot.errors import BotError, RateLimited, Refused
from bot.game.nouns import Challenge, TimeControl
from bot.lichess.client import Lichess
from bot.lichess.lines import ChallengeClosed, Ended
from bot.loglines import log_facts
from bot.play.limitsfile import LimitsFile
from bot.version import version

if TYPE_CHECKING:
    from bot.lichess.lines import Account

KEPT_ALIVE_S = 60.0  # nobody answers later than that


def read_config(path: Path | None) -> Config:
    """Checked, and the log set up by it. ConfigError."""
    config = load(path, os.environ).config
    secrets = [config.token.get_secret_value(), config.web.password.get_secret_value()]
    log.configure(config.log.style, config.log.level, secrets=secrets)
    return config


def run_service(path: Path | None, *, once: bool) -> None:
    """Until it is drained: by a signal, or after one game."""
    config = read_config(path)
    asyncio.run(_run(Service(config, version(), once=once)))


async def _run(service: Service) -> None:
    playing = asyncio.create_task(service.run(), name="service")
    games = service.config.games

    def first() -> None:
        note("krait: no new games; those that run are finished first. A second signal leaves at once.")
        service.drain()
        asyncio.get_running_loop().call_later(games.drain_timeout_s, playing.cancel)

    def leave() -> None:
        note("krait: leaving. Running games are taken up at the next start.")
        playing.cancel()

    with two_signals(first if games.drain == "finish" else leave, leave), suppress(asyncio.CancelledError):
        await playing


@contextmanager
def two_signals(first: Callable[[], None], second: Callable[[], None]) -> Iterator[None]:
    """What the first Ctrl-C or SIGTERM does, and what every later one does."""
    loop = asyncio.get_running_loop()
    signals = (signal.SIGINT, signal.SIGTERM)

    def heard() -> None:
        for each in signals:
            loop.add_signal_handler(each, second)
        first()

    for each in signals:
        loop.add_signal_handler(each, heard)
    try:
        yield
    finally:
        for each in signals:
            loop.remove_signal_handler(each)


def note(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


@asynccontextmanager
async def gateway(config: Config) -> AsyncIterator[Lichess]:
    """For one errand, beside a service that may be running: it opens no stream of the account.

    What Lichess has told the account to leave alone holds here, too, and what it tells now is kept.
    """
    url, token = config.lichess.url, require_token(config)
    limits = LimitsFile(config.state_dir / "limits.json", log_facts())
    try:
        async with Lichess(url, token, version=version(), limits=limits.limits, lanes=1) as lichess:
            yield lichess
    finally:
        limits.save()


def upgrade(path: Path | None, confirm: Callable[["Account"], bool]) -> str:
    """Turn the account into a bot, if `confirm` says so of it. The result is what to tell the user."""

    async def errand() -> str:
        async with gateway(read_config(path)) as lichess:
            account = await lichess.whoami()
            if account.is_bot:
                return f"{account.name} is a bot already."
            if account.games:
                raise Refused(400, f"{account.name} has played {account.games} games: only a new account can")
            if not confirm(account):
                return f"{account.name} stays as it is."
            await lichess.upgrade()
            return f"{account.name} is a bot now. `krait run` lets it play."

    return asyncio.run(errand())


class Wish(TypedDict):
    rated: bool
    color: str
    variant: str
    fen: str | None


def challenge(path: Path | None, user: str, control: TimeControl, wish: Wish) -> tuple[bool, str]:
    """Ask somebody for a game and wait for the answer: (accepted, what to tell the user).

    The game is played by the service that runs for this account, which sees it begin.
    """

    async def errand() -> tuple[bool, str]:
        async with gateway(read_config(path)) as lichess:
            if not control.is_clock:
                sent = await lichess.challenge(user, control, **wish)
                return True, f"{user} has the challenge {sent.id} ({control}) and answers when there is time."
            async with asyncio.timeout(KEPT_ALIVE_S):
                return await _answer(lichess, user, control, wish)

    try:
        return asyncio.run(errand())
    except TimeoutError:
        return False, f"{user} did not answer within {KEPT_ALIVE_S:.0f} s; the challenge is withdrawn."
    except RateLimited as error:
        whose = f"{user} has" if error.theirs else "we have"
        raise BotError(f"{whose} reached a limit of Lichess: {error}") from error


async def _answer(lichess: Lichess, user: str, control: TimeControl, wish: Wish) -> tuple[bool, str]:
    async with aclosing(lichess.challenge_kept(user, control, **wish)) as lines:
        async for line in lines:
            match line:
                case Challenge(id=id_):
                    note(f"krait: {user} is asked for a game of {control} ({id_})")
                case ChallengeClosed(how="accepted"):
                    return True, f"{user} accepted. `krait run` plays the game."
                case ChallengeClosed(how=how):
                    return False, f"{user} {how} it."
                case Ended(error=error) if error is not None:
                    raise error
    return False, f"{user} did not answer."
