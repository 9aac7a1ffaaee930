"""A small bot over HTTP for tests of the embedded sandbox: it comes back after every trouble."""

import asyncio
import json
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import aiohttp

from bot.sandbox.embed import Sandbox
from bot.sandbox.player import board_of

Json = dict[str, Any]
TROUBLE = (aiohttp.ClientError, ConnectionError, TimeoutError, ValueError)
PAUSE_S = 0.01  # before trying again
TRIES = 500
NO_LIMIT = aiohttp.ClientTimeout(total=None)


class Guest:
    def __init__(self, http: aiohttp.ClientSession, *, accepts: bool = True) -> None:
        self._http = http
        self._accepts = accepts
        self._rng = random.Random(3)
        self._games: dict[str, asyncio.Task[None]] = {}
        self.events: list[Json] = []
        self.ends = 0  # of the event stream, of any kind
        self._happened = asyncio.Event()

    async def run(self) -> None:
        """Until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            while True:
                with suppress(*TROUBLE):
                    async for event in self._lines("/api/stream/event"):
                        self.events.append(event)
                        self._stir()
                        await self._meet(event, tasks)
                self.ends += 1
                self._stir()
                await asyncio.sleep(PAUSE_S)

    def _stir(self) -> None:
        self._happened.set()
        self._happened = asyncio.Event()

    async def until(self, holds: Callable[[], bool]) -> None:
        """Until something it has heard makes it so."""
        while not holds():
            await self._happened.wait()

    async def _meet(self, event: Json, tasks: asyncio.TaskGroup) -> None:
        if event.get("type") == "challenge":
            await self._post(f"/api/challenge/{event['challenge']['id']}/{self._answer}")
        elif event.get("type") == "gameStart" and event["game"]["id"] not in self._games:
            game = event["game"]["id"]
            self._games[game] = tasks.create_task(self._play(game, event["game"]["color"] == "white"))

    @property
    def _answer(self) -> str:
        return "accept" if self._accepts else "decline"

    async def _play(self, game: str, white: bool) -> None:
        full: Json = {}
        status = "started"
        while status == "started":
            with suppress(*TROUBLE):
                async for line in self._lines(f"/api/bot/game/stream/{game}"):
                    full = line if line["type"] == "gameFull" else full
                    state = line.get("state", line)
                    if state["type"] == "gameState":
                        status = state["status"]
                        await self._think(full, state, white)
            await asyncio.sleep(PAUSE_S)

    async def _think(self, full: Json, state: Json, white: bool) -> None:
        board = board_of(full["variant"]["key"], full["initialFen"], state["moves"].split())
        if state["status"] != "started" or board.turn is not white:
            return
        move = self._rng.choice(list(board.legal_moves))
        for _ in range(TRIES):
            if await self._post(f"/api/bot/game/{full['id']}/move/{board.uci(move)}"):
                return
            await asyncio.sleep(PAUSE_S)

    async def _post(self, path: str) -> bool:
        """Whether there is an answer that stands: anything but a failure on the way."""
        with suppress(*TROUBLE):
            async with self._http.post(path) as response:
                return response.status < 429
        return False

    async def _lines(self, path: str) -> AsyncIterator[Json]:
        async with self._http.get(path, raise_for_status=True, timeout=NO_LIMIT) as response:
            async for raw in response.content:
                if raw.strip():
                    yield json.loads(raw)


@asynccontextmanager
async def guest(box: Sandbox, *, accepts: bool = True) -> AsyncIterator[Guest]:
    """The box's bot, online."""
    headers = {"Authorization": f"Bearer {box.token}", "User-Agent": "guest"}
    async with aiohttp.ClientSession(box.url, headers=headers) as http:
        bot = Guest(http, accepts=accepts)
        life = asyncio.create_task(bot.run())
        try:
            await box.online()
            yield bot
        finally:
            life.cancel()
            await asyncio.wait([life])
