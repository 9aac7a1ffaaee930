"""From the words of `krait lab tune` to a run that can be driven: a new one, or the one its file holds. Reads
files, plays nothing.
"""

import hashlib
import random
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from engine.lab import openings, tune_state
from engine.lab.duel import Terms
from engine.lab.openings import Book
from engine.lab.settings import Limit, SettingError, adjudication
from engine.lab.spsa import Knob, Schedule, Walk
from engine.lab.tune_state import Run, Settings
from engine.net import NET_FILE
from engine.params import PARAMS, Param

EVERYTHING = "all"
DEFAULT_NODES = 10_000


class Words(NamedTuple):
    """The command line as it was typed; the meaning of each is in the help of `krait lab tune`."""

    state: Path
    openings: Path
    params: str = EVERYTHING
    iterations: int = 2_500
    pairs: int = 4
    tc: str | None = None
    nodes: int | None = None
    hash_mb: int = 16
    processes: int = 1
    seed: int | None = None
    perturbation: float = 1.0
    rate: float = 0.02
    resign: str = "moves=4,score=600"
    draw: str = "after=40,moves=8,score=10"
    max_plies: int = 400
    report: int = 100
    png: Path | None = None


class Plan(NamedTuple):
    run: Run
    terms: Terms
    book: Book
    is_new: bool


def plan_of(words: Words) -> Plan:
    """SettingError, OpeningError, StateError, OSError: the words make no run, or not the one in the file."""
    knobs = knobs_of(words.params)
    terms = Terms(
        _limit(words), adjudication(words.resign or None, words.draw or None, words.max_plies), words.hash_mb
    )
    book = openings.load(words.openings)
    settings = _settings(words, terms, book)
    if words.state.exists():
        run = tune_state.load(words.state)
        tune_state.refuse_other(words.state, run, knobs, settings, PARAMS)
        if words.seed not in {None, run.walk.seed}:
            raise SettingError(f"{words.state}: its seed is {run.walk.seed}, not {words.seed}")
        return Plan(run, terms, book, is_new=False)
    seed = random.SystemRandom().randrange(1 << 32) if words.seed is None else words.seed
    schedule = Schedule.ending_with(words.iterations, words.perturbation, words.rate)
    return Plan(tune_state.new_run(Walk(knobs, schedule, seed), settings, PARAMS), terms, book, is_new=True)


def knobs_of(words: str, table: Sequence[Param] = PARAMS) -> list[Knob]:
    """Names and groups between commas, in the order of the table. A group is what its names have before the
    first _. Switches are no matter of degree: only their own name chooses them. SettingError.
    """
    names = {param.name for param in table}
    chosen: set[str] = set()
    for word in (word.strip() for word in words.split(",")):
        found = {word} & names or {
            param.name
            for param in table
            if word in {EVERYTHING, _group(param)} and param.high - param.low > 1
        }
        if not found:
            groups = ", ".join(dict.fromkeys(map(_group, table)))
            raise SettingError(f"--params: nothing is called {word!r}; groups are {EVERYTHING}, {groups}")
        chosen |= found
    return [Knob(p.name, p.value, p.low, p.high) for p in table if p.name in chosen]


def _group(param: Param) -> str:
    return param.name.split("_")[0]


def _limit(words: Words) -> Limit:
    nodes = words.nodes if words.nodes or words.tc else DEFAULT_NODES
    return Limit.parse(words.tc, nodes, None, None)


def _settings(words: Words, terms: Terms, book: Book) -> Settings:
    """What must not change while a run goes on. More iterations may be asked for: the schedule goes on."""
    return {
        "net": hashlib.sha256(NET_FILE.read_bytes()).hexdigest()[:12],
        "limit": str(terms.limit),
        "pairs": words.pairs,
        "openings": f"{words.openings.name} ({len(book)})",
        "hash": f"{words.hash_mb} MB",
        "resign": words.resign,
        "draw": words.draw,
        "max plies": words.max_plies,
        "perturbation": words.perturbation,
        "rate": words.rate,
    }
