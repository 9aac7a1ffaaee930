"""`krait sandbox`: a world, its server, its opponents and what is seen of them, until Ctrl-C or SIGTERM."""

import asyncio
import errno
import json
import random
import signal
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from aiohttp import web
from rich.console import Console
from rich.live import Live

from bot.sandbox.clock import SandboxClock
from bot.sandbox.faults import Faults
from bot.sandbox.opponents import Entry, House, in_each_world, make_entries
from bot.sandbox.server import Served, make_app, serve
from bot.sandbox.site import SITE, Site
from bot.sandbox.table import how_to_join, news_text, overview, rows_that_fit
from bot.sandbox.uci_engine import NoEngineError, Tell
from bot.sandbox.wishes import BOT_SCOPES, Guest, Plan, WishError, Wishes
from bot.sandbox.world import World

REFRESH_S = 0.5
REMARKS = 5


def open_world(path: Path | None, now_ms: Callable[[], int], rng: random.Random) -> World:
    """The world saved in `path`, or a new one where there is none. ValueError: it cannot be read."""
    if path is None:
        return World(now_ms=now_ms, rng=rng)
    if not path.parent.is_dir():
        raise ValueError(f"{path.parent} is no folder to keep {path.name} in")
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return World.load(data, now_ms=now_ms, rng=rng)
    except FileNotFoundError:
        return World(now_ms=now_ms, rng=rng)
    except (OSError, ValueError) as error:
        raise ValueError(f"{path} holds no saved world: {error}") from error


def save_world(path: Path, world: World) -> None:
    """Whole or not at all: a crash while writing leaves the last good file."""
    draft = path.with_name(f"{path.name}.new")
    draft.write_text(json.dumps(world.save()), encoding="utf-8")
    draft.replace(path)


def seat_guests(world: World, guests: Sequence[Guest]) -> None:
    """Every guest has a bot account and its token; a world that was saved may know them already.

    ValueError: a name or a token that belongs to somebody else.
    """
    for guest in guests:
        account = world.accounts.get(guest.name) or world.accounts.create(guest.name, title="BOT")
        if guest.token not in {token.secret for token in world.accounts.tokens_of(account.id)}:
            world.accounts.issue_token(account.id, BOT_SCOPES, secret=guest.token)


def run_sandbox(wishes: Wishes, console: Console | None = None) -> None:
    """Serve until stopped. WishError: one line about what cannot be had, and nothing is left running."""
    asyncio.run(serve_until_stopped(Plan.of(wishes), console or Console()))


async def serve_until_stopped(plan: Plan, console: Console) -> None:
    """As `run_sandbox`, on a loop that runs already."""
    remarks: deque[str] = deque(maxlen=REMARKS)

    def tell(text: str) -> None:
        remarks.append(text)
        if not console.is_terminal:
            say(console, text)

    rng = random.Random()
    world = _world(plan, rng)
    app = make_app(world, faults=Faults(*plan.faults), control=plan.wishes.control)
    async with AsyncExitStack() as stack:
        entries = await _entries(plan, rng, tell, stack)
        house = House(plan, entries, rng, tell)
        stack.push_async_callback(house.close)
        async with AsyncExitStack() as doors:
            served = await _open_door(doors, app, plan.wishes)
            if plan.wishes.state is not None:  # done when the doors are closed and nothing is played any more
                stack.callback(_save, plan.wishes.state, app[SITE], console)
            say(console, how_to_join(served.url, plan.guests, plan.wishes, [entry.name for entry in entries]))
            await _until_stopped(app[SITE], house, console, remarks)


def say(console: Console, text: str) -> None:
    """A plain line, whatever the width of the terminal; at once, for somebody may wait for it at a pipe."""
    console.print(text, markup=False, highlight=False, soft_wrap=True)
    console.file.flush()


def _world(plan: Plan, rng: random.Random) -> World:
    try:
        world = open_world(plan.wishes.state, SandboxClock(), rng)
        seat_guests(world, plan.guests)
    except ValueError as error:
        raise WishError(str(error)) from error
    return world


async def _entries(plan: Plan, rng: random.Random, tell: Tell, stack: AsyncExitStack) -> list[Entry]:
    try:
        return await make_entries(plan.specs, rng, tell, stack)
    except NoEngineError as error:
        raise WishError(str(error)) from error


async def _open_door(stack: AsyncExitStack, app: web.Application, wishes: Wishes) -> Served:
    try:
        return await stack.enter_async_context(serve(app, wishes.host, wishes.port))
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise WishError(f"port {wishes.port} is taken: name another with --port") from error
        raise WishError(f"cannot listen on {wishes.host}, port {wishes.port}: {error.strerror}") from error


def _save(path: Path, site: Site, console: Console) -> None:
    save_world(path, site.world)
    say(console, f"The world is saved in {path}.")


async def _until_stopped(site: Site, house: House, console: Console, remarks: Sequence[str]) -> None:
    with _signals() as stopped:
        async with asyncio.TaskGroup() as tasks:
            show = _table(site, console, remarks) if console.is_terminal else _lines(site, console)
            under_way = [tasks.create_task(in_each_world(site, house.live)), tasks.create_task(show)]
            await stopped.wait()
            for task in under_way:
                task.cancel()


@contextmanager
def _signals() -> Iterator[asyncio.Event]:
    """Set by the first Ctrl-C or SIGTERM; a second one ends the program in the usual way."""
    loop = asyncio.get_running_loop()
    stopped = asyncio.Event()
    signals = (signal.SIGINT, signal.SIGTERM)

    def stop() -> None:
        release()
        stopped.set()

    def release() -> None:
        for each in signals:
            with suppress(NotImplementedError):  # Windows: there is none to remove
                loop.remove_signal_handler(each)

    for each in signals:
        with suppress(NotImplementedError):  # Windows has no such handlers: Ctrl-C cancels there
            loop.add_signal_handler(each, stop)
    try:
        yield stopped
    finally:
        release()


async def _table(site: Site, console: Console, remarks: Sequence[str]) -> None:
    with Live(console=console, auto_refresh=False) as live:
        while True:
            live.update(overview(site.world, remarks, rows_that_fit(console.height)), refresh=True)
            await asyncio.sleep(REFRESH_S)


async def _lines(site: Site, console: Console) -> None:
    async def live(world: World) -> None:
        def on_news(kind: str, facts: dict[str, Any]) -> None:
            text = news_text(kind, world.games.get(facts["id"])) if kind.startswith("game") else None
            if text is not None:
                say(console, text)

        leave = world.subscribe_all(on_news)
        try:
            await asyncio.Event().wait()
        finally:
            leave()

    await in_each_world(site, live)
