"""Krait as its users start it: a process of its own, with a configuration file and a token."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from bot.sandbox.embed import Sandbox
from tests.service.scene import ENGINE

TOKEN = "lip_OfThisTestAlone_7"  # noqa: S105  of a sandbox
ROOT = Path(__file__).parents[2]


def write_config(state: Path, *how: str, **tables: Any) -> Path:
    """`krait.toml` with the instant engine behaving like `how`."""
    engine = {"name": "instant", "command": [sys.executable, str(ENGINE), *how], "processes": 2}
    given: dict[str, Any] = {
        "web": {"enabled": False},
        "log": {"style": "json", "level": "debug"},
        "games": {"max_games": 8},
        "challenges": {"per_user_at_once": 0},
    } | tables
    lines = [f"state_dir = {json.dumps(str(state))}"]
    for name, table in given.items():
        lines += [f"[{name}]", *(f"{key} = {json.dumps(value)}" for key, value in table.items())]
    lines += ["[[engines]]", *(f"{key} = {json.dumps(value)}" for key, value in engine.items())]
    state.mkdir(parents=True, exist_ok=True)
    file = state.parent / "krait.toml"
    file.write_text("\n".join(lines) + "\n")
    return file


class Program:
    """A running `krait`; its lines on stderr are collected, and can be waited for."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.lines: list[str] = []
        self._news = asyncio.Event()
        self._reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        assert self.process.stderr is not None
        while line := await self.process.stderr.readline():
            self.lines.append(line.decode())
            self._stir()
        self.lines.append("")  # the end
        self._stir()

    def _stir(self) -> None:
        self._news.set()
        self._news = asyncio.Event()

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def text(self) -> str:
        return "".join(self.lines)

    async def says(self, part: str) -> str:
        """The first line with such words; AssertionError when it ends without having said so."""
        while True:
            found = next((line for line in self.lines if part in line), None)
            if found is not None:
                return found
            assert self.lines[-1:] != [""], f"{part!r} was not said in:\n{self.text}"
            await self._news.wait()

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    async def ends(self) -> int:
        code = await self.process.wait()
        await self._reading
        return code


@asynccontextmanager
async def krait(
    *words: str, url: str, config: Path | None = None, token: str = TOKEN, **environment: str
) -> AsyncIterator[Program]:
    """`krait WORDS`; killed at the end if it still runs."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    given = {"HOME": str(config.parent) if config else "/nonexistent", "KRAIT_LICHESS_URL": url}
    if token:
        given["KRAIT_TOKEN"] = token
    options = ["--config", str(config)] if config else []
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", *words, *options),
        cwd=ROOT,
        env=kept | given | environment,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    program = Program(process)
    try:
        yield program
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await program.ends()


async def outcome(
    *words: str, url: str, config: Path | None = None, token: str = TOKEN, typed: str = ""
) -> tuple[int, str, str]:
    """Of a command that ends by itself: exit code, stdout, stderr."""
    async with krait(*words, url=url, config=config, token=token) as program:
        assert program.process.stdin is not None
        assert program.process.stdout is not None
        program.process.stdin.write(typed.encode())
        program.process.stdin.close()
        said = await program.process.stdout.read()
        return await program.ends(), said.decode(), program.text


def of_process(pid: int, file: str) -> str:
    return Path(f"/proc/{pid}/{file}").read_text(errors="replace")


def descendants(pid: int) -> Iterator[int]:
    """Every process below this one."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with suppress(OSError):
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
    children = [child for child, parent in parents.items() if parent == pid]
    for child in children:
        yield child
        yield from descendants(child)


async def gone(pid: int) -> None:
    """Until this process, whoever's child it is, has ended."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_reader(handle, ended.set)
    try:
        await ended.wait()
    finally:
        loop.remove_reader(handle)
        os.close(handle)


async def several(box: Sandbox, count: int, clock: str = "3+2") -> list[str]:
    """So many games against a random mover, begun."""
    return [await box.challenge("random", clock=clock) for _ in range(count)]
