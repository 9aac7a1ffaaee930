"""`krait demo`: a local Lichess, the service and an opponent, in one process tree; no token, no network.

The service is the one of `krait run`, speaking HTTP to the sandbox as it would to Lichess.
"""

import asyncio
import re
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.live import Live
from rich.table import Table

from bot import log
from bot.app import Service
from bot.config.model import Config
from bot.errors import BotError
from bot.sandbox.embed import Sandbox, sandbox
from bot.sandbox.match import Match
from bot.sandbox.speeds import TimeControl
from bot.sandbox.table import overview, result_text, rows_that_fit, seat_text
from bot.sandbox.uci_engine import NoEngineError
from bot.serving import two_signals
from bot.version import version

REFRESH_S = 0.25
IRREGULAR = frozenset({"aborted", "noStart", "timeout", "outoftime", "cheat", "unknownFinish"})
BOT = "Krait"


@dataclass(frozen=True, slots=True)
class Plan:
    """`games` None: until it is stopped."""

    games: int | None
    control: TimeControl
    concurrency: int
    opponent: str = "random"
    engine: tuple[str, ...] = ()  # nothing: our own


def parse_tc(text: str) -> TimeControl:
    """Seconds and seconds a move, as in matches: `10+0.1`, `180+2`. ValueError says what is wrong."""
    read = re.fullmatch(r"(\d+(?:\.\d+)?)\+(\d+(?:\.\d+)?)", text)
    if read is None or not float(read[1]):
        raise ValueError(f"{text!r} is no time control: seconds+seconds a move, as in 10+0.1")
    return TimeControl(limit_s=float(read[1]), increment_s=float(read[2]))


def run_demo(plan: Plan, console: Console) -> bool:
    """Whether every game ended regularly, without a time loss or an illegal move of ours."""
    with tempfile.TemporaryDirectory(prefix="krait-demo-") as folder:
        return asyncio.run(_demo(plan, console, Path(folder)))


async def _demo(plan: Plan, console: Console, folder: Path) -> bool:
    logfile = folder / "krait.log"
    with logfile.open("w", encoding="utf-8") as lines:
        log.configure("json", "info", stream=lines)
        try:
            async with sandbox(bot=BOT, limited=False) as box, _service(box, plan, folder):
                try:
                    await box.opponent(plan.opponent)
                except (ValueError, NoEngineError) as error:
                    raise BotError(str(error)) from error
                return await _show(box, plan, console)
        except BaseException:
            lines.flush()
            raise


@asynccontextmanager
async def _service(box: Sandbox, plan: Plan, folder: Path) -> AsyncIterator[Service]:
    engine: dict[str, object] = {"name": "Krait"}
    if plan.engine:
        engine["command"] = list(plan.engine)
    config = Config.model_validate(
        {
            "token": box.token,
            "state_dir": str(folder),
            "lichess": {"url": box.url},
            "games": {"max_games": plan.concurrency},
            "challenges": {"per_user_at_once": 0, "per_user_hour": 0, "per_user_day": 0},
            "engines": [engine],
            "web": {"enabled": False},
        }
    )
    service = Service(config, version())
    task = asyncio.create_task(service.run(), name="service")
    try:
        ready = asyncio.create_task(_ready(box, service))
        await asyncio.wait({ready, task}, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            ready.cancel()
            task.result()
        yield service
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _ready(box: Sandbox, service: Service) -> None:
    await box.online()
    assert service.pool is not None  # it was opened before the stream was
    for event in service.pool.ready.values():
        await event.wait()


async def _show(box: Sandbox, plan: Plan, console: Console) -> bool:
    """Play behind a live table; on a terminal it moves, elsewhere the result alone is printed."""
    stopped = asyncio.Event()
    with two_signals(stopped.set, stopped.set):
        playing = asyncio.create_task(_play(box, plan))
        stopping = asyncio.create_task(stopped.wait())
        with Live(console=console, auto_refresh=False, transient=True) as live:
            while not playing.done() and not stopped.is_set():
                if console.is_terminal:
                    live.update(overview(box.world, (), rows_that_fit(console.height)), refresh=True)
                await asyncio.wait(
                    {playing, stopping}, timeout=REFRESH_S, return_when=asyncio.FIRST_COMPLETED
                )
        stopping.cancel()
        playing.cancel()
        await asyncio.gather(playing, stopping, return_exceptions=True)
    matches = sorted(box.world.games.all(), key=lambda match: match.created_at_ms)
    _report(box, [match for match in matches if match.is_over], console)
    return not stopped.is_set() and _is_clean(box, matches)


async def _play(box: Sandbox, plan: Plan) -> None:
    """As many games as are wanted, so many of them at once, with alternating colours."""
    gate = asyncio.Semaphore(plan.concurrency)
    numbers = range(plan.games) if plan.games is not None else iter(int, 1)

    async def one(game: str) -> None:
        try:
            await box.finished(game)
        finally:
            gate.release()

    async with asyncio.TaskGroup() as tasks:
        for number in numbers:
            await gate.acquire()
            game = await box.pair(plan.opponent, plan.control, bot_is_white=number % 2 == 0)
            tasks.create_task(one(game))


def _is_clean(box: Sandbox, matches: Sequence[Match]) -> bool:
    ours = box.measured.player(box.bot)
    regular = all(match.is_over and match.status.label not in IRREGULAR for match in matches)
    return regular and not ours["timeLosses"] and not ours["illegalMoves"]


def _report(box: Sandbox, matches: Sequence[Match], console: Console) -> None:
    table = Table(title=f"{len(matches)} games", title_justify="left")
    for heading in ("game", "White", "Black", "result", "plies"):
        table.add_column(heading, justify="right" if heading == "plies" else "left")
    for match in matches:
        players = (seat_text(match.seats[side]) for side in (True, False))
        table.add_row(match.id, *players, result_text(match), str(match.ply))
    console.print(table)
    ours, times = box.measured.player(box.bot), box.measured.summary(box.bot)
    console.print(
        f"{BOT}: {ours['wins']} won, {ours['draws']} drawn, {ours['losses']} lost; "
        f"{ours['timeLosses']} on time, {ours['illegalMoves']} illegal moves"
    )
    if times is not None:
        console.print(f"moves timed: {times['count']}, median {times['p50Ms']:.0f} ms, thinking included")
