"""What a person sees of a match: a live bar on a terminal, plain lines otherwise, a summary at the end."""

import contextlib
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn, TimeRemainingColumn
from rich.text import Text

from engine.lab.tally import Tally
from engine.lab.tournament import Finished, Plan


class Watcher(Protocol):
    def __call__(self, finished: Finished) -> None: ...


@contextlib.contextmanager
def watching(console: Console, tally: Tally, games: int, every: int) -> Iterator[Watcher]:
    """A function to call after each game was counted; prints every fault at once."""
    bar = Progress(
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=console,
        expand=True,
    )
    task = bar.add_task("games", total=games)
    score = Text(tally.line())

    def watch(finished: Finished) -> None:
        if fault := finished.played.fault:
            loser = tally.names[fault[0] ^ finished.white]
            say(console, f"game {finished.number + 1}: {loser} loses by {fault[1]}")
        if console.is_terminal:
            score.plain = tally.line()
            bar.update(task, completed=tally.games)
        elif tally.games % every == 0:
            say(console, f"{tally.games}/{games}  {tally.line()}")

    with Live(Group(score, bar), console=console) if console.is_terminal else contextlib.nullcontext():
        yield watch


def say(console: Console, text: str) -> None:
    """One line as it is: no markup, no colours, not wrapped where nobody looks."""
    console.print(text, markup=False, highlight=False, soft_wrap=not console.is_terminal)


def why(ended_by: str | int | Exception, tally: Tally) -> str:
    """One sentence: what ended the match."""
    match ended_by:
        case "sprt":
            assert tally.sprt
            accepted = tally.sprt.elo1 if tally.verdict == "H1" else tally.sprt.elo0
            return f"SPRT accepts {tally.verdict} (Elo {accepted:g})"
        case int():
            return "interrupted"
        case Exception():
            return f"stopped by an error: {ended_by}"
        case _:
            return "all games played"


def summary(tally: Tally, ended_by: str | int | Exception) -> str:
    """Several lines; the last but the verdict is the line that the ledger quotes."""
    first, second = tally.names
    lines = [
        f"{first} vs {second}: {tally.games} games, {why(ended_by, tally)}",
        f"  as White {_wdl(tally.as_white)}, as Black {_wdl(tally.as_black)}",
        f"  pairs with 0, ½, 1, 1½, 2 points: {' '.join(map(str, tally.pairs))}",
        "  endings: " + (_counts(tally.endings) or "none"),
    ]
    for name, faults, warnings in zip(tally.names, tally.faults, tally.warnings, strict=True):
        lines.append(f"  {name}: faults {_counts(faults) or 'none'}; warnings {_counts(warnings) or 'none'}")
    return "\n".join([*lines, f"{first}: {tally.line()}"])


def _wdl(counts: list[int]) -> str:
    return "+{} ={} -{}".format(*counts)


def _counts(counter: Counter[str]) -> str:
    return ", ".join(f"{kind} {count}" for kind, count in counter.most_common())


def as_dict(
    plan: Plan, tally: Tally, ended_by: str | int | Exception, openings: str | None
) -> dict[str, Any]:
    engines = [
        {
            "name": spec.name,
            "command": list(spec.command),
            "folder": str(spec.folder) if spec.folder else None,
            "options": dict(spec.options),
            "limit": str(spec.limit),
            "faults": dict(faults),
            "warnings": dict(warnings),
        }
        for spec, faults, warnings in zip(plan.specs, tally.faults, tally.warnings, strict=True)
    ]
    setting = {"openings": openings, "seed": plan.seed, "ended_by": why(ended_by, tally)}
    return {"engines": engines, **setting, **tally.as_dict()}


def write_json(path: Path, content: dict[str, Any]) -> None:
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n")
