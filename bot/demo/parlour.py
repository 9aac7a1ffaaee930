"""`krait demo`: a page to play on, at one address with the local Lichess it plays on. Ctrl-C ends it."""

import asyncio
import os
import sys
import tempfile
import webbrowser
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar

from bot import log
from bot.demo.house import BOT, Parlour
from bot.demo.routes import add_page
from bot.demo.warming import warm_up
from bot.errors import BotError
from bot.sandbox.embed import Sandbox, sandbox
from bot.serving import two_signals

PORT = 8080
NEXT_PORTS = 20  # tried one after another; then any that is free


@dataclass(frozen=True, slots=True)
class Wish:
    port: int = PORT
    browser: bool = True


def run_parlour(wish: Wish, console: Console, parlour: Parlour) -> None:
    """Until Ctrl-C. BotError: it cannot be, and why."""
    with tempfile.TemporaryDirectory(prefix="krait-demo-") as folder:
        asyncio.run(_run(wish, console, parlour, Path(folder)))


async def _run(wish: Wish, console: Console, parlour: Parlour, folder: Path) -> None:
    with (folder / "krait.log").open("w", encoding="utf-8") as lines:
        log.configure("json", "info", stream=lines)
        stopped = asyncio.Event()
        with two_signals(stopped.set, stopped.set):
            serving = asyncio.create_task(_serve(wish, console, parlour, folder))
            stopping = asyncio.create_task(stopped.wait())
            await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
            stopping.cancel()
            serving.cancel()
            with suppress(asyncio.CancelledError):
                await serving
        console.print("Good-bye.")


async def _serve(wish: Wish, console: Console, parlour: Parlour, folder: Path) -> None:
    async with opened(parlour, wish.port) as box:
        console.print(f"Play against {BOT} at [bold]{box.url}/[/bold]   (Ctrl-C ends it)", highlight=False)
        showing = asyncio.create_task(_show(box.url)) if wish.browser and has_screen() else None
        await warm(parlour, console)
        async with parlour.serving(folder):
            console.print(f"{BOT} is ready.")
            await asyncio.Event().wait()
        del showing


@asynccontextmanager
async def opened(parlour: Parlour, port: int) -> AsyncIterator[Sandbox]:
    """The local Lichess and the page on this port, or on the next that is free."""
    async with AsyncExitStack() as stack:
        box = await _on_a_free_port(stack, parlour, port)
        parlour.opened(box)
        yield box


async def _on_a_free_port(stack: AsyncExitStack, parlour: Parlour, port: int) -> Sandbox:
    for each in _ports(port):
        with suppress(OSError):
            made = sandbox(
                bot=BOT, limited=False, takebacks=True, port=each, beside=partial(add_page, parlour)
            )
            return await stack.enter_async_context(made)
    raise BotError("there is no free port on this machine")


def _ports(first: int) -> Iterator[int]:
    yield from range(first, min(first + NEXT_PORTS, 65_536))
    yield 0


async def warm(parlour: Parlour, console: Console) -> None:
    """Compile what is not compiled; the terminal and the page show how far it is."""
    bar = Bar(
        TextColumn("Preparing the engine (the first start compiles it)"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
        transient=True,
    )
    with bar:
        task = bar.add_task("", total=None)
        async for step in warm_up():
            parlour.progress = step
            bar.update(task, completed=step.done, total=step.total)


def has_screen() -> bool:
    """Whether a browser would have a window of its own; one in the terminal would be in the way."""
    if sys.platform in {"darwin", "win32"}:
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


async def _show(url: str) -> None:
    """In the browser, where there is one: nothing depends on it."""
    with suppress(Exception):
        await asyncio.to_thread(webbrowser.open, f"{url}/")
