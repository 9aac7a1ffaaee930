"""Compiling the kernels before the first game, and how far that is.

It runs in a process of its own, for the service never loads Numba: a line «done total what» for each step.
"""

import asyncio
import sys
from collections.abc import AsyncIterator
from typing import NamedTuple

from bot.errors import BotError

LAST_WORDS = 3  # lines of a failure that are shown
SCRIPT = """
from engine import driver
driver.warm(lambda what, done, total: print(done, total, what, flush=True))
"""


class Progress(NamedTuple):
    done: int
    total: int
    what: str


async def warm_up() -> AsyncIterator[Progress]:
    """Until every kernel is compiled or loaded. BotError: it went wrong, and how."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", SCRIPT, stdout=pipe, stderr=pipe)
    assert process.stdout is not None
    assert process.stderr is not None
    complaints = asyncio.create_task(process.stderr.read())
    try:
        async for line in process.stdout:
            done, total, what = line.decode().strip().split(" ", 2)
            yield Progress(int(done), int(total), what)
        if await process.wait():
            last = (await complaints).decode(errors="replace").strip().splitlines()[-LAST_WORDS:]
            raise BotError("the engine cannot be compiled: " + " · ".join(last))
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
        await asyncio.gather(complaints, return_exceptions=True)
