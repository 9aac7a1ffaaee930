"""A UCI program as an opponent's head: found, started, asked for moves, restarted once when it fails."""

import asyncio
import contextlib
import logging
import os
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import chess
import chess.engine

FURTHER_PLACES = ("/usr/games", "/usr/local/bin", "/opt/homebrew/bin")  # Debian keeps games off some PATHs
START_TIMEOUT_S = 60.0  # some engines load or compile their nets before `uciok`
GRACE_S = 5.0  # beyond the time it was given, an engine is taken to hang
QUIT_TIMEOUT_S = 2.0
ELO = "UCI_Elo"
MODEST = {"Threads": 1, "Hash": 16}  # an opponent leaves the machine to the bot that is being tried

logging.getLogger("chess.engine").addHandler(logging.NullHandler())  # engines' chatter stays off the terminal

Options = Mapping[str, str | int | bool | None]
Tell = Callable[[str], None]


class NoEngineError(Exception):
    """The program cannot be found, does not speak UCI, or has died twice; the message is for the user."""


class Thought(NamedTuple):
    move: chess.Move
    score_cp: int | None  # from the mover's side; mates are large


class UciEngine:
    """One process; questions wait for each other, and each names its game, so that one serves many."""

    def __init__(self, command: str, tell: Tell) -> None:
        self.name = Path(command).name
        self._command = command
        self._tell = tell
        self._lock = asyncio.Lock()
        self._running: chess.engine.UciProtocol | None = None

    async def start(self) -> None:
        """Idempotent. NoEngineError: it cannot be started, or is silent."""
        if self._running is not None:
            return
        try:
            await self._launch()
        except TimeoutError:
            raise NoEngineError(f"{self.name} said no `uciok` within {START_TIMEOUT_S:.0f} s") from None
        except (OSError, chess.engine.EngineError) as error:
            raise NoEngineError(f"{self.name} does not start as a UCI engine: {error}") from error

    async def _launch(self) -> None:
        """A process is left behind only when all went well."""
        try:
            async with asyncio.timeout(START_TIMEOUT_S):
                # a group of its own: Ctrl-C is for the sandbox, which then ends its engines itself
                _, fresh = await chess.engine.UciProtocol.popen(self._command, setpgrp=True)
                self._running = fresh
                await fresh.initialize()
                await fresh.configure({key: of for key, of in MODEST.items() if key in fresh.options})
        except BaseException:
            await self._drop()
            raise

    def elo_range(self) -> tuple[int, int] | None:
        """What strengths it offers, once started; None when it cannot be told one."""
        option = self._running.options.get(ELO) if self._running else None
        if option is None or option.min is None or option.max is None:
            return None
        return option.min, option.max

    def can_play(self, board: chess.Board) -> bool:
        """Whether it knows the rules of this board, once started."""
        if self._running is None:
            return False
        offered = self._running.options
        if board.chess960 and "UCI_Chess960" not in offered:
            return False
        if board.uci_variant == "chess":
            return True
        variants = offered["UCI_Variant"].var if "UCI_Variant" in offered else None
        return board.uci_variant in (variants or ())

    async def think(self, board: chess.Board, think_ms: int, game_id: str, options: Options) -> Thought:
        """Its move. A process that dies or hangs is started anew once; NoEngineError: that fails as well."""
        async with self._lock:
            for last_try in (False, True):
                try:
                    return await self._ask(board, think_ms / 1000, game_id, options)
                except (TimeoutError, chess.engine.EngineError) as error:
                    await self._drop()
                    if last_try:
                        raise NoEngineError(f"{self.name} failed twice in one move: {error!r}") from error
                    self._tell(f"{self.name} failed ({error!r}) and is started anew")
        raise AssertionError("unreachable: the last try returns or raises")

    async def _ask(self, board: chess.Board, think_s: float, game_id: str, options: Options) -> Thought:
        await self.start()
        assert self._running is not None
        async with asyncio.timeout(think_s + GRACE_S):
            result = await self._running.play(
                board,
                chess.engine.Limit(time=think_s),
                game=game_id,
                info=chess.engine.INFO_SCORE,
                options=dict(options),
            )
        if result.move is None:
            raise chess.engine.EngineError("no move where there is one")
        score = result.info.get("score")
        score_cp = None if score is None else score.pov(board.turn).score(mate_score=100_000)
        return Thought(result.move, score_cp)

    async def close(self) -> None:
        """Ask it to leave; idempotent."""
        if self._running is not None:
            with contextlib.suppress(TimeoutError, chess.engine.EngineError):
                async with asyncio.timeout(QUIT_TIMEOUT_S):
                    await self._running.quit()
        await self._drop()

    async def _drop(self) -> None:
        """End the process, whatever it does, and see it out."""
        dead, self._running = self._running, None
        if dead is None:
            return
        if dead.transport is not None and not dead.returncode.done():
            with contextlib.suppress(ProcessLookupError):
                dead.transport.kill()
        await dead.returncode
        if dead.transport is not None:
            dead.transport.close()


def find_engine(name: str) -> str:
    """The program `name` is: a path, or a name on PATH, beside this Python, or where games are kept.

    NoEngineError: there is none.
    """
    beside = str(Path(sys.executable).parent)
    places = os.pathsep.join((os.environ.get("PATH", os.defpath), beside, *FURTHER_PLACES))
    found = shutil.which(name) if os.sep in name else shutil.which(name, path=places)
    if found is None:
        raise NoEngineError(f"there is no engine {name} on PATH or in {FURTHER_PLACES[0]}")
    return found
