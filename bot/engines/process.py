"""One engine process: started on a leash, asked for moves, stopped, killed with all its children."""

import asyncio
import contextlib
import os
import shutil
import signal
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import chess
import chess.engine

from bot.engines import leash
from bot.engines.driver import Driver, Uci, XBoard, plainly
from bot.engines.options import check_options
from bot.engines.record import Insight, Record
from bot.engines.spec import EngineSpec, OptionValue
from bot.errors import EngineDied, EngineMissing
from bot.game.nouns import GameId, Player

QUIT_S = 1.0  # what an engine gets to say good-bye
REAP_S = 5.0  # a killed process is gone by then, or never will be
NO_OPTIONS: Mapping[str, OptionValue] = MappingProxyType({})
LINES = "MultiPV"  # among the options of a question: how many lines; the driver sets it itself
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 0


class Engine:
    """Made by `start`. One question at a time; whoever asks holds the lease."""

    def __init__(self, spec: EngineSpec, driver: Driver, pid: int) -> None:
        self.spec, self.pid = spec, pid
        self._driver = driver
        self._games: set[GameId] = set()  # those under way that it has served: its table holds them all

    @classmethod
    async def start(cls, spec: EngineSpec, warn: Callable[[str], None]) -> "Engine":
        """Started, configured, ready. EngineMissing: it cannot be, and why."""
        try:
            async with asyncio.timeout(spec.start_s):
                engine = await _launch(spec)
                await engine.shake_hands(warn)
                return engine
        except TimeoutError:
            raise EngineMissing(f"{spec.name} was not ready within {spec.start_s:g} s") from None
        except (OSError, chess.engine.EngineError, AssertionError, ValueError) as error:
            raise EngineMissing(f"{spec.name} does not start: {error}") from error

    async def shake_hands(self, warn: Callable[[str], None]) -> None:
        """Before anything else. A process with which it fails is gone."""
        try:
            await self._configure(warn)
        except chess.engine.EngineTerminatedError as error:
            await self.kill_and_wait()
            raise EngineMissing(
                f"{self.spec.name} does not start: {self._driver.last_words or error}"
            ) from error
        except BaseException:
            await self.kill_and_wait()
            raise

    async def _configure(self, warn: Callable[[str], None]) -> None:
        await self._driver.initialize()
        options, warnings = check_options(self.spec.name, self.spec.options, self._driver.options)
        for warning in warnings:
            warn(warning)
        await self._driver.configure(options)
        await self._driver.ping()

    @property
    def name(self) -> str:
        """What it calls itself."""
        return self._driver.id.get("name", self.spec.name)

    @property
    def is_alive(self) -> bool:
        return not self._driver.returncode.done()

    @property
    def is_pondering(self) -> bool:
        """Between questions, when it thinks on the opponent's time."""
        command = self._driver.command
        return command is not None and command.result.done() and not command.result.cancelled()

    @property
    def insight(self) -> Insight:
        """The best it said of the question it was asked last."""
        return self._driver.insight

    def knows(self, board: chess.Board) -> bool:
        """Whether it can play by the rules of this board."""
        return self._driver.knows(board) or (board.chess960 and self._plain(board) is not None)

    async def play(
        self,
        board: chess.Board,
        limit: chess.engine.Limit,
        game: GameId,
        *,
        opponent: Player | None = None,
        options: Mapping[str, OptionValue] = NO_OPTIONS,
        ponder: bool = False,
        listen: Callable[[Record], None] | None = None,
    ) -> chess.Move:
        """A legal move of `board`. EngineDied: it ended, or answered with something else.

        Cancelled: the search is stopped, and the engine is free again once `settle` says so.
        """
        driver = self._driver
        driver.begin()
        driver.on_insight = listen
        asked = board if driver.knows(board) else self._plain(board) or board
        try:
            key = await self._game_key(game, opponent)
            wanted = chess.engine.INFO_NONE if isinstance(driver, Uci) else chess.engine.INFO_BASIC
            if isinstance(driver, Uci):
                driver.lines = int(options.get(LINES, 1))
            offered = {
                name: value for name, value in options.items() if name in driver.options and name != LINES
            }
            result = await driver.play(asked, limit, game=key, info=wanted, ponder=ponder, options=offered)
            if asked is board and result.move:
                return result.move  # the driver has seen that it is legal
            return board.parse_uci(result.move.uci() if result.move else "(none)")
        except chess.engine.EngineTerminatedError as error:
            raise EngineDied(driver.last_words or str(error)) from error
        except (chess.engine.EngineError, ValueError, AssertionError) as error:
            raise EngineDied(f"not a move: {error}") from error
        finally:
            driver.on_insight = None

    def hurry(self) -> None:
        """The answer is wanted now."""
        with contextlib.suppress(OSError, RuntimeError):  # its pipe may just have closed
            self._driver.hurry()

    async def settle(self, within_s: float) -> bool:
        """End whatever it does, pondering too. False: it does not obey."""
        driver = self._driver
        try:
            async with asyncio.timeout(within_s):
                if self.is_pondering:
                    await driver.ping()
                while (command := driver.command) is not None and self.is_alive:
                    ends: set[asyncio.Future[Any]] = {command.finished, driver.returncode}
                    await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        except (TimeoutError, chess.engine.EngineError):
            return False
        return self.is_alive

    def serves_only(self, game: GameId) -> bool:
        """Whether it has served no other game that is under way."""
        return self._games <= {game}

    def forget(self, game: GameId) -> None:
        self._games.discard(game)

    def kill(self) -> None:
        """Its whole group, at once."""
        if not self.is_alive:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(self.pid, signal.SIGKILL)
            else:
                os.kill(self.pid, signal.SIGTERM)

    async def gone(self) -> str:
        """Waits for its end; what is known of it."""
        code = await asyncio.shield(self._driver.returncode)
        return self._driver.last_words or (f"signal {-code}" if code < 0 else f"exit code {code}")

    async def quit(self) -> None:
        """Politely, then not."""
        if self.is_alive:
            with contextlib.suppress(TimeoutError, chess.engine.EngineError, OSError):
                async with asyncio.timeout(QUIT_S):
                    await self._driver.quit()
        await self.kill_and_wait()

    async def kill_and_wait(self) -> None:
        self.kill()
        await asyncio.wait({self._driver.returncode}, timeout=REAP_S)
        if self._driver.transport is not None:
            self._driver.transport.close()

    def memory_bytes(self) -> int:
        """What it holds in memory; 0 where the system does not tell."""
        try:
            return int(Path(f"/proc/{self.pid}/statm").read_text(encoding="ascii").split()[1]) * _PAGE
        except (OSError, IndexError, ValueError):
            return 0

    def _plain(self, board: chess.Board) -> chess.Board | None:
        plain = plainly(board)
        return plain if plain is not None and self._driver.knows(plain) else None

    async def _game_key(self, game: GameId, opponent: Player | None) -> object:
        """What to call the game: another key makes the driver say `ucinewgame`, which empties the table.

        A process that several games share keeps one key: its table serves them all.
        """
        if game in self._games or self._games:
            self._games.add(game)
            return self._driver.game
        self._games.add(game)
        if opponent is not None and self._driver.game != game:
            await self._driver.send_opponent_information(opponent=_opponent(opponent))
        return game


async def _launch(spec: EngineSpec) -> Engine:
    command = [_program(spec), *spec.command[1:]]
    if sys.platform == "linux":
        command = [sys.executable, "-I", "-S", leash.__file__, str(os.getpid()), *command]
    kind: type[Driver] = Uci if spec.protocol == "uci" else XBoard
    transport, driver = await kind.popen(command, start_new_session=True, cwd=spec.cwd, env=_environment())
    return Engine(spec, driver, transport.get_pid() or 0)


def _environment() -> dict[str, str]:
    """Ours, without what an engine has no business to know: it may be anybody's program."""
    return {name: value for name, value in os.environ.items() if not name.startswith("KRAIT_TOKEN")}


def _program(spec: EngineSpec) -> str:
    """The program's path: as written (from `cwd`, if it names a folder), or on PATH. EngineMissing: none."""
    name = spec.command[0] if spec.command else ""
    place = Path(spec.cwd or ".").absolute() / name if os.sep in name else Path(name)
    found = shutil.which(str(place))
    if found is None:
        raise EngineMissing(f"{spec.name}: there is no program {name!r} that can be run")
    return found


def _opponent(player: Player) -> chess.engine.Opponent:
    return chess.engine.Opponent(player.name, player.title, player.rating, not player.is_human)
