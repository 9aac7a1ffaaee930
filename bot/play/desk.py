"""All that we say in chats, one line after another: best effort, and never faster than Lichess listens.

Chat has a task and a lane of its own. Nothing in a game waits for it, and what it fails to say is not said.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from bot.errors import LichessError
from bot.game.chatter import ChatCommand, ChatContext, answer
from bot.game.facts import Trouble, Witness
from bot.game.nouns import GameId
from bot.play.walltime import wall_ms

if TYPE_CHECKING:
    from bot.play.runner import Runner

WINDOW_S, LINES_A_WINDOW = 10.0, 4  # Lichess drops a fifth line within ten seconds
STALE_S = 45.0  # what could not be said by then is not worth saying
WAITING_AT_MOST = 100
PATIENCE_S = 10.0

Say = Callable[[GameId, str, str], Awaitable[object]]


class Line(NamedTuple):
    game: GameId
    room: str
    text: str
    since: float


class ChatDesk:
    """Of one account. `context` knows what a chat command may be told about a game."""

    def __init__(
        self,
        say: Say,
        commands: Sequence[ChatCommand],
        context: Callable[["Runner", str, str], ChatContext],
        tell: Witness,
    ) -> None:
        self._say, self._commands, self._context, self._tell = say, commands, context, tell
        self._lines: deque[Line] = deque(maxlen=WAITING_AT_MOST)
        self._filled = asyncio.Event()
        self._said_at: deque[float] = deque(maxlen=LINES_A_WINDOW)
        self._last: dict[tuple[GameId, str], str] = {}

    def say(self, game: GameId, room: str, text: str) -> None:
        """Sooner or later, or never."""
        self._lines.append(Line(game, room, text, asyncio.get_running_loop().time()))
        self._filled.set()

    def answer(self, runner: "Runner", room: str, name: str, text: str) -> None:
        """What a player or spectator asked, if any command knows an answer."""
        try:
            words = answer(text, self._context(runner, room, name), self._commands)
        except Exception as error:  # noqa: BLE001  anybody's plug-in: told, and nothing is said
            detail = f"{text}: {type(error).__name__}: {error}"
            self._tell(Trouble("chat_command_failed", detail, wall_ms(), runner.brief.id))
            return
        if words:
            self.say(runner.brief.id, room, words)

    def forget(self, game: GameId) -> None:
        for key in [key for key in self._last if key[0] == game]:
            del self._last[key]

    async def run(self) -> None:
        """Until cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            while not self._lines:
                self._filled.clear()
                await self._filled.wait()
            line = self._lines.popleft()
            is_repeated = self._last.get((line.game, line.room)) == line.text  # Lichess would drop it, too
            if not is_repeated and loop.time() - line.since < STALE_S:
                await self._pace(loop)
                await self._speak(line)

    async def _pace(self, loop: asyncio.AbstractEventLoop) -> None:
        if len(self._said_at) == LINES_A_WINDOW:
            await asyncio.sleep(max(0.0, self._said_at[0] + WINDOW_S - loop.time()))
        self._said_at.append(loop.time())

    async def _speak(self, line: Line) -> None:
        self._last[line.game, line.room] = line.text
        try:
            async with asyncio.timeout(PATIENCE_S):
                await self._say(line.game, line.room, line.text)
        except (LichessError, TimeoutError) as error:
            detail = f"{line.text!r}: {str(error) or 'no answer'}"
            self._tell(Trouble("chat_failed", detail, wall_ms(), line.game))
