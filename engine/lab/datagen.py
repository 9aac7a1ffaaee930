"""`krait lab datagen`: an engine plays itself, and every move goes to a file with its score.

The file is a function of the settings: neither the number of processes nor where a run was broken off shows
in it. See `selfplay` for a game, `farm` for many at once, `gamefile` for what stays on disk.
"""

import contextlib
import os
import time
from collections.abc import Callable, Iterator

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

from engine.lab.datagen_plan import Plan, Words, plan_of
from engine.lab.farm import FarmError, Interrupted, harvest
from engine.lab.gamefile import FileError, GameFile
from engine.lab.match import signals
from engine.lab.report import say
from engine.lab.settings import SettingError
from engine.lab.uci_client import StartError, Stopped

__all__ = ["Words", "run"]

REPORT_S = 30.0  # off a terminal: a line now and then


def run(words: Words, console: Console) -> int:
    """Play until the aim is reached; the exit code: 0 done, 1 could not go on, 2 refused, 128 + signal."""
    caught: list[int] = []
    wake, alarm = os.pipe()

    def interrupt(number: int) -> None:
        caught.append(number)
        os.write(alarm, b"!")

    try:
        with signals(interrupt):
            _work(words, console, wake)
    except (SettingError, StartError, FileError) as error:
        _complain(console, error)
        return 2
    except (FarmError, OSError) as error:
        _complain(console, error)
        return 1
    except (Interrupted, Stopped):
        say(console, "interrupted; the same command line goes on from here")
        return 128 + caught[0]
    finally:
        os.close(wake)
        os.close(alarm)
    return 0


def _complain(console: Console, error: Exception) -> None:
    console.print(f"krait lab datagen: {error}", style="red", markup=False, highlight=False, soft_wrap=True)


def _work(words: Words, console: Console, wake: int) -> None:
    plan = plan_of(words, wake)
    with GameFile(words.out, plan.settings) as file:
        _announce(file, words, console)
        try:
            with _watching(file, words, console) as watch:
                _fill(file, plan, words, wake, watch)
        finally:
            say(console, f"{file.path}: {file.games:,} games, {file.positions:,} positions")


def _fill(
    file: GameFile, plan: Plan, words: Words, wake: int, watch: Callable[[tuple[str, ...]], None]
) -> None:
    farm = harvest(plan.contract, words.processes, file.games, words.games, wake)
    with contextlib.closing(farm) as games:
        while _done(file, words) < _aim(words):
            finished = next(games)
            file.append(finished.record)
            watch(finished.faults)


def _aim(words: Words) -> int:
    return words.games or words.positions or 0


def _done(file: GameFile, words: Words) -> int:
    return file.games if words.games is not None else file.positions


def _announce(file: GameFile, words: Words, console: Console) -> None:
    if file.cut:
        say(console, f"{file.path}: {file.cut:,} bytes of an unfinished game cut off")
    if file.games:
        say(console, f"{file.path}: going on after {file.games:,} games, {file.positions:,} positions")
    aim = f"{_aim(words):,} {'positions' if words.games is None else 'games'}"
    setting = f"{words.nodes} nodes a move, seed {words.seed}, {words.processes} at once"
    say(console, f"{words.engine}: {aim}, {setting}")


@contextlib.contextmanager
def _watching(file: GameFile, words: Words, console: Console) -> Iterator[Callable[[tuple[str, ...]], None]]:
    """A function to call after each game with the faults on the way to it, which are printed at once."""
    started_s = told_s = time.monotonic()
    first, before, aim = file.positions, _done(file, words), _aim(words)
    bar = Progress(
        TextColumn("{task.description}"), BarColumn(bar_width=None), TaskProgressColumn(), console=console,
        expand=True, disable=not console.is_terminal,
    )  # fmt: skip
    task = bar.add_task("waiting for the first game", total=aim, completed=before)

    def watch(faults: tuple[str, ...]) -> None:
        nonlocal told_s
        for fault in faults:
            say(console, f"game {file.games - 1}: {fault}; played again by an engine started anew")
        now_s, done = time.monotonic(), _done(file, words)
        left_s = (now_s - started_s) * max(aim - done, 0) / (done - before)
        text = status(file, (file.positions - first) / (now_s - started_s), left_s)
        bar.update(task, completed=done, description=text)
        if not console.is_terminal and now_s - told_s >= REPORT_S:
            told_s = now_s
            say(console, f"{100 * done / aim:5.1f} %  {text}")

    with bar:
        yield watch


def status(file: GameFile, rate: float, left_s: float) -> str:
    minutes, seconds = divmod(round(left_s), 60)
    left = f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
    return f"{file.games:,} games  {file.positions:,} positions  {rate:,.0f}/s  {left} left"
