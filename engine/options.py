"""The UCI options: one table says what is offered, what is accepted and what it does.

A value that is refused, by its range here or by the engine that should use it, leaves the old value in place.
Names are compared without case and without spaces, so `Move Overhead` and `moveoverhead` are `MoveOverhead`.
"""

import difflib
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from engine import strength

if TYPE_CHECKING:
    from engine.driver import Engine

Value = int | bool | str
Values = Mapping[str, Value]

THREADS_PER_CORE = 2  # helpers beyond that starve the main search: 32 on 2 cores ended no depth in a second
CLASSICAL = "classical"  # as EvalFile: no net
EMPTY = "<empty>"  # how UCI writes a string with nothing in it
_INTEGER = re.compile(r"[+-]?[0-9]{1,15}")


class OptionError(ValueError):
    """A setoption that cannot be obeyed; the message is for the person at the GUI."""


class Option(NamedTuple):
    name: str
    default: Value | None  # None: a button
    apply: Callable[
        ["Engine", Values], str | None
    ]  # the new value is already in `Values`; may return a remark
    low: int = 0
    high: int = 0

    def offer(self) -> str:
        """The line that answers `uci`."""
        head = f"option name {self.name} type"
        match self.default:
            case None:
                return f"{head} button"
            case bool():
                return f"{head} check default {str(self.default).lower()}"
            case int():
                return f"{head} spin default {self.default} min {self.low} max {self.high}"
            case str():
                return f"{head} string default {self.default or EMPTY}"

    def parse(self, text: str) -> Value:
        """The value `text` stands for, or OptionError naming the values that are accepted."""
        match self.default:
            case None:
                return ""
            case bool():
                if text.lower() not in {"true", "false"}:
                    raise OptionError(f"{self.name} is true or false, not {text!r}")
                return text.lower() == "true"
            case int():
                if not _INTEGER.fullmatch(text) or not self.low <= int(text) <= self.high:
                    raise OptionError(f"{self.name} is a number from {self.low} to {self.high}, not {text!r}")
                return int(text)
            case str():
                return "" if text == EMPTY else text


def _nothing(_engine: "Engine", _values: Values) -> None:
    """The value is read where it is needed, or only tells the GUI that we know how."""


def _hash(engine: "Engine", values: Values) -> None:
    engine.resize(int(values["Hash"]))


def _clear_hash(engine: "Engine", _values: Values) -> None:
    engine.new_game()


def _threads(engine: "Engine", values: Values) -> str | None:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    wanted, most = int(values["Threads"]), THREADS_PER_CORE * cores
    engine.set_threads(min(wanted, most))
    return f"Threads: {most} are used, the most that pay on {cores} cores" if wanted > most else None


def _multipv(engine: "Engine", values: Values) -> None:
    engine.multipv = int(values["MultiPV"])


def _overhead(engine: "Engine", values: Values) -> None:
    engine.overhead_ms = int(values["MoveOverhead"])


def _chess960(engine: "Engine", values: Values) -> None:
    engine.chess960 = bool(values["UCI_Chess960"])


def _strength(engine: "Engine", values: Values) -> None:
    limited = strength.Strength(int(values["UCI_Elo"])) if values["UCI_LimitStrength"] else None
    engine.strength = limited


def _syzygy(engine: "Engine", values: Values) -> None:
    from engine import syzygy  # noqa: PLC0415  - loads python-chess, which the answer to `uci` does not need

    old = engine.tables
    engine.tables = syzygy.Tables(str(values["SyzygyPath"])) if values["SyzygyPath"] else None
    if old:
        old.close()


def _eval_file(engine: "Engine", values: Values) -> str | None:
    from engine import net  # noqa: PLC0415  - loads NumPy, which the answer to `uci` does not need

    name = str(values["EvalFile"])
    if not name:
        engine.use_net(net.shipped())
        return None
    if name == CLASSICAL:
        engine.use_net(net.without())
        return None
    chosen = net.load(Path(name))
    engine.use_net(net.compiled(chosen, name))
    return f"EvalFile: {chosen.describe()} from {name}"


OPTIONS = (
    Option("Hash", 16, _hash, 1, 32_768),
    Option("Clear Hash", None, _clear_hash),
    Option("Threads", 1, _threads, 1, 256),
    Option("Ponder", False, _nothing),
    Option("MultiPV", 1, _multipv, 1, 256),  # no position has more than 218 moves
    Option("MoveOverhead", 10, _overhead, 0, 5_000),
    Option("UCI_Chess960", False, _chess960),
    Option("UCI_ShowWDL", False, _nothing),
    Option("UCI_LimitStrength", False, _strength),
    Option("UCI_Elo", strength.ELO_MAX, _strength, strength.ELO_MIN, strength.ELO_MAX),
    Option("SyzygyPath", "", _syzygy),
    Option("EvalFile", "", _eval_file),  # nothing: the net shipped
)


def _key(name: str) -> str:
    return "".join(name.lower().split())


_BY_KEY = {_key(option.name): option for option in OPTIONS}


def find(name: str) -> Option:
    """The option called `name`, or OptionError naming the one that comes nearest."""
    key = _key(name[:100])  # likeness takes quadratic time, and no option is that long
    if key in _BY_KEY:
        return _BY_KEY[key]
    (near,) = difflib.get_close_matches(key, _BY_KEY, n=1, cutoff=0.0)
    raise OptionError(f"no option is called {name[:40]!r}; the nearest is {_BY_KEY[near].name}")


def split(line: str) -> tuple[str, str]:
    """The name and the value in `setoption name N [value V]`. V keeps its inner spaces: it may be a path."""
    words = list(re.finditer(r"\S+", line))
    if len(words) < 3 or words[1].group() != "name" or words[2].group() == "value":
        raise OptionError("setoption reads: setoption name <option> [value <value>]")
    for index, word in enumerate(words):
        if index > 1 and word.group() == "value":
            return line[words[2].start() : words[index - 1].end()], line[word.end() :].strip()
    return line[words[2].start() : words[-1].end()], ""


class Settings:
    """What has been set so far."""

    def __init__(self) -> None:
        self.values: dict[str, Value] = {o.name: o.default for o in OPTIONS if o.default is not None}

    def obey(self, line: str, engine: "Engine") -> str | None:
        """Carry out a whole `setoption` line; the result is a remark. OptionError: nothing has changed."""
        name, text = split(line)
        option = find(name)
        old = dict(self.values)
        if option.default is not None:
            self.values[option.name] = option.parse(text)
        try:
            return option.apply(engine, self.values)
        except (ValueError, OSError, MemoryError) as error:
            self.values = old
            raise OptionError(
                f"{option.name} keeps its value: {str(error) or 'not enough memory'}"
            ) from error
