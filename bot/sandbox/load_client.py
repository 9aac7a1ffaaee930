"""The bots of a load test: as lean as a bot can be, each with its two streams, playing its side of a line."""

import asyncio
import json
import random
import time
from collections.abc import AsyncIterator, Coroutine, Sequence
from typing import Any

import aiohttp

from bot.sandbox.world import World

Json = dict[str, Any]
WISH = {"clock.limit": "3600", "clock.increment": "5", "color": "white"}


class Meter:
    """What all bots of a run share: the pace, when each move was applied, and what was seen of pushes."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.think_s = 0.0
        self.rng = random.Random(1)
        self.is_closing = False
        self.moves = 0
        self.pushes_ms: list[float] = []
        self.gaps_s: list[float] = []
        self._applied_s: dict[tuple[str, int], float] = {}
        world.subscribe_all(self._on_news)

    def _on_news(self, kind: str, facts: Json) -> None:
        if kind == "move":
            self.moves += 1
            game_id = facts["id"]
            self._applied_s[game_id, self.world.games.get(game_id).ply] = time.perf_counter()

    def pushed(self, game_id: str, ply: int) -> None:
        """A client has read the line that shows this ply."""
        applied_s = self._applied_s.get((game_id, ply))
        if applied_s is not None:
            self.pushes_ms.append((time.perf_counter() - applied_s) * 1000)

    def take(self) -> list[float]:
        """The pushes seen since the last time, sorted."""
        taken, self.pushes_ms = sorted(self.pushes_ms), []
        return taken


class Bot:
    """One account over HTTP. Reading never waits for writing: a move is sent by a task of its own."""

    def __init__(self, name: str, url: str, session: aiohttp.ClientSession, meter: Meter) -> None:
        account = meter.world.accounts.create(name, title="BOT")
        token = meter.world.accounts.issue_token(account.id, ("bot:play", "challenge:write"))
        self.name = name
        self.id = account.id
        self.listening = asyncio.Event()
        self.begun = asyncio.Event()
        self.over = asyncio.Event()
        self.game_id = ""
        self._url = url
        self._session = session
        self._meter = meter
        self._headers = {"Authorization": f"Bearer {token.secret}"}
        self._line: Sequence[str] = ()
        self._first_ply = 0
        self._seen: set[int] = set()
        self._read = asyncio.Event()  # a line of the game was read
        self._answered = asyncio.Event()  # nothing this bot has sent is under way
        self._answered.set()

    async def run(self, line: Sequence[str], rival: "Bot | None") -> None:
        """Challenge `rival`, or accept whoever comes when there is none; play one game of `line`."""
        self._line = line
        async with asyncio.TaskGroup() as tasks, self._get("/api/stream/event") as events:
            self.listening.set()
            if rival is not None:
                await rival.listening.wait()
                await self._post(f"/api/challenge/{rival.name}", WISH)
            async for event in self._lines(events):
                if event["type"] == "challenge" and event["challenge"]["challenger"]["id"] != self.id:
                    await self._post(f"/api/challenge/{event['challenge']['id']}/accept")
                elif event["type"] == "gameStart":
                    tasks.create_task(self._play(event["game"]["gameId"], event["game"]["color"], tasks))

    async def _play(self, game_id: str, color: str, tasks: asyncio.TaskGroup) -> None:
        self.game_id, my_parity = game_id, color == "black"
        async with self._get(f"/api/bot/game/stream/{game_id}") as lines:
            async for line in self._lines(lines):
                state = line.get("state", line)
                if state["type"] != "gameState":
                    continue
                ply = state["moves"].count(" ") + bool(state["moves"])
                self._note(ply, first="state" in line)
                if state["status"] != "started":
                    break
                if ply % 2 == my_parity:
                    tasks.create_task(self._answer(ply))
        self.over.set()

    def _note(self, ply: int, *, first: bool) -> None:
        if first:
            self._first_ply = ply
            self.begun.set()
        elif ply not in self._seen:
            self._meter.pushed(self.game_id, ply)
        self._seen.add(ply)
        self._read.set()

    async def _answer(self, ply: int) -> None:
        await asyncio.sleep(self._meter.think_s * self._meter.rng.uniform(0.5, 1.5))  # never all at once
        if self._meter.is_closing:
            return
        deed = f"move/{self._line[ply]}" if ply < len(self._line) else "resign"
        self._answered.clear()
        await self._post(f"/api/bot/game/{self.game_id}/{deed}")
        self._answered.set()

    async def settled(self) -> None:
        """All this bot has sent is answered, and all it was sent is read; for when a run is closing."""
        await self._answered.wait()
        while self.lines_lost():
            self._read.clear()
            await self._read.wait()

    def lines_lost(self) -> int:
        """How many of the positions of the game were never read."""
        played = self._meter.world.games.get(self.game_id).ply
        return len(set(range(self._first_ply, played + 1)) - self._seen)

    def _get(self, path: str) -> Any:
        return self._session.get(self._url + path, headers=self._headers, raise_for_status=True)

    async def _post(self, path: str, form: Json | None = None) -> None:
        async with self._session.post(self._url + path, headers=self._headers, data=form) as answer:
            if answer.status >= 400:
                raise AssertionError(f"{path} was answered with {answer.status}: {await answer.text()}")

    async def _lines(self, response: aiohttp.ClientResponse) -> AsyncIterator[Json]:
        """The objects of a stream; blank lines are timed on the way."""
        last_s = time.perf_counter()
        async for raw in response.content:
            if raw.strip():
                yield json.loads(raw)
                continue
            now_s = time.perf_counter()
            self._meter.gaps_s.append(now_s - last_s)
            last_s = now_s


class Pair:
    """Two bots and their game."""

    def __init__(
        self, number: int, line: Sequence[str], session: aiohttp.ClientSession, url: str, meter: Meter
    ) -> None:
        self._line = line
        self.white, self.black = (Bot(f"{side}{number}", url, session, meter) for side in ("White", "Black"))

    def players(self) -> list[Coroutine[Any, Any, None]]:
        return [self.white.run(self._line, self.black), self.black.run(self._line, None)]

    async def begun(self) -> None:
        await self.white.begun.wait()
        await self.black.begun.wait()

    async def over(self) -> None:
        await self.white.over.wait()
        await self.black.over.wait()

    async def settled(self) -> None:
        await self.white.settled()
        await self.black.settled()

    def lines_lost(self) -> int:
        return self.white.lines_lost() + self.black.lines_lost()
