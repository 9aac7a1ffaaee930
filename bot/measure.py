"""`krait bench` and `krait suite`: fixed positions through the engine. Figures on stdout, a bar on stderr."""

import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from engine import bench, suite
from engine.driver import Engine, Limits
from engine.notation import START_FEN

PERFT_DEPTH = 6
STOCKFISH_DEPTH = 13
STOCKFISH_PLACES = "/usr/games:/usr/local/bin:/opt/homebrew/bin"  # Debian keeps games off some PATHs


def bar() -> Progress:
    """A progress bar that leaves stdout alone, and leaves nothing behind."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )


def run_suite(path: Path, engine: Engine, movetime_ms: int | None, nodes: int | None) -> suite.Summary:
    """Solve every position of `path`; print the failures, then the count. SuiteError: it cannot be read."""
    with bar() as progress:
        task = progress.add_task(path.name, total=None)
        solved = 0

        def tell(result: suite.Result) -> None:
            nonlocal solved
            solved += result.passed
            progress.update(task, completed=result.number, total=result.total, description=f"{solved} solved")
            if not result.passed:
                print(failure_text(result), flush=True)

        summary = suite.run(path, engine, Limits(movetime_ms=movetime_ms, nodes=nodes), tell)
    speed = summary.nodes / max(summary.seconds, 1e-9)
    print(f"{summary.nodes} nodes in {summary.seconds:.1f} s, nps {speed:.0f}")
    print(f"passed {summary.passed}/{summary.total}")
    return summary


def failure_text(result: suite.Result) -> str:
    """`failed WAC.002: played b3b7, wanted b3b2`"""
    case = result.case
    wanted = [f"wanted {' or '.join(sorted(case.best))}"] if case.best else []
    wanted += [f"not {' or '.join(sorted(case.avoid))}"] if case.avoid else []
    wanted += [f"wanted mate in {case.mate}"] if case.mate else []
    return f"failed {case.name}: played {result.move or 'nothing'}, {', '.join(wanted)}"


def find_stockfish() -> str | None:
    return shutil.which("stockfish") or shutil.which("stockfish", path=STOCKFISH_PLACES)


def stockfish_nps(program: str, fens: Sequence[str], depth: int = STOCKFISH_DEPTH) -> int:
    """Nodes a second of Stockfish's own bench on `fens`: 16 MB, one thread."""
    with tempfile.TemporaryDirectory() as folder:
        positions = Path(folder, "positions.fen")
        positions.write_text("\n".join(fens) + "\n", encoding="utf-8")
        command = [program, "bench", "16", "1", str(depth), str(positions), "depth"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603  - found by name
    speed = re.search(r"Nodes/second\s*:\s*(\d+)", done.stderr + done.stdout)
    if speed is None:
        raise ValueError(f"{program} bench printed no speed")
    return int(speed[1])


def run_bench(engine: Engine, threads: int, *, compare: bool) -> None:
    """Print the signature and, as the last line, `nps N`; between them, if asked to, how others compare.

    With more than one thread the node count is no signature: it differs from run to run.
    """
    with bar() as progress:
        task = progress.add_task("searching", total=None)

        def tell(number: int, total: int, _nodes: int) -> None:
            progress.update(task, completed=number, total=total)

        result = bench.run(tell, threads=threads)
    print(f"Bench: {result.nodes}" if threads == 1 else f"{result.nodes} nodes with {threads} threads")
    if compare:
        print(f"perft {perft_mnps(engine):.1f} Mn/s")
        for line in _beside_stockfish(result.nps):
            print(line)
        for line in (*_measured("bot.sandbox.load", "sandbox"), *_measured("bot.overhead", "overhead")):
            print(line)
    print(f"nps {result.nps}")


def perft_mnps(engine: Engine, depth: int = PERFT_DEPTH) -> float:
    """Million leaves a second from the starting position, every one of them made and unmade."""
    engine.set_position(START_FEN, ())
    started = time.perf_counter()
    leaves = sum(engine.perft(depth).values())
    return leaves / (time.perf_counter() - started) / 1e6


def _beside_stockfish(nps: int) -> list[str]:
    program = find_stockfish()
    if program is None:
        return ["stockfish not found: nothing to compare with"]
    try:
        theirs = stockfish_nps(program, bench.POSITIONS)
    except (OSError, ValueError, subprocess.CalledProcessError) as error:
        return [f"stockfish could not be measured: {error}"]
    return [f"stockfish nps {theirs}", f"krait / stockfish {nps / theirs:.2f}"]


def _measured(module: str, what: str) -> list[str]:
    """What a measurement of the service prints, in a process of its own; some 12 and 20 s."""
    command = [sys.executable, "-m", module]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  - our own program
    if done.returncode != 0:
        return [f"{what} could not be measured: {(done.stderr.splitlines() or ['no reason given'])[-1]}"]
    return done.stdout.splitlines()
