"""How long the service takes over a move, as Lichess would see it: a state line written to our move received.

The engine answers from a list, at once, so that nothing but the service is measured; the sandbox runs in this
process, the service in one of its own. `python -m bot.overhead` prints a line for one game at a time and one
for eight at once.
"""

import asyncio
import os
import random
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import chess

from bot.sandbox.embed import Sandbox, sandbox
from bot.sandbox.player import Habits, Pace
from bot.sandbox.speeds import TimeControl

PLIES = 160
SPARE = 20  # plies beyond: an engine without an answer would be replaced, and the others kept waiting
WANTED_MOVES = 640
CONTROL = TimeControl(limit_s=8, increment_s=0.1)  # at a human's pace a move every 0.2 s
MANY = 8
SEED = 5


def long_game(plies: int, rng: random.Random) -> list[str]:
    """A legal line from the starting position in which nothing ends."""
    while True:
        board, moves = chess.Board(), list[str]()
        while len(moves) < plies and not board.is_game_over(claim_draw=True):
            move = rng.choice(
                [move for move in board.legal_moves if not board.is_capture(move)] or [*board.legal_moves]
            )
            moves.append(move.uci())
            board.push(move)
        if len(moves) == plies:
            return moves


def answer_from_list(moves: list[str]) -> None:
    """A UCI engine that knows one game by heart: its own share of a move is some microseconds."""
    ply = 0
    for line in sys.stdin:
        if line.startswith("position"):
            ply = len(line.partition(" moves ")[2].split())
        elif line.startswith("go"):
            move = moves[ply] if ply < len(moves) else "0000"
            sys.stdout.write(f"info depth 1 score cp 0 nodes 1 pv {move}\nbestmove {move}\n")
            sys.stdout.flush()
        elif line.startswith("uci\n"):
            print("id name List\nuciok", flush=True)
        elif line.startswith("isready"):
            print("readyok", flush=True)
        elif line.startswith("quit"):
            return


SETTINGS = """\
state_dir = "{folder}"
[lichess]
url = "{url}"
[games]
max_games = {games}
[challenges]
per_user_at_once = 0
per_user_hour = 0
per_user_day = 0
[[engines]]
name = "list"
command = ["{python}", "-m", "bot.overhead", "engine", "{moves}"]
processes = 2
ponder = false
[chat]
greeting = ""
goodbye = ""
[draw]
enabled = false
[web]
enabled = false
"""


@asynccontextmanager
async def service(box: Sandbox, folder: Path, games: int, moves: list[str]) -> AsyncIterator[None]:
    """`krait run` in a process of its own, online."""
    settings = folder / "krait.toml"
    values = {"folder": folder, "url": box.url, "games": games, "python": sys.executable}
    settings.write_text(SETTINGS.format(moves=" ".join(moves), **values), encoding="utf-8")
    environ = {key: value for key, value in os.environ.items() if not key.startswith("KRAIT_")}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "run", "--config", str(settings)),
        env=environ | {"KRAIT_TOKEN": box.token},
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        await box.online()
        yield
    finally:
        process.kill()
        await process.wait()


async def measure(at_once: int, wanted: int = WANTED_MOVES) -> dict[str, Any]:
    """Quantiles of the overhead in ms over at least so many moves, with so many games at once.

    A single opponent answers at once; many take a moment each, or we would measure how much fits into a core.
    """
    habits = Habits(pace=Pace.INSTANT if at_once == 1 else Pace.HUMAN)
    moves = long_game(PLIES + SPARE, random.Random(SEED))
    script = f"script:{' '.join(moves)}"
    with tempfile.TemporaryDirectory(prefix="krait-overhead-") as folder:
        async with sandbox(limited=False, habits=habits) as box, service(box, Path(folder), at_once, moves):
            numbers = iter(range(max(at_once, -(-wanted * 2 // PLIES))))

            async def play_in_turn() -> None:
                for number in numbers:
                    game = await box.pair(script, CONTROL, bot_is_white=number % 2 == 0)
                    await box.moved(game, PLIES)
                    box.world.games.resign(game, await box.opponent(script))

            await asyncio.gather(*(play_in_turn() for _ in range(at_once)))
            return box.measured.summary(box.bot) or {}


def report() -> None:
    for at_once in (1, MANY):
        found = asyncio.run(measure(at_once))
        print(
            f"overhead, {at_once} at once: p50 {found['p50Ms']:.1f} ms, p95 {found['p95Ms']:.1f} ms, "
            f"p99 {found['p99Ms']:.1f} ms over {found['count']} moves",
            flush=True,
        )


if __name__ == "__main__":
    if sys.argv[1:2] == ["engine"]:
        answer_from_list(sys.argv[2].split())
    else:
        report()
